"""How often the board claims what is not so, in worlds in which nobody is better.

Seeded. Contestants are equally good, and the board is read at the end of every day of a
season of 250 days; between two looks its claims stand as they are. A false claim on any day
counts once: in the headline (somebody is better than somebody else, or than the market's
price), in the pairs and so in the ranges of ranks, and against the market. "Once" is a t-test
by event, corrected by Holm's method and read once at the end: what a board would say that
knows nothing of shared news. Then one contestant is made better, and found or not. At last,
how often the intervals of means hold the truth.

Methods were chosen on other seeds, and on the worlds of an earlier table; the last five
worlds here are in none of them.
"""

import time
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtr

from arena.metrics.claims.rules import (
    ALPHA,
    WEEKS,
    ClaimFamily,
    ClaimRule,
    FamilyJudgement,
    each_of,
    endless_rule,
    every_pair,
    judge,
    season_rule,
)
from arena.metrics.metric_values import measure
from arena.records.claim import Season, Valuation
from arena.stats.comparisons.multiple import holm
from arena.stats.comparisons.paired_gains import Questions, Readings, readings
from benchmarks.measure import say
from benchmarks.tables import in_two, write
from benchmarks.worlds import DAYS, WORLDS, World, as_forecasts, season

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

SEED: Final = 20_261_122
SEASONS: Final = 500
CHUNK: Final = 25
SIZES: Final = (2, 6, 20)
EVENTS: Final = (20, 40, 80, 200)
ALLOWED: Final = 0.05
ENDLESS: Final = 0.03
IMPOSSIBLE: Final = 0.20
NOISE: Final = 0.8  # of the ladders that power is measured on, in logits
LITTLE: Final = 0.5
MUCH: Final = 0.2
BY: Final = (60, 120, 250)
LENGTHS: Final = (100, 130, 160, 190, 220, 250, 280, 320, 366, 420, 480)
MEANS: Final = ("brier", "alpha")
CLAIMED: Final = ("once", "headline", "pairs", "market", "endless")
CLAIMS: Final = ("world", "rule_holds", "contestants", "seasons", *CLAIMED)
POWER: Final = ("contestants", "noise", *(f"by_day_{day}" for day in BY))
COSTS: Final = ("contestants", "one_test_days", "season", "endless", "pairs_found")
HELD: Final = ("world", "metric", "events", "percent", "six_weeks")


@dataclass(frozen=True, slots=True)
class Job:
    """Some seasons of a world with so many contestants."""

    world: int
    contestants: int
    first: int
    seasons: int = CHUNK


def main() -> None:
    start = time.perf_counter()
    worst = _false_claims(SEASONS)
    power = _power(SEASONS)
    covered = _coverage(SEASONS)
    print(f"\ntaken: {time.perf_counter() - start:.0f} s")
    error = 2 * float(np.sqrt(ALLOWED * (1 - ALLOWED) / SEASONS))
    say("false headlines of a season", worst["season"], ALLOWED + error, "of seasons")
    say("false headlines of an endless board", worst["endless"], ENDLESS + error, "of seasons")
    say("the same where no rule can hold", worst["impossible"], IMPOSSIBLE, "of seasons")
    for what, found, least in power:
        say(f"missed: {what}", 1 - found, 1 - least, "of seasons")
    say("intervals from 20 events on, farthest from 95 %", covered, 0.02 + error, "off")


def _false_claims(seasons: int) -> dict[str, float]:
    worst = {"season": 0.0, "endless": 0.0, "impossible": 0.0}
    rows: list[tuple[object, ...]] = []
    print(f"false claims in % of {seasons} seasons of {DAYS} days, read every day\n")
    head = ["once, by event", "headline", "pairs and ranges", "market", "endless headline"]
    print("| world | contestants | " + " | ".join(head) + " |")
    print("|---|---|" + "---|" * len(head))
    for number, world in enumerate(WORLDS):
        for k in SIZES:
            jobs = [Job(number, k, n, min(CHUNK, seasons)) for n in range(0, seasons, CHUNK)]
            shares = np.array(in_two(false_claims, jobs)).mean(axis=0)
            told = [f"{100 * share:.1f}" for share in shares]
            holds = "no" if world.impossible else "yes"
            rows.append((world.name, holds, k, seasons, *told))
            name = f"{world.name} (no rule holds)" if world.impossible else world.name
            print(f"| {name} | {k} | {' | '.join(told)} |", flush=True)
            where = "impossible" if world.impossible else "season"
            worst[where] = max(worst[where], float(shares[1]))
            if not world.impossible:
                worst["endless"] = max(worst["endless"], float(shares[4]))
    write("claims", CLAIMS, rows)
    return worst


