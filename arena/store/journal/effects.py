"""What each entry does to each cache: one way, for a live tick and for a rebuild alike.

Everything here follows from the journal, and from what was on the tape at the entry's time.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from arena.ledger.mark import MarkedPositions, mark_to_market
from arena.ledger.positions import moved
from arena.records.cohort import CohortId, MarkRule
from arena.records.market import MarketId, Outcome, Side
from arena.records.money import micro
from arena.records.trade import (
    AdapterSet,
    Book,
    Completed,
    Conduct,
    Entry,
    Event,
    Fill,
    Funded,
    Marked,
    Opened,
    PositionState,
    Reopened,
    Resolved,
    Restored,
    Reversed,
    RoundClosed,
    RoundOpened,
    Sealed,
    Settled,
    SoldFill,
    Turn,
)
from arena.scoring.leaderboard import brier_score, picos
from arena.store.caches import Caches, read_position, second_of, spec_of
from arena.store.codec import canonical, moment
from arena.store.sqlite import Row
from arena.store.tape.quotes import outcome_of
from arena.store.tape.sqlite_tape import SqliteTape


def marked(caches: Caches, seq: int, entry: Entry, _event: Marked) -> None:
    """Value every open position of the cohort at the newest two-sided quotes on the tape.

    A book that lost one side for a while leaves the last whole one in force, until it is
    past the age that the cohort's rules allow.
    """
    caches.flush()
    spec = spec_of(caches.db, entry.cohort or CohortId(""))
    sql = "SELECT * FROM positions WHERE cohort = ? AND state = 'OPEN'"
    positions = [read_position(row) for row in caches.db.rows(sql, entry.cohort)]
    markets = sorted({position.market for position in positions})
    quotes = SqliteTape(caches.db).two_sided_quotes(markets, entry.at)
    max_age = spec.rules.max_mark_age
    worths = mark_to_market(positions, quotes, at=entry.at, max_age=max_age)
    for seat in caches.db.rows("SELECT * FROM seats WHERE cohort = ?", entry.cohort):
        worth = worths.get(seat["contestant"], MarkedPositions())
        now = {
            "bid_micro": micro(worth.bid),
            "bid_unpriced": worth.unpriced_bid,
            "bid_unpriced_shares_micro": micro(worth.unpriced_bid_shares),
            "mid_micro": micro(worth.mid),
            "mid_unpriced": worth.unpriced_mid,
            "mid_unpriced_shares_micro": micro(worth.unpriced_mid_shares),
        }
        _write_mark(caches, seat, entry.at, now, worth.number)
    sql = "UPDATE cohorts SET marked_entry = ?, marked_at = ? WHERE cohort = ?"
    caches.db.run(sql, seq, moment(entry.at), entry.cohort)
    caches.touch(seq, "cohort", entry.cohort or "")


def _write_mark(
    caches: Caches, seat: Row, at: datetime, now: Mapping[str, int], number: int
) -> None:
    key = (caches.number(seat["cohort"]), caches.number(seat["contestant"]))
    sql = "SELECT * FROM mark_rows WHERE cohort = ? AND contestant = ? ORDER BY at DESC LIMIT 1"
    before = caches.db.row(sql, *key)
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
        "REPLACE INTO mark_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *key,
        second_of(at),
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


def resolved(caches: Caches, seq: int, entry: Entry, event: Resolved) -> None:
    """Write a market's outcome, and grade what was bet and said on it; undo the last one."""
    before = caches.db.row("SELECT * FROM resolutions WHERE market = ?", event.market)
    old = outcome_of(before["void"], before["yes_pays_micro"]) if before else None
    for sign, outcome in ((-1, old), (1, event.outcome)):
        if outcome is not None:
            _grade_fills(caches, event.market, outcome, sign)
            _grade_forecasts(caches, event.market, outcome, sign)
    pays = event.outcome.yes_pays if event.outcome else None
    caches.db.run(
        "INSERT INTO resolutions VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
        "revision = excluded.revision, at = excluded.at, void = excluded.void, "
        "yes_pays_micro = excluded.yes_pays_micro",
        event.market,
        event.revision,
        moment(entry.at),
        int(pays is None) if event.outcome else None,
        None if pays is None else micro(pays),
    )
    ended = None if event.outcome is None else moment(entry.at)
    caches.db.run("UPDATE watched SET resolved_at = ? WHERE market = ?", ended, event.market)
    caches.touch(seq, "market", event.market)


def _grade_fills(caches: Caches, market: MarketId, outcome: Outcome, sign: int) -> None:
    truth = outcome.truth
    for row in caches.db.rows("SELECT * FROM fills WHERE market = ?", market):
        seat = (row["cohort"], row["contestant"])
        if truth is None:
            caches.add_to(seat, fills_excluded=sign)
            continue
        sums = {
            "fills_resolved": 1,
            "fills_won": int((row["side"] == Side.YES) == bool(truth)),
            "break_even_micro": row["price_micro"],
            "linear_pico": picos(brier_score(row["linear"], truth)),
            "kelly_pico": picos(brier_score(row["kelly"], truth)),
        }
        if row["stated"] is not None:
            sums["stated_resolved"] = 1
            sums["stated_pico"] = picos(brier_score(row["stated"], truth))
        caches.add_to(seat, **{name: sign * amount for name, amount in sums.items()})


