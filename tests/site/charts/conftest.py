"""A browser for pages that need no site."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.site.conftest import launched


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, where there is one."""
    with launched("the figures") as found:
        yield found
