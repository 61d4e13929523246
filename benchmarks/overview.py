"""What everything that the site estimates takes, and how that grows with history.

The default demo, and the same ten times over, one after the other: other cohorts, markets and
events. Reading the forecasts alone is said beside it.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from arena.cli.demo import A_DAY, FIRST_DAY, Demo, demo_settings
from arena.clock import HandClock
from arena.records.settings import Settings
from arena.site.overview import cached_overview, overview_key, read_overview
from arena.steps.play import tick
from arena.store import Store, open_store
from arena.store.evidence import SqliteEvidence
from arena.wiring import build_doors, cast
from benchmarks.measure import say

DAYS, CONTESTANTS, TIMES, TURNS = 30, 12, 10, 3
SECONDS, MANY, RATIO, KEPT, KEY = 1.5, 5.0, 6.0, 0.2, 0.01
STEP = 5 * 10**6  # beyond every number of an entry of a demo

_AT = "strftime('%Y-%m-%dT%H:%M:%S+00:00', @column, '+@days days')"
_NAMED = "@column || '~@n'"
_COPIED = {
    "cohorts": {"cohort": _NAMED, "started_at": _AT, "window_ends_at": _AT},
    "rounds": {
        "cohort": _NAMED,
        "at": _AT,
        "offered": "(SELECT json_group_array(value || '~@n') FROM json_each(offered))",
    },
    "seats": {"cohort": _NAMED},
    "marks": {"cohort": _NAMED, "at": _AT},
    "fills": {"entry": "entry + @seq", "cohort": _NAMED, "market": _NAMED, "at": _AT},
    "sales": {"entry": "entry + @seq", "cohort": _NAMED, "market": _NAMED, "at": _AT},
    "resolutions": {"market": _NAMED, "at": _AT},
    "watched": {"market": _NAMED},
    "journal_entries": {"seq": "seq + @seq", "id": _NAMED, "cohort": _NAMED, "at": _AT},
    "journal_forecasts": {"entry": "entry + @seq", "market": _NAMED},
    "journal_postings": {"entry": "entry + @seq", "market": _NAMED},
    "tape_quotes": {"market": _NAMED, "seen_at": _AT, "quoted_at": _AT},
    "tape_statuses": {"market": _NAMED, "seen_at": _AT, "said_at": _AT},
    "tape_markets": {
        "market": _NAMED,
        "seen_at": _AT,
        "facts": "json_set(facts, '$.id', facts ->> '$.id' || '~@n', "
        "'$.event', facts ->> '$.event' || '~@n', '$.closes_at', "
        + _AT.replace("@column", "facts ->> '$.closes_at'")
        + ")",
    },
    "tape_polls": {"at": _AT},
    "tape_answers": {"cohort": _NAMED},
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = demo_settings(Demo(DAYS, CONTESTANTS, 1), Path(folder))
        with open_store(settings.database) as store:
            asyncio.run(_play(settings, store))
            one = _measure(settings, store, "the demo")
            say("the overview of the demo", one, SECONDS, "s")
            _repeat(store)
            many = _measure(settings, store, f"{TIMES} demos")
            say(f"the overview of {TIMES} demos", many, MANY, "s")
            say(f"{TIMES} times the history", many / one, RATIO, "times the seconds")
            who = cast(settings)
            cached_overview(store, who, Path(folder))
            kept = _least(lambda: cached_overview(store, who, Path(folder)))
            say("what is kept of it", kept, KEPT, "s")
            say("its key", _least(lambda: overview_key(store)), KEY, "s")


def _measure(settings: Settings, store: Store, what: str) -> float:
    who, found = cast(settings), SqliteEvidence(store.db)
    read = _least(found.forecasts)
    whole = _least(lambda: read_overview(store, who))
    n = len(found.forecasts())
    print(f"{what}: {n:,} forecasts, read in {read:.2f} s; the overview takes {whole:.2f} s")
    return whole


def _least(work: Callable[[], object]) -> float:
    """The least processor time of some turns, in seconds."""
    found = []
    for _ in range(TURNS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


async def _play(settings: Settings, store: Store) -> None:
    clock = HandClock(FIRST_DAY)
    doors = build_doors(settings, store, clock)
    for n in range(DAYS):
        clock.at = FIRST_DAY + n * A_DAY
        await tick(doors, clock.at)


def _repeat(store: Store) -> None:
    """Write down the same history again and again, each time a demo's days later."""
    with store.write():
        for table, changed in _COPIED.items():
            columns = [row["name"] for row in store.db.rows(f"PRAGMA table_info({table})")]
            store.db.run(f"CREATE TEMP TABLE once AS SELECT * FROM {table}")  # noqa: S608  # ours
            for n in range(1, TIMES):
                store.db.run(_copy(table, columns, changed, n))
            store.db.run("DROP TABLE once")


def _copy(table: str, columns: list[str], changed: Mapping[str, str], n: int) -> str:
    told = {"@n": str(n), "@days": str(n * DAYS), "@seq": str(n * STEP)}
    written = [changed.get(column, column).replace("@column", column) for column in columns]
    for name, value in told.items():
        written = [sql.replace(name, value) for sql in written]
    return f"INSERT INTO {table} SELECT {', '.join(written)} FROM once"  # noqa: S608  # ours
