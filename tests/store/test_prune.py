"""What nothing stands on may go: whatever can be asked afterwards has the answer it had."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from arena.records.answer import Payload
from arena.records.cohort import ContestantId
from arena.records.market import (
    NO_WINS,
    YES_WINS,
    MarketId,
    Outcome,
    Quote,
    Side,
    State,
    VenueId,
)
from arena.records.money import usd
from arena.records.settings import Schedule
from arena.site.pages.market import MOST_BOOKS
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.journal.packed import rebuild
from arena.store.pages.health import SqliteHealth
from arena.store.scores.evidence import SqliteEvidence
from arena.store.scores.offered_markets import SqliteLines
from arena.store.tape.prune import Pruned, prune, vacuum
from tests.build import ADA, BEN, COHORT, HAIL, HERE, RAIN, SNOW, at, quote, spec
from tests.present import present
from tests.site.folders import files, write_site
from tests.sizes import size
from tests.stage import Game, Script, buys, playing, started

POLYMARKET = VenueId("polymarket")  # the gate asks for volumes of this venue alone
DAYS = 20
END = 24 * DAYS
OLD = at(24 * 17)
SETTLED = {RAIN: 24 * 14, SNOW: 24 * 16 + 5, HAIL: 24 * 17 + 3}
CLOSED = 24 * 8 + 3  # snow, long before it is settled
STEP = size(1.0, 0.5)  # hours
OFTEN = Schedule(poll_every=timedelta(hours=STEP), mark_every=timedelta(hours=7))
SCRIPTS: dict[ContestantId, Script] = {
    ADA: {
        1: buys((RAIN, Side.YES, 500), (SNOW, Side.NO, 300), rain=0.7, snow=0.2),
        3: buys((HAIL, Side.YES, 200), hail=0.6),
    },
    BEN: {2: buys((RAIN, Side.NO, 300), (SNOW, Side.YES, 100), rain=0.3, snow=0.5)},
}


def shown(name: MarketId, hour: float) -> Quote:
    """A price that moves every 90 minutes and has one side alone now and then."""
    step = int(hour / 1.5)
    cents = 30 + (step * 7 + len(name)) % 31
    bid, ask = f"0.{cents}", None if step % 13 == 4 else f"0.{cents + 4}"
    return replace(quote(bid, ask, name=name), volume=usd(step * 100))


def play(game: Game) -> None:
    game.venue.listed = [replace(one, venue=POLYMARKET) for one in game.venue.listed]
    for hour in np.arange(0, END, STEP).tolist():
        for name, end in SETTLED.items():
            game.quote(shown(name, hour))
            if hour == end:
                game.say(name, YES_WINS if name == RAIN else NO_WINS)
        if hour == CLOSED:
            game.say(SNOW, State.CLOSED_PENDING)
        game.tick(hour)
        answer = Payload(HERE, at(hour), "GET", "https://example.org", 200, f"{hour}".encode())
        game.store.payloads.keep(answer)
    game.store.db.run("INSERT INTO tape_polls SELECT 'polymarket', at, error FROM tape_polls")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A month on disk, polled every hour. Nobody changes it."""
    file = tmp_path_factory.mktemp("month") / "arena.db"
    agreed = spec(COHORT, (ADA, BEN), days=18)
    with playing(SCRIPTS, agreed, schedule=OFTEN) as game, open_store(file) as store:
        game.store = store
        play(game)
    return file


@pytest.fixture
def store(played: Path, tmp_path: Path) -> Iterator[Store]:
    file = tmp_path / "arena.db"
    shutil.copy(played, file)
    with open_store(file) as opened:
        yield opened


def ask(store: Store, out: Path, *, pages: bool = True) -> tuple[object, ...]:
    """What can be asked of a file; pages are written where they are wanted."""
    with np.printoptions(threshold=10**9, precision=17):
        said = (
            repr(store.boards.overall()),
            repr(SqliteLines(store.db).offered()),
            repr(SqliteEvidence(store.db).forecasts()),
            repr(SqliteHealth(store.db).venues(at(END))),
        )
    if pages:
        write_site(store, out)
        shutil.rmtree(out / "bundle")  # it has the tape as it is
    return audit(store.db).findings, rebuild(store.db).digest, *said, files(out)


def test_a_pruned_month_answers_everything_as_before(store: Store, tmp_path: Path) -> None:
    before = ask(store, tmp_path / "before")
    done = prune(store.db, OLD, shown=MOST_BOOKS)
    assert min(done.answers, done.quotes, done.repeats) > 20
    assert ask(store, tmp_path / "after") == before
    assert before[0] == ()
    assert len(files(tmp_path / "after")) > 5


def test_without_pages_far_less_is_needed(store: Store, tmp_path: Path) -> None:
    before = ask(store, tmp_path / "none", pages=False)
    done = prune(store.db, OLD, shown=0)
    assert done.quotes + done.repeats > 400
    assert ask(store, tmp_path / "none", pages=False) == before


