"""The constants are those that are computed with, and the tests are of metrics there are."""

from datetime import timedelta

import grimp
import pytest

from arena.metrics import registration
from arena.metrics.registration import REGISTRATION, TESTS, named
from arena.metrics.registry import METRICS
from arena.odds.edge import GateRules
from arena.odds.staking import StakeLimits
from arena.records.estimate import Sided

VALUES = {one.name: one.value for one in REGISTRATION.constants}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", "0.05"),
        ("log.clip.low", "1e-06"),
        ("interval.level", "0.95"),
        ("bootstrap.draws", "9999"),
        ("label.least_bets", "30"),
        ("label.least_events", "20"),
        ("rank.tie_relative", "1e-09"),
        ("no_spread.relative", "1e-12"),
        ("kelly.fraction", "0.25"),
        ("kelly.day_cap", "0.15"),
        ("gate.news_within", "21600.0 s"),
        ("drawdown.trigger", "0.2"),
        ("edge.mainline", "0.03"),
        ("claims.least_events", "10"),
        ("claims.least_weeks", "6"),
        ("claims.least_weeks_of_asking", "6"),
        ("claims.fresh_days", "3"),
        ("claims.fresh_share", "0.8"),
        ("claims.endless_days_between_looks", "14"),
        ("claims.endless_best_at_days", "80.0"),
        ("claims.spending_power", "2"),
    ],
)
def test_a_constant_is_registered_to_its_last_digit(name: str, value: str) -> None:
    assert VALUES[name] == value


def test_every_constant_is_read_from_a_module_that_a_command_reaches() -> None:
    """What nothing applies decides no grade."""
    graph = grimp.build_graph("arena", cache_dir=None)
    applied = graph.find_modules_directly_imported_by(registration.__name__)
    graph.remove_module(registration.__name__)
    assert "arena.stats.bootstrap" in applied
    assert applied - graph.find_upstream_modules("arena.cli", as_package=True) == set()


def test_another_constant_is_written_differently() -> None:
    assert named("kelly", StakeLimits(cap=0.06)) != named("kelly", StakeLimits())
    later = GateRules(oldest_quote=timedelta(hours=5))
    assert set(named("gate", later)) - set(named("gate", GateRules())) == {
        *named("gate.oldest_quote", timedelta(hours=5))
    }


def test_every_registered_test_is_of_a_metric_that_is_defined() -> None:
    assert {test.metric for test in TESTS} <= set(METRICS)


def test_the_registered_tests_state_direction_family_and_error() -> None:
    said = {test.name: (test.direction, test.family) for test in TESTS}
    assert said == {"pairs": (Sided.TWO, "pairs"), "market": (Sided.TWO, "market")}
    assert all(test.hypothesis and test.error for test in TESTS)


def test_each_family_has_its_level_and_its_correction() -> None:
    said = {f.name: (f.alpha, f.correction) for f in REGISTRATION.families}
    assert said == {"pairs": (0.05, "Shaffer"), "market": (0.05, "Holm")}
