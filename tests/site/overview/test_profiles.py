"""The site shows the numbers that the commands print."""

import json
from shlex import split
from typing import Any

import numpy as np
import pytest

from arena.cli import main
from arena.cli.say import as_plain
from arena.metrics.calibration import KEYS
from arena.records.cohort import ContestantId
from arena.records.settings import Edition
from arena.site import Page
from arena.site.overview.profiles import DRAWS, LABELS
from arena.site.overview.read import read_overview
from arena.site.overview.records import Overview, Part
from arena.site.pages.compare import compare
from arena.site.pages.compare.pairs import PairPage
from arena.site.pages.contestants.contestant_summary import checks
from arena.stats import EVENTS
from arena.store.scores.evidence import SqliteEvidence
from tests.present import present, some
from tests.site.fronts import reading_of
from tests.site.overview.conftest import CAST, Season
from tests.vectors import near


def said(season: Season, capsys: pytest.CaptureFixture[str], *command: str) -> dict[str, Any]:
    """What a command prints of the season's database."""
    with pytest.raises(SystemExit) as ended:
        main([*command, "--database", str(season.file), "--json"])
    assert ended.value.code == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def draws() -> tuple[str, str]:
    return "--draws", str(DRAWS)


@pytest.fixture
def found(season: Season) -> Overview:
    return season.overview


def test_scores_are_those_of_arena_score(
    season: Season, found: Overview, capsys: pytest.CaptureFixture[str]
) -> None:
    document = said(season, capsys, "score", "--metric", "all", *draws())
    assert document["forecasts"] == found.forecasts
    for line in document["contestants"]:
        scores = found.profiles[line["contestant"]].scores
        for key in set(line["scores"]) - set(KEYS) - {"brier_adjusted"}:
            assert as_plain(scores[key]) == line["scores"][key], key


def test_ranks_and_pairs_are_those_of_arena_score(
    season: Season, found: Overview, capsys: pytest.CaptureFixture[str]
) -> None:
    everybody = read_overview(season.store, {})  # a file alone does not say who is a reference
    document = said(season, capsys, "score", "--rank-by", found.headline)
    assert json.loads(json.dumps(as_plain(everybody.contest))) == document["pairs"]
    assert any(claim["p_anytime"] is not None for claim in document["pairs"]["claims"])
    for line in document["contestants"]:
        place = everybody.profiles[line["contestant"]].place
        assert place.rank == line["rank"]
        assert place.low == min(line["rank_low"], line["rank"])
        assert place.high == max(line["rank_high"], line["rank"])


