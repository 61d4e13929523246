from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.clock import HandClock
from arena.http import HttpReply
from arena.llms.throttle import Headroom, LimitUnit, headroom_in
from tests.llms.asking import T0

CLOCK = HandClock(T0)


def told(*headers: tuple[str, str]) -> list[Headroom]:
    return list(headroom_in(HttpReply(200, headers, b""), CLOCK))


def seconds(reset: str) -> float | None:
    found = told(("x-ratelimit-remaining-requests", "3"), ("x-ratelimit-reset-requests", reset))
    return found[0].seconds if found else None


@pytest.mark.parametrize(
    ("reset", "expected"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("20ms", 0.02),
        ("1h2m3.5s", 3723.5),
        ("1m", 60.0),
        ("7.66s", 7.66),
        ("59.70", 59.7),
        ("2026-01-05T09:00:30Z", 30.0),
        ("2026-01-05T10:00:30+01:00", 30.0),
        ("2026-01-05T09:00:00.250000Z", 0.25),
    ],
)
def test_durations_are_read_as_providers_write_them(reset: str, expected: float) -> None:
    assert seconds(reset) == pytest.approx(expected)


@pytest.mark.parametrize(
    "reset",
    [
        *("", "0", "0s", "-1", "-5s", "soon", "nan", "inf", "1e9", "s", "\u0667s", "9" * 400),
        *("1700000000", "2026-01-05T08:59:00Z", "2026-13-05T09:00:00Z"),
        *("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"),
    ],
)
def test_a_reset_that_is_none_says_nothing(reset: str) -> None:
    assert seconds(reset) is None


@pytest.mark.parametrize("left", ["-1", "", "many", "1.5", "\u0663", "9" * 400])
def test_a_count_that_is_none_says_nothing(left: str) -> None:
    assert not told(("x-ratelimit-remaining-tokens", left), ("x-ratelimit-reset-tokens", "1s"))


def test_nothing_left_without_a_reset_says_nothing() -> None:
    assert not told(("x-ratelimit-remaining-requests", "0"))


def test_openai_s_limits_are_read() -> None:
    found = told(
        ("x-ratelimit-limit-requests", "60"),
        ("x-ratelimit-remaining-requests", "59"),
        ("x-ratelimit-reset-requests", "1s"),
        ("x-ratelimit-remaining-tokens", "149984"),
        ("x-ratelimit-reset-tokens", "6m0s"),
    )
    assert [(f.unit, f.left, f.seconds, f.limit) for f in found] == [
        (LimitUnit.REQUESTS, 59, 1.0, 60),
        (LimitUnit.TOKENS, 149984, 360.0, None),
    ]


def test_anthropic_s_limits_are_read() -> None:
    names = ("requests", "tokens", "input-tokens", "output-tokens")
    found = told(
        *(
            header
            for name in names
            for header in (
                (f"anthropic-ratelimit-{name}-remaining", "7"),
                (f"anthropic-ratelimit-{name}-reset", "2026-01-05T09:00:10Z"),
            )
        )
    )
    assert [f.unit for f in found] == [LimitUnit.REQUESTS, *[LimitUnit.TOKENS] * 3]
    assert {(f.left, f.seconds) for f in found} == {(7, 10.0)}
    assert len({f.name for f in found}) == 4


def test_mistral_s_limits_are_read() -> None:
    (found,) = told(
        ("x-ratelimitbysize-remaining-minute", "499900"), ("ratelimitbysize-reset", "47")
    )
    assert (found.unit, found.left, found.seconds) == (LimitUnit.TOKENS, 499900, 47.0)


def test_a_date_is_compared_with_the_server_s_own() -> None:
    later = T0 + timedelta(hours=1)
    (found,) = told(
        ("date", later.strftime("%a, %d %b %Y %H:%M:%S GMT")),
        ("anthropic-ratelimit-tokens-remaining", "0"),
        ("anthropic-ratelimit-tokens-reset", (later + timedelta(seconds=5)).isoformat()),
    )
    assert found.seconds == 5.0


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_whatever_a_server_says_is_no_reason_to_fail(left: str, reset: str, date: str) -> None:
    for name in ("x-ratelimit-{}-tokens", "anthropic-ratelimit-tokens-{}"):
        headers = ((name.format("remaining"), left), (name.format("reset"), reset))
        told(*headers, ("date", date))
        told((headers[0][0], "1"), headers[1], ("date", date))
