"""Each state of what claims stand on has its sentence."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from arena.metrics.claims.claim_words import (
    basis_words,
    caveat_words,
    guarantee_words,
    look_words,
    missing_words,
    spread_words,
)
from arena.records.claim import (
    Caveat,
    ClaimBasis,
    Guarantee,
    Minimum,
    Season,
    Source,
    Valuation,
)

ENOUGH = Minimum(events=76, weeks=9, cohorts=9)
SEASON = ClaimBasis(
    guarantee=Guarantee.SEASON,
    valuation=Valuation.MARKET,
    minimum=ENOUGH,
    season=Season(date(2026, 1, 5), timedelta(days=90), timedelta(days=30)),
    last_look=date(2026, 2, 4),
    next_look=date(2026, 3, 6),
    questions=131,
    markets=100,
    events=76,
    largest=Source.CATEGORY,
    clusters=8,
    design_effect=1.62,
)
ENDLESS = replace(SEASON, guarantee=Guarantee.ENDLESS, season=None)
FIXED = ClaimBasis(minimum=ENOUGH)


def test_a_season_says_when_it_ends_and_how_often_it_is_looked_at() -> None:
    assert guarantee_words(SEASON) == (
        "Claims hold however often the board is read: a false one is made in 5 % of seasons at "
        "most. This season lasts from 2026-01-05 to 2026-04-05 and has 3 looks."
    )


def test_a_board_without_an_end_is_anytime_valid() -> None:
    assert "anytime-valid" in guarantee_words(ENDLESS)
    assert "season" not in guarantee_words(ENDLESS)


def test_a_file_holds_for_one_look() -> None:
    assert guarantee_words(replace(FIXED, alpha=0.1)) == (
        "Claims hold for one look at this many questions: a false one is made in 10 % of such "
        "samples at most. Whoever looks again and again makes more."
    )


@pytest.mark.parametrize(
    ("basis", "words"),
    [
        (FIXED, ""),
        (SEASON, "Last look 2026-02-04. Next look 2026-03-06."),
        (replace(SEASON, last_look=None), "No look so far. Next look 2026-03-06."),
        (replace(SEASON, next_look=None), "Last look 2026-02-04. It was the last."),
    ],
)
def test_looks_are_dated(basis: ClaimBasis, words: str) -> None:
    assert look_words(basis) == words


@pytest.mark.parametrize(
    ("need", "words"),
    [
        (ENOUGH, ""),
        (
            replace(ENOUGH, events=3),
            "Too little evidence to rank anyone: 3 of 10 events.",
        ),
        (
            Minimum(3, 2, 1, cohorts_needed=6, ready_on=date(2026, 3, 1)),
            (
                "Too little evidence to rank anyone: 3 of 10 events, 2 of 6 weeks with "
                "something due, 1 of 6 weeks of asking; enough on 2026-03-01 at the earliest."
            ),
        ),
    ],
)
def test_what_is_missing_is_counted(need: Minimum, words: str) -> None:
    assert missing_words(replace(SEASON, minimum=need)) == words


def test_the_largest_source_of_spread_is_named_with_its_cost() -> None:
    assert spread_words(SEASON) == (
        "The largest source of spread is categories (8); the design effect over events is 1.6."
    )
    assert spread_words(FIXED) == ""


@pytest.mark.parametrize(
    ("caveat", "words"),
    [
        (Caveat.NOTHING_RESOLVED, "No forecast has resolved yet."),
        (
            Caveat.ONE_WEEK,
            "All 131 questions were asked in one week and hang on the same news.",
        ),
        (Caveat.BEFORE_FIRST_LOOK, "The first look is on 2026-03-06."),
        (
            Caveat.STALE_PRICES,
            (
                "Open questions have no fresh prices, so that they count when they are due, "
                "and overdue ones with the outcome that is worst for a claim."
            ),
        ),
        (
            Caveat.FEW_CLUSTERS,
            "There are too few categories (8) to say how far they differ.",
        ),
        (Caveat.TOO_FEW_EVENTS, "Too little evidence to rank anyone: 3 of 10 events."),
    ],
)
def test_every_caveat_has_its_sentence(caveat: Caveat, words: str) -> None:
    short = replace(SEASON, minimum=replace(ENOUGH, events=3))
    assert caveat_words(short, caveat) == words


@pytest.mark.parametrize("caveat", Caveat)
def test_no_caveat_is_silent_where_it_applies(caveat: Caveat) -> None:
    need = Minimum(3, 2, 1, cohorts_needed=6)
    assert caveat_words(replace(SEASON, minimum=need), caveat).endswith(".")


def test_the_paragraph_says_each_thing_once() -> None:
    need = Minimum(3, 2, 1, cohorts_needed=6)
    basis = replace(
        SEASON,
        minimum=need,
        caveats=(Caveat.TOO_FEW_EVENTS, Caveat.TOO_FEW_WEEKS, Caveat.TOO_FEW_COHORTS),
    )
    words = basis_words(basis)
    assert words.count("Too little evidence") == 1
    assert "131 questions of 100 markets in 76 events, due in 2 weeks." in words
    assert "Open questions count at the market's price." in words
    assert basis_words(FIXED) == guarantee_words(FIXED)


@pytest.mark.parametrize("basis", [SEASON, ENDLESS, FIXED])
def test_no_sentence_calls_events_independent(basis: ClaimBasis) -> None:
    assert "independent" not in basis_words(replace(basis, caveats=tuple(Caveat)))
