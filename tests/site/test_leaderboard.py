import gzip
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics.figures import steady
from arena.metrics.registry import LINEAR_CAVEAT, METRICS
from arena.records.claim import Minimum
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, Interval
from arena.records.market import Side
from arena.records.money import usd
from arena.records.settings import Edition, Entrant
from arena.site import places
from arena.site.estimates import estimated
from arena.site.overview.records import Overview, Part, Window
from arena.site.pages.leaderboard.leaderboard import MOMENTS, MOST, lines_of, pages, thinned
from arena.site.pages.leaderboard.leaderboard_columns import summary
from arena.site.pages.leaderboard.standings import BoardPage, IndexPage, RankingRow
from arena.site.pages.parts import Cell
from arena.site.reading import Reading
from arena.site.site_checks import FRONT_GZ, FRONT_NODES, PAGE_BYTES, tags
from tests.build import ADA, RAIN, SNOW, quote
from tests.present import some
from tests.site.conftest import Site
from tests.site.folders import START, Element, page, parse, table, write_site
from tests.site.fronts import (
    ALDER,
    ALWAYS_NO,
    BIRCH,
    CAST,
    CEDAR,
    DAMSON,
    MARKET,
    NOBODY,
    PLAYING,
    SEASON,
    claimed,
    crowd,
    html_of,
    page_of,
    reading_of,
    told,
)
from tests.stage import buys, playing

ORDER = (ALDER, BIRCH, CEDAR, MARKET, DAMSON)


@pytest.fixture(scope="module")
def view(simulated: Site) -> IndexPage:
    return page_of(simulated.store, claimed())


@pytest.fixture(scope="module")
def shown(view: IndexPage) -> Element:
    return parse(html_of(view))


@pytest.fixture(scope="module")
def views(simulated: Site) -> Mapping[str, BoardPage]:
    """The other views, and the windows, by their addresses."""
    return boards(simulated, claimed())


def boards(site: Site, overview: Overview) -> Mapping[str, BoardPage]:
    return boards_of(reading_of(site.store, overview))


def boards_of(reading: Reading) -> Mapping[str, BoardPage]:
    return {
        one.path: view
        for one in pages(reading)
        if isinstance(view := getattr(one, "view", None), BoardPage)
    }


def ranked(view: IndexPage | BoardPage) -> tuple[RankingRow, ...]:
    """The rows of the ranking itself: contestants and the market."""
    return tuple(row for row in view.ranking.rows if row.kind != "ref")


def cell(view: IndexPage | BoardPage, who: ContestantId, key: str) -> Cell:
    """The cell of a contestant in a column."""
    row = next(r for r in view.ranking.rows if r.slug == who)
    keys = [column.key for column in view.ranking.columns]
    return row.cells[keys.index(key)]


def in_view(views: Mapping[str, BoardPage], who: ContestantId, view: str, key: str) -> Cell:
    return cell(views[f"leaderboard/{view}.html"], who, key)


def test_the_markets_price_is_a_row_of_the_same_ranking(view: IndexPage) -> None:
    assert [row.slug for row in ranked(view)] == list(ORDER)
    row = view.ranking.rows[3]
    named = (row.kind, row.contestant.text, row.ranks.text)
    assert named == ("market", "Market price", "2\u20134")
    assert row.cells[0] == Cell("0.0000", value=0.0)


def test_without_a_place_the_price_stands_by_its_gain_of_zero(simulated: Site) -> None:
    rows = ranked(page_of(simulated.store, told()))
    assert [row.slug for row in rows] == list(ORDER)
    assert rows[3].ranks == Cell("")
    without = page_of(simulated.store, told(), Edition()).ranking.rows
    assert [row.kind for row in without] == ["", "", "", "market", "", "", ""]
    assert without[3].contestant.href == ""


def test_where_no_price_is_known_it_has_no_row(simulated: Site) -> None:
    rows = page_of(simulated.store, replace(told(), headline="brier")).ranking.rows
    assert all(row.kind != "market" for row in some(rows))


