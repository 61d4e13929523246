"""Gains of pairs: what they add up to, and the largest of six variances, one by one."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm
from scipy.stats import t as student

from arena.records.claim import Source, Valuation
from arena.stats.comparisons.paired_gains import CELLS, SOURCES, Questions, Readings, readings
from tests.stats.asked import LAST, one_each, questions

Floats = NDArray[np.float64]

PAIR = np.array([[0, 1]])
BOTH = list(Valuation)
WEEK = 7


def read(asked: Questions, *days: int, how: Valuation = Valuation.MARKET) -> Readings:
    return readings(asked, PAIR, days, how)


class Row:
    """One question of the first pair, with what its days brought, made in a loop."""

    def __init__(self, asked: Questions, q: int, day: int, how: Valuation) -> None:
        self.market = int(asked.market[q])
        self.event = int(asked.event[q])
        self.asked = int(asked.asked[q])
        self.moment = int(asked.moment[q])
        self.due = int(asked.due[q])
        self.is_due = self.due <= day
        self.shown = 0.5 if np.isnan(asked.price[q]) else float(asked.price[q])
        self.base = float(asked.base[0, q] - asked.base[1, q])
        self.swing = float(asked.swing[0, q] - asked.swing[1, q])
        self.category = int(asked.category[q])
        self.now = worth(asked, q, day, self.shown)
        self.by_day: dict[int, float] = defaultdict(float)
        if how is Valuation.SETTLED:
            if self.is_due:
                self.by_day[self.due] = self.base + self.swing * self.now
            return
        if self.is_due:
            self.by_day[self.due] += self.base + self.swing * self.shown
        values = [self.shown, *(worth(asked, q, s, self.shown) for s in self.days(day))]
        for s, (before, after) in zip(self.days(day), pairwise(values), strict=True):
            self.by_day[s] += self.swing * (after - before)

    def days(self, day: int) -> range:
        return range(self.asked, day + 1)

    @property
    def value(self) -> float:
        return sum(self.by_day.values())


def worth(asked: Questions, q: int, day: int, shown: float) -> float:
    """What a question's market is worth at the end of a day."""
    market = asked.market[q]
    if asked.ended[market] <= day and not np.isnan(asked.outcome[market]):
        return float(asked.outcome[market])
    price = np.nan if asked.paths is None else asked.paths[market, day - asked.first]
    return shown if np.isnan(price) else float(price)


def rows_of(asked: Questions, day: int, how: Valuation) -> list[Row]:
    known = ~np.isnan(asked.base[0] + asked.base[1]) & (asked.asked <= day)
    return [Row(asked, q, day, how) for q in np.flatnonzero(known).tolist()]


def by_loop(rows: Sequence[Row], source: Source) -> tuple[float, float, int]:
    """The variance by a source, its degrees of freedom and how many clusters there are."""
    total, n = sum(r.value for r in rows), sum(r.is_due for r in rows)
    sums: dict[int, float] = defaultdict(float)
    counts: dict[int, int] = defaultdict(int)
    for row in rows:
        for code, x in parts(row, source):
            sums[code] += x
        counts[code_of(row, source)] += row.is_due
    there = {c for c in {*sums, *counts} if counts[c] or abs(sums[c]) > 1e-12}
    squares = sum((sums[c] - counts[c] / n * total) ** 2 for c in there)
    kish = n**2 / sum(count**2 for count in counts.values())
    many = len(there)
    return many / max(many - 1, 1) * squares, min(many, kish) - 1, many


def code_of(row: Row, source: Source) -> int:
    return {
        Source.EVENT: row.event,
        Source.CATEGORY: row.category,
        Source.COHORT: row.asked // WEEK,
        Source.DAY: row.due,
        Source.WEEK: row.due // WEEK,
    }[source]


def parts(row: Row, source: Source) -> Iterator[tuple[int, float]]:
    if source in {Source.DAY, Source.WEEK}:
        length = 1 if source is Source.DAY else WEEK
        for day, x in row.by_day.items():
            yield day // length, x
    else:
        yield code_of(row, source), row.value


def floor_by_loop(rows: Sequence[Row]) -> float:
    """What chance must add: each market's swing so far times the variance of its next move."""
    found = 0.0
    for market in {row.market for row in rows}:
        own = sorted((r for r in rows if r.market == market), key=lambda r: r.moment)
        prices = [*(row.shown for row in own), own[-1].now]
        held = 0.0
        for row, (before, after) in zip(own, pairwise(prices), strict=True):
            held += row.swing
            found += held**2 * (before * (1 - before) - after * (1 - after))
    return max(found, 0.0)


def rare(n: int = 12) -> Questions:
    """Long shots of which none came; one says half of the price, the other half more."""
    price = np.linspace(0.02, 0.09, n)
    day = np.arange(n) * 6
    said = np.stack([price / 2, price * 1.5])
    return one_each(said, np.zeros(n), price, asked=day, due=day)


