"""Where checkers that others wrote are, and which pages they are shown."""

from pathlib import Path

import numpy as np
import pytest

from tests.site.conftest import Site
from tests.site.truth.twins import kinds
from tests.sizes import size

MODULES = Path(__file__).parents[3] / ".venv" / "checkers" / "node_modules"
TEMPLATES = Path(__file__).parents[3] / "templates" / "site"
PARTS = {"base", "figures", "listings", "parts", "ranking"}
KINDS = {file.stem for file in TEMPLATES.glob("*.html")} - PARTS
SEED, DRAWN = 6, size(3, 200)


def needs(name: str) -> Path:
    """The file of a checker; the test is skipped where it is not installed."""
    file = MODULES / name
    if not file.exists():
        package = name.partition("/")[0]
        pytest.skip(f"{package} is not installed (make test does it): nothing checked")
    return file


def one_of_each(out: Path) -> list[Path]:
    """A page of each kind, the largest one, by what their twins say they are."""
    found = sorted(kinds(out).items())
    return [max(pages, key=lambda page: page.stat().st_size) for _, pages in found]


def every_page(out: Path) -> list[Path]:
    return sorted(out.rglob("*.html"))


@pytest.fixture(scope="session")
def busy(simulated: Site) -> list[Path]:
    """A page of each kind of an arena with many forecasts."""
    found = one_of_each(simulated.out)
    assert len(found) == len(KINDS)
    return found


@pytest.fixture(scope="session")
def eventful(lively: Site) -> list[Path]:
    """A page of each kind of an arena in which everything has happened."""
    return one_of_each(lively.out)


@pytest.fixture(scope="session")
def sample(
    busy: list[Path], eventful: list[Path], simulated: Site, attacked: Site
) -> list[Path]:
    """A page of each kind, also of an arena under attack, and some that chance has drawn."""
    hostile = size(one_of_each, every_page)(attacked.out)
    others = sorted({*every_page(simulated.out)} - {*busy})
    drawn = np.random.default_rng(SEED).permutation(len(others))[:DRAWN]
    return [*busy, *eventful, *hostile, *(others[n] for n in drawn)]
