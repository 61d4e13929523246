from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from arena.odds.devig import OddsVenue
from arena.odds.edge import GateReason, Snapshot, abstentions, gate

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