def test_baselines_stand_apart_and_have_no_rank(view: IndexPage, shown: Element) -> None:
    *_, last = view.ranking.rows
    assert [row.slug for row in view.ranking.rows if row.kind == "ref"] == [ALWAYS_NO]
    assert (last.slug, last.ranks) == (ALWAYS_NO, Cell(""))
    assert last.about == "baseline, no resolved forecast"
    bodies = table(shown, "Leaderboard").all("tbody")
    assert [body.attributes.get("class") for body in bodies] == [None, "refs"]
    boxes = [e for e in shown.all("input") if e.attributes["type"] == "checkbox"]
    marked = [(box.attributes["id"], "checked" in box.attributes) for box in boxes]
    assert marked == [("base", False)]


def test_ranks_are_ranges_and_leaders_are_marked(view: IndexPage) -> None:
    found = {
        row.slug: (row.ranks.text, row.ranks.value, row.leads) for row in view.ranking.rows
    }
    assert found[ALDER] == ("1\u20134", 1, True)
    assert found[BIRCH] == ("1\u20134", 2, True)
    assert found[DAMSON] == ("2\u20134", 4, False)


def test_too_little_evidence_gives_no_rank_no_leader_and_no_verdict(simulated: Site) -> None:
    few = replace(SEASON, minimum=Minimum(6, 3))
    view = page_of(simulated.store, claimed(shown={ALDER: "better"}, claims=few))
    assert view.ranking.rank is None
    assert all(row.ranks == Cell("") for row in view.ranking.rows)
    assert not any(row.leads or row.verdict for row in view.ranking.rows)
    assert "Possible ranks" not in html_of(view)
    assert view.changed == ()


def test_a_row_shows_the_claim_of_the_headline_by_shape_and_in_words(simulated: Site) -> None:
    """Not its own interval: that of alder is above zero, which nobody claims of it."""
    shown = {BIRCH: "better", DAMSON: "worse"}
    rows = {r.slug: r for r in page_of(simulated.store, claimed(shown=shown)).ranking.rows}
    drawn = {name: rows[name].interval for name in PLAYING}
    assert all(drawn.values())
    words = {name: one.words for name, one in drawn.items() if one}
    assert words == {
        ALDER: "not shown to differ from the market",
        BIRCH: "shown to be better than the market",
        CEDAR: "not shown to differ from the market",
        DAMSON: "shown to be worse than the market",
    }
    assert (
        len({one.svg.split("d=")[-1].partition("m")[2] for one in drawn.values() if one}) == 3
    )


def test_tags_say_what_a_contestant_is(simulated: Site) -> None:
    cast = {
        ALDER: Entrant(ALDER, agent="ensemble"),
        BIRCH: Entrant(BIRCH, provider="Greenwood", price_blind=True, copy_of="bir"),
        CEDAR: Entrant(CEDAR, agent="submitted"),
        **{name: CAST.cast[name] for name in (MARKET, ALWAYS_NO)},
    }
    known = claimed()
    profiles = {
        **known.profiles,
        DAMSON: replace(known.profiles[DAMSON], coverage=0.71),
        CEDAR: replace(known.profiles[CEDAR], coverage=1.0),
    }
    view = page_of(simulated.store, replace(known, profiles=profiles), Edition(cast))
    assert {row.slug: row.about for row in view.ranking.rows if not row.kind} == {
        ALDER: "ensemble",
        BIRCH: "Greenwood, does not see prices, copy of bir",
        CEDAR: "person or outside system",
        DAMSON: "answered 71%",
    }


