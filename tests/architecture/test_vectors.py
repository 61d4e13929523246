"""Every known answer is held by a test that names it."""

import json
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
VECTORS = TESTS / "vectors"


def names() -> list[str]:
    """Every id of `sources.json` and every case of `stats/`."""
    found = [v["id"] for v in json.loads((VECTORS / "sources.json").read_text())["vectors"]]
    for file in sorted((VECTORS / "stats").glob("*.json")):
        found += [case["name"] for case in json.loads(file.read_text())["cases"]]
    return found


@pytest.fixture(scope="module")
def tests() -> str:
    return "\n".join(f.read_text("utf-8") for f in sorted(TESTS.rglob("test_*.py")))


@pytest.mark.parametrize("name", names())
def test_a_known_answer_is_held(name: str, tests: str) -> None:
    assert f'"{name}"' in tests
