"""Whether a board tells apart those whom `arena power` says it can, from so many events on.

Seeded: contestants forecast the truth with noise, so that their true Brier differences are
known by quadrature. For each pair the number of events for a power of 80 % is predicted from
its difference and standard deviation, and found by playing seasons and reading the board:
every pair tested by event, with Holm's correction. Pairs of equals must stay together.
"""

import time
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from arena.stats.bootstrap import generator
from arena.stats.comparisons.multiple import holm
from arena.stats.comparisons.power import Guess, PowerPlan, Study, events_needed, study
from arena.stats.mean_intervals import mean_test
from benchmarks.measure import say
from benchmarks.tables import in_two, write

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ALPHA: Final = 0.05
SPREAD: Final = 1.5  # of the truth's log odds
NODES: Final = 60
SEASONS: Final = 1_000
CHUNK: Final = 50  # seasons of one job
STEP: Final = 1.12  # from one number of events to the next
BEYOND: Final = 1.3  # how far the numbers go below and above those predicted
USEFUL: Final = (0.5, 0.97)  # powers that say where the power is 80 %
ROOM: Final = 0.15
HEAD: Final = (
    "board",
    "noise",
    "pair",
    "difference",
    "sigma",
    "comparisons",
    "predicted",
    "found",
    "ratio",
)
EQUALS: Final = (40, 100, 200)  # events of boards of equals
SIX: Final = 6


