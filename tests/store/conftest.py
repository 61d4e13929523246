from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.store import Store, open_store
from tests.sizes import size
from tests.stage import Game, eventful


@pytest.fixture(params=size(["memory"], ["memory", "file"]))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty arena: in memory, and in `make soak` in a file too."""
    with open_store(tmp_path / "arena.db" if request.param == "file" else None) as opened:
        yield opened


@pytest.fixture(scope="module")
def game() -> Iterator[Game]:
    """An arena in which everything has happened, which nobody changes."""
    with eventful() as played:
        yield played
