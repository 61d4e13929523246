"""One line a contestant, best first."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from math import isclose

from arena.ledger.mark import profit, return_on, total_value, win_rate
from arena.records.cohort import ContestantId, MarkRule, RankBy
from arena.records.grade import LastPrices, Score, Standing, Tally
from arena.records.money import Usd, usd_from_micro

PICO = 10**12


def brier_score(probability: float, outcome: int) -> float:
    """Squared distance between a forecast of YES and the outcome, in [0, 1].

    Raises:
        ValueError: The probability is outside [0, 1], or the outcome is neither 0 nor 1.

    Source:
        Brier (1950), Monthly Weather Review 78, in the one-sided form of Gneiting and
        Raftery (2007), JASA 102, section 3.1: half of Brier's original.

    >>> round(brier_score(0.8, 1), 12)
    0.04
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"a probability lies in [0, 1], not {probability}")
    if outcome not in {0, 1}:
        raise ValueError(f"an outcome is 0 or 1, not {outcome}")
    off = probability - outcome
    return off * off


def skill_score(score: float, reference: float) -> float | None:
    """Share of a reference's loss that is avoided: 1 - score / reference.

    None for a perfect reference, where the ratio says nothing.

    Source:
        Murphy (1973), Journal of Applied Meteorology 12.
    """
    return 1 - score / reference if reference else None


def picos(score: float) -> int:
    """A score in whole trillionths, so that sums are exact in any order.

    >>> picos(0.04)
    40000000000
    """
    return round(score * PICO)


def mean_of_picos(total: int, count: int) -> float | None:
    """Mean of `count` scores whose sum is `total` trillionths; None for none."""
    return total / (count * PICO) if count else None


TIE = 1e-9  # relative

_SMALLER_IS_BETTER = {
    RankBy.BRIER_FORECAST,
    RankBy.BRIER_STATED,
    RankBy.BRIER_KELLY,
    RankBy.BRIER_LINEAR,
}
_RANKED: dict[RankBy, Callable[[Standing], float | None]] = {
    RankBy.RETURN: lambda s: s.returned,
    RankBy.PNL: lambda s: None if s.pnl is None else float(s.pnl),
    RankBy.BRIER_FORECAST: lambda s: s.forecast.value,
    RankBy.BRIER_STATED: lambda s: s.stated.value,
    RankBy.BRIER_KELLY: lambda s: s.kelly.value,
    RankBy.BRIER_LINEAR: lambda s: s.linear.value,
    RankBy.WIN_RATE: lambda s: s.win_rate.value,
}


def standing(
    contestant: ContestantId, tally: Tally, *, mark: MarkRule, cohorts: int = 1
) -> Standing:
    """Read a contestant's sums as a line of the leaderboard, not ranked yet."""
    worth, unpriced, shares = _worth(tally, mark)
    capital = usd_from_micro(tally.capital_micro)
    low = profit(_total(tally, worth), capital)
    high = Usd(low + usd_from_micro(shares))
    pnl = None if unpriced else low
    returned = None if pnl is None else return_on(pnl, capital)
    realised = usd_from_micro(tally.realised_micro)
    fees = usd_from_micro(tally.fees_micro)
    resolved = tally.fills_resolved
    return Standing(
        contestant=contestant,
        cohorts=cohorts,
        capital=capital,
        cash=usd_from_micro(tally.cash_micro),
        total=None if unpriced else _total(tally, worth),
        total_mid=None if tally.mid_unpriced else _total(tally, tally.mid_micro),
        pnl=pnl,
        pnl_low=low,
        pnl_high=high,
        returned=returned,
        realised=realised,
        unrealised=None if pnl is None else Usd(pnl - realised + fees),
        fees=fees,
        open=tally.open_positions,
        unpriced=unpriced,
        linear=Score(mean_of_picos(tally.linear_pico, resolved), resolved),
        kelly=Score(mean_of_picos(tally.kelly_pico, resolved), resolved),
        stated=Score(
            mean_of_picos(tally.stated_pico, tally.stated_resolved), tally.stated_resolved
        ),
        forecast=Score(
            mean_of_picos(tally.forecast_pico, tally.forecasts_resolved),
            tally.forecasts_resolved,
        ),
        win_rate=Score(win_rate(tally.fills_won, resolved), resolved),
        break_even=tally.break_even_micro / (1_000_000 * resolved) if resolved else None,
        excluded=tally.fills_excluded + tally.forecasts_excluded,
        buys=tally.buys,
        sells=tally.sells,
        refused=tally.refused,
        turns_ok=tally.turns_ok,
        turns_failed=tally.turns_failed,
        cost=None if tally.cost_unknown else usd_from_micro(tally.cost_micro),
        tokens=tally.tokens_in + tally.tokens_out,
        cost_known=usd_from_micro(tally.cost_micro),
        returned_last=returned,
    )


def at_last_prices(
    line: Standing, seats: Sequence[LastPrices], at: datetime | None
) -> Standing:
    """Give a line whose return is not known the return at the last known prices.

    It stays missing where a position never had a price: none is valued at its cost.

    Args:
        line: A contestant's line.
        seats: What is known of its positions without a price, seat by seat.
        at: The moment at which the prices have their age.
    """
    if not line.unpriced or sum(seat.positions for seat in seats) != line.unpriced:
        return line
    pnl = line.pnl_low + sum((seat.worth for seat in seats), Decimal(0))
    age = None if at is None else at - min(seat.oldest for seat in seats)
    return replace(line, returned_last=return_on(pnl, line.capital), price_age=age)


def rank(standings: Iterable[Standing], by: RankBy) -> tuple[Standing, ...]:
    """Order best first; equals share a rank, and a missing value is ranked nowhere, last.

    Within a rank the order is by contestant, so that a rebuild gives the same page.
    """
    value = _RANKED[by]
    sign = 1 if by in _SMALLER_IS_BETTER else -1

    def best_first(line: Standing) -> tuple[bool, float, str]:
        ranked = value(line)
        return ranked is None, 0.0 if ranked is None else sign * ranked, line.contestant

    lines = sorted(standings, key=best_first)
    ranks: list[int | None] = []
    for n, line in enumerate(lines):
        now, before = value(line), value(lines[n - 1]) if n else None
        if now is None:
            ranks.append(None)
        elif before is not None and isclose(now, before, rel_tol=TIE):
            ranks.append(ranks[-1])
        else:
            ranks.append(n + 1)
    return tuple(replace(line, rank=r) for line, r in zip(lines, ranks, strict=True))


def _worth(tally: Tally, mark: MarkRule) -> tuple[int, int, int]:
    """The marked value of open positions, how many have no price, and their shares."""
    if MarkRule(mark) is MarkRule.BID:
        return tally.bid_micro, tally.bid_unpriced, tally.bid_unpriced_shares_micro
    return tally.mid_micro, tally.mid_unpriced, tally.mid_unpriced_shares_micro


def _total(tally: Tally, marks: int) -> Usd:
    return total_value(
        usd_from_micro(tally.cash_micro),
        usd_from_micro(tally.owed_micro),
        usd_from_micro(marks),
    )