def false_claims(job: Job) -> list[Flags]:
    """A row a season: once, headline, pairs, market, endless headline."""
    world, k, made = WORLDS[job.world], job.contestants, []
    families = every_pair(range(k)), each_of([(i, k) for i in range(k)])
    pairs = np.concatenate([family.pairs for family in families])
    parts = slice(len(families[0].pairs)), slice(len(families[0].pairs), None)
    both = rules(world)
    days = sorted({day for rule in both for day in rule.days})
    for n in range(job.first, job.first + job.seasons):
        asked = season(world, k, np.random.default_rng([SEED, job.world, k, n]))
        typical = np.asarray((pairs < k).all(axis=1))
        read = readings(asked, pairs, days, both[0].valuation, typical=typical)
        shown = [
            [
                _claimed(
                    judge(read.of([days.index(day) for day in rule.days], part), family, rule)
                )
                for family, part in zip(families, parts, strict=True)
            ]
            for rule in both
        ]
        (among, price), (among_always, price_always) = shown
        headline = (among != 0).any() or (price > 0).any()
        always = (among_always != 0).any() or (price_always > 0).any()
        once = _once(asked, families[0], world.days)
        made.append(np.array([once, headline, (among != 0).any(), (price > 0).any(), always]))
    return made


def rules(world: World) -> tuple[ClaimRule, ClaimRule]:
    """The rules of a season and of an endless board, at the end of the world's days."""
    valuation = Valuation.SETTLED if world.price == "still" else Valuation.MARKET
    last = world.days - 1
    length = Season(date(2026, 1, 1), timedelta(days=world.days))
    return season_rule(length, 0, last, valuation), endless_rule(0, last, valuation)


def claims(asked: Questions, family: ClaimFamily, rule: ClaimRule) -> NDArray[np.intp]:
    """1 where the first of a pair is claimed to be better, -1 where the second is, else 0."""
    found = readings(asked, family.pairs, rule.days, rule.valuation, origin=rule.origin)
    return _claimed(judge(found, family, rule))


def _claimed(found: FamilyJudgement) -> NDArray[np.intp]:
    return np.where(found.p <= ALPHA, found.sign, 0)


def _once(asked: Questions, family: ClaimFamily, days: int) -> bool:
    found = readings(asked, family.pairs, [days - 1], Valuation.SETTLED)
    return bool((holm(_p_by_event(found)) <= ALPHA).any())


def _p_by_event(found: Readings) -> Floats:
    total, variance, events = found.total[0], found.by_event[0], found.events[0]
    t = np.divide(total, np.sqrt(variance), out=np.zeros_like(total), where=variance > 0)
    return np.where(events > 1, 2 * stdtr(np.maximum(events - 1.0, 1.0), -np.abs(t)), 1.0)


def ladders(noise: Floats, rng: np.random.Generator, days: int = DAYS) -> Questions:
    """Five ladders of three a day; an event's rungs share a draw and every error."""
    events, rungs = days * 5, 3
    event = np.repeat(np.arange(events), rungs)
    level = rng.normal(0, 1.5, events)[event] + np.tile(np.linspace(-1, 1, rungs), events)
    truth = expit(level)
    outcome = (rng.random(events)[event] < truth).astype(np.float64)
    error = rng.normal(size=(noise.size, events))[:, event] * noise[:, None]
    p = expit(logit(truth) + error)
    day = event // 5
    return Questions(
        base=-(p**2),
        swing=2 * p,
        price=expit(logit(truth) + error[-1]),
        market=np.arange(event.size),
        event=event,
        category=np.zeros_like(event),
        moment=day,
        asked=day,
        due=day,
        outcome=outcome,
        ended=day,
        exclusive=np.zeros(events, np.bool_),
        first=0,
    )


@dataclass(frozen=True, slots=True)
class Better:
    """Seasons of various lengths in which the first of some contestants is better."""

    contestants: int
    noise: float
    first: int
    seasons: int = CHUNK


