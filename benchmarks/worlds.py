"""Worlds whose truth is known: what is asked, what prices say, and who is as good as whom.

A market's outcome is the sign of a sum of steps, one a day while it is open: those of its own
and, where a world has them, of its event, its day and a factor that many markets share. Its
price each day is the chance that the sum so far leaves, so that it is efficient, unless the
world makes it late, blurred, or still.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, ndtri

from arena.scoring.table import Factor, Forecasts
from arena.stats.comparisons.paired_gains import NEVER, Questions

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]
Rng = np.random.Generator

DAYS: Final = 250
NOISE: Final = 0.47  # of a contestant's forecast about the truth, in probits: 0.8 in logits
SPREAD: Final = 0.9  # of the truth's probits
SURE: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Market:
    """How many markets a world has, and how long they are open.

    `per_day` events of `legs` markets are asked every `every` days, until `asked_for` days
    are over, and are due `span` days later on average (evenly between 1 and twice that, or
    on the same day where it is 0). `exclusive` legs share one YES.
    """

    per_day: float = 5
    legs: int = 1
    every: int = 1
    asked_for: int = DAYS
    span: int = 0
    exclusive: bool = False
    bursts: bool = False
    early_yes: bool = False


@dataclass(frozen=True, slots=True)
class World:
    """A world, and how its contestants differ though none is better.

    `truth` draws the chances of events; `shock` and `factor` are shares of a market's variance
    that its day and its group's factor bring, `groups` says whose factor: of its "cohort",
    "category", "month" (category by month) or "season". `view` is the spread of contestants'
    views of the day, `lean` of views of a group; `lasting` ones keep their sign all season.
    `said` makes forecasts instead, from the truth's probits.
    """

    name: str
    market: Market = Market()
    truth: str = "even"
    shock: float = 0.0
    shock_memory: float = 0.0
    view: float = 0.0
    factor: float = 0.0
    groups: str = "cohort"
    lean: float = 0.0
    lasting: bool = False
    jump: bool = False
    noise: float = NOISE
    shared_error: float = 0.0
    price: str = "efficient"
    price_noise: float = 0.0
    said: str = ""
    missing: str = ""
    days: int = DAYS
    impossible: bool = False


def season(world: World, k: int, rng: Rng, better: float | None = None) -> Questions:
    """A season of k contestants who are equally good; the price is forecaster number k.

    `better` is the noise of the first, where it shall be better than the others.
    """
    book = _markets(world, rng)
    paths, outcome, opening = _prices(world, book, rng)
    said = _forecasts(world, book, opening, k, rng, better)
    shown = _shown(world, opening, book, outcome, rng)
    said[_missing(world, said, opening, rng)] = np.nan
    ended = np.maximum(book.ended, book.asked)
    p = np.vstack([said, shown])
    return Questions(
        base=-(p**2),
        swing=2 * p,
        price=shown,
        market=np.arange(shown.size),
        event=book.event,
        category=book.category,
        moment=book.asked,
        asked=book.asked,
        due=book.due,
        outcome=outcome,
        ended=np.where(ended < world.days, ended, NEVER),
        exclusive=np.full(int(book.event.max()) + 1, world.market.exclusive),
        first=0,
        paths=paths,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Book:
    """The markets of a season in the order of their days; a group's factor moves each."""

    asked: Whole
    due: Whole
    ended: Whole
    event: Whole
    category: Whole
    cohort: Whole
    group: Whole