def test_a_return_stands_with_its_interval_or_not_at_all(simulated: Site) -> None:
    known = claimed()
    sure = Estimate(0.1, 30, 9, interval=Interval(0.02, 0.2, 0.95, "bootstrap"))
    unsure = Estimate(0.1, 30, 9)
    profiles = {
        name: replace(one, scores={**one.scores, "realised_return": found})
        for name, found in ((ALDER, sure), (BIRCH, unsure))
        for one in (known.profiles[name],)
    }
    view = page_of(simulated.store, replace(known, profiles={**known.profiles, **profiles}))
    assert cell(view, ALDER, "realised_return").between
    assert cell(view, BIRCH, "realised_return") == Cell("n/a", "no interval")


def test_equity_is_drawn_on_one_scale(view: IndexPage) -> None:
    """Whose capital never moved has a flat line beside one that did."""
    drawn = {row.slug: row.shape for row in view.ranking.rows if not row.kind}
    assert all(drawn.values())
    assert "one scale from 0% to +3%" in " ".join(view.ranking.notes)


def test_windows_are_exploratory_pages_of_their_own(simulated: Site) -> None:
    parts = {
        name: Part(name, 20, 5, {"alpha": told().profiles[name].scores["alpha"]})
        for name in (BIRCH, ALDER)
    }
    found = (
        Window("90-days", "Last 90 days", date(2025, 11, 13), 40, 9, 5, (BIRCH, ALDER), parts),
        Window("category-sport", "Sport", None, 40, 9, 5, (BIRCH, ALDER), parts),
    )
    known = replace(claimed(shown={ALDER: "better"}), windows=found)
    made = boards(simulated, known)
    assert {path for path in made if path.startswith("windows/")} == {
        "windows/90-days.html",
        "windows/category-sport.html",
    }
    page_ = made["windows/90-days.html"]
    assert page_.words == (
        "Exploratory: a part of the evidence, chosen after the fact. Nothing is claimed. "
        "5 events, 9 markets, 40 forecasts, from 13 November 2025 on."
    )
    assert [row.slug for row in page_.ranking.rows[:2]] == [BIRCH, ALDER]
    assert [row.kind for row in page_.ranking.rows] == ["", "", "market"]
    assert page_.ranking.rank is None
    assert not any(row.verdict or row.leads for row in page_.ranking.rows)
    chips = page_of(simulated.store, known).chips
    assert [(one.text, one.href) for one in chips.windows] == [
        ("All time", ""),
        ("Last 90 days", "windows/90-days.html"),
    ]
    assert [one.href for one in chips.categories] == ["windows/category-sport.html"]
    assert [(one.text, one.href) for one in page_.chips.windows] == [
        ("All time", "../index.html"),
        ("Last 90 days", ""),
    ]


def test_other_columns_are_pages_of_their_own(views: Mapping[str, BoardPage]) -> None:
    assert list(views) == [
        f"leaderboard/{key}.html" for key in ("returns", "forecasts", "risk", "cost", "replies")
    ]
    for path, one in views.items():
        assert [row.slug for row in ranked(one)] == list(ORDER)
        assert [chip.text for chip in one.chips.views if not chip.href] == [one.title], path


def test_without_a_forecast_that_has_resolved_nobody_is_ranked(simulated: Site) -> None:
    blank = page_of(simulated.store, Overview())
    assert blank.ranking.rank is None
    names = [row.contestant.text for row in ranked(blank)]
    assert names == sorted(names)
    assert not any(row.leads or row.verdict for row in blank.ranking.rows)


def test_one_contestant_is_compared_with_nobody(tmp_path: Path) -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 500))}}) as game:
        game.tick(0)
        write_site(game.store, tmp_path)
    root = page(tmp_path, "index.html")
    assert "nobody is ranked" in root.all("h1")[0].text
    assert "1 contestants" not in root.text


def test_money_is_that_of_the_books(simulated: Site, views: Mapping[str, BoardPage]) -> None:
    keys = ("returned", "returned_last", "pnl", "realised", "unrealised", "fees", "break_even")
    for standing in some(simulated.store.boards.overall().standings):
        who = standing.contestant
        if who == MARKET:
            continue
        for key in keys:
            found = in_view(views, who, "returns", key)
            assert found.value == steady(getattr(standing, key))
            assert found.text == METRICS[key].shown(getattr(standing, key))
        for key in ("turns_ok", "turns_failed", "refused"):
            assert in_view(views, who, "replies", key).value == getattr(standing, key)


