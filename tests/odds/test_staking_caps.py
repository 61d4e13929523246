import numpy as np
import pytest

from arena.odds.staking import Cap, Wager, cap_wagers, cap_wagers_source_c, within


def wager(id_: str, fraction: float, *, market: str = "", event: str = "final") -> Wager:
    return Wager(id_, market or id_, event, "2026-06-20", fraction)


def test_markets_of_one_event_are_cut_together() -> None:
    found = cap_wagers([wager("a", 0.05), wager("b", 0.05), wager("c", 0.01, event="other")])
    assert found.fractions == pytest.approx((0.04, 0.04, 0.01))
    assert [(row.parent, row.cap) for row in found.adjustments] == [
        ("a", Cap.EVENT),
        ("b", Cap.EVENT),
    ]


def test_the_day_is_cut_from_what_the_events_left() -> None:
    bets = [wager(f"{e}{i}", 0.05, event=e) for e in "xyz" for i in range(2)]
    found = cap_wagers(bets)
    assert list(found.fractions) == pytest.approx([0.025] * 6)
    day = [row for row in found.adjustments if row.cap is Cap.DAY]
    assert len(found.adjustments) == 12
    assert [day[0].before, day[0].after] == pytest.approx([0.04, 0.025])
    assert len({row.id for row in found.adjustments}) == 12


def test_source_c_caps_by_market_and_the_day_from_first_sizes() -> None:
    bets = [wager("a", 0.05, market="1x2"), wager("b", 0.05, market="totals")]
    assert cap_wagers_source_c(bets).adjustments == ()
    found = cap_wagers_source_c([wager(name, 0.05, market="1x2") for name in "abcd"])
    assert [row.before for row in found.adjustments] == [0.05] * 8
    after = [row.after for row in found.adjustments]
    assert after == pytest.approx([0.02] * 4 + [0.0375] * 4)
    assert found.fractions == pytest.approx((0.0375,) * 4)


def test_nothing_is_cut_from_nothing() -> None:
    assert cap_wagers([]).fractions == ()
    assert cap_wagers([wager("a", 0.0)]).adjustments == ()


def test_a_stake_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="not below 0"):
        within([-0.1], np.array([0]), 0.1)
