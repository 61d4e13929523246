"""Ranks, ties and the pairwise matrix tell one story."""

import json
from typing import Any

import numpy as np
import pytest

from arena.metrics.claims.board_claims import board_claims
from arena.metrics.rank_sets import league
from arena.records.cohort import ContestantId
from arena.site import Page
from arena.site.engine.json_page import told
from arena.site.overview.profiles import placed, scores_of, values_of
from arena.site.overview.records import ContestantProfile, Overview, RankPlace
from arena.site.pages.compare import compare
from arena.site.pages.leaderboard import leaderboard
from tests.metrics.rounds import rounds
from tests.present import some
from tests.site.conftest import CAST, Site
from tests.site.fronts import reading_of

NAMES = tuple(map(ContestantId, ("alder", "birch", "cedar", "damson", "market", "always-no")))
MARKET = NAMES[4]
NOISE = np.array([0.02, 0.03, 0.3, 0.35, 0.1, 0.5])
QUESTIONS = 150


def overview() -> Overview:
    """Skill in steps: some differ significantly, others are too alike."""
    rng = np.random.default_rng(1)
    truth = rng.uniform(0.1, 0.9, QUESTIONS)
    outcome = (rng.random(QUESTIONS) < truth).astype(np.intp)
    said = truth[:, None] + NOISE * rng.standard_normal((QUESTIONS, len(NAMES)))
    price = np.clip(truth + 0.1 * rng.standard_normal(QUESTIONS), 0.02, 0.98)
    day = np.arange(QUESTIONS) // 2  # more weeks than the least that claims need
    forecasts = rounds(np.clip(said, 0.01, 0.99), outcome, names=NAMES, day=day, market_p=price)
    playing = [name for name in NAMES if name != MARKET]
    own = forecasts.take(forecasts.contestant.codes != forecasts.contestant.names.index(MARKET))
    claimed, scores = board_claims(own, "alpha", by_moment=True), scores_of(forecasts)
    assert claimed.contest is not None
    values = values_of(own, "alpha")
    found = placed(playing, values, claimed.contest.ranks, "alpha")
    places = {**found.places, MARKET: RankPlace(None, 1, len(playing))}
    return Overview(
        headline="alpha",
        forecasts=len(forecasts),
        markets=QUESTIONS,
        events=QUESTIONS,
        profiles={name: ContestantProfile(name, places[name], scores[name]) for name in places},
        order=(*found.order, MARKET),
        tied=found.tied,
        contest=claimed.contest,
        league=league(own, "alpha", by_moment=True),
    )


@pytest.fixture(scope="module")
def twins(simulated: Site) -> dict[str, Any]:
    """What the twins of two pages say, by the paths of the pages."""
    reading = reading_of(simulated.store, overview(), CAST)
    made = [*leaderboard.pages(reading), *compare.pages(reading)]
    return {
        page.path: json.loads(told(page.view, page.template).twin)
        for page in made
        if isinstance(page, Page)
    }


