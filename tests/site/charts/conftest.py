"""A browser for pages that need no site."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.site.conftest import CHROMIUM


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, where there is one."""
    if not CHROMIUM.exists():
        pytest.skip(f"there is no browser at {CHROMIUM}: the figures were not looked at")
    with sync_playwright() as driver:
        try:
            found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"the browser at {CHROMIUM} does not start: {error.message[:200]}")
        yield found
        found.close()
