"""What every open position of a cohort is worth, at a moment."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime

from arena.ledger.mark import mark_to_market
from arena.records.cohort import CohortId, MarkRule
from arena.records.money import micro
from arena.records.trade import Entry, Marked, Position
from arena.store.caches import Caches, read_position, spec_of
from arena.store.codec import moment
from arena.store.sqlite import Row
from arena.store.tape import SqliteTape


def marked(caches: Caches, seq: int, entry: Entry, _event: Marked) -> None:
    """Value every open position of the cohort at the newest two-sided quotes on the tape.

    A book that lost one side for a while leaves the last whole one in force, until it is
    past the age that the cohort's rules allow.
    """
    caches.flush()
    spec = spec_of(caches.db, entry.cohort or CohortId(""))
    held: dict[str, list[Position]] = defaultdict(list)
    for row in caches.db.rows(
        "SELECT * FROM positions WHERE cohort = ? AND state = 'OPEN'", entry.cohort
    ):
        held[row["contestant"]].append(read_position(row))
    markets = {p.market for positions in held.values() for p in positions}
    quotes = SqliteTape(caches.db).two_sided_quotes(sorted(markets), entry.at)
    for seat in caches.db.rows("SELECT * FROM seats WHERE cohort = ?", entry.cohort):
        worth = mark_to_market(
            held[seat["contestant"]], quotes, at=entry.at, max_age=spec.rules.max_mark_age
        )
        now = {
            "bid_micro": micro(worth.bid),
            "bid_unpriced": worth.unpriced_bid,
            "bid_unpriced_shares_micro": micro(worth.unpriced_bid_shares),
            "mid_micro": micro(worth.mid),
            "mid_unpriced": worth.unpriced_mid,
            "mid_unpriced_shares_micro": micro(worth.unpriced_mid_shares),
        }
        _write_mark(caches, seat, entry.at, now, len(worth.marks))
    caches.db.run(
        "UPDATE cohorts SET marked_entry = ?, marked_at = ? WHERE cohort = ?",
        seq,
        moment(entry.at),
        entry.cohort,
    )
    caches.touch(seq, "cohort", entry.cohort or "")


def _write_mark(
    caches: Caches, seat: Row, at: datetime, now: Mapping[str, int], number: int
) -> None:
    before = caches.db.row(
        "SELECT * FROM marks WHERE cohort = ? AND contestant = ? ORDER BY at DESC LIMIT 1",
        seat["cohort"],
        seat["contestant"],
    )
    money = seat["cash_micro"] - seat["owed_micro"]
    changed = {}
    for side in MarkRule:
        worth, unpriced = f"{side}_micro", f"{side}_unpriced"
        had, without = seat["capital_micro"], 0
        if before is not None:
            had = before["cash_micro"] - before["owed_micro"] + before[worth]
            without = before[unpriced] > 0
        changed[worth] = money + now[worth] - had
        changed[unpriced] = (now[unpriced] > 0) - without
    caches.add_to_day(seat["contestant"], at, **changed)
    caches.db.run(
        "INSERT INTO marks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET cash_micro = excluded.cash_micro, "
        "owed_micro = excluded.owed_micro, bid_micro = excluded.bid_micro, "
        "bid_unpriced = excluded.bid_unpriced, mid_micro = excluded.mid_micro, "
        "mid_unpriced = excluded.mid_unpriced, open = excluded.open",
        seat["cohort"],
        seat["contestant"],
        moment(at),
        seat["cash_micro"],
        seat["owed_micro"],
        *(now[name] for name in ("bid_micro", "bid_unpriced", "mid_micro", "mid_unpriced")),
        number,
    )
    setters = ", ".join(f"{name} = ?" for name in now)
    caches.db.run(
        f"UPDATE seats SET {setters}, marked_at = ? WHERE cohort = ? AND contestant = ?",  # noqa: S608
        *now.values(),
        moment(at),
        seat["cohort"],
        seat["contestant"],
    )