SEEDS = [
    questions(seed, priced=priced, missing=missing)
    for seed in range(8)
    for priced, missing in ((True, 0.2), (False, 0.2), (seed % 2 == 0, 0.0))
]
CASES = [
    (asked, day, how)
    for asked in (*SEEDS, rare())
    for day in (25, 45, LAST)
    for how in BOTH
]  # fmt: skip


def six(rows: Sequence[Row]) -> dict[Source, tuple[float, float, int]]:
    """All six variances, degrees of freedom and numbers of clusters."""
    found = {source: by_loop(rows, source) for source in SOURCES if source != Source.FLOOR}
    events = len({row.event for row in rows if row.is_due})
    return found | {Source.FLOOR: (floor_by_loop(rows), events - 1.0, events)}


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_variance_is_the_largest_of_six_made_one_by_one(case: int) -> None:
    asked, day, how = CASES[case]
    found, rows = read(asked, day, how=how), rows_of(asked, day, how)
    known = six(rows)
    largest = max(SOURCES, key=lambda source: known[source][0])
    variance, df, clusters = known[largest]
    assert SOURCES[found.largest[0, 0]] is largest
    assert found.variance[0, 0] == pytest.approx(variance)
    assert found.df[0, 0] == pytest.approx(df)
    assert found.clusters[0, 0] == clusters
    assert found.by_event[0, 0] == pytest.approx(known[Source.EVENT][0])
    assert found.total[0, 0] == pytest.approx(sum(row.value for row in rows))


def test_each_of_the_six_is_somewhere_the_largest() -> None:
    found = {SOURCES[read(a, day, how=how).largest[0, 0]] for a, day, how in CASES}
    assert found == set(Source)


@pytest.mark.parametrize("how", BOTH)
def test_z_is_t_of_its_own_degrees_of_freedom_on_the_normal_scale(how: Valuation) -> None:
    found = read(questions(3), LAST, how=how)
    t = found.total[0, 0] / np.sqrt(found.variance[0, 0])
    tail = student.sf(abs(t), found.df[0, 0])
    assert found.z[0, 0] == pytest.approx(np.sign(t) * norm.isf(tail))