def _grade_forecasts(caches: Caches, market: MarketId, outcome: Outcome, sign: int) -> None:
    truth = outcome.truth
    sql = """SELECT cohort, contestant, event FROM forecast_entries AS stated
        CROSS JOIN journal_entries AS done ON done.seq = stated.entry WHERE stated.market = ?"""
    for row in caches.db.rows(sql, market):
        seat = (row["cohort"], row["contestant"])
        for probability in _probabilities(row["event"]).get(market, ()):
            if truth is None:
                caches.add_to(seat, forecasts_excluded=sign)
            else:
                score = picos(brier_score(probability, truth))
                caches.add_to(seat, forecasts_resolved=sign, forecast_pico=sign * score)


@lru_cache(maxsize=128)  # markets that are ruled on together were forecast in the same turns
def _probabilities(turn: str) -> Mapping[str, Sequence[float]]:
    """The probabilities that a turn's event has, by market."""
    probabilities: defaultdict[str, list[float]] = defaultdict(list)
    for forecast in json.loads(turn)["forecasts"]:
        probabilities[forecast["market"]].append(float(forecast["probability"]))
    return dict(probabilities)


_BOOKS = {
    Book.CASH: ("cash_micro", 1),
    Book.OWED: ("owed_micro", -1),
    Book.POSITION: ("open_cost_micro", 1),
    Book.FEES: ("fees_micro", 1),
    Book.PROFIT: ("realised_micro", -1),
    Book.CAPITAL: ("capital_micro", -1),
}

_OF_A_DAY = {
    Book.PROFIT: "realised_micro",
    Book.FEES: "realised_micro",
    Book.CAPITAL: "capital_micro",
}


def apply(caches: Caches, seq: int, entry: Entry) -> None:
    """Let one entry of the journal have its effects."""
    caches.index(seq, entry)
    _EFFECTS[type(entry.event)](caches, seq, entry, entry.event)
    for posting in entry.postings:
        name, sign = _BOOKS[posting.account.book]
        caches.add(entry, **{name: sign * micro(posting.amount)})
        if changed := _OF_A_DAY.get(posting.account.book):
            caches.add_to_day(entry.contestant, entry.at, **{changed: -micro(posting.amount)})
    if entry.postings and entry.cohort:
        caches.moved[entry.cohort] = seq


def _opened(caches: Caches, seq: int, entry: Entry, event: Opened) -> None:
    spec, ends = event.spec, entry.at + event.spec.decide_for
    texts = (canonical(spec), spec.name, event.digest, moment(entry.at), moment(ends))
    sql = "INSERT INTO cohorts VALUES (?, ?, ?, ?, ?, ?, NULL, ?, 0, NULL)"
    caches.db.run(sql, entry.cohort, *texts, seq)


def _funded(caches: Caches, _seq: int, entry: Entry, _event: Funded) -> None:
    sql = "INSERT INTO seats (cohort, contestant) VALUES (?, ?)"
    caches.db.run(sql, entry.cohort, entry.contestant)


def _round_opened(caches: Caches, seq: int, entry: Entry, event: RoundOpened) -> None:
    texts = (moment(entry.at), canonical(event.offered), event.digest)
    sql = "INSERT INTO rounds VALUES (?, ?, ?, ?, ?, 0, ?)"
    caches.db.run(sql, entry.cohort, event.round, *texts, event.seed)
    venue = spec_of(caches.db, entry.cohort or CohortId("")).venue
    for market in event.offered:
        sql = "INSERT INTO watched VALUES (?, ?, NULL) ON CONFLICT DO NOTHING"
        caches.db.run(sql, market, venue)
        caches.touch(seq, "market", market)


def _round_closed(caches: Caches, _seq: int, entry: Entry, event: RoundClosed) -> None:
    sql = "UPDATE rounds SET closed = 1 WHERE cohort = ? AND round = ?"
    caches.db.run(sql, entry.cohort, event.round)


def _turn(caches: Caches, seq: int, entry: Entry, event: Turn) -> None:
    turn, refused = (entry.cohort, event.round, entry.contestant), len(event.refused)
    judged = (event.action, event.accepted, refused, event.failure)
    sql = "INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    caches.db.run(sql, *turn, moment(entry.at), *judged, seq)
    caches.db.many(
        "INSERT INTO forecast_index VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(caches.number(forecast.market), seq) for forecast in event.forecasts],
    )
    sql = """SELECT tokens_in, tokens_out, cost_micro FROM tape_answers
        WHERE cohort = ? AND round = ? AND contestant = ?"""
    tokens_in, tokens_out, cost = caches.db.row(sql, *turn) or (None, None, None)
    caches.add(
        entry,
        turns_ok=int(event.failure is None),
        turns_failed=int(event.failure is not None and not event.is_withdrawn),
        refused=refused,
        forecasts=len(event.forecasts),
        tokens_in=tokens_in or 0,
        tokens_out=tokens_out or 0,
        cost_micro=cost or 0,
        cost_unknown=int(cost is None),
    )
    if not event.is_withdrawn:
        _conducted(caches, entry, event.conduct)