def test_a_score_without_an_interval_says_why(views: Mapping[str, BoardPage]) -> None:
    assert in_view(views, ALDER, "forecasts", "brier").note == "one event: no interval"
    assert in_view(views, ALWAYS_NO, "forecasts", "alpha") == Cell("n/a")
    assert estimated("cost", Estimate(0.5, 3, 0)).note == ""


def test_the_linear_score_is_read_with_its_caveat(views: Mapping[str, BoardPage]) -> None:
    assert LINEAR_CAVEAT in " ".join(views["leaderboard/forecasts.html"].ranking.notes)
    assert all(LINEAR_CAVEAT in METRICS[key].caveat for key in ("linear", "linear_p"))


def test_a_calibration_score_has_a_resampled_interval(views: Mapping[str, BoardPage]) -> None:
    """Its value lies outside of what the resampled events say, which is told."""
    found = in_view(views, ALDER, "forecasts", "mcb")
    assert found.between
    assert found.note == "the interval does not contain the estimate"


def test_a_contestant_with_an_unpriced_position_has_no_return() -> None:
    """Its book lost a side and stayed so for longer than a mark may be old."""
    bets = buys((RAIN, Side.YES, 500), (SNOW, Side.YES, 500))
    with playing({ADA: {1: bets}}) as game:
        game.tick(0)
        game.quote(quote("0.3", None, name=SNOW))
        game.tick(100)
        made = boards_of(reading_of(game.store, Overview(), NOBODY))
    found = in_view(made, ADA, "returns", "returned")
    assert (found.text, found.note, found.value) == ("n/a:", "1 of 2 positions unpriced", None)
    last = in_view(made, ADA, "returns", "returned_last")
    assert (last.text, last.note) == ("0.00%", "oldest price 4 d 4 h old")
    assert in_view(made, ADA, "risk", "unpriced").value == 1


def test_a_cost_that_nobody_stated_is_unknown(lively: Site) -> None:
    view = page_of(lively.store, Overview(), NOBODY)
    assert cell(view, ADA, "cost_per_forecast") == Cell("n/a", "unknown in all")


def test_forecasts_cost_at_least_what_is_known_of_it(simulated: Site) -> None:
    board, reading = simulated.store.boards.overall(), reading_of(simulated.store, told())
    line = next(line for line in lines_of(board, reading) if line.standing.forecast.n)
    known = replace(line.standing, cost=None, cost_known=usd(line.standing.forecast.n))
    cost = {column.key: column.cell for column in summary("").columns}["cost_per_forecast"]
    assert cost("", replace(line, standing=known)).text == "\N{GREATER-THAN OR EQUAL TO}$100.00"


def test_commands_say_how_to_check_the_page(view: IndexPage) -> None:
    assert [fact.text for fact in view.checks] == [
        "arena explain alder alpha",
        "arena compare --metric alpha",
        "arena compare alder birch --metric alpha",
        "arena audit",
    ]


def test_a_name_in_a_command_cannot_run_another_one(attacked: Site) -> None:
    """The shell gets each name as one word, or the command is left out."""
    board = attacked.store.boards.overall()
    overview = told()
    reading = reading_of(attacked.store, replace(overview, profiles={}, order=()), NOBODY)
    assert len(lines_of(board, reading)) == len(board.standings)
    blank = replace(overview, profiles={}, order=())
    for fact in page_of(attacked.store, blank, NOBODY).checks:
        assert "\n" not in fact.text
        assert fact.text.startswith("arena ")


def test_drawings_have_their_numbers_and_lead_to_their_contestants(view: IndexPage) -> None:
    assert view.equity
    hrefs = {key.href for key in view.equity.keys}
    assert places.contestant(ALDER) in hrefs
    assert places.contestant(ALWAYS_NO) not in hrefs
    assert view.equity.grid.columns[0].texts


