"""The arena that tests of commands look at."""

from tests.cli.conftest import demo

__all__ = ["demo"]
