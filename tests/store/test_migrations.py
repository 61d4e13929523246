"""A database of before calls were on the tape: `before_calls.sql` was written by that version.

In it Ada and Ben have played one round; in the next Ada's answer is on the tape, and the
process died while Ben was asked.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.records.answer import Attempt, Caller, Trouble, Usage
from arena.records.money import usd
from arena.steps.rounds.brief import brief, set_scene
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.journal.packed import rebuild
from arena.store.migrations import STEPS
from tests.build import ADA, BEN, COHORT, MARKETS, at, spec
from tests.present import present
from tests.stage import playing
from tests.unpacked import opened

OLD = Path(__file__).parent / "before_calls.sql"
VIEWS = (
    "journal_entries", "journal_postings", "journal_forecasts", "fills", "positions", "marks",
)  # fmt: skip
ENTRY = ("seq", "id", "at", "kind", "cohort", "contestant")  # the digest stands for the rest
HEAD = "38d4ff10d040366405f2c16de2430082c33b547ac78158833464e4035e913ade"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / "arena.db"
    with closing(sqlite3.connect(file)) as db:
        db.executescript(OLD.read_text("utf-8"))
    return file


@pytest.fixture
def migrated(old: Path) -> Iterator[Store]:
    with open_store(old) as store:
        yield store


def rows(db: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, in the columns that there were before."""
    tables = [
        name
        for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if not name.startswith("_") and name != "sqlite_sequence"
    ]
    return {name: sorted(db.execute(f"SELECT * FROM {name}"), key=repr) for name in tables}  # noqa: S608


def test_every_row_is_kept(old: Path) -> None:
    with closing(sqlite3.connect(old)) as db:
        before = rows(db)
    with open_store(old):
        pass
    with opened(old) as db:
        after = rows(db)
        for name in VIEWS:
            columns = [column for _, column, *_ in db.execute(f"PRAGMA table_info({name})")]
            kept = columns if name != "journal_entries" else ENTRY
            now = db.execute(f"SELECT {', '.join(kept)} FROM {name}")  # noqa: S608
            after[name] = sorted(now, key=repr)
    before["journal_entries"] = sorted((row[:6] for row in before["journal_entries"]), key=repr)
    attempts = after.pop("tape_attempts")
    assert [(*row[:3], *row[4:]) for row in attempts] == before.pop("tape_attempts")
    assert {row[3] for row in attempts} == {""}
    for name, found in before.items():
        assert [row[: len(was)] for row, was in zip(after[name], found, strict=True)] == found


def test_what_comes_after_each_migration_is_as_if_it_was_always_there(old: Path) -> None:
    def tables(store: Store) -> dict[str, list[tuple[object, ...]]]:
        names = store.db.rows("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL")
        wanted = (row["name"] for row in names if row["name"] != "_sqlite_migrations")
        return {
            name: [tuple(row)[1:] for row in store.db.rows(f"PRAGMA table_xinfo({name})")]
            for name in wanted
        }

    with open_store(old) as found, open_store(None) as new:
        assert tables(found) == tables(new)
        done = found.db.rows("SELECT name FROM _sqlite_migrations ORDER BY id")
        assert [row["name"] for row in done] == [step.__name__ for step in STEPS]


def test_the_journal_is_the_same(migrated: Store) -> None:
    assert migrated.journal.head() == HEAD


def test_the_books_are_in_order(migrated: Store) -> None:
    assert audit(migrated.db).findings == ()
    assert rebuild(migrated.db).changed == ()


def test_turns_of_before_are_counted_in_how_contestants_conduct_themselves(
    migrated: Store,
) -> None:
    for found in (migrated.conduct.totals(), migrated.conduct.totals(COHORT)):
        counted = [(one.contestant, one.turns, one.failed, one.calls) for one in found]
        assert counted == [(ADA, 1, 0, 0), (BEN, 1, 1, 0)]


def test_answers_of_before_are_read_as_they_were(migrated: Store) -> None:
    answer = present(migrated.tape.answer(COHORT, 1, ADA))
    question = present(answer.question)
    assert (question.system, question.user) == ("rules", "facts")
    said = answer.completion
    assert (said.raw, said.model, said.latency_ms) == (b"raw", "small-1", 7)
    assert said.parser_version == 1
    assert said.usage == Usage(1000, 50, usd("0.0123"))
    assert said.attempts == (Attempt(7, 200, billed=True),)
    assert answer.calls == migrated.tape.calls.of_turn(COHORT, 1, ADA) == ()
    assert not migrated.tape.calls.was_asked(Caller(COHORT, 1, ADA, "decide"))


def test_attempts_of_before_are_read_in_their_order(migrated: Store) -> None:
    answer = present(migrated.tape.answer(COHORT, 1, BEN))
    assert answer.completion.attempts == (
        Attempt(10, 503, Trouble.SERVER, "busy", billed=False),
        Attempt(20, None, Trouble.TIMEOUT, "no answer"),
    )


@pytest.mark.parametrize("number", [1, 2])
def test_a_round_of_before_shows_its_markets_in_their_old_order(
    number: int, migrated: Store
) -> None:
    played = present(migrated.books.round(COHORT, number))
    scene = set_scene(migrated, present(migrated.books.cohort(COHORT)), played, played.at)
    briefing = brief(migrated, scene, ADA, played.at).briefing
    shown = zip(["M1", "M2", "M3"], sorted(MARKETS), strict=True)
    assert [(o.alias, o.market.id) for o in briefing.offers] == list(shown)


def test_a_round_that_was_under_way_is_finished_with_the_answers_it_has(old: Path) -> None:
    """Ada sold M2, which is the second market in the old order."""
    agreed = spec(COHORT, (ADA, BEN), days=3)
    with playing({ADA: {}, BEN: {}}, agreed) as game, open_store(old) as store:
        game.store = store
        report = game.tick(24.5)
        assert (report.sales, report.turns, report.failed_turns) == (1, 2, ())
        assert game.agents[ADA].shown == []
        assert game.held(ADA) == []
        assert audit(store.db).findings == ()


def test_a_new_round_has_a_seed(old: Path) -> None:
    agreed = spec(COHORT, (ADA, BEN), days=3)
    with playing({ADA: {}, BEN: {}}, agreed) as game, open_store(old) as store:
        game.store = store
        game.tick(48)
        seeds = [store.books.round(COHORT, n) for n in (1, 2, 3)]
        assert [bool(one and one.seed) for one in seeds] == [False, False, True]
        assert store.books.last_round(COHORT) == seeds[-1]
        assert {at(48)} == {one.at for one in seeds[2:] if one}


def test_opening_twice_migrates_once(old: Path) -> None:
    for _ in range(2):
        with open_store(old) as store:
            assert len(store.conduct.totals()) == 2
