"""When a board is looked at, what a family claims then, and how often that is false.

Each state of what claims stand on has its sentence.
"""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from arena.metrics.claims.rules import (
    ALPHA,
    BEST_AT,
    ClaimRule,
    basis_sentences,
    basis_words,
    each_of,
    endless_rule,
    every_pair,
    fixed_rule,
    least,
    looks_of,
    missing_words,
    season_rule,
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
from arena.stats.comparisons.multiple import holm, shaffer
from arena.stats.comparisons.paired_gains import Questions, readings
from arena.stats.comparisons.sequential import sequential_anytime_p, sequential_p
from benchmarks.worlds import Market, World, season
from tests.sizes import size
from tests.stats.asked import judged, one_each, questions

LENGTH = 90
SEASON = Season(date(2026, 1, 1), timedelta(days=LENGTH), timedelta(days=30))
NONE_NEEDED = Minimum(events_needed=2, weeks_needed=0)


def better_first(n: int = 90, per_day: int = 1) -> Questions:
    """The first knows nearly all, the others nothing; so many questions a day."""
    rng = np.random.default_rng(4)
    came = (rng.random(n) < 0.5).astype(np.float64)
    said = np.clip(0.5 + rng.normal(0, 0.05, (3, n)), 0.01, 0.99)
    said[0] = np.clip(0.2 + 0.6 * came + rng.normal(0, 0.05, n), 0.01, 0.99)
    day = np.arange(n) // per_day
    return one_each(said, came, np.full(n, 0.5), asked=day, due=day)


def of_season(today: int) -> ClaimRule:
    return season_rule(SEASON, 0, today, Valuation.SETTLED)


def test_a_season_is_looked_at_at_the_end_of_the_day_before_each_date() -> None:
    assert of_season(28).days == ()
    assert (of_season(29).days, of_season(29).next_day) == ((29,), 59)
    assert of_season(88).days == (29, 59)
    assert (of_season(200).days, of_season(200).next_day) == ((29, 59, 89), None)
    assert of_season(0).fractions == (30 / 90, 60 / 90, 1.0)
    assert of_season(0).guarantee is Guarantee.SEASON


def test_looks_and_what_they_may_spend_are_laid_down_with_the_season() -> None:
    found = looks_of(SEASON)
    assert [look for look, _ in found] == list(SEASON.looks())
    assert [alpha for _, alpha in found] == pytest.approx([ALPHA / 9, ALPHA * 4 / 9, ALPHA])
    assert looks_of(None) == ()


def test_a_board_without_an_end_is_looked_at_every_second_week_of_its_own() -> None:
    assert endless_rule(10, 22, Valuation.MARKET).days == ()
    assert endless_rule(10, 23, Valuation.MARKET).days == (23,)
    found = endless_rule(10, 60, Valuation.MARKET)
    assert (found.days, found.next_day, found.fractions) == ((23, 37, 51), 65, ())
    assert found.guarantee is Guarantee.ENDLESS


def test_a_file_is_looked_at_once() -> None:
    found = fixed_rule(3, 50, dated=True)
    assert (found.days, found.fractions, found.next_day) == ((50,), (1.0,), None)
    assert found.minimum == Minimum(events_needed=10, weeks_needed=6, cohorts_needed=6)
    assert fixed_rule(3, 50, dated=False).minimum.weeks_needed == 0


def test_weeks_of_asking_are_needed_only_where_nothing_prices_open_questions() -> None:
    assert least(Valuation.MARKET) == Minimum(events_needed=10, weeks_needed=6)
    assert least(Valuation.SETTLED).cohorts_needed == 6


def test_p_is_that_of_the_looks_and_then_of_the_family() -> None:
    asked, rule = better_first(), replace(of_season(89), minimum=NONE_NEEDED)
    for family, adjust in (
        (every_pair([0, 1, 2]), lambda p: shaffer(p, 3)),
        (each_of([(0, 1), (2, 0)]), holm),
    ):
        z = readings(asked, family.pairs, rule.days, Valuation.SETTLED).z
        found = judged(asked, family, rule)
        assert found.p == pytest.approx(adjust(sequential_p(z, rule.fractions)[-1]))


def test_an_endless_board_s_p_is_anytime_valid() -> None:
    asked, rule = better_first(), endless_rule(0, 89, Valuation.SETTLED)
    rule = replace(rule, minimum=NONE_NEEDED)
    family = each_of([(0, 1), (0, 2)])
    z = readings(asked, family.pairs, rule.days, Valuation.SETTLED).z
    passed = np.array(rule.days, dtype=float)[:, None] + 1
    p = sequential_anytime_p(z, passed, best_at=BEST_AT, alpha=ALPHA / 2)[-1]
    assert judged(asked, family, rule).p == pytest.approx(holm(p))


def test_the_sign_says_who_is_better_whichever_is_named_first() -> None:
    found = judged(better_first(), each_of([(0, 1), (2, 0)]), of_season(89))
    assert found.sign.tolist() == [1, -1]
    assert np.all(found.p < 0.001)


@pytest.mark.parametrize(("day", "claimed"), [(29, False), (59, True), (89, True)])
def test_below_six_weeks_a_pair_is_not_looked_at(*, day: int, claimed: bool) -> None:
    found = judged(better_first(), each_of([(0, 1)]), of_season(day))
    assert bool(found.p[0] <= ALPHA) is claimed
    assert bool(found.sign[0]) is claimed


@pytest.mark.parametrize(("events", "claimed"), [(9, False), (10, True)])
def test_below_ten_events_a_pair_is_not_looked_at(*, events: int, claimed: bool) -> None:
    n = 60
    came = (np.arange(n) % 2).astype(np.float64)
    good = 0.1 + 0.8 * came
    event = np.arange(n) % events
    day = np.arange(n)
    said = np.stack([good, 1 - good + 0.01 * (day % 3)])
    asked = one_each(said, came, np.full(n, 0.5), event=event, asked=day, due=day)
    assert bool(judged(asked, each_of([(0, 1)]), of_season(59)).p[0] <= ALPHA) is claimed


def test_without_a_look_or_a_pair_nothing_is_claimed() -> None:
    before = judged(questions(1), every_pair([0, 1, 2]), of_season(3))
    assert (before.p.tolist(), before.sign.tolist()) == ([1, 1, 1], [0, 0, 0])
    nobody = judged(questions(1), each_of([]), of_season(89))
    assert (nobody.p.size, nobody.sign.size) == (0, 0)


WORLDS = (
    World("ladders", Market(per_day=1, legs=3, asked_for=120), price="peer", days=120),
    World(
        "days that share news", Market(per_day=3, asked_for=120), shock=0.4, view=0.4, days=120
    ),
)
RULE = season_rule(Season(date(2026, 1, 1), timedelta(days=120)), 0, 119, Valuation.SETTLED)
RUNS = size(80, 160)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_equals_who_are_read_at_every_look_are_seldom_called_different(world: World) -> None:
    false = 0
    for seed in range(RUNS):
        asked = season(world, 3, np.random.default_rng(seed))
        false += bool((judged(asked, every_pair([0, 1, 2]), RULE).p <= ALPHA).any())
    assert false / RUNS <= ALPHA + 2 * np.sqrt(ALPHA * (1 - ALPHA) / RUNS)


def test_one_who_is_better_is_shown_to_be_in_most_seasons() -> None:
    world = World("many events", Market(per_day=5, asked_for=120), noise=0.8, days=120)
    found = [
        judged(season(world, 2, np.random.default_rng(s), 0.2), each_of([(0, 1)]), RULE)
        for s in range(20)
    ]
    assert sum(one.p[0] <= ALPHA and one.sign[0] > 0 for one in found) >= 18


ENOUGH = Minimum(events=76, weeks=9, cohorts=9)
LOOKED_AT = ClaimBasis(
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
ENDLESS = replace(LOOKED_AT, guarantee=Guarantee.ENDLESS, season=None)
FIXED = ClaimBasis(minimum=ENOUGH)


THREE_SHORT = Minimum(3, 2, 1, cohorts_needed=6, ready_on=date(2026, 3, 1))


@pytest.mark.parametrize(
    ("basis", "sentence"),
    [
        (
            LOOKED_AT,
            "every 30 days from 5 January 2026 to 5 April 2026 (3 looks), and stand until",
        ),
        (
            LOOKED_AT,
            "The chance of a false one in the whole season is at most 5% in each family (",
        ),
        (
            LOOKED_AT,
            "include 131 due questions of 100 markets in 76 events. The due dates fall in 9",
        ),
        (LOOKED_AT, "it counts at the market's price, day by day (mark-to-market)."),
        (replace(LOOKED_AT, valuation=Valuation.SETTLED), "A question counts on its due day;"),
        (LOOKED_AT, "The largest source of spread is between categories (8 categories): "),
        (LOOKED_AT, "the variance is 1.6 times that by event (design effect)."),
        (
            replace(LOOKED_AT, largest=Source.FLOOR, clusters=0, design_effect=None),
            "The largest source of spread is the outcomes' own chance.",
        ),
        (LOOKED_AT, "The last look was on 4 February 2026. The next look is on 6 March 2026."),
        (
            replace(LOOKED_AT, last_look=None),
            "There was no look yet. The next look is on 6 March 2026.",
        ),
        (replace(LOOKED_AT, next_look=None), "The final look was on 4 February 2026."),
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
    basis = replace(LOOKED_AT, minimum=THREE_SHORT, caveats=(caveat,))
    assert sentence in basis_sentences(basis)[-1]


def test_one_question_is_told_in_the_singular() -> None:
    basis = replace(LOOKED_AT, minimum=THREE_SHORT, caveats=(Caveat.ONE_WEEK,), questions=1)
    assert basis_sentences(basis)[-1] == "1 question was asked in one week."


def test_what_is_missing_is_counted() -> None:
    assert missing_words(THREE_SHORT) == (
        "3 of 10 events and 2 of 6 weeks and 1 of 6 weeks of asking"
    )
    assert missing_words(ENOUGH) == ""


def test_the_paragraph_says_each_thing_once() -> None:
    few = (Caveat.TOO_FEW_EVENTS, Caveat.TOO_FEW_WEEKS, Caveat.TOO_FEW_COHORTS)
    words = basis_words(replace(LOOKED_AT, minimum=THREE_SHORT, caveats=few))
    assert words.count("Too little evidence") == 1
    assert words.endswith("Enough by 1 March 2026 at the earliest.")


@pytest.mark.parametrize("basis", [LOOKED_AT, ENDLESS, FIXED])
def test_no_sentence_calls_events_independent(basis: ClaimBasis) -> None:
    assert "independent" not in basis_words(replace(basis, caveats=tuple(Caveat)))
