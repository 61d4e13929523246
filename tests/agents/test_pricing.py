from dataclasses import replace
from datetime import timedelta

import pytest

from arena.agents.prompt import ALWAYS, NEVER, Pricing, after, pricing_from
from arena.errors import ArenaError
from tests.agents.briefings import briefing

TWO_DAYS = after(timedelta(days=2))


@pytest.mark.parametrize(
    ("option", "pricing"),
    [
        ("always", ALWAYS),
        ("never", NEVER),
        ("after: 2d", TWO_DAYS),
        ("after 48h", TWO_DAYS),
        ((("after", "2d"),), TWO_DAYS),
        ((("after", "90s"),), after(timedelta(seconds=90))),
    ],
)
def test_the_option_can_be_written_so(option: object, pricing: Pricing) -> None:
    assert pricing_from(option) == pricing


@pytest.mark.parametrize(
    "option",
    [
        *("", "sometimes", "after", "after: 0d", "after: 2", "after: -2d", "2d"),
        *(True, None, 2, ()),
        *((("after", 2),), (("before", "2d"),), (("after", "1d"), ("after", "2d"))),
    ],
)
def test_any_other_option_is_refused_with_a_hint(option: object) -> None:
    with pytest.raises(ArenaError, match="show_price cannot be") as refused:
        pricing_from(option)
    assert refused.value.code == "agent.option"
    assert "after: 2d" in refused.value.hint
    assert refused.value.status == 2


@pytest.mark.parametrize(("hours", "shown"), [(0, False), (47.99, False), (48, True)])
def test_a_hidden_period_ends_on_the_dot(hours: float, shown: bool) -> None:  # noqa: FBT001
    assert TWO_DAYS.shows(briefing(hours=hours)) == shown


def test_always_and_never_do_not_depend_on_the_time() -> None:
    for hours in (0, 10_000):
        assert ALWAYS.shows(briefing(hours=hours))
        assert not NEVER.shows(briefing(hours=hours))


def test_a_hidden_period_of_an_unknown_start_does_not_end() -> None:
    assert not TWO_DAYS.shows(replace(briefing(hours=10_000), started_at=None))
    assert ALWAYS.shows(replace(briefing(), started_at=None))


def test_an_absurdly_long_period_is_for_ever() -> None:
    assert not pricing_from("after: 99999999d").shows(briefing(hours=100_000))
