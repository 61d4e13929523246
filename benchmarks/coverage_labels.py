"""Labels of an edge that is none, and the efficiency test of a market that is efficient."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from arena.stats import Edge, edge
from arena.stats.bootstrap import generator
from arena.stats.mean_intervals import growth_interval, interval
from arena.stats.reflected import block_length, index_rows, reflected_from_rows
from arena.stats.regression.efficiency import efficiency_bootstrap, market_efficiency
from benchmarks.coverage_series import LAWS, drawn
from benchmarks.samples import Ratios, five
from benchmarks.tables import DEFAULT, Share, as_rows, in_two, print_table

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

TRIALS: Final = 2_000
DRAWS: Final = 999
MATCHES: Final = (30, 72, 200)
MATCH_TRIALS: Final = 2_000
BOOTSTRAPS: Final = 400
REPLICATES: Final = 99  # exact at 5 %: 95 of 100 places
LEVEL: Final = 0.05
METHODS: Final = ("reflected Sharpe (source)", "events, t", f"events, log scale{DEFAULT}")


@dataclass(frozen=True, slots=True)
class Null:
    """Closing line values without an edge: values and their events, a trial a call."""

    name: str
    bets: int
    draw: Callable[[np.random.Generator, int], tuple[Floats, Whole]]


def _ratios(law: Ratios) -> Callable[[np.random.Generator, int], tuple[Floats, Whole]]:
    def draw(rng: np.random.Generator, bets: int) -> tuple[Floats, Whole]:
        sample = law.draw(rng, 1, bets // int(law.sizes(rng, 1)[0]))
        return sample.values, sample.event

    return draw


def _dependent(rng: np.random.Generator, bets: int) -> tuple[Floats, Whole]:
    return drawn(rng, 1, bets, LAWS[1])[0] * 0.1, np.arange(bets)


NULLS: Final = (
    Null("prices, sd 10 %", 12, _ratios(Ratios(0.1))),
    Null("prices, sd 10 %", 35, _ratios(Ratios(0.1))),
    Null("prices, sd 25 %", 35, _ratios(Ratios(0.25))),
    Null("long shots, sd 60 %", 35, _ratios(Ratios(0.6))),
    Null("long shots, sd 60 %", 100, _ratios(Ratios(0.6))),
    Null("autoregression 0.3", 35, _dependent),
    Null("5 bets an event", 20, _ratios(Ratios(0.25, five, 0.5))),
    Null("5 bets an event", 100, _ratios(Ratios(0.25, five, 0.5))),
)


def main() -> list[tuple[object, ...]]:
    """Print both tables, and give their rows."""
    rows: list[tuple[object, ...]] = []
    found = in_two(labels, range(len(NULLS)))
    for label in (Edge.GENUINE_EDGE, Edge.WEAK_EDGE):
        print(f"\nLabelled {label} without an edge, per cent of {TRIALS} trials\n")
        print("| | bets | " + " | ".join(METHODS) + " |")
        print("|---|---|" + "---|" * len(METHODS))
        for null in NULLS:
            name = f"{null.name}: {label}"
            own = [s for s in found if (s.family, s.events) == (name, null.bets)]
            cells = " | ".join(f"{share.percent:.1f}" for share in own)
            print(f"| {null.name} | {null.bets} | {cells} |")
            rows += as_rows(null.name, label, own)
    efficient = in_two(efficiency, MATCHES)
    title = "Efficiency test of an efficient market, matches: rejected, per cent"
    print_table(title, efficient, 100 * LEVEL)
    return rows + as_rows("Efficiency test of an efficient market", "rejected", efficient)


def labels(place: int, trials: int = TRIALS) -> list[Share]:
    """How often each method calls an edge genuine, and at least weak, where there is none."""
    null = NULLS[place]
    rng = generator("coverage", "labels", null.name, str(null.bets))
    rows = index_rows(null.bets, DRAWS, block_length(null.bets), rng)
    found: list[tuple[Edge, ...]] = []
    for _ in range(trials):
        values, events = null.draw(rng, null.bets)
        found.append(
            (
                reflected_from_rows(values, rows).label,
                edge(interval(values, events, 0.90), interval(values, events, 0.95)),
                edge(
                    growth_interval(values, events, 0.90), growth_interval(values, events, 0.95)
                ),
            )
        )
    shares = []
    for label, among in (
        (Edge.GENUINE_EDGE, {Edge.GENUINE_EDGE}),
        (Edge.WEAK_EDGE, {Edge.GENUINE_EDGE, Edge.WEAK_EDGE}),
    ):
        for method, told in zip(METHODS, zip(*found, strict=True), strict=True):
            hits = sum(one in among for one in told)
            shares.append(Share(f"{null.name}: {label}", method, null.bets, hits, trials))
    return shares


def efficiency(
    matches: int, trials: int = MATCH_TRIALS, bootstraps: int = BOOTSTRAPS
) -> list[Share]:
    """Three outcomes drawn from the market's prices; the model is the market with noise."""
    rng = generator("coverage", "efficiency", str(matches))
    name = "efficient market"
    plain = again = 0
    for trial in range(trials):
        market = rng.dirichlet([4.0, 2.5, 3.0], matches)
        noisy = expit(logit(market) + rng.normal(0, 0.3, market.shape))
        model = noisy / noisy.sum(axis=1, keepdims=True)
        outcome = (rng.random((matches, 1)) > np.cumsum(market, axis=1)[:, :2]).sum(axis=1)
        p = market_efficiency(model, market, outcome).test.p
        plain += p is not None and p <= LEVEL
        if trial < bootstraps:
            q = efficiency_bootstrap(model, market, outcome, rng, replicates=REPLICATES).p
            again += q is not None and q <= LEVEL
    return [
        Share(name, "likelihood ratio, chi-squared", matches, plain, trials),
        Share(name, "likelihood ratio, bootstrapped", matches, again, bootstraps),
    ]
