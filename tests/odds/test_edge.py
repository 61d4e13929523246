from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from arena.odds.devig import OddsVenue
from arena.odds.edge import (
    GateReason,
    Snapshot,
    abstentions,
    edges,
    exceeds,
    exceeds_source_c,
    gate,
    sigma_p,
    sigma_q,
    sigma_q_source_c,
    threshold,
)

NONE = np.zeros(3)


def test_floats_flag_one_edge_of_three_points_and_not_another() -> None:
    on = np.array([0.33 - 0.30, 0.48 - 0.45])
    assert exceeds_source_c(on, 0.03).tolist() == [True, False]
    assert exceeds(on, 0.03).tolist() == [False, False]
    assert exceeds(on + 1e-6, 0.03).tolist() == [True, True]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("1x2", 0.03), (" Match_Winner", 0.03), ("btts", 0.05), ("unheard of", 0.05)],
)
def test_unknown_classes_are_held_to_the_wider_threshold(name: str, expected: float) -> None:
    assert threshold(name) == expected


def test_legs_of_opposite_sign_are_a_two_sided_warning() -> None:
    found = edges(
        [[0.5, 0.3, 0.2], [0.5, 0.25, 0.25]],
        [[0.4, 0.3, 0.3], [0.4, 0.275, 0.325]],
        np.zeros((2, 3)),
    )
    assert found.two_sided.tolist() == [True, True]
    assert not edges([0.5, 0.48, 0.02], [0.45, 0.5, 0.05], NONE, limit=0.04).two_sided


def test_the_standardised_edge_is_the_edge_in_its_own_uncertainty() -> None:
    found = edges([0.5, 1.0], [0.4, 1.0], [0.012, 0.0])
    assert found.sigma_p[0] == pytest.approx(0.005)
    assert found.standardised[0] == pytest.approx(0.1 / 0.013)
    assert np.isnan(found.standardised[1])


def test_sigma_p_is_the_error_of_counting_paths() -> None:
    assert sigma_p(0.2, 100).item() == pytest.approx(0.04)
    assert sigma_q_source_c(0.5).item() == pytest.approx(np.sqrt(0.25 / 50))


def test_sigma_q_follows_from_the_tick_of_the_odds() -> None:
    odds = np.array([[1.9, 2.0], [1.1, 9.0]])
    found = sigma_q(odds, np.random.default_rng(42), draws=4000)
    delta = 0.25 * 0.005 / np.sqrt(3) * np.hypot(1 / 1.9, 1 / 2.0)  # q (1 - q) d ln odds
    assert found[0] == pytest.approx([delta, delta], rel=0.05)
    assert found[:, 0] == pytest.approx(found[:, 1])


def test_sigma_q_is_the_same_for_the_same_chance() -> None:
    draws = [sigma_q([2.5, 3.5, 2.8], np.random.default_rng(42)) for _ in range(2)]
    assert (draws[0] == draws[1]).all()


def test_odds_are_not_moved_to_one_or_below() -> None:
    assert np.isfinite(sigma_q([1.0011, 300.0], np.random.default_rng(1))).all()


def test_bad_input_is_refused() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="two draws"):
        sigma_q([1.9, 2.0], rng, draws=1)
    with pytest.raises(ValueError, match="one path"):
        sigma_p(0.2, 0)
    with pytest.raises(ValueError, match="not below 0"):
        edges([0.5, 0.5], [0.5, 0.5], [-1.0, 0.0])
    with pytest.raises(ValueError, match="unequal"):
        edges([0.5, 0.5], [0.5, 0.5], [0.0])
    with pytest.raises(ValueError, match="finite"):
        exceeds(np.nan, 0.03)


NOW = datetime(2026, 6, 20, 15, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
CALM = Snapshot(
    at=NOW,
    q=0.45,
    q_before=0.44,
    q_exchange=0.44,
    volume=100_000,
    quoted_at=NOW - HOUR,
    news=(),
    z=1.04,
)
RESTLESS = Snapshot(
    at=NOW,
    q=0.45,
    q_before=0.40,
    q_exchange=0.40,
    volume=1,
    quoted_at=NOW - 5 * HOUR,
    news=(NOW - HOUR,),
)


def test_a_calm_leg_passes_and_no_rule_abstains() -> None:
    verdict = gate(CALM)
    assert verdict.fired is None
    assert verdict.abstained == ()


@pytest.mark.parametrize(
    ("calmed", "reason"),
    [
        ({}, GateReason.NAMED_EVENT_6H),
        ({"news": ()}, GateReason.PRICE_DISCOVERY_INTRA_BOOK),
        ({"news": (), "q_before": 0.45}, GateReason.PRICE_DISCOVERY_CROSS_BOOK),
        (
            {"news": (), "q_before": 0.45, "q_exchange": 0.45},
            GateReason.LIQUIDITY_POLYMARKET_LOW,
        ),
        (
            {"news": (), "q_before": 0.45, "q_exchange": 0.45, "volume": 5e4},
            GateReason.LIQUIDITY_PINNACLE_STALE,
        ),
        ({"z": 1.3}, GateReason.Z_OUT_OF_BAND),
    ],
)
def test_the_first_rule_to_fire_wins(calmed: dict[str, float], reason: GateReason) -> None:
    assert gate(replace(RESTLESS, **calmed)).fired is reason  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "edge",
    [
        {"q_before": 0.42},
        {"q_exchange": 0.425},
        {"volume": 50_000},
        {"quoted_at": NOW - 4 * HOUR},
        {"news": (NOW - 6 * HOUR,)},
        {"news": (NOW + HOUR,)},
        {"z": 1.2},
    ],
)
def test_a_value_on_its_threshold_passes(edge: dict[str, float]) -> None:
    assert gate(replace(CALM, **edge)).fired is None  # type: ignore[arg-type]


def test_what_nobody_looked_at_abstains_and_is_counted() -> None:
    blind = gate(Snapshot(at=NOW))
    assert blind.fired is None
    assert len(blind.abstained) == 5
    counted = abstentions([blind, gate(CALM), gate(replace(CALM, volume=None))])
    assert counted[GateReason.LIQUIDITY_POLYMARKET_LOW] == 2
    assert counted[GateReason.NAMED_EVENT_6H] == 1
    assert GateReason.Z_OUT_OF_BAND not in counted


def test_rules_after_the_one_that_fired_still_say_that_they_abstain() -> None:
    verdict = gate(Snapshot(at=NOW, news=(NOW - MINUTE,)))
    assert verdict.fired is GateReason.NAMED_EVENT_6H
    assert len(verdict.abstained) == 4


def test_an_exchange_has_its_own_band() -> None:
    assert gate(replace(CALM, venue=OddsVenue.EXCHANGE)).fired is GateReason.Z_OUT_OF_BAND


def test_a_quote_from_later_is_looking_ahead() -> None:
    with pytest.raises(ValueError, match="after"):
        gate(replace(CALM, quoted_at=NOW + MINUTE))


def test_not_a_number_is_not_an_abstention() -> None:
    with pytest.raises(ValueError, match="None"):
        replace(CALM, volume=float("nan"))
