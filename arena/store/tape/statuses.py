"""What venues say of markets' lives: a row where one says something new."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache

from arena.records.market import MarketId, Outcome, State, Status
from arena.records.money import micro, price_from_micro
from arena.store.codec import moment, read_moment
from arena.store.sqlite import Connection, Row

_LATEST = """
SELECT said.* FROM json_each(?) AS named
JOIN tape_statuses AS said ON said.market = named.value AND said.seen_at =
    (SELECT max(seen_at) FROM tape_statuses WHERE market = named.value AND seen_at <= ?)
"""


def record_statuses(db: Connection, statuses: Iterable[Status], at: datetime) -> None:
    """Record each status that differs from the last one of its market."""
    seen = {status.market: status for status in statuses}
    latest = latest_statuses(db, seen, at)
    changed = [s for s in seen.values() if _is_news(s, latest.get(s.market))]
    db.many(
        "INSERT INTO tape_statuses VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [
            (
                status.market,
                moment(at),
                moment(status.at),
                status.state,
                int(pays is None) if status.outcome else None,
                None if pays is None else micro(pays),
                status.unconfirmed,
            )
            for status in changed
            for pays in (status.outcome.yes_pays if status.outcome else None,)
        ],
    )


def _is_news(status: Status, last: Status | None) -> bool:
    return (
        last is None
        or last.state is not status.state
        or last.unconfirmed != status.unconfirmed
        or last.outcome != status.outcome
    )


def latest_statuses(
    db: Connection, ids: Iterable[MarketId], at: datetime
) -> Mapping[MarketId, Status]:
    """Read the last words on markets that were known at a moment."""
    rows = db.rows(_LATEST, json.dumps(list(ids)), moment(at))
    return {MarketId(row["market"]): read_status(row) for row in rows}


def read_status(row: Row) -> Status:
    """Read a row of `tape_statuses`."""
    return _status(*row)


@lru_cache(maxsize=20_000)  # a tick reads the same last words as the one before
def _status(  # noqa: PLR0913, PLR0917  the columns of a row
    market: str,
    _seen_at: str,
    said_at: str,
    state: str,
    void: int | None,
    pays: int | None,
    unconfirmed: int,
) -> Status:
    outcome = outcome_of(void, pays)
    return Status(
        MarketId(market), State(state), read_moment(said_at), outcome, bool(unconfirmed)
    )


def outcome_of(void: int | None, yes_pays_micro: int | None) -> Outcome | None:
    """Read an outcome from its two columns; None where there is none."""
    if void is None:
        return None
    return Outcome(None if yes_pays_micro is None else price_from_micro(yes_pays_micro))
