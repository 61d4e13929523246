"""What has been forecast and has not come out is known too, with the day it was due."""

from pathlib import Path

import numpy as np
import pytest

from arena.store import open_store
from arena.store.scores.evidence import Saying, SqliteEvidence
from arena.store.tape.prices import first_due
from tests.cli.shell import arena


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six days of the demo."""
    home = tmp_path_factory.mktemp("waiting")
    done = arena("demo", "--days", "6", "--contestants", "2", "--out", "here", cwd=home)
    assert done.code == 0
    return home / "here" / "arena.db"


@pytest.mark.parametrize("saying", list(Saying))
def test_every_forecast_has_come_out_waits_or_never_will(
    saying: Saying, database: Path
) -> None:
    with open_store(database) as store:
        found = SqliteEvidence(store.db).forecasts(saying)
        columns = {Saying.STATED: "stated", Saying.KELLY: "kelly", Saying.LINEAR: "linear"}
        source = "journal_forecasts" if saying is Saying.FORECAST else "fills"
        where = f"WHERE {columns[saying]} IS NOT NULL" if saying in columns else ""
        total = store.db.value(f"SELECT count(*) FROM {source} {where}")  # noqa: S608
    assert found.waiting is not None
    assert len(found) > 0
    assert len(found.waiting) == found.left_out["outcome_missing"] > 0
    assert len(found) + sum(found.left_out.values()) == total
    assert set(found.outcome.tolist()) <= {0, 1}
    assert not set(found.market.codes.tolist()) & set(found.waiting.market.codes.tolist())


def test_what_waits_has_the_same_codes(database: Path) -> None:
    with open_store(database) as store:
        found = SqliteEvidence(store.db).forecasts()
    assert found.waiting is not None
    for name in ("contestant", "market", "event"):
        assert getattr(found, name).names is getattr(found.waiting, name).names


def test_a_market_is_due_when_it_was_first_said_to_close(database: Path) -> None:
    with open_store(database) as store:
        found = SqliteEvidence(store.db).forecasts()
        assert found.due is not None
        market, told = found.market.names[found.market.codes[0]], found.due[0]
        (first,) = first_due(store.db, [market]).values()
        assert np.datetime64(first.replace(tzinfo=None)) == told
        later = """INSERT INTO tape_markets SELECT market, '9999-01-01T00:00:00+00:00',
            json_set(facts, '$.closes_at', '2020-01-01T00:00:00+00:00')
            FROM tape_markets WHERE market = ? ORDER BY seen_at LIMIT 1"""
        store.db.raw.execute(later, (market,))
        assert first_due(store.db, [market]) == {market: first}
        store.db.raw.rollback()