@pytest.fixture(scope="module")
def rows(twins: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = twins["index.html"]["ranking"]["rows"]
    return [row for row in found if not row["kind"]]


@pytest.fixture(scope="module")
def pairs(twins: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = twins["compare.html"]["pairs"]
    return found


@pytest.fixture(scope="module")
def worse(pairs: list[dict[str, Any]]) -> dict[str, set[str]]:
    """Of everybody, who was shown to be better: by the sign and the p-value of each pair."""
    found: dict[str, set[str]] = {}
    for pair in pairs:
        found.setdefault(pair["first"], set())
        found.setdefault(pair["second"], set())
        p = pair["p_anytime"]["value"]
        if p is not None and p < 0.05:  # the difference is in the headline's good direction
            first_wins = pair["difference"]["value"] > 0
            loser, winner = (
                (pair["second"], pair["first"])
                if first_wins
                else (pair["first"], pair["second"])
            )
            found[loser].add(winner)
    return found


def ranks(row: dict[str, Any]) -> tuple[int, int]:
    low, _, high = row["ranks"]["text"].partition("\N{EN DASH}")
    return int(low), int(high or low)


def test_some_differ_significantly_and_some_do_not(
    worse: dict[str, set[str]], pairs: list[dict[str, Any]]
) -> None:
    decided = sum(map(len, worse.values()))
    assert 3 < decided < len(pairs) - 1
    everybody = len(worse)
    assert len(pairs) == everybody * (everybody - 1) // 2


def test_a_pair_differs_significantly_where_its_p_value_says_so(
    pairs: list[dict[str, Any]],
) -> None:
    for pair in some(pairs):
        assert (pair["verdict"] == "not significantly different") == (
            pair["p_anytime"]["value"] >= 0.05
        )


def test_a_range_of_ranks_leaves_out_whom_the_matrix_rules_out(
    rows: list[dict[str, Any]], worse: dict[str, set[str]]
) -> None:
    """It begins after all who were shown to be better and ends before all shown to be worse."""
    everybody = len(worse)
    for row in some(rows):
        name = row["contestant"]["text"]
        if name in worse:
            beaten = sum(name in winners for winners in worse.values())
            assert ranks(row) == (1 + len(worse[name]), everybody - beaten)
            assert ranks(row)[0] <= row["ranks"]["value"] <= ranks(row)[1]


def test_the_tied_are_those_whom_nobody_was_shown_to_be_better_than(
    rows: list[dict[str, Any]], worse: dict[str, set[str]]
) -> None:
    tied = {row["contestant"]["text"] for row in rows if row["leads"]}
    assert tied == {name for name, winners in worse.items() if not winners}


def test_the_sentence_names_those_who_lead(
    twins: dict[str, Any], rows: list[dict[str, Any]]
) -> None:
    names = [row["contestant"]["text"] for row in rows if row["leads"]]
    assert len(names) == 2
    assert twins["index.html"]["claims"][1] == (
        f"{' and '.join(names)} lead; their order is not known."
    )


def test_the_sentence_of_the_matrix_counts_its_pairs(
    twins: dict[str, Any], worse: dict[str, set[str]], pairs: list[dict[str, Any]]
) -> None:
    decided = sum(map(len, worse.values()))
    assert twins["compare.html"]["sentence"].startswith(
        f"{decided} of {len(pairs)} pairs differ significantly."
    )


def test_the_matrix_is_the_table_of_pairs(
    twins: dict[str, Any], worse: dict[str, set[str]]
) -> None:
    matrix = twins["compare.html"]["matrix"]
    names = [row["contestant"]["text"] for row in matrix]
    for row in some(matrix):
        name = row["contestant"]["text"]
        kinds = {n: cell["kind"] for n, cell in zip(names, row["verdicts"], strict=True)}
        assert {n for n, kind in kinds.items() if kind == "down"} == worse[name]
        assert {n for n, kind in kinds.items() if kind == "up"} == {
            n for n in names if name in worse[n]
        }


def test_ranks_follow_the_headline(rows: list[dict[str, Any]]) -> None:
    headline = [row["cells"][0]["value"] for row in rows]
    assert headline == sorted(headline, reverse=True)
    assert [row["ranks"]["value"] for row in rows] == list(range(1, len(rows) + 1))


def test_chances_of_first_place_stand_beside_means_on_their_own_questions(
    twins: dict[str, Any],
) -> None:
    said = twins["compare.html"]
    keys = [column["key"] for column in said["league_columns"]]
    assert keys == ["alpha", "first", "in_set", "strength"]
    means = [row["cells"][0]["value"] for row in said["league"]]
    assert (len(means) > 1, means) == (True, sorted(means, reverse=True))
    boards = [twin for name, twin in twins.items() if name.startswith("leaderboard")]
    columns = [c["key"] for twin in boards for c in twin["ranking"]["columns"]]
    assert (bool(columns), "first" in columns) == (True, False)
