"""What a seal registers: the constants that decide a grade, and the tests announced with them.

Every constant is read from the module that computes with it, so that one that is changed there
is changed here, and a seal that holds the old value is broken.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from datetime import timedelta
from enum import Enum
from inspect import signature
from typing import Final

from arena import stats
from arena.metrics.claims import questions, rules
from arena.metrics.metric_values import LEVEL
from arena.odds import edge
from arena.odds.edge import GateRules
from arena.odds.staking import MULTIPLIER, Brakes, StakeLimits
from arena.records.estimate import Sided
from arena.records.seal import Family, Named, Registered, Registration
from arena.scoring import leaderboard, relative
from arena.scoring.bets import clv
from arena.scoring.logarithmic import Clip
from arena.stats import bootstrap, columns, diebold_mariano, mean_intervals
from arena.stats.comparisons import sequential
from arena.stats.comparisons.sequential import henzi_ziegel

ALPHA: Final = rules.ALPHA  # of each family of registered tests, over all of its looks
PAIRS: Final = Family("pairs", ALPHA, "Shaffer")
MARKET: Final = Family("market", ALPHA, "Holm")
_LARGEST: Final = (
    "the largest of: the floor that the outcomes' own chance implies; by event, by due day, by "
    "due week, by week of asking, by category; t with one less than the number of clusters, or "
    "than the number of even clusters that uneven ones are worth"
)

TESTS: Final = (
    Registered(
        "pairs",
        "forecast",
        "two contestants have the same expected Brier score on the markets both forecast",
        Sided.TWO,
        _LARGEST,
        PAIRS.name,
    ),
    Registered(
        "market",
        "alpha",
        "a contestant's expected Brier score is that of the market's price at its decision",
        Sided.TWO,
        _LARGEST,
        MARKET.name,
    ),
)


def _constants() -> Iterator[tuple[str, object]]:
    yield "alpha", ALPHA
    yield "log.clip", Clip.DEFAULT
    yield "report.level", LEVEL
    yield "interval.level", _default(mean_intervals.interval, "level")
    yield "interval.few_events", mean_intervals.FEW
    yield "interval.uneven_events", mean_intervals.UNEVEN
    yield "bootstrap", bootstrap.BootstrapOptions()
    yield "bootstrap.exact_up_to_events", bootstrap.EXACT
    yield "no_spread.relative", columns.ROUNDING
    yield "rank.tie_relative", leaderboard.TIE
    yield "label.least_bets", stats.BETS
    yield "label.least_events", stats.EVENTS
    yield "diebold_mariano.fewest", diebold_mariano.FEWEST
    yield "claims.least_events", rules.EVENTS
    yield "claims.least_weeks", rules.WEEKS
    yield "claims.least_weeks_of_asking", rules.ASKING_WEEKS
    yield "claims.fresh_days", questions.FRESH
    yield "claims.fresh_share", questions.FRESH_SHARE
    yield "claims.endless_days_between_looks", rules.ENDLESS_EVERY
    yield "claims.endless_best_at_days", rules.BEST_AT
    yield "claims.spending_power", sequential.POWER
    yield "evalue.weight", _default(henzi_ziegel, "weight")
    yield "clv.alpha", clv.ALPHA
    yield "edge.mainline", edge.MAINLINE
    yield "edge.derivative", edge.DERIVATIVE
    yield "gate", GateRules()
    yield "kelly", StakeLimits()
    yield "drawdown", Brakes()
    yield from ((f"drawdown.stake.{mode.lower()}", part) for mode, part in MULTIPLIER.items())
    yield "metaculus.bounds", relative.METACULUS
    yield "metaculus.open_bound", relative.OPEN_BOUND


def _default(function: Callable[..., object], parameter: str) -> object:
    """The default of a function's argument."""
    return signature(function).parameters[parameter].default


def named(name: str, value: object) -> tuple[Named, ...]:
    """Write a constant as text; a record of several is one constant a field.

    >>> [f"{constant.name} = {constant.value}" for constant in named("drawdown", Brakes())]
    ['drawdown.trigger = 0.2', 'drawdown.recover = 0.9']
    """
    if is_dataclass(value) and not isinstance(value, type):
        inner = ((f"{name}.{f.name}", getattr(value, f.name)) for f in fields(value))
        return tuple(constant for key, held in inner for constant in named(key, held))
    return (Named(name, _text(value)),)


def _text(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, timedelta):
        return f"{value.total_seconds()!r} s"
    return value if isinstance(value, str) else repr(value)


REGISTRATION: Final = Registration(
    tuple(constant for name, value in _constants() for constant in named(name, value)),
    (PAIRS, MARKET),
    TESTS,
)