def test_what_was_due_is_counted() -> None:
    rows = [row for row in rows_of(questions(2), 30, Valuation.MARKET) if row.is_due]
    found = read(questions(2), 30)
    assert found.questions[0, 0] == len(rows)
    assert found.events[0, 0] == len({row.event for row in rows})
    assert found.weeks[0, 0] == len({row.due // WEEK for row in rows})
    assert found.asking_weeks[0, 0] == len({row.asked // WEEK for row in rows})


def test_weeks_are_counted_from_the_day_that_is_named() -> None:
    day = np.arange(0, 42, 3)
    p = np.random.default_rng(1).random((2, day.size))
    asked = one_each(p, np.zeros(day.size), p[0], asked=day, due=day)
    for origin in (0, 1, 5):
        found = readings(asked, PAIR, [50], Valuation.SETTLED, origin=origin)
        assert found.weeks[0, 0] == np.unique((day - origin) // WEEK).size


@pytest.mark.parametrize("legs", [1, 2, 5])
def test_the_floor_of_an_exclusive_event_is_that_of_its_multinomial_covariance(
    legs: int,
) -> None:
    events = 12
    q = np.random.default_rng(legs).dirichlet(np.ones(legs + 1))[:legs]
    price = np.tile(q, events)  # of events that are alike nothing else is spread
    event = np.repeat(np.arange(events), legs)
    said = np.stack([price * 0.9, price * 1.1])
    asked = one_each(said, np.zeros(price.size), price, event=event, exclusive=True)
    swing = (asked.swing[0] - asked.swing[1])[:legs]
    expected = events * float(swing @ (np.diag(q) - np.outer(q, q)) @ swing)
    found = read(asked, LAST, how=Valuation.SETTLED)
    assert SOURCES[found.largest[0, 0]] is Source.FLOOR
    assert found.variance[0, 0] == pytest.approx(expected)


def test_the_floor_of_settled_questions_is_the_chance_of_their_outcomes() -> None:
    asked = rare()
    found = read(asked, LAST, how=Valuation.SETTLED)
    delta = (asked.swing[0] - asked.swing[1]) / 2
    expected = 4 * delta**2 * asked.price * (1 - asked.price)
    assert SOURCES[found.largest[0, 0]] is Source.FLOOR
    assert found.variance[0, 0] == pytest.approx(expected.sum())
    assert found.z[0, 0] < 2


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_overdue_question_counts_with_the_outcome_that_is_worse_for_the_claim(
    sign: float,
) -> None:
    n = 40
    rng = np.random.default_rng(3)
    outcome = (rng.random(n) < 0.5).astype(float)
    day = np.arange(n)
    good = np.clip(0.5 + 0.3 * (outcome - 0.5) + rng.normal(0, 0.1, n), 0.01, 0.99)
    said = np.stack([good, np.full(n, 0.5)])[:: int(sign)]
    late = outcome.copy()
    late[:4] = np.nan
    half = np.full(n, 0.5)
    open_still = one_each(said, late, half, asked=day, due=day)
    found = read(open_still, n, how=Valuation.SETTLED)
    t = abs(norm_to_t(found))
    low, high = ((said[1, :4] - o) ** 2 - (said[0, :4] - o) ** 2 for o in (0.0, 1.0))
    known = ((said[1] - outcome) ** 2 - (said[0] - outcome) ** 2)[4:].sum()
    worst = known + (np.minimum(low, high) if sign > 0 else np.maximum(low, high)).sum()
    assert np.sign(found.z[0, 0]) == sign
    assert t == pytest.approx(abs(worst) / np.sqrt(found.variance[0, 0]))


def norm_to_t(found: Readings) -> float:
    """The statistic that a z was made from."""
    return float(student.isf(norm.sf(found.z[0, 0]), found.df[0, 0]))


def test_overdue_questions_that_could_turn_the_sign_leave_nothing_to_say() -> None:
    n = 20
    said = np.stack([np.full(n, 0.9), np.full(n, 0.1)])
    outcome = np.ones(n)
    outcome[:12] = np.nan
    day = np.arange(n)
    found = read(
        one_each(said, outcome, np.full(n, 0.5), asked=day, due=day), n, how=Valuation.SETTLED
    )
    assert (found.total[0, 0] > 0, found.z[0, 0]) == (True, 0)


@pytest.mark.parametrize("how", BOTH)
def test_without_spread_or_questions_nothing_is_said(how: Valuation) -> None:
    n = 12
    day = np.arange(n)
    said = np.stack([np.full(n, 0.4), np.full(n, 0.4)])
    same = read(one_each(said, np.ones(n), np.full(n, 0.4), asked=day, due=day), n, how=how)
    assert (same.z[0, 0], same.total[0, 0], same.variance[0, 0]) == (0, 0, 0)
    none = read(questions(1, missing=1.0), LAST, how=how)
    assert (none.z[0, 0], none.questions[0, 0], none.events[0, 0]) == (0, 0, 0)
    before = read(one_each(said, np.ones(n), np.full(n, 0.4), asked=day + 5, due=day + 5), 2)
    assert before.questions[0, 0] == 0


def test_many_pairs_are_read_in_parts_as_a_few_are_at_once() -> None:
    many = questions(4, forecasters=12, markets=3000, moments=1)
    pairs = np.array([(i, j) for i in range(12) for j in range(12) if i != j])
    whole = np.tile(pairs, (1 + CELLS // (many.price.size * len(pairs)), 1))
    assert len(whole) * many.price.size > CELLS
    found = readings(many, whole, [LAST], Valuation.SETTLED)
    few = readings(many, pairs, [LAST], Valuation.SETTLED)
    for name in ("z", "total", "variance", "df", "events"):
        times = np.tile(getattr(few, name), (1, len(whole) // len(pairs)))
        assert getattr(found, name) == pytest.approx(times)


def test_a_pair_whose_categories_agree_by_chance_counts_with_the_spread_of_typical_pairs() -> (
    None
):
    many = questions(4, forecasters=6, markets=600, moments=1)
    pairs = np.array([(i, j) for i in range(6) for j in range(i)])
    together = readings(many, pairs, [LAST], Valuation.SETTLED)
    alone = [readings(many, pairs[[n]], [LAST], Valuation.SETTLED) for n in range(len(pairs))]
    own = np.array([one.variance[0, 0] for one in alone])
    assert (together.variance[0] >= own * (1 - 1e-12)).all()
    assert (together.variance[0] > own * (1 + 1e-9)).any()


def test_pairs_that_are_not_typical_have_no_part_in_the_average() -> None:
    many = questions(4, forecasters=6, markets=600, moments=1)
    pairs = np.array([(i, j) for i in range(6) for j in range(i)])
    typical = np.arange(len(pairs)) < 3
    some_of_them = readings(many, pairs, [LAST], Valuation.SETTLED, typical=typical)
    first = readings(many, pairs[:3], [LAST], Valuation.SETTLED)
    assert some_of_them.variance[0, :3] == pytest.approx(first.variance[0])


def test_questions_out_of_order_are_refused() -> None:
    said = np.full((2, 3), 0.5)
    asked = one_each(said, np.ones(3), said[0], asked=np.array([2, 1, 3]))
    with pytest.raises(ValueError, match="in the order of the days"):
        read(asked, 5)


def test_no_pair_and_no_look_have_empty_readings() -> None:
    none = readings(questions(1), np.zeros((0, 2), np.intp), [10, 20], Valuation.MARKET)
    assert none.z.shape == (2, 0)
    assert readings(questions(1), PAIR, [], Valuation.MARKET).z.shape == (0, 1)