def test_whatever_was_asked_at_a_round_or_a_mark_has_its_answer(store: Store) -> None:
    moments = [at(hours) for hours in range(0, 24 * 16, 24)]

    def told() -> list[object]:
        ids = [RAIN, SNOW]
        tape = store.tape
        return [(tape.quotes(ids, m), tape.two_sided_quotes(ids, m)) for m in moments]

    before = told()
    prune(store.db, OLD, shown=0)
    assert told() == before


def test_prices_of_what_is_not_settled_that_long_stay(store: Store) -> None:
    def readings(market: MarketId) -> int:
        rows = "SELECT count(*) FROM tape_quotes WHERE market = ?"
        again = """SELECT count(*) FROM tape_repeats JOIN tape_names USING (number)
            WHERE market = ?"""
        return int(store.db.value(rows, market)) + int(store.db.value(again, market))

    before = {market: readings(market) for market in (RAIN, HAIL)}
    prune(store.db, OLD, shown=0)
    assert readings(HAIL) == before[HAIL]
    assert readings(RAIN) < before[RAIN] / 2


def test_a_dry_run_says_what_it_would_be_and_is_done_once(store: Store) -> None:
    foretold = prune(store.db, OLD, shown=MOST_BOOKS, dry=True)
    again = prune(store.db, OLD, shown=MOST_BOOKS, dry=True)
    assert (foretold, foretold.freed > 0) == (again, True)
    assert prune(store.db, OLD, shown=MOST_BOOKS) == foretold
    assert prune(store.db, OLD, shown=MOST_BOOKS) == Pruned(0, 0, 0, 0)


def test_the_disk_is_given_back_what_was_freed(store: Store) -> None:
    freed = prune(store.db, OLD, shown=0).freed
    assert freed > 0
    assert vacuum(store.db) >= freed
    assert Path(present(store.db.path)).stat().st_size < 10**7


def bodies(store: Store) -> set[float]:
    """The hours of which the answers still have a body."""
    kept = store.payloads.newest(HERE, 10**6)
    found = [(one, store.payloads.body(one.digest)) for one in kept]
    return {float(body) for _, body in found if body is not None}


def test_answers_that_a_round_or_an_outcome_was_read_from_stay_and_the_index(
    store: Store,
) -> None:
    prune(store.db, OLD, shown=MOST_BOOKS)
    rounds = set(range(0, 24 * 18, 24))
    recent = set(np.arange(24 * 17, END, STEP).tolist())
    assert bodies(store) == rounds | recent | set(SETTLED.values())
    assert len(store.payloads.newest(HERE, 10**6)) == END / STEP


def answer(store: Store, hours: float, *, body: bytes = b"", venue: VenueId = HERE) -> str:
    said = body or f"{venue} {hours}".encode()
    store.payloads.keep(Payload(venue, at(hours), "GET", "https://example.org", 200, said))
    return store.payloads.newest(venue, 1)[0].digest


def test_both_reads_of_an_outcome_and_its_end_are_evidence() -> None:
    words: dict[int, Outcome | State] = {6: YES_WINS, 20: State.DISPUTED}
    with playing({ADA: {1: buys((RAIN, Side.YES, 500), rain=0.7)}}) as game:
        kept = {}
        for hour in range(30):
            game.venue.clock.at = at(hour)
            if hour in words:
                game.say(RAIN, words[hour])
                said = replace(game.venue.said[RAIN], unconfirmed=True)
                game.venue.said[RAIN] = said
            game.tick(hour)
            kept[hour] = answer(game.store, hour + 0.01)
        prune(game.store.db, at(100), shown=0)
        left = {hour for hour, digest in kept.items() if game.store.payloads.body(digest)}
        assert left == {0, 6, 7, 20, 21}


def test_a_body_that_is_evidence_elsewhere_stays() -> None:
    with started({ADA: {}}) as game:
        digest = answer(game.store, 0, body=b"the same")
        game.tick(2)
        assert answer(game.store, 2, body=b"the same") == digest
        gone = answer(game.store, 2)
        prune(game.store.db, at(100), shown=0)
        assert game.store.payloads.body(digest) == b"the same"
        assert game.store.payloads.body(gone) is None


def test_what_is_as_old_as_the_limit_stays() -> None:
    with playing({ADA: {}}) as game:
        for hours in (0, 2, 4):
            game.tick(hours)
        old, new = answer(game.store, 3.9), answer(game.store, 4)
        prune(game.store.db, at(4), shown=0)
        assert game.store.payloads.body(old) is None
        assert game.store.payloads.body(new) is not None


def test_an_empty_arena_has_nothing_to_prune() -> None:
    with open_store(None) as store:
        assert prune(store.db, at(0), shown=0) == Pruned(0, 0, 0, 0)
