"""The arena that the tutorial plays."""

from tests.cli.conftest import ranked

__all__ = ["ranked"]
