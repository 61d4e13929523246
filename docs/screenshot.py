"""Make the README's picture: play the demo, open its leaderboard, and take a screenshot.

Chromium is found on the PATH; `make screenshot` runs this.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent / "leaderboard.png"
WIDTH, HEIGHT = 1280, 860


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
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto((out / "site" / "index.html").as_uri())
            page.screenshot(path=PICTURE)
            browser.close()
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
