"""What one forecaster gained on another by each date, and how sure that is.

A proper score of one forecast is a line in the outcome o: `base` + `swing` x o, for the Brier
score of p, whatever all share left out, -p^2 + 2 p o. So the gain of one forecaster on another
has a value at any price m of the market: the difference of the bases + that of the swings x m.
Marked to market, a question counts with the value at the price shown on the day it is due, and
with the difference of swings x each day's move of the price, the last move being that to o.
Entries are dated by what was known when the question was asked, so that no outcome moves them.

Questions share their news. The variance of the sum is the largest of several: what the
outcomes' own chance must contribute, and the spread between events, days, weeks, the weeks in
which questions were asked, and categories. Each has its own degrees of freedom. Categories are
few, and those of one pair may agree by chance: their spread counts as at least as many times
that between events as it is on average of typical pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri, stdtr

from arena.records.claim import Source, Valuation
from arena.stats.columns import Flags, Floats, Whole, compact

NEVER: Final = np.iinfo(np.intp).max  # the day on which an unknown outcome is known
DAYS_OF_WEEK: Final = 7
CELLS: Final = 6_000_000  # of a table of pairs by questions that is held at once
SOURCES: Final = tuple(Source)
_EVENT: Final = SOURCES.index(Source.EVENT)
_CATEGORY: Final = SOURCES.index(Source.CATEGORY)
_TINY: Final = 1e-12
_EQUAL: Final = 1e-9  # variances that differ by less are equal, and the first of them counts


@dataclass(frozen=True, slots=True, eq=False)
class Questions:
    """What was asked of k forecasters: Q questions about M markets; days are numbers.

    A question is a market at a moment. `base` and `swing` (k, Q) make the score that each
    forecaster has at an outcome, more being better, NaN where there is no answer. `price`
    (Q,) is what the market said then, NaN where unknown. `market`, `event` and `category`
    (Q,) are codes, `moment` numbers in the order of time, `asked` and `due` days. `outcome`
    (M,) is 0 or 1, NaN for what has none, and known from the day `ended` (M,) on.
    `exclusive` (E,) says of events that at most one of their markets is YES. `paths` (M, T)
    are prices at the end of days, from the day `first` on, the last one again where there was
    none that day, NaN before the first; None where there are no prices of open markets.
    """

    base: Floats
    swing: Floats
    price: Floats
    market: Whole
    event: Whole
    category: Whole
    moment: Whole
    asked: Whole
    due: Whole
    outcome: Floats
    ended: Whole
    exclusive: Flags
    first: int
    paths: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """The gains of P pairs at each look: every array is (looks, P).

    `z` is the sum over its standard error on the normal scale, above 0 where the first of the
    pair gained, 0 where nothing can be said. `total` is the sum, `variance` its variance by
    the source `largest` (its place in `SOURCES`) from `clusters` clusters, and `by_event` that
    by event alone. `questions`, `events`, `weeks` and `asking_weeks` count what was due.
    """

    z: Floats
    total: Floats
    variance: Floats
    by_event: Floats
    largest: Whole
    clusters: Whole
    df: Floats
    questions: Whole
    events: Whole
    weeks: Whole
    asking_weeks: Whole

    def of(self, looks: Sequence[int], pairs: slice | Whole) -> "Readings":
        """Some looks, and some pairs, by their numbers."""
        rows = np.array(looks, dtype=np.intp)
        return Readings(**{name: getattr(self, name)[rows][:, pairs] for name in _COLUMNS})


def readings(  # noqa: PLR0913  what is read, when, and how
    questions: Questions,
    pairs: Whole,
    days: Sequence[int],
    valuation: Valuation,
    *,
    origin: int = 0,
    typical: Flags | None = None,
) -> Readings:
    """Read each pair at the end of some days.

    Args:
        questions: All questions, in the order of time; those asked after a day are not
            read on it.
        pairs: (P, 2) numbers of forecasters.
        days: The days, rising.
        valuation: How what has not resolved counts.
        origin: The day on which weeks begin to be counted.
        typical: (P,) the pairs whose spreads by category are averaged; all of them if None.

    Raises:
        ValueError: Questions are not in the order of their days.

    Source:
        Liang and Zeger (1986), Biometrika 73, for each variance; Kish (1965), Survey
        Sampling, for the number of clusters that uneven ones are worth.
    """
    if np.any(np.diff(questions.asked) < 0):
        raise ValueError("questions come in the order of the days on which they were asked")
    columns = {name: np.zeros((len(days), len(pairs)), kind) for name, kind in _COLUMNS.items()}
    if not (pairs.size and len(days) and questions.price.size):
        return Readings(**columns)
    looks = [_look(questions, day, origin, valuation) for day in days]
    moves = _price_moves(questions, days[-1]) if valuation is Valuation.MARKET else None
    size = max(1, CELLS // len(questions.price))
    sums: list[list[_Sums]] = [[] for _ in looks]
    for start in range(0, len(pairs), size):
        gaps = _gaps(questions, pairs[start : start + size], moves)
        for parts, look in zip(sums, looks, strict=True):
            parts.append(_sums(gaps, look))
    among = np.ones(len(pairs), np.bool_) if typical is None or not typical.any() else typical
    for n, parts in enumerate(sums):
        for name, column in _pair_columns(_joined(parts), among).items():
            columns[name][n] = column
    return Readings(**columns)


_COLUMNS: Final = {
    "z": np.float64,
    "total": np.float64,
    "variance": np.float64,
    "by_event": np.float64,
    "largest": np.intp,
    "clusters": np.intp,
    "df": np.float64,
    "questions": np.intp,
    "events": np.intp,
    "weeks": np.intp,
    "asking_weeks": np.intp,
}


@dataclass(frozen=True, slots=True, eq=False)
class _Gaps:
    """P pairs on Q questions: differences of bases and of swings, 0 where one has no answer.

    `both` (Q, P) says where there is none missing, (Q, 1) where all answered all. `expected`
    is the gain at the price shown, `moved` (T, P) what prices' moves brought by day, where
    that is asked.
    """

    base: Floats
    swing: Floats
    both: Floats
    expected: Floats
    moved: Floats | None

    def first(self, rows: int) -> "_Gaps":
        """The questions that come first."""
        cut = slice(rows)
        return _Gaps(
            self.base[cut], self.swing[cut], self.both[cut], self.expected[cut], self.moved
        )


def _gaps(questions: Questions, pairs: Whole, moves: csr_array | None) -> _Gaps:
    bases, swings = (np.ascontiguousarray(c.T) for c in (questions.base, questions.swing))
    first, second = pairs.T
    both = ~np.isnan(bases[:, first] + bases[:, second])
    base = np.where(both, bases[:, first] - bases[:, second], 0.0)
    swing = np.where(both, swings[:, first] - swings[:, second], 0.0)
    expected = base + swing * _shown_price(questions)[:, None]
    moved = None if moves is None else moves @ swing
    answered = both[:, :1] if both.all() else both
    return _Gaps(base, swing, answered.astype(np.float64), expected, moved)


def _shown_price(questions: Questions) -> Floats:
    """The price that each question was shown with; 0.5 where it is unknown."""
    return np.where(np.isnan(questions.price), 0.5, questions.price)


def _price_moves(questions: Questions, last: int) -> csr_array:
    """(T, Q) how each question's price moved on each day, from the first question's day on."""
    first = int(questions.asked[0])
    live = questions.asked <= last
    ends = np.minimum(questions.ended[questions.market], last)
    lengths = np.where(live, np.maximum(ends - questions.asked + 1, 1), 0)
    row = np.repeat(np.arange(lengths.size), lengths)
    begins = np.cumsum(lengths) - lengths
    day = np.arange(row.size) - np.repeat(begins, lengths) + questions.asked[row]
    price = _market_value(questions, row, day)
    before = np.concatenate([[0.0], price[:-1]])
    before[begins[live]] = _shown_price(questions)[live]
    triplets = (price - before, (day - first, row))
    return csr_array(triplets, shape=(max(1, last - first + 1), lengths.size))


def _market_value(questions: Questions, row: Whole, day: Whole) -> Floats:
    """The price of each question's market at the end of a day; its outcome once resolved."""
    market = questions.market[row]
    price = _shown_price(questions)[row]
    if questions.paths is not None:
        column = np.clip(day - questions.first, 0, questions.paths.shape[1] - 1)
        path_price = questions.paths[market, column]
        price = np.where(np.isnan(path_price) | (day < questions.first), price, path_price)
    resolved = (questions.ended[market] <= day) & ~np.isnan(questions.outcome[market])
    return np.where(resolved, questions.outcome[market], price)


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """What is known at the end of a day of the questions asked by then.

    `worth` (Q,) is the price or the outcome, `shown` the price when asked; `due` (Q,) flags
    what is due, `overdue` what is due and has no outcome. `groups` are matrices (C, Q) of
    ones by source, `days` (T, Q) such a one of due days and `weeks` (W, T) of their weeks.
    """

    valuation: Valuation
    worth: Floats
    shown: Floats
    due: Floats
    overdue: Flags
    groups: dict[Source, csr_array]
    days: csr_array
    weeks: csr_array
    chain: "_Chain"


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    """Questions sorted by market and time: how much chance each leaves to the next.

    `order` (Q,) sorts them, `starts` is where markets begin; `spent` (Q,) is the variance of
    the outcome at the price shown, less that at the next price. `moments` (G, Q) joins the
    questions of an exclusive event at one moment; `now` and `later` are the two prices.
    """

    order: Whole
    starts: Whole
    spent: Floats
    moments: csr_array
    now: Floats
    later: Floats


