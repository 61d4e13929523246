"""Forecasts as the questions that contestants are compared on, and those that pairs share."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.metrics.metric_values import lower_is_better, swings, terms
from arena.records.claim import ClaimBasis, Scope, Valuation
from arena.records.estimate import Interval, Test
from arena.scoring.table import DailyPrices, Flags, Floats, Forecasts, Whole
from arena.stats.columns import compact, moment_codes
from arena.stats.comparisons.difference import LossPanel, panel
from arena.stats.comparisons.paired_gains import NEVER, Questions

MOST: Final = 100  # contestants; their pairs grow with the square


@dataclass(frozen=True, slots=True)
class Claim:
    """What two contestants' common questions say; the difference is the first less the second.

    `better` names who is shown to be better by the board's rule, and is None where neither
    is; `p_anytime` is the p-value that it goes by, over all looks and all pairs, None where
    there was no look. `test` and `interval` are of this pair alone and of one look at the
    questions that have resolved; `p_adjusted` is that test's p, corrected for all pairs.
    """

    first: str
    second: str
    test: Test
    interval: Interval | None
    p_adjusted: float | None
    better: str | None
    p_anytime: float | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """Claims about all pairs, and the ranks that they leave open: [low, high] by name.

    Ranks are among those who compete: references have none.
    """

    metric: str
    level: float
    claims: tuple[Claim, ...]
    ranks: Mapping[str, tuple[int, int]]
    basis: ClaimBasis = ClaimBasis()  # noqa: RUF009  frozen


@dataclass(frozen=True, slots=True)
class MarketTest:
    """What one contestant's gain over the market's price says; above 0 it is better.

    `verdict` is "better" or "worse" where the board's rule shows it, else None; `p_anytime`
    is the p-value that it goes by. `test` is of one look at what has resolved, `interval` its
    interval, and `p_adjusted` its p corrected for all contestants.
    """

    contestant: str
    test: Test
    p_adjusted: float | None
    verdict: str | None
    interval: Interval | None = None
    p_anytime: float | None = None


@dataclass(frozen=True, slots=True)
class MarketTests:
    """A test a contestant, in the order of names.

    `copies` names those who said the price itself wherever it is known: there is nothing to
    test, and they are no part of the family.
    """

    level: float
    tests: tuple[MarketTest, ...]
    copies: tuple[str, ...] = ()
    basis: ClaimBasis = ClaimBasis()  # noqa: RUF009  frozen


def panel_of(
    forecasts: Forecasts, values: Floats, rows: Whole, who: Whole, *, by_moment: bool
) -> LossPanel:
    """Rows, in their order, as a matrix of contestants by questions."""
    if len(rows) < len(forecasts):
        forecasts, values = forecasts.take(rows), values[rows]
    question = question_codes(forecasts, by_moment=by_moment)
    return panel(values, who, question, forecasts.event.codes)


def question_codes(forecasts: Forecasts, *, by_moment: bool) -> Whole:
    """The number of each row's question: its market, or its market at its moment."""
    market = forecasts.market.codes
    if by_moment and len(forecasts):
        moment = moment_codes(forecasts.at)
        market = market * (int(moment.max()) + 1) + moment
    return compact(market)[1]


def questions_of(forecasts: Forecasts) -> Whole:
    """How many questions each contestant answered: one in two cohorts at once is one."""
    who = forecasts.contestant
    cell = question_codes(forecasts, by_moment=True) * len(who.names) + who.codes
    return np.bincount(compact(cell)[0] % len(who.names), minlength=len(who.names))


FRESH: Final = 3  # days: an older price does not say what a market is worth
FRESH_SHARE: Final = 0.8  # of the days on which questions were open
CATEGORY: Final = "category"

_EPOCH: Final = date(1970, 1, 1).toordinal()
_NAT: Final = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True, eq=False)
class ClaimBoard:
    """Questions of named contestants; the market's price is the forecaster after the last.

    `dated` says whether its forecasts have moments, and `undated` whether others that have none
    were left out. `today` is the last day that counts, in days since 1970, and `valuation` how
    questions count until they resolve.
    """

    names: tuple[str, ...]
    asked: Questions
    dated: bool
    undated: bool
    today: int
    valuation: Valuation


def day_number(day: date) -> int:
    """Days since 1970.

    >>> day_number(date(1970, 1, 3))
    2
    """
    return day.toordinal() - _EPOCH


def day_of(number: int) -> date:
    """The day of so many days since 1970."""
    return date.fromordinal(number + _EPOCH)


