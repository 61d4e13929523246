"""Make the README's pictures: play the demo, open its pages, and take screenshots.

Chromium is found on the PATH; `make screenshot` runs this.
"""

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, sync_playwright

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Picture:
    """A page of the demo as it is seen in a window."""

    file: str
    page: str
    size: ViewportSize
    dark: bool = False


PICTURES = (
    Picture("leaderboard.png", "index.html", ViewportSize(width=1280, height=960)),
    Picture(
        "calibration.png", "calibration.html", ViewportSize(width=1280, height=1010), dark=True
    ),
)


def main() -> None:
    """Play, open, shoot."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("chromium is not on the PATH; on Debian: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "demo"
        subprocess.run(  # noqa: S603  # our own command
            [sys.executable, "-m", "arena", "demo", "--out", str(out)], check=True
        )
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
            )
            for picture in PICTURES:
                shoot(picture, out / "site", browser)
            browser.close()


def shoot(picture: Picture, site: Path, browser: Browser) -> None:
    """Take one picture, on the day of the newest data: the demo's are of another year."""
    context = browser.new_context(
        viewport=picture.size, color_scheme="dark" if picture.dark else "light"
    )
    page = context.new_page()
    page.goto((site / picture.page).as_uri())
    newest = page.locator("html").get_attribute("data-as-of")
    if newest:
        context.clock.set_fixed_time(datetime.fromisoformat(newest))
        page.reload()
    page.screenshot(path=FOLDER / picture.file)
    context.close()
    print(f"wrote {FOLDER / picture.file}")


if __name__ == "__main__":
    main()