def _look(questions: Questions, day: int, origin: int, valuation: Valuation) -> _Look:
    rows = int(np.searchsorted(questions.asked, day, side="right"))
    market, asked_on = questions.market[:rows], questions.asked[:rows]
    worth = _market_value(questions, np.arange(rows), np.full(rows, day))
    due = questions.due[:rows] <= day
    resolved = (questions.ended[market] <= day) & ~np.isnan(questions.outcome[market])
    first = int(questions.asked[0])
    size = max(1, day - first + 1)
    dated = np.clip(np.maximum(questions.due[:rows], asked_on) - first, 0, size - 1)
    return _Look(
        valuation=valuation,
        worth=worth,
        shown=_shown_price(questions)[:rows],
        due=due.astype(np.float64),
        overdue=due & ~resolved,
        groups={
            Source.EVENT: _cluster_indicators(questions.event[:rows]),
            Source.COHORT: _cluster_indicators((asked_on - origin) // DAYS_OF_WEEK),
            Source.CATEGORY: _cluster_indicators(questions.category[:rows]),
        },
        days=csr_array((np.ones(rows), (dated, np.arange(rows))), shape=(size, rows)),
        weeks=_cluster_indicators((np.arange(first, first + size) - origin) // DAYS_OF_WEEK),
        chain=_chain(questions, rows, worth),
    )


def _cluster_indicators(code: Whole) -> csr_array:
    """(C, n) a one where a row is of a cluster."""
    there, codes = compact(code)
    triplets = (np.ones(code.size), (codes, np.arange(code.size)))
    return csr_array(triplets, shape=(there.size, code.size))


def _chain(questions: Questions, rows: int, worth: Floats) -> _Chain:
    order = np.argsort(questions.market[:rows], kind="stable")
    market = questions.market[order]
    starts = np.flatnonzero(np.diff(market, prepend=-1))
    now = _shown_price(questions)[order]
    ends = np.append(starts[1:], rows)[: starts.size] - 1
    later = np.append(now[1:], now[:1])
    later[ends] = worth[order][ends]
    alone = np.flatnonzero(questions.exclusive[questions.event[order]])
    width = int(questions.moment[:rows].max(initial=0)) + 1
    code = questions.event[order][alone] * width + questions.moment[order][alone]
    there, codes = np.unique(code, return_inverse=True)
    joined = csr_array((np.ones(alone.size), (codes, alone)), shape=(there.size, rows))
    return _Chain(order, starts, now * (1 - now) - later * (1 - later), joined, now, later)


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """What one look has of P pairs: sums, and variances by source.

    `claimed` (P,) is the sum at the worst outcomes of what is overdue. `variance`, `clusters`
    and `worth` are (sources, P). `counts` (4, P) are questions, events, weeks, weeks of asking.
    """

    total: Floats
    claimed: Floats
    variance: Floats
    clusters: Floats
    worth: Floats
    counts: Whole


def _joined(parts: Sequence[_Sums]) -> _Sums:
    if len(parts) == 1:
        return parts[0]
    names = _Sums.__dataclass_fields__
    return _Sums(
        **{n: np.concatenate([getattr(part, n) for part in parts], axis=-1) for n in names}
    )


def _sums(every: _Gaps, look: _Look) -> _Sums:
    gaps = every.first(look.due.size)
    value, n = _values(gaps, look), gaps.both * look.due[:, None]
    total = value.sum(axis=0)
    counts = {source: ones @ n for source, ones in look.groups.items()}
    n_day = look.days @ n
    n_week = look.weeks @ n_day
    by_day = _by_day(gaps, look, value)
    events = np.count_nonzero(counts[Source.EVENT], axis=0)
    spreads = {
        Source.FLOOR: _floor(gaps, look, events),
        Source.DAY: _spread(by_day, n_day, total),
        Source.WEEK: _spread(look.weeks @ by_day, n_week, total),
        **{s: _spread(ones @ value, counts[s], total) for s, ones in look.groups.items()},
    }
    variances, clusters, worth = (
        np.stack([np.broadcast_to(getattr(spreads[s], name), total.shape) for s in SOURCES])
        for name in ("variance", "clusters", "worth")
    )
    counted = (n, counts[Source.EVENT], n_week, counts[Source.COHORT])
    numbers = [np.broadcast_to(np.count_nonzero(c, axis=0), total.shape) for c in counted]
    return _Sums(
        total=total,
        claimed=_worst(gaps, look, total),
        variance=variances,
        clusters=clusters.astype(np.float64),
        worth=worth.astype(np.float64),
        counts=np.stack(numbers),
    )


def _pair_columns(sums: _Sums, typical: Flags) -> dict[str, Floats | Whole]:
    """The columns of `Readings` at one look."""
    variances = sums.variance.copy()
    variances[_CATEGORY] = np.maximum(variances[_CATEGORY], _average(sums.variance, typical))
    largest = np.argmax(variances >= (1 - _EQUAL) * variances.max(axis=0), axis=0)
    chosen = (largest, np.arange(largest.size))
    df = sums.worth[chosen] - 1
    return {
        "z": _z(sums.claimed, variances[chosen], df),
        "total": sums.total,
        "variance": variances[chosen],
        "by_event": variances[_EVENT],
        "largest": largest,
        "clusters": sums.clusters[chosen],
        "df": df,
        "questions": sums.counts[0],
        "events": sums.counts[1],
        "weeks": sums.counts[2],
        "asking_weeks": sums.counts[3],
    }


def _average(variances: Floats, typical: Flags) -> Floats:
    """(P,) variances by category if they were as many times events' as on average."""
    by_event = variances[_EVENT]
    known = typical & (by_event > 0)
    if not known.any():
        return np.zeros_like(by_event)
    return np.asarray((variances[_CATEGORY, known] / by_event[known]).mean() * by_event)


def _values(gaps: _Gaps, look: _Look) -> Floats:
    """(Q, P) the gain of the first of each pair on each question so far."""
    if look.valuation is Valuation.MARKET:
        moved = (look.worth - look.shown)[:, None]
        return gaps.expected * look.due[:, None] + gaps.swing * moved
    return (gaps.base + gaps.swing * look.worth[:, None]) * look.due[:, None]


def _by_day(gaps: _Gaps, look: _Look, value: Floats) -> Floats:
    """(T, P) the gain of each day."""
    if gaps.moved is None:
        return np.asarray(look.days @ value)
    gains = look.days @ (gaps.expected * look.due[:, None])
    return np.asarray(gains + gaps.moved[: len(gains)])


def _worst(gaps: _Gaps, look: _Look, total: Floats) -> Floats:
    """The sum, and where outcomes are overdue, with those that are worst for its claim."""
    rows = np.flatnonzero(look.overdue)
    if look.valuation is Valuation.MARKET or not rows.size:
        return total
    base, swing, now = gaps.base[rows], gaps.swing[rows], look.worth[rows][:, None]
    held, no, yes = base + swing * now, base, base + swing
    low = total + (np.minimum(no, yes) - held).sum(axis=0)
    high = total + (np.maximum(no, yes) - held).sum(axis=0)
    return np.where(low > 0, low, np.where(high < 0, high, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class _Spread:
    """A variance of the sum a pair, from so many clusters, worth so many even ones."""

    variance: Floats
    clusters: Whole
    worth: Floats


def _spread(x: Floats, n: Floats, total: Floats) -> _Spread:
    """The variance of each pair's sum, by how its clusters' sums differ from their shares.

    `x` and `n` are (C, P) sums and numbers of questions.
    """
    rows = n.sum(axis=0)
    share = np.divide(n, rows, out=np.zeros_like(n), where=rows > 0)
    centred = x - share * total
    squares = np.einsum("cp,cp->p", centred, centred)
    clusters = np.count_nonzero(_clusters_present(x, n), axis=0)
    estimable = (clusters > 1) & (rows > 0)
    factor = np.divide(clusters, clusters - 1.0, out=np.zeros_like(total), where=estimable)
    even = np.einsum("cp,cp->p", share, share)
    kish = np.divide(1.0, even, out=np.zeros_like(even), where=even > 0)
    return _Spread(squares * factor, clusters, np.minimum(clusters, kish))


def _clusters_present(x: Floats, n: Floats) -> Flags:
    """(C, P) which clusters a pair has: with something due, or something gained."""
    if n.shape[1] < x.shape[1]:
        present = np.repeat(n > 0, x.shape[1], axis=1)
        without = np.flatnonzero(n[:, 0] == 0)
        present[without] = np.abs(x[without]) > _TINY
        return present
    return np.asarray((n > 0) | (np.abs(x) > _TINY))


def _floor(gaps: _Gaps, look: _Look, events: Whole) -> _Spread:
    """The variance that the outcomes' own chance must contribute at the prices shown.

    Outcomes of an exclusive event exclude each other, which counts at each moment.
    """
    chain, held = look.chain, gaps.swing[look.chain.order]
    if chain.starts.size < chain.order.size:
        summed = np.cumsum(held, axis=0)
        sizes = np.diff(np.append(chain.starts, chain.order.size))
        before = np.where(chain.starts[:, None] > 0, summed[chain.starts - 1], 0.0)
        held = summed - np.repeat(before, sizes, axis=0)
    variance = chain.spent @ held**2
    if chain.moments.shape[0]:
        variance = variance - _shared(chain, held * chain.now[:, None])
        variance = variance + _shared(chain, held * chain.later[:, None])
    return _Spread(np.maximum(variance, 0.0), events, events.astype(np.float64))


def _shared(chain: _Chain, x: Floats) -> Floats:
    """The products of two different questions of an exclusive event at one moment, summed."""
    joined = chain.moments @ x
    return np.asarray((joined**2 - chain.moments @ x**2).sum(axis=0))


def _z(total: Floats, variance: Floats, df: Floats) -> Floats:
    """Give t with so many degrees of freedom on the normal scale; 0 where it says nothing."""
    there = (variance > 0) & (df > 0)
    t = np.divide(np.abs(total), np.sqrt(variance), out=np.zeros_like(total), where=there)
    tail = stdtr(np.where(there, df, 1.0), -t)
    return np.asarray(np.sign(total) * np.where(there, -ndtri(np.maximum(tail, 1e-300)), 0.0))