def claim_board(
    forecasts: Forecasts, key: str, *, by_moment: bool, scope: Scope | None
) -> ClaimBoard | None:
    """Lay out what a metric says of each question.

    Args:
        forecasts: The rows; those that wait for an outcome count at their market's price
            where prices are fresh, and with the worse outcome where they are overdue.
        key: A mean over rows.
        by_moment: Whether forecasts of a market at different moments are different questions;
            if not, a contestant's are averaged.
        scope: The board; None for a file of somebody's own. What was asked before the season
            in which it is read is left out.

    Returns:
        None where nobody has a resolved forecast with a value.
    """
    valued = np.flatnonzero(~np.isnan(terms(key, forecasts)))
    rows, names = _rows(forecasts, key), forecasts.contestant.take(valued).in_order().names
    place = {name: n for n, name in enumerate(names)}
    column = np.array([place.get(name, -1) for name in forecasts.contestant.names], np.intp)
    there = (column[rows.who] >= 0) & ~np.isnan(rows.base)
    if scope is not None and scope.current is not None:
        there &= rows.asked >= day_number(scope.current.start)
    if not there.any():
        return None
    known = there & (rows.asked > _NAT)
    dated = bool(known.any())
    rows = rows.take(known if dated else there)
    if not dated:
        at_once = np.zeros_like(rows.asked)
        ended = np.where(np.isnan(rows.outcome), NEVER, at_once)
        rows = replace(rows, asked=at_once, due=at_once, ended=ended)
    last = int(max(rows.asked.max(), rows.due[~np.isnan(rows.outcome)].max(initial=0)))
    today = last if scope is None else day_number(scope.today) - 1
    questions = _questions(rows, column[rows.who], len(names), by_moment=by_moment)
    paths, first, fresh = _paths(questions, forecasts.prices, rows.market, today)
    valuation = Valuation.MARKET if fresh else Valuation.SETTLED
    questions = replace(questions, paths=paths, first=first)
    undated = dated and bool(np.any(there & ~known))
    return ClaimBoard(names, questions, dated, undated, today, valuation)


@dataclass(frozen=True, slots=True, eq=False)
class _ClaimRows:
    """Forecasts, one a row; days since 1970, `_NAT` where nobody said, NaN for no outcome."""

    who: Whole
    market: Whole
    event: Whole
    category: Whole
    moment: Whole
    asked: Whole
    due: Whole
    ended: Whole
    base: Floats
    swing: Floats
    price_base: Floats
    price_swing: Floats
    price: Floats
    outcome: Floats
    exclusive: Flags

    def take(self, rows: Flags) -> "_ClaimRows":
        """Only some."""
        return _ClaimRows(*(getattr(self, name)[rows] for name in self.__slots__))


