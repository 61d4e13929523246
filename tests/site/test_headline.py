"""The first sentences: each state has its own, and says no more than is claimed."""

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from arena.records.claim import Caveat, ClaimBasis, Guarantee, Minimum, Source
from arena.records.estimate import Estimate
from arena.records.estimate import State as Known
from arena.records.settings import Edition, Entrant
from arena.site.overview.records import Overview, RankPlace
from arena.site.pages.leaderboard.headline import headline
from tests.site.conftest import Site
from tests.site.fronts import (
    ALDER,
    ALWAYS_NO,
    BIRCH,
    CAST,
    CEDAR,
    MARKET,
    PLAYING,
    SEASON,
    claimed,
    reading_of,
    told,
)

NOBODY = "Nobody is shown to beat the market's price."
BOTH = {ALDER: "better", BIRCH: "better"}


TOO_LITTLE = "Too little evidence to rank anyone"


def lacking(**missing: Any) -> Overview:  # noqa: ANN401  fields of a basis
    """Two would be shown to be better, if the basis of claims allowed it."""
    return claimed(claims=replace(SEASON, **missing), shown=BOTH)


def first(site: Site, overview: Overview, edition: Edition = CAST) -> str:
    return " ".join(headline(reading_of(site.store, overview, edition)).claims)


@pytest.mark.parametrize(
    ("overview", "words"),
    [
        (Overview(), "Nothing has been played yet."),
        (replace(told(), headline=""), "No forecast has resolved yet: nobody is ranked."),
        (
            claimed(shown={ALDER: "better"}, tied=(ALDER,)),
            "Alder the First leads and is shown to beat the market's price.",
        ),
        (
            claimed(shown=BOTH),
            (
                "Alder the First and birch are shown to beat the market's price; "
                "which of the two is best is not known."
            ),
        ),
        (claimed(), f"{NOBODY} Alder the First and birch lead; their order is not known."),
        (
            claimed(tied=(ALDER,)),
            f"{NOBODY} Alder the First leads: significantly better than the other 3.",
        ),
        (
            claimed(shown={ALDER: "better"}),
            (
                "Alder the First is shown to beat the market's price. "
                "Alder the First and birch lead; their order is not known."
            ),
        ),
        (
            claimed(shown=BOTH, tied=(ALDER,)),
            (
                "Alder the First and birch are shown to beat the market's price. "
                "Alder the First leads: significantly better than the other 3."
            ),
        ),
        (claimed(tied=PLAYING), f"{NOBODY} The order of all 4 contestants is not known."),
        (
            lacking(minimum=Minimum(6, 3, ready_on=date(2026, 2, 16))),
            (
                f"{TOO_LITTLE}: 6 of 10 events and 3 of 6 weeks. "
                "Enough by 16 February 2026 at the earliest."
            ),
        ),
        (
            lacking(minimum=Minimum(12, 3, 2, cohorts_needed=6)),
            f"{TOO_LITTLE}: 3 of 6 weeks and 2 of 6 weeks of asking.",
        ),
        (
            lacking(minimum=Minimum(76, 1), caveats=(Caveat.ONE_WEEK,)),
            (
                "All 400 questions were asked in one week and hang on the same news. "
                f"{TOO_LITTLE}: 1 of 6 weeks."
            ),
        ),
        (
            lacking(last_look=None, caveats=(Caveat.BEFORE_FIRST_LOOK,)),
            "Nothing is claimed before the first look, on 6 March 2026.",
        ),
    ],
)
def test_each_state_has_its_sentence(overview: Overview, words: str, simulated: Site) -> None:
    assert first(simulated, overview) == words


def test_one_contestant_leads_nobody(simulated: Site) -> None:
    known = claimed(shown={ALDER: "better"}, tied=(ALDER,))
    nothing = {"alpha": Estimate(None, 0, 0, state=Known.EMPTY)}
    profiles = {
        name: one
        if name == ALDER
        else replace(one, place=RankPlace(None, 1, 1), scores=nothing)
        for name, one in known.profiles.items()
    }
    alone = replace(known, profiles=profiles)
    assert first(simulated, alone).endswith(
        "Alder the First is the only contestant with resolved forecasts."
    )


def test_without_a_price_nothing_is_said_of_the_market(simulated: Site) -> None:
    known = claimed()
    profiles = {
        name: replace(one, scores={**one.scores, "brier": one.scores["alpha"]})
        for name, one in known.profiles.items()
    }
    said = first(simulated, replace(known, headline="brier", profiles=profiles, against=None))
    assert said.startswith("No price is known: contestants are ranked by Brier score. Alder")


def test_baselines_are_in_no_count(simulated: Site) -> None:
    """Also where they would lead, and are shown to beat the price."""
    shown = {ALWAYS_NO: "better", MARKET: "better", **BOTH}
    known = claimed(tied=(ALWAYS_NO, MARKET, ALDER, BIRCH), shown=shown)
    assert first(simulated, known) == first(simulated, claimed(shown=BOTH))


def test_more_than_three_are_counted_and_not_named(simulated: Site) -> None:
    shown = dict.fromkeys(PLAYING, "better")
    assert first(simulated, claimed(tied=(CEDAR,), shown=shown)).startswith(
        "4 contestants are shown to beat the market's price."
    )
    names = {n: Entrant(n, f"A contestant with the long name of {n}") for n in PLAYING}
    said = first(simulated, claimed(tied=(ALDER, BIRCH)), Edition(names))
    assert said.endswith("2 contestants lead; their order is not known.")


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        (SEASON, "Next look: 6 March 2026."),
        (replace(SEASON, next_look=None), "The season is over: claims are final."),
        (
            replace(SEASON, guarantee=Guarantee.ENDLESS),
            "Claims hold on any day (anytime-valid).",
        ),
        (replace(SEASON, guarantee=Guarantee.FIXED), "Claims hold for one look only."),
        (
            replace(SEASON, caveats=(Caveat.FEW_CLUSTERS,), clusters=4),
            "Next look: 6 March 2026. With only 4 weeks the claims are less certain.",
        ),
        (
            replace(
                SEASON, caveats=(Caveat.FEW_CLUSTERS,), largest=Source.CATEGORY, clusters=4
            ),
            "Next look: 6 March 2026. With only 4 categories the claims are less certain.",
        ),
        (
            replace(SEASON, caveats=(Caveat.STALE_PRICES,)),
            "Next look: 6 March 2026. Open questions had no fresh price.",
        ),
    ],
)
def test_it_is_said_how_much_there_is_and_until_when_it_stands(
    claims: ClaimBasis, words: str, simulated: Site
) -> None:
    said = headline(reading_of(simulated.store, claimed(claims=claims))).evidence
    assert said == f"18 events, 24 markets, 5 to 11 January 2026. {words}"


def test_where_nothing_is_claimed_there_is_no_next_look(simulated: Site) -> None:
    few = claimed(claims=replace(SEASON, minimum=Minimum(6, 3)))
    said = headline(reading_of(simulated.store, few)).evidence
    assert said == "18 events, 24 markets, 5 to 11 January 2026."


def test_tests_stand_as_they_are_where_nothing_is_said_of_the_claims(simulated: Site) -> None:
    assert first(simulated, told()).startswith(NOBODY)


def test_every_place_says_the_same(simulated: Site) -> None:
    front = json.loads((simulated.out / "index.json").read_text())
    whole = " ".join([*front["claims"], front["evidence"]])
    card = json.loads((simulated.out / "cards/alder.json").read_text())
    assert card["claims"] == front["claims"]
    assert front["head"]["words"] == whole
