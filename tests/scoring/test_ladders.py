"""Ladders are read from questions that differ in one number or date, and from no others."""

from datetime import date

import pytest

from arena.scoring.ladders import ladders_of
from arena.scoring.table import LadderKind, Ladders

END = date(2026, 12, 31)


def of(*questions: str) -> Ladders:
    return ladders_of([("e", question, END) for question in questions])


def rising(ladders: Ladders) -> list[int]:
    """The markets of the only ladder, the least likely first."""
    assert len(ladders.kinds) == 1
    return [int(code) for code in ladders.market[ladders.rung.argsort()]]


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("Will BTC be above $100,000 on May 5?", "Will BTC be above $90,500.50 on May 5?"),
        ("BTC on May 5? ($1.1M or above)", "BTC on May 5? ($900K or above)"),
        ("Total points? (Over 48.5)", "Total points? (Over 44.5)"),
        ("Rise by 75+ bps?", "Rise by 50+ bps?"),
        ("CPI in May? (3.5% or more)", "CPI in May? (3.4% or more)"),
        ("Will it rain less than 5 mm?", "Will it rain less than 12 mm?"),
        (
            "High on Friday? (70\N{DEGREE SIGN} or below)",
            "High on Friday? (75\N{DEGREE SIGN} or below)",
        ),
        ("High on Friday? (>90)", "High on Friday? (>85)"),
    ],
)
def test_a_threshold_that_asks_for_more_is_less_likely(low: str, high: str) -> None:
    ladders = of(high, low)
    assert ladders.kinds == (LadderKind.THRESHOLD,)
    assert rising(ladders) == [1, 0]


@pytest.mark.parametrize(
    ("early", "late"),
    [
        ("Fed rate cut by April 2026 meeting?", "Fed rate cut by June 2026 meeting?"),
        ("Will he resign by March 31?", "Will he resign by June 30?"),
        ("Will he resign by March 31, 2026?", "Will he resign by January 31, 2027?"),
        ("Will it open by 3 May 2026?", "Will it open by 12 May 2026?"),
        ("A landing (Before Jan 2027)", "A landing (Before Sept 2027)"),
        ("A landing before 2028?", "A landing before 2030?"),
    ],
)
def test_a_later_deadline_is_more_likely(early: str, late: str) -> None:
    ladders = of(late, early)
    assert ladders.kinds == (LadderKind.DEADLINE,)
    assert rising(ladders) == [1, 0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Will BTC be above $100,000 on May 5?", "Will BTC be above $90,000 on May 6?"),
        ("Will BTC be above $100,000?", "Will ETH be above $4,000?"),
        ("Will BTC be between 90 and 100?", "Will BTC be between 100 and 110?"),
        ("Will it not exceed 50?", "Will it not exceed 60?"),
        ("Which is first to go above 50?", "Which is first to go above 60?"),
        ("Will she remain in office by June 30?", "Will she remain in office by July 31?"),
        ("Will he resign by March 31, 2026?", "Will he resign by April 2026?"),
        ("A meeting on May 5?", "A meeting on May 6?"),
        ("Version above 1.2.3?", "Version above 1.2.4?"),
        ("More than 5kg?", "More than 6kg?"),
        ("Will he go by June 31, 2026?", "Will he go by June 30, 2026?"),
    ],
)
def test_what_is_not_plain_is_no_ladder(one: str, other: str) -> None:
    assert of(one, other).kinds == ()


def test_the_same_question_twice_makes_no_ladder() -> None:
    assert of("Over 5 points?", "Over 5 points?", "Over 6 points?").kinds == ()


def test_questions_of_two_events_are_no_ladder() -> None:
    markets = [("a", "Over 5 points?", END), ("b", "Over 6 points?", END)]
    assert ladders_of(markets).kinds == ()


def test_a_deadline_without_a_year_is_the_last_before_the_market_s_end() -> None:
    end = date(2026, 2, 28)
    markets = [("e", f"Will he go by {day}?", end) for day in ("January 31", "December 31")]
    assert rising(ladders_of(markets)) == [1, 0]


def test_a_market_may_stand_on_two_ladders() -> None:
    ladders = of(
        "BTC above 100 by June 30?", "BTC above 120 by June 30?", "BTC above 100 by July 31?"
    )
    assert sorted(ladders.kinds) == [LadderKind.DEADLINE, LadderKind.THRESHOLD]
    assert sorted(ladders.market.tolist()) == [0, 0, 1, 2]


def test_a_question_too_long_to_be_read_whole_is_on_no_ladder() -> None:
    tail = "x" * 600
    assert of(f"Over 5 points {tail}", f"Over 6 points {tail}").kinds == ()
