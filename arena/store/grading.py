"""What a market's outcome does to the scores of all who bet on it or forecast it."""

from arena.records.market import MarketId, Outcome, Side
from arena.records.money import micro
from arena.records.trade import Entry, Resolved
from arena.scoring.rules import brier_score, picos
from arena.store.caches import Caches
from arena.store.codec import moment
from arena.store.statuses import outcome_of


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
    caches.db.run(
        "UPDATE watched SET resolved_at = ? WHERE market = ?",
        None if event.outcome is None else moment(entry.at),
        event.market,
    )
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
    for row in caches.db.rows(
        "SELECT cohort, contestant, probability FROM journal_forecasts "
        "JOIN journal_entries ON entry = seq WHERE market = ?",
        market,
    ):
        seat = (row["cohort"], row["contestant"])
        if truth is None:
            caches.add_to(seat, forecasts_excluded=sign)
        else:
            score = picos(brier_score(row["probability"], truth))
            caches.add_to(seat, forecasts_resolved=sign, forecast_pico=sign * score)