def test_each_command_on_a_page_gives_the_number_and_the_digest_beside_it(
    season: Season, found: Overview, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = {line.contestant: line for line in season.store.boards.overall().standings}
    profile = found.profiles[ContestantId("alder")]
    facts = checks(lines[profile.contestant], profile, found.headline)
    explained = {
        fact: said(season, capsys, *split(fact.text)[1:])["explained"] for fact in facts
    }
    for fact, document in explained.items():
        assert fact.note in {"", f"SHA-256 of its rows: {document['digest']}"}
        key = fact.text.split()[-1]
        if "estimate" in document:
            value = profile.scores[key].value
            assert document["estimate"]["value"] == pytest.approx(value, rel=1e-12), key
    assert {fact.text.split()[-1] for fact in facts if fact.note} == {"alpha", "brier"}


def test_the_league_is_that_of_arena_compare(
    season: Season, found: Overview, capsys: pytest.CaptureFixture[str]
) -> None:
    document = said(season, capsys, "compare", "--metric", found.headline)
    for place in document["league"]["places"]:
        place["elo"] = None  # it is on no page
    assert as_plain(found.league) == document["league"]


def test_calibration_is_that_of_arena_calibration(
    season: Season, found: Overview, capsys: pytest.CaptureFixture[str]
) -> None:
    document = said(season, capsys, "calibration", *draws())
    for one in some(document["contestants"]):
        profile = found.profiles[one["contestant"]]
        assert as_plain(profile.reliability) == one
        assert {key: as_plain(profile.scores[key]) for key in KEYS} == one["scores"]


def test_money_is_that_of_arena_shadow(
    season: Season, found: Overview, capsys: pytest.CaptureFixture[str]
) -> None:
    books = {book["contestant"]: book for book in said(season, capsys, "shadow")["books"]}
    for name, profile in some(found.profiles.items()):
        money, book = as_plain(profile.money), books.get(name)
        assert (money is None) == (book is None)
        if book is not None:
            if book["luck"]["how"] == "simulated":  # by draws that go with the order of rows
                for key in ("upper", "lower", "quantiles"):
                    book["luck"].pop(key)
            assert near(money, {**book, "passed": {}}, 1e-9, relative=True)
        assert as_plain(profile.scores["ev_clv"].value) == (
            books[name]["ev_clv"]["value"] if name in books else None
        )


def test_bets_at_the_close_by_price_are_all_of_them(found: Overview) -> None:
    bet = [one for one in found.profiles.values() if one.money]
    assert any(one.closes for one in bet)
    for one in bet:
        parts = [part.scores["ev_clv"] for part in one.closes]
        whole = one.scores["ev_clv"]
        assert sum(part.n for part in parts) == whole.n
        if whole.value is not None:
            added = sum(part.n * present(part.value) for part in parts)
            assert added / whole.n == pytest.approx(whole.value, abs=1e-12)


def test_few_events_at_the_close_have_no_interval(found: Overview) -> None:
    parts = [part for one in found.profiles.values() for part in one.closes]
    few = [part for part in parts if part.events < EVENTS]
    assert few
    assert all(part.scores["ev_clv"].interval is None for part in few)


@pytest.mark.parametrize("saying", ["stated", "kelly", "linear"])
def test_scores_of_bets_are_those_of_arena_score(
    season: Season, found: Overview, saying: str, capsys: pytest.CaptureFixture[str]
) -> None:
    document = said(season, capsys, "score", "--probability", saying, "--metric", "brier")
    for line in some(document["contestants"]):
        scores = found.profiles[line["contestant"]].scores
        assert as_plain(scores[saying]) == line["scores"]["brier"]


@pytest.mark.parametrize("label", LABELS)
def test_parts_are_those_of_arena_score(
    season: Season, found: Overview, label: str, capsys: pytest.CaptureFixture[str]
) -> None:
    document = said(
        season, capsys, "score", "--metric", "alpha", "--metric", "brier", "--by", label
    )
    parts = {
        (name, part.name): part
        for name, profile in found.profiles.items()
        for part in profile.parts.get(label, ())
    }
    for line in document["breakdown"]["lines"]:
        part: Part = parts.pop((line["contestant"], line["part"]))
        assert (part.n, part.events) == (line["n"], line["events"])
        assert as_plain(dict(part.scores)) == line["scores"]
    assert parts == {}


def test_what_the_leaderboard_adds_up_is_what_is_estimated(
    season: Season, found: Overview
) -> None:
    for line in some(season.store.boards.overall().standings):
        scores = found.profiles[line.contestant].scores
        for key in ("forecast", "stated", "kelly", "linear", "win_rate"):
            score, estimate = getattr(line, key), scores[key]
            assert estimate.n == score.n
            assert estimate.value == pytest.approx(score.value, abs=1e-9), key
        realised = (line.realised - line.fees) / line.capital
        shown = scores["realised_return"].value
        assert shown == (None if not line.buys else pytest.approx(float(realised), abs=1e-9))


def test_horizons_stand_in_the_order_of_time(found: Overview) -> None:
    order = ["under 1 day", "1 to 7 days", "7 to 30 days", "over 30 days", "(none)"]
    for profile in some(found.profiles.values()):
        names = [part.name for part in profile.parts.get("horizon", ())]
        assert names == sorted(names, key=order.index)


def test_the_market_s_price_is_calibrated_once_a_market_and_moment(
    season: Season, found: Overview
) -> None:
    told = SqliteEvidence(season.store.db).forecasts()
    known = told.take(~np.isnan(told.market_p))
    asked = set(zip(known.market.codes.tolist(), known.at.tolist(), strict=True))
    assert found.market is not None
    assert found.market.n == len(asked) < found.forecasts
    assert found.market.contestant not in found.profiles


def test_the_command_on_the_page_of_two_prints_its_difference(
    season: Season, capsys: pytest.CaptureFixture[str]
) -> None:
    reading = reading_of(season.store, season.overview, Edition(CAST))
    views = [page.view for page in compare.pages(reading) if isinstance(page, Page)]
    first = next(view for view in views if isinstance(view, PairPage))
    document = said(season, capsys, *split(first.command)[1:])["comparison"]
    shown = first.kpis[0].cell
    assert shown.value == pytest.approx(document["estimate"]["value"])
    assert shown.between is not None
    assert shown.between.low == pytest.approx(document["estimate"]["interval"]["low"])