@dataclass(frozen=True, slots=True)
class Contest:
    """Contestants by the noise of their log odds, on events of so many markets each.

    Markets of an event share their truth, but not what comes true; half of the variance of a
    contestant's error is shared by them.
    """

    name: str
    noise: tuple[float, ...]
    markets: int = 1

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All pairs in the order of the board."""
        return tuple(combinations(range(len(self.noise)), 2))


@dataclass(frozen=True, slots=True)
class Season:
    """Seasons of a contest to be played, and after how many events the board is read."""

    contest: Contest
    sizes: tuple[int, ...]
    chunk: int
    seasons: int = CHUNK


CONTESTS: Final = (
    Contest("Two contestants, a large gap", (0.4, 1.2)),
    Contest("Two contestants, a small gap", (0.6, 1.0)),
    Contest("Two contestants, four markets an event", (0.4, 1.2), markets=4),
    Contest("A board of five, two of them equals", (0.2, 0.9, 0.9, 1.3, 2.0)),
    Contest("A board of five, pairs nearly as hard to tell", (0.2, 0.9, 0.9, 1.3, 1.8)),
    Contest("A board of six, one better than five equals", (0.4, 1.1, 1.1, 1.1, 1.1, 1.1)),
)


def main() -> None:
    start = time.perf_counter()
    worst, together = 0.0, 0.0
    rows: list[tuple[object, ...]] = []
    equals: list[tuple[object, ...]] = []
    for contest in CONTESTS:
        table, ratios, share = separated(contest)
        rows += table
        worst = max(worst, *(abs(ratio - 1) for ratio in ratios))
        if share is not None:
            equals.append((contest.name, "", f"{100 * share:.1f}"))
            together = max(together, share)
    print()
    for n in EQUALS:
        claims = played(Contest("equals", (0.8,) * SIX), (n,), SEASONS)
        share = float(claims[:, 0].any(axis=1).mean())
        print(f"six equals, {n} events: any two told apart in {share:.1%} of {SEASONS} seasons")
        equals.append((f"{SIX} equals", n, f"{100 * share:.1f}"))
        together = max(together, share)
    write("separation", HEAD, rows)
    write("separation_equals", ("board", "events", "percent"), equals)
    print(f"\ntaken: {time.perf_counter() - start:.0f} s")
    say("events found against those predicted, farthest from 1", worst, ROOM, "off")
    room = 2 * float(np.sqrt(ALPHA * (1 - ALPHA) / SEASONS))
    say("boards that tell equals apart", together, ALPHA + room, "of seasons")


def separated(
    contest: Contest, seasons: int = SEASONS
) -> tuple[list[tuple[object, ...]], list[float], float | None]:
    """Print a table; its rows, found over predicted, how often equals are told apart."""
    plans = predicted(contest)
    needed = [plan.events for plan in plans.values()]
    steps = np.log(BEYOND**2 * max(needed) / min(needed)) / np.log(STEP)
    first = min(needed) / BEYOND
    sizes = tuple(round(first * STEP**i) for i in range(int(np.ceil(steps)) + 1))
    claims = played(contest, sizes, seasons)
    print(f"\n{contest.name}, noise {', '.join(map(str, contest.noise))}\n")
    print("| pair | Brier difference | sigma | comparisons | predicted | found | ratio |")
    print("|---|---|---|---|---|---|---|")
    rows: list[tuple[object, ...]] = []
    ratios = []
    noise = ", ".join(map(str, contest.noise))
    for pair, plan in plans.items():
        power = claims[:, :, contest.pairs.index(pair)].mean(axis=0)
        found = size_of_power(np.array(sizes, dtype=np.float64), power, plan.power)
        ratios.append(found / plan.events)
        row = (
            f"{contest.noise[pair[0]]} and {contest.noise[pair[1]]}",
            f"{plan.effect:.4f}",
            f"{plan.sigma:.3f}",
            plan.comparisons,
            plan.events,
            f"{found:.0f}",
            f"{found / plan.events:.2f}",
        )
        rows.append((contest.name, noise, *row))
        print(f"| {' | '.join(map(str, row))} |")
    equal = [i for i, pair in enumerate(contest.pairs) if pair not in plans]
    if not equal:
        return rows, ratios, None
    share = float(claims[:, :, equal].any(axis=2).mean(axis=0).max())
    print(
        f"\nequals told apart, at the worst of these numbers: {share:.1%} of {seasons} seasons"
    )
    return rows, ratios, share


def predicted(contest: Contest) -> dict[tuple[int, int], Study]:
    """What `arena power` says of each pair that differs, the hardest first.

    The comparisons of a pair are those that are still open when Holm's method comes to it:
    all that need as many events or more.
    """
    guesses = {}
    for pair in contest.pairs:
        effect, sigma, icc = true_gap(contest.noise[pair[0]], contest.noise[pair[1]])
        if contest.noise[pair[0]] != contest.noise[pair[1]]:
            guesses[pair] = (Guess(abs(effect), sigma), icc)
    alone = {pair: events_needed(guess, PowerPlan()) for pair, (guess, _) in guesses.items()}
    equal = len(contest.pairs) - len(alone)
    plans = {}
    for pair in sorted(alone, key=lambda found: -alone[found]):
        still_open = equal + sum(need >= alone[pair] * (1 - 1e-9) for need in alone.values())
        guess, icc = guesses[pair]
        plan = PowerPlan(alpha=ALPHA, comparisons=still_open)
        plans[pair] = study(guess, plan, size=contest.markets, icc=icc)
    return plans


def true_gap(first: float, second: float) -> tuple[float, float, float]:
    """The true Brier difference of a market, its deviation, and its correlation in an event."""
    x, w = np.polynomial.hermite_e.hermegauss(NODES)
    w = w / w.sum()
    truth = expit(SPREAD * x)[:, None, None]
    one, other = _powers(first, x, w), _powers(second, x, w)
    a = {k: one[k][:, :, None] for k in one}
    b = {k: other[k][:, None, :] for k in other}
    mean = a[2] - b[2] - 2 * truth * (a[1] - b[1])
    square = a[4] - 2 * a[2] * b[2] + b[4]
    square = square - 4 * truth * (a[3] - a[2] * b[1] - a[1] * b[2] + b[3])
    square = square + 4 * truth * (a[2] - 2 * a[1] * b[1] + b[2])
    weights = w[:, None, None] * w[:, None] * w
    effect = float((weights * mean).sum())
    variance = float((weights * square).sum()) - effect**2
    shared = float((weights * mean**2).sum()) - effect**2
    return effect, float(np.sqrt(variance)), shared / variance


def _powers(noise: float, x: Floats, w: Floats) -> dict[int, Floats]:
    """Mean powers of a forecast, given the truth (rows) and the shared error (columns)."""
    half = noise * np.sqrt(0.5)
    said = expit(SPREAD * x[:, None, None] + half * x[:, None] + half * x)
    return {k: said**k @ w for k in (1, 2, 3, 4)}


def played(contest: Contest, sizes: tuple[int, ...], seasons: int) -> Flags:
    """Which pairs the board tells apart: (seasons, sizes, pairs)."""
    jobs = [Season(contest, sizes, i, min(CHUNK, seasons)) for i in range(-(-seasons // CHUNK))]
    return np.concatenate([np.array(found) for found in in_two(seasons_of, jobs)])


def seasons_of(job: Season) -> list[Flags]:
    """Some seasons, each with the same events at the beginning whatever the size."""
    contest = job.contest
    rng = generator("separation", contest.name, str(job.chunk))
    claims = np.zeros((job.seasons, len(job.sizes), len(contest.pairs)), dtype=np.bool_)
    for season in range(job.seasons):
        losses = _losses(contest, max(job.sizes), rng)
        for place, events in enumerate(job.sizes):
            claims[season, place] = told_apart(losses[:, : events * contest.markets], contest)
    return [claims]


def _losses(contest: Contest, events: int, rng: np.random.Generator) -> Floats:
    """(contestants, questions) Brier scores, an event's questions next to each other."""
    k, m = len(contest.noise), contest.markets
    odds = rng.normal(0, SPREAD, events)[:, None]
    came = rng.random((events, m)) < expit(odds)
    error = rng.normal(0, np.sqrt(0.5), (k, events, 1))
    error = error + rng.normal(0, np.sqrt(0.5), (k, events, m))
    said = expit(odds + np.array(contest.noise)[:, None, None] * error)
    return np.asarray((said - came) ** 2).reshape(k, events * m)


def told_apart(losses: Floats, contest: Contest) -> Flags:
    """For each pair, whether the board says who is better."""
    events = np.arange(losses.shape[1]) // contest.markets
    tests = [mean_test(one - other, events) for one, other in combinations(losses, 2)]
    return holm(np.array([test.p for test in tests], dtype=np.float64)) < ALPHA


def size_of_power(sizes: Floats, power: Floats, wanted: float) -> float:
    """Where the power is what is wanted: its normal quantile is a line in the root of size."""
    useful = (power >= USEFUL[0]) & (power <= USEFUL[1])
    slope, start = np.polyfit(np.sqrt(sizes[useful]), ndtri(power[useful]), 1)
    return float(((ndtri(wanted) - start) / slope) ** 2)


if __name__ == "__main__":
    main()