def _conducted(caches: Caches, entry: Entry, conduct: Conduct) -> None:
    """Add to how a contestant conducts itself, in this cohort and ("") in all of them."""
    counts = {
        "turns": 1,
        "calls": conduct.calls,
        "reasks": conduct.reasks,
        "repaired": conduct.repaired,
        "dropped": len(conduct.dropped),
        "against": len(conduct.against),
        "halved": int(conduct.halved),
        "baited": int(conduct.bait is not None),
        "bait_taken": int(bool(conduct.bait)),
    }
    more = ", ".join(f"{name} = {name} + excluded.{name}" for name in counts)
    for cohort in (entry.cohort, ""):
        caches.db.run(
            f"INSERT INTO conduct VALUES ({', '.join('?' * (2 + len(counts)))}) "  # noqa: S608  # our own names
            f"ON CONFLICT DO UPDATE SET {more}",
            entry.contestant,
            cohort,
            *counts.values(),
        )


def _filled(caches: Caches, seq: int, entry: Entry, event: Fill) -> None:
    names = (entry.contestant or "", event.market)
    amounts = (event.shares, event.price, event.cost, event.fee, event.cap, event.base)
    caches.db.run(
        "INSERT INTO fill_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        seq,
        caches.number(entry.cohort or ""),
        event.round,
        *map(caches.number, names),
        event.side,
        *map(micro, amounts),
        event.confidence,
        event.linear,
        event.kelly,
        event.stated,
        None if event.spoken is None else micro(event.spoken),
    )
    caches.add(entry, buys=1)
    _move(caches, entry, event.market, event.side)
    caches.touch(seq, "market", event.market)


def _sold(caches: Caches, seq: int, entry: Entry, event: SoldFill) -> None:
    turn = (entry.cohort, event.round, entry.contestant, moment(entry.at))
    amounts = (event.shares, event.price, event.proceeds, event.basis, event.fee)
    sql = "INSERT INTO sales VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    caches.db.run(sql, seq, *turn, event.market, event.side, *map(micro, amounts))
    caches.add(entry, sells=1)
    _move(caches, entry, event.market, event.side)
    caches.touch(seq, "market", event.market)


def _settlement(caches: Caches, seq: int, entry: Entry, event: Settled | Reversed) -> None:
    _move(caches, entry, event.market, event.side, back=isinstance(event, Reversed))
    caches.touch(seq, "cohort", entry.cohort or "")


def _move(
    caches: Caches, entry: Entry, market: MarketId, side: Side, *, back: bool = False
) -> None:
    """Fold an entry into the newest position of its market and side."""
    names = (entry.cohort or "", entry.contestant or "", market)
    key = [caches.number(name) for name in names]
    sql = """SELECT ? AS cohort, ? AS contestant, ? AS market, side, number, shares_micro,
            cost_micro, state, proceeds_micro, realised_micro
        FROM position_rows WHERE cohort = ? AND contestant = ? AND market = ? AND side = ?
        ORDER BY number DESC LIMIT 1"""
    row = caches.db.row(sql, *names, *key, side)
    last = read_position(row) if row else None
    live = last if last and (back or last.state is PositionState.OPEN) else None
    after = moved(live, entry, last.number + 1 if last else 1)
    held = (micro(after.shares), micro(after.cost))
    brought = (micro(after.proceeds), micro(after.realised))
    sql = "REPLACE INTO position_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    caches.db.run(sql, *key, after.side, after.number, *held, after.state, *brought)
    was_open = live is not None and live.state is PositionState.OPEN
    is_open = after.state is PositionState.OPEN
    caches.add(entry, open_positions=int(is_open) - int(was_open))


def _completion(caches: Caches, seq: int, entry: Entry, event: Completed | Reopened) -> None:
    at = moment(entry.at) if isinstance(event, Completed) else None
    caches.db.run("UPDATE cohorts SET complete_at = ? WHERE cohort = ?", at, entry.cohort)
    caches.touch(seq, "cohort", entry.cohort or "")


def _noted(_caches: Caches, _seq: int, _entry: Entry, _event: Event) -> None:
    """It is asked for in the journal itself: no cache knows of it."""


_EFFECTS: dict[type, Callable[[Caches, int, Entry, Any], None]] = {
    Opened: _opened,
    Funded: _funded,
    RoundOpened: _round_opened,
    RoundClosed: _round_closed,
    Turn: _turn,
    Fill: _filled,
    SoldFill: _sold,
    Resolved: resolved,
    Settled: _settlement,
    Reversed: _settlement,
    Marked: marked,
    Completed: _completion,
    Reopened: _completion,
    Sealed: _noted,
    Restored: _noted,
    AdapterSet: _noted,
}
