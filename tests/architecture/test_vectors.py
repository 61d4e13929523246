"""Every known answer is held by a test that names it.

Those of the four sources are all held by `tests/docs/test_sources_page.py`.
"""

import json
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
VECTORS = TESTS / "vectors"
FOUR_SOURCES = ("s000.", "s001.", "s002.", "s003.")


def names() -> list[str]:
    """Every other id of `sources.json` and every case of `stats/`."""
    vectors = json.loads((VECTORS / "sources.json").read_text())["vectors"]
    found = [v["id"] for v in vectors if not v["id"].startswith(FOUR_SOURCES)]
    for file in sorted((VECTORS / "stats").glob("*.json")):
        found += [case["name"] for case in json.loads(file.read_text())["cases"]]
    return found


@pytest.fixture(scope="module")
def tests() -> str:
    return "\n".join(f.read_text("utf-8") for f in sorted(TESTS.rglob("test_*.py")))


@pytest.mark.parametrize("name", names())
def test_a_known_answer_is_held(name: str, tests: str) -> None:
    assert f'"{name}"' in tests
