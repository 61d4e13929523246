"""What a fill costs the engine, against writing the same rows with `executemany`."""

import sqlite3
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.ledger.journal import book_fill
from arena.ledger.order_limits import DecisionDesk, Tradable, judge
from arena.records.cohort import (
    Cadence,
    CohortId,
    CohortSpec,
    ContestantId,
    Rules,
    Start,
    Universe,
)
from arena.records.decision import Action, Bet, BetId, Decision
from arena.records.market import EventId, Market, MarketId, Quote, Side, VenueId
from arena.records.money import price, usd
from arena.records.trade import Entry, RoundOpened
from arena.steps.play import opening
from arena.store import Store, open_store
from benchmarks.measure import say

AT = datetime(2026, 1, 5, tzinfo=UTC)
VENUE, WHO, COHORT = VenueId("v"), ContestantId("ada"), CohortId("bench")
MARKETS = tuple(MarketId(f"m{n}") for n in range(50))
TURNS, LEGS = 400, 5
LIMIT = 25  # entries are packed: the floor has few rows to write
REWRITTEN = frozenset({"position_rows", "seats", "totals"})  # with every fill
_TABLES = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
)
RULES = Rules(capital=usd(10_000_000), min_bet=usd(1))
SPEC = CohortSpec(
    "bench",
    "Benchmark",
    VENUE,
    Start(Cadence.ONCE, AT),
    timedelta(days=1),
    timedelta(days=1),
    Universe(),
    (WHO,),
    RULES,
)


def main() -> None:
    ratios = [_ratio() for _ in range(3)]
    say(
        "a fill, priced, judged, booked, stored and cached",
        statistics.median(ratios),
        LIMIT,
        "times a raw executemany of the same rows",
    )


def _ratio() -> float:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arena.db"
        with open_store(file) as store:
            offered = RoundOpened(1, MARKETS, "0")
            store.journal.append([*opening(SPEC, AT), Entry("r", AT, offered, COHORT)])
            start = time.perf_counter()
            fills = _engine(store)
            engine = (time.perf_counter() - start) / fills
        floor = _floor(file, Path(folder) / "raw.db", fills) / fills
    print(f"engine {1e6 * engine:.0f} us a fill, floor {1e6 * floor:.1f} us")
    return engine / floor


def _engine(store: Store) -> int:
    """Play turns as `steps.trade` does, each in one transaction; count the fills."""
    markets = {
        m: Tradable(
            Market(m, VENUE, EventId(m), "?"), Quote(m, price("0.4"), price("0.42"), AT)
        )
        for m in MARKETS
    }
    done = 0
    for turn in range(TURNS):
        with store.write():
            cash = store.books.purse(COHORT, WHO).cash
            desk = DecisionDesk(1, AT, cash, markets, {}, RULES)
            bets = tuple(
                Bet(
                    BetId(f"bench/{turn}/{leg}"),
                    MARKETS[(turn * LEGS + leg) % len(MARKETS)],
                    Side.YES if turn % 2 else Side.NO,
                    usd(100 + leg),
                )
                for leg in range(LEGS)
            )
            found = judge(Decision(Action.BET, (), bets), desk)
            store.journal.append(book_fill(f, COHORT, WHO, AT) for f in found.fills)
            done += len(found.fills)
    return done


def _floor(source: Path, target: Path, fills: int) -> float:
    """Write the rows that the engine wrote, table by table, in one transaction."""
    old = sqlite3.connect(source)
    new = sqlite3.connect(target)
    new.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
    rows = {}
    for table, sql in old.execute(_TABLES).fetchall():
        new.execute(sql)
        if written := old.execute(f"SELECT * FROM {table}").fetchall():  # noqa: S608
            rows[table] = written
    # a fill also rewrites its position, its seat and its total
    start = time.perf_counter()
    with new:
        for table, written in rows.items():
            marks = ", ".join("?" * len(written[0]))
            verb = "INSERT OR REPLACE" if table in REWRITTEN else "INSERT"
            again = fills // len(written) if table in REWRITTEN else 1
            new.executemany(f"{verb} INTO {table} VALUES ({marks})", written * max(1, again))
    taken = time.perf_counter() - start
    old.close()
    new.close()
    return taken
