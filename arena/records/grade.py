"""How well a contestant did."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.records.cohort import CohortId, ContestantId
from arena.records.money import ZERO_USD, Usd


@dataclass(frozen=True, slots=True)
class Tally:
    """Everything about a seat, or about a contestant over all its seats, that adds up.

    Whole millionths of a dollar (`_micro`) and whole trillionths of a score (`_pico`), so
    that sums are exact and do not depend on their order. `linear_pico`, `kelly_pico` and
    `stated_pico` are Brier scores of BUY fills; `forecast_pico` of every stated probability.
    `break_even_micro` adds the prices paid by resolved fills; `cost_unknown` counts turns
    whose cost nobody stated.
    """

    capital_micro: int = 0
    cash_micro: int = 0
    owed_micro: int = 0
    open_cost_micro: int = 0
    realised_micro: int = 0
    fees_micro: int = 0
    open_positions: int = 0
    bid_micro: int = 0
    bid_unpriced: int = 0
    bid_unpriced_shares_micro: int = 0
    mid_micro: int = 0
    mid_unpriced: int = 0
    mid_unpriced_shares_micro: int = 0
    buys: int = 0
    sells: int = 0
    refused: int = 0
    turns_ok: int = 0
    turns_failed: int = 0
    fills_resolved: int = 0
    fills_won: int = 0
    fills_excluded: int = 0
    break_even_micro: int = 0
    linear_pico: int = 0
    kelly_pico: int = 0
    stated_resolved: int = 0
    stated_pico: int = 0
    forecasts: int = 0
    forecasts_resolved: int = 0
    forecasts_excluded: int = 0
    forecast_pico: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micro: int = 0
    cost_unknown: int = 0


@dataclass(frozen=True, slots=True)
class LastPrices:
    """What positions without a price are worth at the last price that each of them had.

    `positions` counts those that ever had one, `oldest` is the moment of the oldest of these
    prices.
    """

    worth: Usd
    positions: int
    oldest: datetime


@dataclass(frozen=True, slots=True)
class Score:
    """A mean and the number of things it is the mean of; None when there are none."""

    value: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A contestant's line of the leaderboard.

    `total`, `pnl` and `unrealised` are at the cohort's mark; they are None while an open
    position has no price (`unpriced` of `open`), because its worth is not known then. P/L is
    certainly between `pnl_low`, where those shares are worth nothing, and `pnl_high`, where
    each is worth its dollar.
    `returned_last` is the return with each of them at the last price that it had, None where
    one never had any; `price_age` is how old the oldest of these prices is.
    `cost` is None where a part of it is unknown, `cost_known` the part that is known.
    `rank` counts equals as equals (1, 2, 2, 4); it is None where the ranked value is None.
    """

    contestant: ContestantId
    cohorts: int
    capital: Usd
    cash: Usd
    total: Usd | None
    total_mid: Usd | None
    pnl: Usd | None
    pnl_low: Usd
    pnl_high: Usd
    returned: float | None
    realised: Usd
    unrealised: Usd | None
    fees: Usd
    open: int
    unpriced: int
    linear: Score
    kelly: Score
    stated: Score
    forecast: Score
    win_rate: Score
    break_even: float | None
    excluded: int
    buys: int
    sells: int
    refused: int
    turns_ok: int
    turns_failed: int
    cost: Usd | None
    tokens: int
    rank: int | None = None
    cost_known: Usd = ZERO_USD
    returned_last: float | None = None
    price_age: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard: of one cohort, or of all of them where `cohort` is None."""

    standings: tuple[Standing, ...]
    rank_by: str
    as_of: datetime | None
    cohort: CohortId | None = None
