"""The contracts between the layers hold."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINT = Path(sys.executable).parent / "lint-imports"


def test_every_import_keeps_its_layer_and_goes_through_its_door() -> None:
    ran = subprocess.run(  # noqa: S603  # our own tool
        [LINT, "--no-cache", "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