def _markets(world: World, rng: Rng) -> _Book:
    form = world.market
    rounds = np.arange(0, min(form.asked_for, world.days), form.every)
    if form.bursts:
        counts = np.minimum(rng.pareto(1.5, rounds.size) * form.per_day / 2, 40).astype(np.intp)
        counts[:3] = np.maximum(counts[:3], 1)
    else:
        low = int(form.per_day)
        counts = low + (rng.random(rounds.size) < form.per_day - low)
    of_event = np.repeat(rounds, counts)
    event = np.repeat(np.arange(of_event.size), form.legs)
    asked = of_event[event]
    spans = rng.integers(1, 2 * form.span + 1, of_event.size) if form.span else 0
    due = (of_event + spans)[event]
    if form.early_yes:
        due = asked - asked % form.every + 2 * form.span
    category = rng.integers(0, 8, of_event.size)[event]
    cohort = np.unique(asked // 7, return_inverse=True)[1]
    group = {
        "cohort": cohort,
        "category": category,
        "month": category * 1000 + asked // 30,
        "season": np.zeros_like(asked),
    }[world.groups]
    group = np.unique(group, return_inverse=True)[1]
    return _Book(asked, due, due, event, category, cohort, group)


def _truth(world: World, book: _Book, rng: Rng) -> Floats:
    """(M,) the probits of the chances when asked; legs of an event lie around one level."""
    events = int(book.event.max()) + 1
    legs = world.market.legs
    if world.market.exclusive:
        shares = rng.dirichlet(np.full(legs, 0.5), events).ravel()
        return np.asarray(ndtri(np.clip(shares, SURE, 1 - SURE)))
    level = _LEVELS[world.truth](rng, events)
    apart = np.linspace(-0.6, 0.6, legs) if legs > 1 else np.zeros(1)
    return np.asarray(level[book.event] + np.tile(apart, events))


def _mixture(rng: Rng, n: int) -> Floats:
    rare = rng.uniform(0.005, 0.05, n)
    chance = np.where(rng.random(n) < 0.65, rare, rng.uniform(0.05, 0.95, n))  # noqa: PLR2004
    return np.asarray(ndtri(np.where(rng.random(n) < 0.5, chance, 1 - chance)))  # noqa: PLR2004


_LEVELS: Final[dict[str, Callable[[Rng, int], Floats]]] = {
    "even": lambda rng, n: rng.normal(0, SPREAD, n),
    "half": lambda _, n: np.zeros(n),
    "rare": lambda rng, n: ndtri(rng.uniform(0.02, 0.08, n)),
    "sure": lambda _, n: np.full(n, ndtri(0.97)),
    "mixture": _mixture,
}


def _prices(world: World, book: _Book, rng: Rng) -> tuple[Floats | None, Floats, Floats]:
    """Prices at the end of days, outcomes, and the probits of the chances when asked."""
    opening = _truth(world, book, rng)
    if world.market.exclusive:
        return None, _one_of_each(opening, book, rng), opening
    if world.market.early_yes:
        return _early(world, book, opening, rng)
    own = rng.normal(size=int(book.event.max()) + 1)
    rest = 1 - world.shock - world.factor
    days = _remembered(rng, world.days + 4 * world.market.span + 2, world.shock_memory)
    if world.market.span == 0 or world.price == "still":
        moved = np.sqrt(rest) * own[book.event] + np.sqrt(world.shock) * days[book.asked]
        moved += np.sqrt(world.factor) * rng.normal(size=book.group.max() + 1)[book.group]
        return None, (opening + moved > 0).astype(np.float64), opening
    paths, outcome = _paths(world, book, opening, days, rng)
    return _seen(world, paths, rng), outcome, opening


def _remembered(rng: Rng, n: int, memory: float) -> Floats:
    """A series of variance 1 in which each value remembers the one before."""
    found = rng.normal(size=n)
    for t in range(1, n if memory else 0):
        found[t] = memory * found[t - 1] + np.sqrt(1 - memory**2) * found[t]
    return found


def _paths(
    world: World, book: _Book, opening: Floats, days: Floats, rng: Rng
) -> tuple[Floats, Floats]:
    """Efficient prices (M, T) and outcomes of markets that are open for a while."""
    size = int(book.due.max()) + 1
    day = np.arange(size)
    length = (book.due - book.asked)[:, None]
    passed = np.clip((day - book.asked[:, None]) / length, 0.0, 1.0)
    open_now = (day > book.asked[:, None]) & (day <= book.due[:, None])
    steps = (
        np.sqrt(1 - world.shock - world.factor)
        * (rng.normal(size=(int(book.event.max()) + 1, size))[book.event])
    )
    steps += np.sqrt(world.shock) * days[:size]
    factor = rng.normal(size=(int(book.group.max()) + 1, size))
    if world.jump:
        open_now = open_now & (day == book.due[:, None])
        length = np.ones_like(length)
    steps += np.sqrt(world.factor) * factor[book.group]
    walked = np.cumsum(np.where(open_now, steps / np.sqrt(length), 0.0), axis=1)
    outcome = (opening + walked[:, -1] > 0).astype(np.float64)
    left = np.ones_like(passed) if world.jump else 1 - passed
    with np.errstate(divide="ignore", invalid="ignore"):
        price = ndtr((opening[:, None] + walked) / np.sqrt(left))
    return np.where(day >= book.due[:, None], outcome[:, None], price)[:, : world.days], outcome


def _seen(world: World, price: Floats, rng: Rng) -> Floats:
    """What quotes say of a price."""
    if world.price == "late":
        week = 7
        return np.concatenate([np.repeat(price[:, :1], week, axis=1), price[:, :-week]], axis=1)
    if world.price == "trends":
        for t in range(1, price.shape[1]):
            price[:, t] = 0.85 * price[:, t - 1] + 0.15 * price[:, t]
        return price
    if world.price == "bounces":
        return np.clip(price + 0.04 * rng.choice([-1, 1], price.shape), SURE, 1 - SURE)
    inner = np.clip(price, SURE, 1 - SURE)
    if world.price == "too sure":
        return np.asarray(expit(1.4 * logit(inner)))
    if world.price_noise:
        return np.asarray(ndtr(ndtri(inner) + rng.normal(0, world.price_noise, price.shape)))
    return price


def _one_of_each(opening: Floats, book: _Book, rng: Rng) -> Floats:
    """Outcomes of exclusive events: one leg of each is YES."""
    legs = np.bincount(book.event)[0]
    shares = np.cumsum(ndtr(opening).reshape(-1, legs), axis=1)
    drawn = rng.random((len(shares), 1)) * shares[:, -1:]
    yes = (drawn > shares).sum(axis=1)
    return np.asarray((np.arange(legs) == yes[:, None]).ravel(), dtype=np.float64)


def _early(
    world: World, book: _Book, opening: Floats, rng: Rng
) -> tuple[Floats, Floats, Floats]:
    """Markets "by a date": YES on some day before it; some of NO are known late."""
    chance, n = ndtr(opening), opening.size
    outcome = (rng.random(n) < chance).astype(np.float64)
    length = book.due - book.asked
    happens = book.asked + np.maximum(1, np.ceil(rng.random(n) * length)).astype(np.intp)
    late = np.where(rng.random(n) < 0.3, rng.integers(5, 26, n), 0)  # noqa: PLR2004
    book.ended[:] = np.where(outcome == 1, np.minimum(happens, book.due), book.due + late)
    day = np.arange(world.days)
    passed = np.clip((day - book.asked[:, None]) / length[:, None], 0.0, 0.98)
    waiting = chance[:, None] * (1 - passed) / (1 - chance[:, None] * passed)
    known = day >= book.ended[:, None]
    return np.where(known, outcome[:, None], waiting), outcome, opening


def _forecasts(  # noqa: PLR0913, PLR0917  all that a forecast is made of
    world: World, book: _Book, opening: Floats, k: int, rng: Rng, better: float | None
) -> Floats:
    """(k, M) what contestants say: the truth with errors, views of the day, and leans."""
    if world.said:
        chance, side = ndtr(opening), np.where(np.arange(k) % 2 == 0, -1.0, 1.0)[:, None]
        apart = {"halved": 0.5 * chance, "sure": 0.97 * (1 - chance), "leaning": 0.1}[
            world.said
        ]
        return np.asarray(np.clip(chance + side * apart, 0.0, 1.0))
    noise = np.full(k, world.noise)
    noise[: better is not None] = better
    events = int(book.event.max()) + 1
    common = np.sqrt(world.shared_error) * rng.normal(size=events)
    own = np.sqrt(1 - world.shared_error) * rng.normal(size=(k, events))
    found = opening + (noise[:, None] * (common + own))[:, book.event]
    views = np.stack([_remembered(rng, world.days, world.shock_memory) for _ in range(k)])
    found += world.view * views[:, book.asked]
    if world.lasting:
        return np.asarray(ndtr(found + world.lean * (1.0 - 2.0 * (np.arange(k) % 2))[:, None]))
    lean = rng.normal(size=(k, int(book.group.max()) + 1))
    return np.asarray(ndtr(found + world.lean * lean[:, book.group]))


def _shown(world: World, opening: Floats, book: _Book, outcome: Floats, rng: Rng) -> Floats:
    """The price when asked: the truth, or as good as a contestant where the world says so."""
    del outcome
    if world.price == "peer":
        events = int(book.event.max()) + 1
        return np.asarray(ndtr(opening + world.noise * rng.normal(size=events)[book.event]))
    if world.price == "bounces":
        return np.clip(ndtr(opening) + 0.04 * rng.choice([-1, 1], opening.size), SURE, 1 - SURE)
    return np.asarray(ndtr(opening + rng.normal(0, world.price_noise, opening.size)))


def _missing(world: World, said: Floats, opening: Floats, rng: Rng) -> NDArray[np.bool_]:
    """Which answers are not given."""
    k, n = said.shape
    odd = (np.arange(k) % 2 == 1)[:, None]
    if world.missing == "hard":
        return np.asarray(odd & (np.abs(opening) < 0.5) & (rng.random((k, n)) < 0.5))  # noqa: PLR2004
    if world.missing == "unsure":
        return np.asarray(np.abs(ndtri(np.clip(said, SURE, 1 - SURE))) < 0.8)  # noqa: PLR2004
    if world.missing == "late":
        return np.asarray((np.arange(k) == 0)[:, None] & (np.arange(n) < n // 2))
    if world.missing == "by price":
        return np.asarray((np.arange(k) == 0)[:, None] & (ndtr(opening) > 0.1))  # noqa: PLR2004
    return np.zeros((k, n), np.bool_)


_WEEKLY: Final = Market(per_day=40, every=7, asked_for=224, span=14)
_EIGHT: Final = Market(per_day=100, every=7, asked_for=56, span=14)
_MACRO: Final = World("", _WEEKLY, factor=0.35, lean=0.4, noise=0.15)
_STILL: Final = replace(_MACRO, price="still")

WORLDS: Final = (
    World("one market an event"),
    World("price as good as they are", price="peer"),
    World("ladders of 3", Market(per_day=3, legs=3), price="peer"),
    World("ladders of 20", Market(per_day=0.5, legs=20)),
    World("rare, one a day", Market(per_day=1), truth="rare", said="halved"),
    World("rare, five a day", truth="rare", said="halved"),
    World("mixture", truth="mixture"),
    World("97 %, said 99.9 or 94", Market(per_day=2), truth="sure", said="sure"),
    World(
        "first 20 even events", Market(per_day=1, asked_for=20), truth="half", said="leaning"
    ),
    World("day shocks, 30 days", Market(per_day=10, asked_for=30), shock=0.4, view=0.41),
    World("day shocks, 60 days", Market(per_day=10, asked_for=60), shock=0.4, view=0.41),
    World("day shocks, all season", shock=0.4, view=0.41),
    World("day shocks that last", shock=0.4, view=0.41, shock_memory=0.8, impossible=True),
    World("bursts with day shocks", Market(per_day=2, bursts=True), shock=0.4, view=0.41),
    replace(_MACRO, name="factor, 8 cohorts of 100", market=_EIGHT),
    replace(_MACRO, name="factor, 32 cohorts of 40"),
    replace(_MACRO, name="factor, leans last", lasting=True),
    replace(
        _MACRO,
        name="factor, one cohort of 200",
        market=replace(_EIGHT, per_day=200, asked_for=1),
    ),
    replace(
        _MACRO,
        name="factor, one cohort all season",
        market=Market(per_day=400, every=7, asked_for=1, span=120),
    ),
    replace(
        _MACRO,
        name="factor 1.5, span 60, leans last",
        market=replace(_WEEKLY, span=30),
        factor=0.4,
        lasting=True,
    ),
    replace(
        _MACRO, name="eight cohorts, each by one jump", market=_EIGHT, jump=True, lasting=True
    ),
    replace(_MACRO, name="factor, prices too sure", lasting=True, price="too sure"),
    replace(_MACRO, name="factor, noisy prices", lasting=True, price_noise=0.18),
    replace(
        _MACRO, name="factor, prices a week old", lasting=True, price="late", impossible=True
    ),
    replace(
        _MACRO, name="factor, prices that trend", lasting=True, price="trends", impossible=True
    ),
    replace(_STILL, name="factor, prices never move", lasting=True, impossible=True),
    World("category by month", factor=0.25, groups="month", lean=0.45),
    World("8 categories, all season", factor=0.25, groups="category", lean=0.45),
    World(
        "early YES, weekly cohorts",
        Market(per_day=10, every=7, asked_for=150, span=50, early_yes=True),
        said="leaning",
    ),
    World("skips half of the hard ones", missing="hard"),
    World("answers only where sure", missing="unsure"),
    World("errors shared by 0.8", shared_error=0.8),
    World("near copies of the price", noise=0.02, shared_error=0.8),
    World("picks markets by price", Market(per_day=5), truth="mixture", missing="by price"),
    World("enters half-way", missing="late"),
    World("events of 40 exclusive legs", Market(per_day=0.5, legs=40, exclusive=True)),
    World("thin books that bounce", _WEEKLY, price="bounces", noise=0.3),
)


def as_forecasts(asked: Questions, rows: int, contestants: int) -> Forecasts:
    """The first questions as resolved forecasts of some contestants, one row each."""
    n = min(rows, asked.price.size)
    question = np.tile(np.arange(n), contestants)
    who = np.repeat(np.arange(contestants), n)
    p = (asked.swing[:contestants, :n] / 2).ravel()
    there = ~np.isnan(p)
    question, who, p = question[there], who[there], p[there]
    names = tuple(f"c{number:02}" for number in range(contestants))

    def day(column: Whole) -> NDArray[np.datetime64]:
        return np.datetime64("2026-01-01") + column[question].astype("timedelta64[D]")

    return Forecasts(
        contestant=Factor(names, who),
        market=Factor(tuple(map(str, range(n))), question),
        event=Factor(tuple(map(str, range(asked.exclusive.size))), asked.event[question]),
        at=day(asked.asked).astype("datetime64[us]"),
        p=p,
        outcome=asked.outcome[asked.market[question]].astype(np.intp),
        market_p=asked.price[question],
        close_p=np.full(p.size, np.nan),
        labels={"category": Factor(tuple("abcdefgh"), asked.category[question])},
        due=day(asked.due).astype("datetime64[us]"),
        exclusive=asked.exclusive[asked.event][question],
    )