def _rows(forecasts: Forecasts, key: str) -> _ClaimRows:
    waiting = forecasts.waiting
    parts = [forecasts] if waiting is None or not len(waiting) else [forecasts, waiting]
    columns = [_columns(part, key, resolved=part is forecasts) for part in parts]
    return _ClaimRows(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def _columns(part: Forecasts, key: str, *, resolved: bool) -> tuple[NDArray[np.generic], ...]:
    n = len(part)
    base, swing = _line(part, key)
    shown = np.where(np.isnan(part.market_p), 0.5, part.market_p)
    of_price = _line(replace(part, p=shown), key) if part.options is None else (base, swing)
    unknown = np.isnan(part.market_p)
    asked_on = _days(part.at)
    due = asked_on if part.due is None else np.maximum(_days(part.due), asked_on)
    ended = due if part.ended is None else np.maximum(_days(part.ended), asked_on)
    category = part.labels.get(CATEGORY)
    return (
        part.contestant.codes,
        part.market.codes,
        part.event.codes,
        np.zeros(n, np.intp) if category is None else category.codes,
        part.at.astype("datetime64[us]").astype(np.int64),
        asked_on,
        due,
        ended if resolved else np.full(n, NEVER),
        base,
        swing,
        *(np.where(unknown, np.nan, column) for column in of_price),
        part.market_p,
        part.outcome.astype(np.float64) if resolved else np.full(n, np.nan),
        np.zeros(n, np.bool_) if part.exclusive is None else part.exclusive,
    )


def _line(part: Forecasts, key: str) -> tuple[Floats, Floats]:
    """The score that a metric gives to NO, more being better, and what YES adds to it.

    Of questions with options it is the score of what came true, whatever the price said.
    """
    sign = -1.0 if lower_is_better(key) else 1.0
    if part.options is not None:
        return sign * terms(key, part), np.zeros(len(part))
    never = replace(part, outcome=np.zeros(len(part), np.intp), waiting=None)
    return sign * terms(key, never), sign * swings(key, part)


def _days(at: NDArray[np.datetime64]) -> Whole:
    return at.astype("datetime64[D]").astype(np.int64)


def _questions(rows: _ClaimRows, who: Whole, contestants: int, *, by_moment: bool) -> Questions:
    """One column a question, in the order of the moments at which they were first asked."""
    moment = compact(rows.moment)[1]
    market = compact(rows.market)[1]
    cell = market * (int(moment.max()) + 1) + moment if by_moment else market
    _, first, question = np.unique(cell, return_index=True, return_inverse=True)
    earliest = np.full(first.size, np.iinfo(np.int64).max)
    np.minimum.at(earliest, question, moment)
    order = np.argsort(earliest, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    question, first = place[question], first[order]
    base = means_by_question(rows.base, who, question, contestants, order.size)
    swing = means_by_question(rows.swing, who, question, contestants, order.size)
    price, price_base, price_swing = (
        means_by_question(column, np.zeros_like(who), question, 1, order.size)
        for column in (rows.price, rows.price_base, rows.price_swing)
    )
    asked_on = _least(rows.asked, question, order.size)
    markets = int(market.max()) + 1
    outcome, ended = np.full(markets, np.nan), np.full(markets, NEVER)
    outcome[market], ended[market] = rows.outcome, rows.ended
    event = compact(rows.event)[1]
    exclusive = np.zeros(int(event.max()) + 1, np.bool_)
    exclusive[event] = rows.exclusive
    return Questions(
        base=np.vstack([base, price_base]),
        swing=np.vstack([swing, price_swing]),
        price=price[0],
        market=market[first],
        event=event[first],
        category=rows.category[first],
        moment=earliest[order],
        asked=asked_on,
        due=np.maximum(rows.due[first], asked_on),
        outcome=outcome,
        ended=ended,
        exclusive=exclusive,
        first=0,
    )


def _least(values: Whole, question: Whole, size: int) -> Whole:
    least = np.full(size, np.iinfo(np.int64).max)
    np.minimum.at(least, question, values)
    return least


def means_by_question(
    values: Floats, who: Whole, question: Whole, contestants: int, size: int
) -> Floats:
    """(contestants, questions) means of what is known; NaN where there is nothing."""
    valued = ~np.isnan(values)
    cell = who[valued] * size + question[valued]
    many = contestants * size
    counts = np.bincount(cell, minlength=many)
    sums = np.bincount(cell, values[valued], minlength=many).astype(np.float64, copy=False)
    means = np.divide(sums, counts, out=np.full(many, np.nan), where=counts > 0)
    return np.asarray(means.reshape(contestants, size))


def _paths(
    questions: Questions, prices: DailyPrices | None, market: Whole, today: int
) -> tuple[Floats | None, int, bool]:
    """Prices of markets at the end of days, from a first day on, and whether they are fresh.

    They are where on four of five days on which a question was open somebody had read a price
    in the last three days, or no question was ever open for a day.
    """
    first = int(questions.asked[0])
    open_until = np.minimum(questions.ended, today + 1)
    size, markets = max(1, today - first + 1), len(questions.ended)
    begun = np.full(markets, NEVER)
    np.minimum.at(begun, questions.market, questions.asked)
    days = np.arange(first, first + size)
    is_open = (days > begun[:, None]) & (days < open_until[:, None])
    if prices is None or not is_open.any():
        return None, first, prices is not None
    row = np.searchsorted(np.unique(market), prices.market)
    relevant = np.isin(prices.market, market) & (prices.day <= today)
    row, day, price = row[relevant], prices.day[relevant], prices.price[relevant]
    column = np.maximum(day - first, 0)
    seen = np.full((markets, size), -NEVER // 2)
    np.maximum.at(seen, (row, column), day)
    seen = np.maximum.accumulate(seen, axis=1)
    paths = np.full((markets, size), np.nan)
    priced = ~np.isnan(price)
    paths[row[priced], column[priced]] = price[priced]
    return _carried(paths), first, bool(np.mean((days - seen <= FRESH)[is_open]) >= FRESH_SHARE)


def _carried(paths: Floats) -> Floats:
    """Each row with its last known value where there is none."""
    there = np.where(np.isnan(paths), 0, np.arange(paths.shape[1]))
    last = np.maximum.accumulate(there, axis=1)
    return np.asarray(np.take_along_axis(paths, last, axis=1))
