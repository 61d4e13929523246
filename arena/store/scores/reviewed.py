"""A contestant's best and worst forecasts, with what was asked, staked and paid."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np

from arena.errors import ArenaError, did_you_mean
from arena.metrics.metric_values import terms
from arena.records.cohort import CohortId
from arena.records.market import MarketId, Side
from arena.records.money import Usd, usd_from_micro
from arena.scoring.table import Flags, Forecasts, Whole
from arena.store.codec import moment, read_row
from arena.store.scores.evidence import SqliteEvidence
from arena.store.sqlite import Connection
from arena.store.tape.payloads import words
from arena.store.tape.prices import last_facts

_ROUND: Final = "SELECT round FROM rounds WHERE cohort = ? AND at = ?"
_STAKED: Final = """
SELECT side, sum(shares_micro) / 1e6 AS shares, sum(cost_micro) AS stake_micro,
    sum(fee_micro) AS fee_micro
FROM fills WHERE cohort = ? AND contestant = ? AND round = ? AND market = ?
GROUP BY side ORDER BY min(entry)
"""
_PAID: Final = """
SELECT side, sum(proceeds_micro) AS paid, sum(realised_micro) AS realised FROM positions
WHERE cohort = ? AND contestant = ? AND market = ? GROUP BY side
"""
_REPLY: Final = """
SELECT said.user_digest AS prompt, said.text_digest AS reply FROM tape_answers AS said
WHERE said.cohort = ? AND said.round = ? AND said.contestant = ?
"""


@dataclass(frozen=True, slots=True)
class ReviewedBet:
    """What a round bought on one side. Paid and realised are of the whole position so far.

    `stake` is what the shares cost and `fee` what was charged on top, in dollars.
    """

    side: Side
    shares: float
    stake: Usd
    fee: Usd
    paid: Usd
    realised: Usd


@dataclass(frozen=True, slots=True)
class ReviewedForecast:
    """One forecast of a resolved market. `gain` is the price's Brier score less its own.

    `prompt` is the digest of what was asked, None where the tape has no answer; `reply` is
    what came back, None where its text is not kept.
    """

    market: MarketId
    question: str
    cohort: CohortId
    round: int
    at: datetime
    price: float
    forecast: float
    outcome: int
    gain: float
    bets: tuple[ReviewedBet, ...]
    prompt: str | None
    reply: str | None


@dataclass(frozen=True, slots=True)
class Review:
    """The worst forecasts, the worst first, and the best, the best first; of `markets` in all.

    Each market counts once in each list: by its worst forecast, and by its best. A forecast
    stands in one list alone.
    """

    contestant: str
    forecasts: int
    markets: int
    worst: tuple[ReviewedForecast, ...]
    best: tuple[ReviewedForecast, ...]


def review(
    db: Connection, contestant: str, *, number: int = 10, cohort: CohortId | None = None
) -> Review:
    """Find the forecasts that lost most to the market's price, and that gained most on it.

    Forecasts without a price are left out.

    Args:
        db: An open file.
        contestant: Whose forecasts.
        number: How many of each kind, at most.
        cohort: Only this one.

    Raises:
        ArenaError: The contestant has no resolved forecast with a price.
    """
    every = SqliteEvidence(db).forecasts(cohort=cohort)
    forecasts = every.of(contestant)
    forecasts = forecasts.take(~np.isnan(forecasts.market_p))
    if not len(forecasts):
        raise ArenaError(
            "score.contestant",
            f"{contestant} has no resolved forecast with a price",
            hint=did_you_mean(contestant, every.contestant.names),
            status=2,
        )
    gains = terms("alpha", forecasts)
    worst = _first_of_each_market(forecasts, np.argsort(gains, kind="stable"), gains < 0)
    best = _first_of_each_market(forecasts, np.argsort(-gains, kind="stable"), gains > 0)
    facts = last_facts(
        db, {MarketId(forecasts.market.names[c]) for c in forecasts.market.codes.tolist()}
    )

    def rows(chosen: Sequence[int]) -> Iterable[ReviewedForecast]:
        for row in chosen[:number]:
            market = MarketId(forecasts.market.names[forecasts.market.codes[row]])
            known = facts.get(market)
            yield _reviewed(
                db, forecasts, row, known.question if known else market, float(gains[row])
            )

    return Review(
        contestant,
        len(forecasts),
        forecasts.market.used(),
        tuple(rows(worst)),
        tuple(rows(best)),
    )


def _first_of_each_market(forecasts: Forecasts, order: Whole, wanted: Flags) -> Sequence[int]:
    """Rows that are wanted, in an order, of which each market has the first."""
    kept = order[wanted[order]]
    _, first = np.unique(forecasts.market.codes[kept], return_index=True)
    return [int(row) for row in kept[np.sort(first)]]


def _reviewed(
    db: Connection, forecasts: Forecasts, row: int, question: str, gain: float
) -> ReviewedForecast:
    columns = (forecasts.labels["cohort"], forecasts.contestant, forecasts.market)
    cohort, contestant, market = (column.names[column.codes[row]] for column in columns)
    at = forecasts.at[row].astype("datetime64[us]").item().replace(tzinfo=UTC)
    number = int(db.value(_ROUND, cohort, moment(at)))
    paid = {r["side"]: r for r in db.rows(_PAID, cohort, contestant, market)}
    answer = db.row(_REPLY, cohort, number, contestant)
    return ReviewedForecast(
        MarketId(market),
        question,
        CohortId(cohort),
        number,
        at,
        float(forecasts.market_p[row]),
        float(forecasts.p[row]),
        int(forecasts.outcome[row]),
        gain,
        tuple(
            read_row(
                ReviewedBet,
                bet,
                paid=usd_from_micro(paid[bet["side"]]["paid"]),
                realised=usd_from_micro(paid[bet["side"]]["realised"]),
            )
            for bet in db.rows(_STAKED, cohort, contestant, number, market)
        ),
        answer["prompt"] if answer else None,
        words(db, answer["reply"]) if answer else None,
    )
