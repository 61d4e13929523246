from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.store import Store, open_store


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty arena: every test that takes it runs on a file and in memory."""
    with open_store(tmp_path / "arena.db" if request.param == "file" else None) as opened:
        yield opened
