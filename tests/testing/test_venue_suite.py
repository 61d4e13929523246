"""A venue that breaks a claim is caught by the test of that claim, and by that test alone."""

import subprocess
import sys
import unittest
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import pytest

from arena.clock import HandClock
from arena.ports import Clock, Venue
from arena.records.money import Price, price, usd
from arena.testing import VenueSuite
from tests.testing import broken_venues as broken
from tests.testing.broken_venues import END, HOUR, ONE, T0, Silent, Toy, quoting


class ToySuite(VenueSuite):
    moments: Sequence[datetime] = (T0, T0 + HOUR)
    ended_by = END
    maker: Callable[[Clock], Venue] = Toy

    def make(self, clock: Clock) -> Venue:
        return type(self).maker(clock)

    def make_broken(self, clock: Clock) -> Iterable[Venue]:
        return (Silent(clock),)


CLAIMS = tuple(name[5:] for name in dir(VenueSuite) if name.startswith("test_"))


def kept(suite: VenueSuite) -> list[str]:
    return [claim for claim in CLAIMS if _holds(suite, claim)]


def _holds(suite: VenueSuite, claim: str) -> bool:
    try:
        getattr(suite, f"test_{claim}")()
    except AssertionError:
        return False
    return True


def broken_claims(maker: Callable[[Clock], Venue]) -> list[str]:
    class Suite(ToySuite):
        pass

    Suite.maker = maker
    holding = kept(Suite())
    return [claim for claim in CLAIMS if claim not in holding]


def test_a_venue_that_keeps_to_the_port_passes() -> None:
    assert kept(ToySuite()) == list(CLAIMS)


BROKEN: tuple[tuple[Callable[[Clock], Venue], str], ...] = (
    (broken.ListsNothing, "something_is_listed"),
    (broken.ListsTwice, "a_market_is_listed_once"),
    (broken.AsksTheSame, "markets_of_an_event_can_be_told_apart"),
    (broken.ListsWhatHasEnded, "what_is_listed_has_not_ended"),
    (broken.QuotesWhatItDoesNotList, "a_catalogues_quotes_are_of_its_markets"),
    (broken.QuotesTwice, "a_catalogues_quotes_are_of_its_markets"),
    (broken.MixesMarketsUp, "an_answer_is_filed_under_its_own_market"),
    (broken.AnswersMoreThanAsked, "an_answer_is_filed_under_its_own_market"),
    (broken.QuotesTheFuture, "nothing_is_from_after_its_moment"),
    (
        quoting(lambda quote: replace(quote, at=quote.at.replace(tzinfo=None))),
        "nothing_is_from_after_its_moment",
    ),
    (broken.SaysTheFuture, "nothing_is_from_after_its_moment"),
    (
        quoting(lambda quote: replace(quote, ask=Price(Decimal(2)), asks=())),
        "a_price_is_a_probability",
    ),
    (
        quoting(lambda quote: replace(quote, bid=Price(Decimal(-1)), bids=())),
        "a_price_is_a_probability",
    ),
    (
        quoting(lambda quote: replace(quote, bid=Price(Decimal("Infinity")), bids=())),
        "a_price_is_a_probability",
    ),
    (quoting(lambda quote: replace(quote, volume=usd(-1))), "a_price_is_a_probability"),
    (broken.BidsWorstFirst, "a_book_begins_with_the_best"),
    (broken.AsksWorstFirst, "a_book_begins_with_the_best"),
    (quoting(lambda quote: replace(quote, bid=price("0.41"))), "a_book_begins_with_the_best"),
    (quoting(lambda quote: replace(quote, ask=None)), "a_book_begins_with_the_best"),
    (broken.ListsWhatIsHalted, "what_is_listed_can_be_traded"),
    (broken.OpenWithAnOutcome, "an_outcome_belongs_to_what_is_resolved"),
    (broken.KnowsAStranger, "a_stranger_is_left_out"),
    (broken.KnowsAStrangersState, "a_stranger_is_left_out"),
    (broken.StrangersHarmOthers, "a_stranger_is_left_out"),
    (broken.AnswersWhatNobodyAsked, "nothing_asked_is_nothing_answered"),
    (broken.ReadsTwice, "markets_may_be_named_by_any_iterable"),
    (broken.TurnsDetailsRound, "details_keep_markets_and_their_order"),
    (broken.GivesOtherDetails, "details_keep_markets_and_their_order"),
    (broken.NeverEnds, "what_is_listed_ends_in_an_outcome"),
    (broken.Remembers, "the_same_moment_gives_the_same_answer"),
)


@pytest.mark.parametrize(("maker", "claim"), BROKEN)
def test_a_broken_claim_is_caught(maker: Callable[[Clock], Venue], claim: str) -> None:
    assert broken_claims(maker) == [claim]


@pytest.mark.parametrize(
    ("maker", "error"),
    [(Toy, AssertionError), (broken.Guesses, AssertionError), (broken.Trips, KeyError)],
)
def test_a_failure_that_is_not_said_is_caught(
    maker: Callable[[Clock], Venue], error: type[Exception]
) -> None:
    class Suite(ToySuite):
        def make_broken(self, clock: Clock) -> Iterable[Venue]:
            return (Silent(clock), maker(clock))

    with pytest.raises(error):
        Suite().test_a_failure_is_an_arena_error()


def test_every_claim_has_a_venue_that_breaks_it() -> None:
    assert {claim for _, claim in BROKEN} | {"a_failure_is_an_arena_error"} == set(CLAIMS)


def test_what_is_known_beyond_the_list_is_asked_about_too() -> None:
    class Suite(ToySuite):
        moments = (END,)
        some_ids = (ONE,)

    Suite.maker = broken.QuotesTheFuture
    assert not _holds(Suite(), "nothing_is_from_after_its_moment")


def test_a_fact_that_was_not_given_skips_its_test() -> None:
    class Bare(VenueSuite):
        def make(self, clock: Clock) -> Venue:
            return Toy(clock)

    for claim in (
        "the_same_moment_gives_the_same_answer",
        "what_is_listed_ends_in_an_outcome",
        "a_failure_is_an_arena_error",
    ):
        with pytest.raises(unittest.SkipTest):
            getattr(Bare(), f"test_{claim}")()


def test_without_moments_the_present_is_asked() -> None:
    asked = []

    class Live(VenueSuite):
        def make(self, clock: Clock) -> Venue:
            asked.append(clock)
            return Toy(HandClock(T0))

    Live().test_a_market_is_listed_once()
    assert [type(clock).__name__ for clock in asked] == ["SystemClock"]


def test_a_suite_without_a_venue_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="how its venue is made"):
        VenueSuite().test_a_market_is_listed_once()


def test_importing_it_needs_no_pytest() -> None:
    code = "import sys, arena.testing; assert 'pytest' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  our own words
