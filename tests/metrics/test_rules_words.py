"""Each state of what claims stand on has its sentence."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from arena.metrics.claims.rules import basis_sentences, basis_words, missing_words
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


THREE_SHORT = Minimum(3, 2, 1, cohorts_needed=6, ready_on=date(2026, 3, 1))


@pytest.mark.parametrize(
    ("basis", "sentence"),
    [
        (
            SEASON,
            "every 30 days from 5 January 2026 to 5 April 2026 (3 looks), and stand until",
        ),
        (
            SEASON,
            "The chance of a false one in the whole season is at most 5% in each family (",
        ),
        (
            SEASON,
            "include 131 due questions of 100 markets in 76 events. The due dates fall in 9",
        ),
        (SEASON, "it counts at the market's price, day by day (mark-to-market)."),
        (replace(SEASON, valuation=Valuation.SETTLED), "A question counts on its due day;"),
        (SEASON, "The largest source of spread is between categories (8 categories): "),
        (SEASON, "the variance is 1.6 times that by event (design effect)."),
        (
            replace(SEASON, largest=Source.FLOOR, clusters=0, design_effect=None),
            "The largest source of spread is the outcomes' own chance.",
        ),
        (SEASON, "The last look was on 4 February 2026. The next look is on 6 March 2026."),
        (
            replace(SEASON, last_look=None),
            "There was no look yet. The next look is on 6 March 2026.",
        ),
        (replace(SEASON, next_look=None), "The final look was on 4 February 2026."),
        (ENDLESS, "(anytime-valid, asymptotically): the chance that a false one is ever made"),
        (ENDLESS, "baselines). The board is looked at every second week."),
        (FIXED, "These claims hold for one look at this many questions"),
        (
            replace(FIXED, alpha=0.1),
            "On a board that is read once the chance of a false one is at most 10% in each",
        ),
        (replace(FIXED, caveats=(Caveat.UNDATED,)), "without a date are left out of claims."),
    ],
)
def test_what_claims_stand_on_is_said_in_plain_words(basis: ClaimBasis, sentence: str) -> None:
    assert sentence in basis_words(basis)


def test_of_one_look_no_rule_of_looks_is_told() -> None:
    assert len(basis_sentences(FIXED)) == 1


@pytest.mark.parametrize(
    ("caveat", "sentence"),
    [
        (Caveat.NOTHING_RESOLVED, "No forecast has resolved yet."),
        (Caveat.ONE_WEEK, "All 131 questions were asked in one week and hang on the same news"),
        (Caveat.BEFORE_FIRST_LOOK, "before the first look, on 6 March 2026."),
        (Caveat.STALE_PRICES, "overdue ones with the outcome that is worst for a claim."),
        (Caveat.FEW_CLUSTERS, "The largest source of spread has fewer than six groups"),
        (Caveat.TOO_FEW_EVENTS, "Too little evidence to rank anyone: 3 of 10 events"),
    ],
)
def test_every_caveat_has_its_sentence(caveat: Caveat, sentence: str) -> None:
    basis = replace(SEASON, minimum=THREE_SHORT, caveats=(caveat,))
    assert sentence in basis_sentences(basis)[-1]


def test_what_is_missing_is_counted() -> None:
    assert missing_words(THREE_SHORT) == (
        "3 of 10 events and 2 of 6 weeks and 1 of 6 weeks of asking"
    )
    assert missing_words(ENOUGH) == ""


def test_the_paragraph_says_each_thing_once() -> None:
    few = (Caveat.TOO_FEW_EVENTS, Caveat.TOO_FEW_WEEKS, Caveat.TOO_FEW_COHORTS)
    words = basis_words(replace(SEASON, minimum=THREE_SHORT, caveats=few))
    assert words.count("Too little evidence") == 1
    assert words.endswith("Enough by 1 March 2026 at the earliest.")


@pytest.mark.parametrize("basis", [SEASON, ENDLESS, FIXED])
def test_no_sentence_calls_events_independent(basis: ClaimBasis) -> None:
    assert "independent" not in basis_words(replace(basis, caveats=tuple(Caveat)))