def found(job: Better) -> list[Floats]:
    """(seasons, rules, lengths) whether any pair of the better one was found by then.

    The rules are: one test by event at the end, which knows nothing of shared news; the
    season's looks, the season being so long; an endless board. A last row has the share of
    the better one's pairs that a season of 250 days finds.
    """
    family, made = every_pair(range(job.contestants)), []
    own = np.flatnonzero(family.pairs[:, 0] == 0)
    noise = np.array([job.noise, *([NOISE] * job.contestants)])  # the last is the price
    for n in range(job.first, job.first + job.seasons):
        key = [SEED, job.contestants, int(1000 * job.noise), n]
        asked = ladders(noise, np.random.default_rng(key), LENGTHS[-1])
        rows = np.zeros((4, len(LENGTHS)))
        always = endless_rule(0, LENGTHS[-1] - 1, Valuation.MARKET)
        for place, days in enumerate(LENGTHS):
            length = Season(date(2026, 1, 1), timedelta(days=min(days, 366)))
            rule = season_rule(length, 0, days - 1, Valuation.MARKET)
            shown = claims(asked, family, rule)[own] > 0
            rows[0, place] = (_one_test(asked, family, days)[own]).any()
            rows[1, place] = shown.any()
            passed = tuple(day for day in always.days if day < days)
            rows[2, place] = (
                claims(asked, family, replace(always, days=passed))[own] > 0
            ).any()
            rows[3, place] = shown.mean()
        made.append(rows)
    return made


def _one_test(asked: Questions, family: ClaimFamily, days: int) -> Flags:
    one = readings(asked, family.pairs, [days - 1], Valuation.SETTLED)
    return np.asarray((holm(_p_by_event(one)) <= ALPHA) & (one.total[0] > 0))


def by_day(job: Better) -> list[Floats]:
    """Whether any pair of the better one is claimed by each of `BY` in a season of 250 days."""
    family, made = every_pair(range(job.contestants)), []
    own = np.flatnonzero(family.pairs[:, 0] == 0)
    noise = np.array([job.noise, *([NOISE] * job.contestants)])
    rule = rules(WORLDS[0])[0]
    for n in range(job.first, job.first + job.seasons):
        key = [SEED, job.contestants, int(1000 * job.noise), n]
        asked = ladders(noise, np.random.default_rng(key), LENGTHS[-1])
        by = [replace(rule, days=tuple(d for d in rule.days if d < day)) for day in BY]
        made.append(np.array([(claims(asked, family, one)[own] > 0).any() for one in by]))
    return made


def _power(seasons: int) -> list[tuple[str, float, float]]:
    """Print who is found by when, and what looking costs in events; give what must be found."""
    print(f"\nthe better one found, in % of {seasons} seasons of 250 days\n")
    print("| contestants | noise | " + " | ".join(f"by day {day}" for day in BY) + " |")
    print("|---|---|" + "---|" * len(BY))
    shares: dict[tuple[int, float], Floats] = {}
    rows: list[tuple[object, ...]] = []
    for k in SIZES[:2]:
        for noise in (LITTLE, MUCH):
            jobs = [Better(k, noise, n, min(CHUNK, seasons)) for n in range(0, seasons, CHUNK)]
            shares[k, noise] = np.mean(in_two(by_day, jobs), axis=0)
            told = [f"{100 * share:.0f}" for share in shares[k, noise]]
            rows.append((k, noise, *told))
            print(f"| {k} | {noise} against {NOISE} | {' | '.join(told)} |", flush=True)
    write("power", POWER, rows)
    print("\nevents for a power of 80 %, against one test at the end\n")
    print("| contestants | one test, days | season | endless | pairs found in 250 days |")
    print("|---|---|---|---|---|")
    costs = [_inflation(k, seasons) for k in SIZES[:2]]
    write(
        "looking",
        COSTS,
        [
            (k, f"{one:.0f}", f"{of_season:.2f}", f"{endless:.2f}", f"{100 * pairs:.0f}")
            for k, (one, of_season, endless, pairs) in zip(SIZES[:2], costs, strict=True)
        ],
    )
    ratios = {k: found[1:] for k, found in zip(SIZES[:2], costs, strict=True)}
    return [
        ("two, a little better, by day 250", float(shares[2, LITTLE][2]), 0.80),
        ("two, much better, by day 120", float(shares[2, MUCH][1]), 0.80),
        ("six, a little better, any", float(shares[6, LITTLE][2]), 0.85),
        ("six, a little better, its pairs", ratios[6][2], 0.43),
        ("two: the season's events over one test's, less 1", 2 - ratios[2][0], 0.80),
        ("six: the season's events over one test's, less 1", 2 - ratios[6][0], 0.70),
        ("two: the endless board's events over one test's, less 2", 2 - ratios[2][1] / 2, 1.0),
        ("six: the endless board's events over one test's, less 2", 2 - ratios[6][1] / 2, 1.0),
    ]


