"""What a month of hourly prices takes on disk, and what keeping a poll's raw answers takes."""

import json
import sqlite3
import tempfile
import time
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np

from arena.records.answer import Payload
from arena.records.market import MarketId, Quote, VenueId
from arena.records.money import Price, price, usd
from arena.store import Store, open_store
from arena.store.tape.prune import PRICES, sizes
from benchmarks.measure import say

START = datetime(2026, 1, 5, tzinfo=UTC)
VENUE = VenueId("polymarket")
MARKETS = tuple(MarketId(f"polymarket:{512_000 + n}") for n in range(200))
HOURS, CHANGED = 30 * 24, 0.3
A_QUOTE, TIMES = 60, 6  # bytes; times the floor
LISTED, PAGE, FIELDS = 5_000, 100, 130
KEEPING = 0.3  # seconds of what a poll of 5,000 markets may take, which is 25 MB


def main() -> None:
    polls = prices()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arena.db"
        with open_store(file) as store:
            engine = _engine(store, polls)
            readings = _weigh(store)
        floor = _floor(file, Path(folder) / "raw.db")
    each, bare = 1e6 * engine / readings, 1e6 * floor / readings
    print(f"engine {each:.1f} us a reading, floor {bare:.1f} us")
    say("a reading, compared and kept", each / bare, TIMES, "times a raw executemany")
    _keep_answers()


def prices() -> list[list[Quote]]:
    """A poll an hour; in each, three markets of ten have moved."""
    rng = np.random.default_rng(7)
    bids = rng.integers(50, 900, len(MARKETS))
    volumes = rng.integers(10_000, 5_000_000, len(MARKETS))
    polls = []
    for hour in range(HOURS):
        moved = rng.random(len(MARKETS)) < CHANGED
        step = rng.integers(1, 20, len(MARKETS)) * rng.choice((-1, 1), len(MARKETS))
        bids = np.where(moved, np.abs(bids + step) % 980, bids)
        volumes = volumes + moved * rng.integers(1, 5_000, len(MARKETS))
        at = START + timedelta(hours=hour)
        polls.append(
            [
                Quote(market, _price(bid), _price(bid + 10), at, usd(volume))
                for market, bid, volume in zip(
                    MARKETS, bids.tolist(), volumes.tolist(), strict=True
                )
            ]
        )
    return polls


def _price(mills: int) -> Price:
    return price(f"{mills / 1000:.3f}")


def _engine(store: Store, polls: list[list[Quote]]) -> float:
    start = time.perf_counter()
    for hour, poll in enumerate(polls):
        with store.write():
            store.tape.record_quotes(poll, START + timedelta(hours=hour))
    return time.perf_counter() - start


def _weigh(store: Store) -> int:
    found = sizes(store.db)
    held = {size.table: size for size in found.tables if size.table in PRICES}
    for table, what in (("tape_quotes", "change"), ("tape_repeats", "repeat")):
        size = held[table]
        print(f"{size.rows} rows of {table}, {size.bytes / size.rows:.1f} bytes a {what}")
    say(f"{found.readings} readings of prices", found.quote or 0, A_QUOTE, "bytes a quote")
    return found.readings


def _floor(source: Path, target: Path) -> float:
    """Write the rows that the engine wrote, a transaction a poll, without a question asked."""
    old, new = sqlite3.connect(source), sqlite3.connect(target, isolation_level=None)
    new.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
    polls: dict[str, dict[str, list[tuple[object, ...]]]] = {}
    for table, moment in (
        ("tape_quotes", "seen_at"),
        ("tape_repeats", "strftime('%Y-%m-%dT%H:%M:%S+00:00', seen_at, 'unixepoch')"),
    ):
        (sql,) = old.execute(
            "SELECT sql FROM sqlite_master WHERE name = ?", (table,)
        ).fetchone()
        new.execute(sql)
        for at, *row in old.execute(f"SELECT {moment}, * FROM {table}"):  # noqa: S608
            polls.setdefault(at, {}).setdefault(table, []).append(tuple(row))
    start = time.perf_counter()
    for _, tables in sorted(polls.items()):
        new.execute("BEGIN IMMEDIATE")
        for table, rows in tables.items():
            marks = ", ".join("?" * len(rows[0]))
            new.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608
        new.execute("COMMIT")
    taken = time.perf_counter() - start
    old.close()
    new.close()
    return taken


def _keep_answers() -> None:
    """Keep a poll of 5,000 markets, and read it: what both take beside each other."""
    bodies = [_page(number) for number in range(LISTED // PAGE)]
    whole = sum(map(len, bodies))
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "a.db") as store:
        start = time.perf_counter()
        for number, body in enumerate(bodies):
            url = f"https://example.org/markets?after_cursor={number}"
            store.payloads.keep(Payload(VENUE, START, "GET", url, 200, body))
        keeping = time.perf_counter() - start
        packed = store.db.value("SELECT sum(length(packed)) FROM tape_bodies")
    start = time.perf_counter()
    for body in bodies:
        json.loads(body)
    reading = time.perf_counter() - start
    print(
        f"{whole / 1e6:.0f} MB of raw answers: kept in {keeping:.2f} s, {packed / whole:.2f} "
        f"of the bytes; json.loads {reading:.2f} s"
    )
    say("keeping 25 MB of raw answers", keeping * 25e6 / whole, KEEPING, "s")


def _page(number: int) -> bytes:
    """A hundred markets in the words of a venue's list: long rules, ids, prices as text."""
    rng = np.random.default_rng(number)
    words = _words()
    rows = []
    for n in range(PAGE):
        digits = "".join(map(str, rng.integers(0, 10, 154).tolist()))
        rows.append(
            {
                "id": str(512_000 + number * PAGE + n),
                "conditionId": f"0x{sha256(digits.encode()).hexdigest()}",
                "question": " ".join(rng.choice(words, 12)),
                "description": " ".join(rng.choice(words, 120)),
                "clobTokenIds": json.dumps([digits[:77], digits[77:]]),
                "outcomes": '["Yes", "No"]',
                "outcomePrices": json.dumps([f"{p:.4f}" for p in rng.random(2)]),
                "volumeNum": float(rng.random() * 1e7),
                "volume24hr": float(rng.random() * 1e5),
                "liquidityNum": float(rng.random() * 1e5),
                "active": True,
                "closed": False,
                "endDate": "2026-12-31T12:00:00Z",
                "updatedAt": "2026-01-05T09:00:00.123456Z",
                **_fields(rng),
            }
        )
    return json.dumps({"markets": rows, "next_cursor": str(number)}).encode()


def _fields(rng: np.random.Generator) -> dict[str, object]:
    """The many short fields that a venue's row has beside those that are read."""
    numbers = rng.random(FIELDS).round(6).tolist()
    names = (f"field{n}OfMarket" for n in range(FIELDS))
    kinds = (float, str, bool, lambda x: None if x < 1 else x, lambda x: int(x * 1e6))
    return {
        name: kinds[n % len(kinds)](number)
        for n, (name, number) in enumerate(zip(names, numbers, strict=True))
    }


def _words() -> list[str]:
    rng = np.random.default_rng(0)
    letters = list("etaoinshrdlucmfwyp")
    return ["".join(rng.choice(letters, 7)) for _ in range(3_000)]