def test_without_estimates_there_is_nothing_to_draw(simulated: Site) -> None:
    blank = page_of(simulated.store, Overview())
    assert (blank.equity, blank.plane, blank.sure) == (None, None, ())


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (("Twin", "Twin"), ["Twin (alder)", "Twin (birch)"]),
        (("birch", ""), ["birch (alder)", "birch (birch)"]),
        (("x" * 66, "x" * 65), [f"{'x' * 51}… ({who})" for who in (ALDER, BIRCH)]),
    ],
    ids=["one label", "an id of another", "alike where they are cut"],
)
def test_a_label_that_is_not_ones_own_is_told_apart_by_the_id(
    labels: tuple[str, str], shown: list[str], simulated: Site
) -> None:
    both = zip((ALDER, BIRCH), labels, strict=True)
    edition = Edition({who: Entrant(who, label) for who, label in both})
    rows = page_of(simulated.store, told(), edition).ranking.rows
    assert [row.contestant.text for row in rows[:2]] == shown


def test_who_has_only_just_sat_down_stands_last(simulated: Site) -> None:
    known = told()
    order = tuple(name for name in known.order if name != ALDER)
    profiles = {name: one for name, one in known.profiles.items() if name != ALDER}
    rows = ranked(page_of(simulated.store, replace(known, order=order, profiles=profiles)))
    assert rows[-1].slug == ALDER
    assert rows[-1].ranks.text == "n/a"


def test_who_is_no_longer_configured_goes_by_its_id(simulated: Site) -> None:
    rows = page_of(simulated.store, told(), NOBODY).ranking.rows
    assert all(row.contestant.text == row.slug for row in some(rows) if not row.kind)


@given(st.sets(st.integers(0, 5000)))
def test_moments_are_thinned_to_few_with_both_ends_and_the_last_two(hours: set[int]) -> None:
    every = {START + timedelta(hours=n) for n in hours}
    kept = thinned(every)
    assert kept <= every
    assert len(kept) <= MOMENTS
    assert len(every) > MOMENTS or kept == every
    if every:
        assert {min(every), max(every)} <= kept
        assert set(sorted(every)[-2:]) <= kept


def test_the_front_page_of_two_hundred_holds_its_budget(simulated: Site) -> None:
    html = html_of(crowd(simulated.store, 200))
    assert len(html.encode()) <= PAGE_BYTES
    assert len(gzip.compress(html.encode(), 9, mtime=0)) <= FRONT_GZ
    assert len(list(tags(html))) <= FRONT_NODES


def test_the_first_stand_in_front_and_the_others_elsewhere(simulated: Site) -> None:
    view = crowd(simulated.store, 200)
    names = [row.slug for row in view.ranking.rows if not row.kind]
    playing_ = [f"contestant-{n:03}" for n in range(200) if n % 10 != 9]
    assert names == playing_[:MOST]
    assert view.ranking.left_out == len(playing_) - MOST
    more = f"{view.ranking.left_out} more are among all contestants"
    assert more in parse(html_of(view)).text


def test_twenty_all_stand_in_front(simulated: Site) -> None:
    view = crowd(simulated.store, 20)
    assert view.ranking.left_out == 0
    assert "more are among" not in parse(html_of(view)).text


def test_the_evidence_of_a_line_is_events_and_questions_counted_once(simulated: Site) -> None:
    known = told()
    twice = replace(known.profiles[ALDER], questions=40)
    found = replace(known, profiles={**known.profiles, ALDER: twice})
    events = cell(page_of(simulated.store, found), ALDER, "events")
    assert (events.text, events.note, events.value) == ("18", "40 questions, 80 forecasts", 18)
    once = replace(known, profiles={**known.profiles, ALDER: replace(twice, questions=80)})
    assert cell(page_of(simulated.store, once), ALDER, "events").note == "80 questions"