def _inflation(k: int, seasons: int) -> tuple[float, float, float, float]:
    """Days of one test, events of a season and an endless board over its, pairs found."""
    jobs = [Better(k, LITTLE, n, min(CHUNK, seasons)) for n in range(0, seasons, CHUNK)]
    shares = np.mean(in_two(found, jobs), axis=0)
    one, of_season, endless = (_days_for(shares[row]) for row in range(3))
    pairs = float(shares[3, LENGTHS.index(DAYS)])
    ratios = f"{of_season / one:.2f} | {endless / one:.2f}"
    print(f"| {k} | {one:.0f} | {ratios} | {100 * pairs:.0f} % |", flush=True)
    return one, of_season / one, endless / one, pairs


def _days_for(shares: Floats, power: float = 0.8) -> float:
    """After how many days so many seasons have found it; infinite where none has."""
    rising = np.maximum.accumulate(shares)
    if rising[-1] < power:
        return float("inf")
    return float(np.interp(power, rising, LENGTHS))


@dataclass(frozen=True, slots=True)
class Covered:
    """Seasons of a world in which intervals are made from the first events."""

    world: int
    first: int
    seasons: int = CHUNK


def intervals(job: Covered) -> list[Floats]:
    """(seasons, metrics, 2 sizes + 1): ends of intervals by size, and the mean of all."""
    world, made = WORLDS[job.world], []
    for n in range(job.first, job.first + job.seasons):
        asked = season(world, 1, np.random.default_rng([SEED + 1, job.world, n]))
        every = as_forecasts(asked, asked.price.size, 1)
        rows = np.full((len(MEANS), 2 * len(EVENTS) + 1), np.nan)
        for place, size in enumerate(EVENTS):
            part = every.take(every.event.codes < size)
            if part.event.used() == size:
                for row, estimates in enumerate(measure(MEANS, part).values()):
                    between = estimates[0].interval
                    if between is not None:
                        rows[row, 2 * place : 2 * place + 2] = between.low, between.high
                    else:
                        rows[row, 2 * place : 2 * place + 2] = np.inf, -np.inf
        rows[:, -1] = [e[0].value for e in measure(MEANS, every).values()]
        made.append(rows)
    return made


def _coverage(seasons: int) -> float:
    """Print how often intervals hold the truth; give the farthest from 95 % that is too low."""
    print(f"\nintervals of 95 % that hold the truth, in % of {seasons} seasons\n")
    head = " | ".join(f"{name} {size}" for name in MEANS for size in EVENTS)
    print(f"| world | {head} |")
    print("|---|" + "---|" * (len(MEANS) * len(EVENTS)))
    farthest = 0.0
    rows_kept: list[tuple[object, ...]] = []
    for number, world in enumerate(WORLDS):
        jobs = [Covered(number, n, min(CHUNK, seasons)) for n in range(0, seasons, CHUNK)]
        rows = np.array(in_two(intervals, jobs))
        truth = np.nanmean(rows[:, :, -1], axis=0)[:, None]
        low, high = rows[:, :, :-1:2], rows[:, :, 1:-1:2]
        held = ((low <= truth) & (truth <= high)).mean(axis=0)
        there = ~np.isnan(low).all(axis=0)
        few = np.array([_weeks(world, size) < WEEKS for size in EVENTS])
        cells = [
            (f"{100 * held[row, place]:.1f}" + "*" * bool(few[place])) * bool(there[row, place])
            for row in range(len(MEANS))
            for place in range(len(EVENTS))
        ]
        rows_kept += [
            (
                world.name,
                name,
                size,
                f"{100 * held[row, place]:.1f}",
                "no" if few[place] else "yes",
            )
            for row, name in enumerate(MEANS)
            for place, size in enumerate(EVENTS)
            if there[row, place]
        ]
        print(f"| {world.name} | {' | '.join(cells)} |", flush=True)
        judged_here = there & ~few
        if judged_here.any() and not world.impossible:
            farthest = max(farthest, float(np.max(0.95 - held[judged_here])))
    write("intervals", HELD, rows_kept)
    print("\n* of fewer than six weeks: the page says so, and ranks nobody")
    return farthest


def _weeks(world: World, size: int) -> int:
    """In how many weeks the first events of a season are due."""
    asked = season(world, 1, np.random.default_rng([SEED, 1]))
    return len(np.unique(asked.due[asked.event < size] // 7))


if __name__ == "__main__":
    main()
