import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics.registry import LINEAR_CAVEAT, METRICS
from arena.records.cohort import ContestantId
from arena.records.entrant import Edition, Entrant
from arena.records.estimate import Estimate, Interval
from arena.records.market import Side
from arena.site import places, twins
from arena.site.budget import FRONT_GZ, FRONT_NODES, PAGE_BYTES
from arena.site.estimates import estimated
from arena.site.markup import tags
from arena.site.overview import Flip, Overview
from arena.site.pages.front_figures import MOMENTS, thinned
from arena.site.pages.glances import axis_of, score
from arena.site.pages.ranking import lines_of
from arena.site.views.leaderboard import IndexPage
from arena.site.views.parts import Cell
from arena.store import open_store
from tests.build import ADA, RAIN, SNOW, quote
from tests.site.conftest import Site
from tests.site.folders import START, Element, page, parse, table, write_site
from tests.site.fronts import (
    ALDER,
    ALWAYS_NO,
    BIRCH,
    CAST,
    NOBODY,
    TIED,
    crowd,
    html_of,
    page_of,
    reading_of,
    told,
)
from tests.stage import buys, playing


@pytest.fixture(scope="module")
def view(simulated: Site) -> IndexPage:
    return page_of(simulated.store, told())


@pytest.fixture(scope="module")
def shown(view: IndexPage) -> Element:
    return parse(html_of(view))


def body(root: Element) -> list[Element]:
    return table(root, "Leaderboard").all("tbody")[0].all("tr")


def lines(root: Element) -> list[Element]:
    return [row for row in body(root) if row.attributes.get("class") != "line"]


def first_words(view: IndexPage) -> str:
    return parse(html_of(view)).all("main")[0].all("p")[0].text


def every_cell(view: IndexPage) -> Iterator[Cell]:
    for row in view.ranking.rows:
        for cells in row.cells:
            yield from cells


def cell(view: IndexPage, who: ContestantId, glance: str, key: str) -> Cell:
    """The cell of a contestant in a column of a glance."""
    row = next(r for r in view.ranking.rows if r.slug == who)
    n = next(n for n, one in enumerate(view.ranking.glances) if one.key == glance)
    keys = [column.key for column in view.ranking.glances[n].columns]
    return row.cells[n][keys.index(key)]


def test_the_first_sentence_says_how_many_are_tied_for_first(view: IndexPage) -> None:
    assert first_words(view) == (
        "3 of 5 contestants are statistically tied for first by Brier gain over the market, "
        "from 24 resolved markets of 18 independent events."
    )


def test_who_is_tied_with_nobody_is_named_first(simulated: Site) -> None:
    assert first_words(page_of(simulated.store, told((ALDER,)))) == (
        "Alder the First is first of 5 contestants by Brier gain over the market and tied with "
        "nobody, from 24 resolved markets of 18 independent events."
    )


def test_without_a_forecast_that_came_out_nobody_leads(simulated: Site) -> None:
    blank = page_of(simulated.store, Overview())
    assert first_words(blank) == (
        "No forecast has come out yet, so nobody can be said to lead: the 6 contestants "
        "stand in order of return."
    )
    board = simulated.store.boards.overall()
    assert [r.slug for r in blank.ranking.rows] == [s.contestant for s in board.standings]
    assert not any(row.tied or row.open_ranks for row in blank.ranking.rows)


def test_one_contestant_is_compared_with_nobody(tmp_path: Path) -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 500))}}) as game:
        game.tick(0)
        write_site(game.store, tmp_path)
    root = page(tmp_path, "index.html")
    assert "nobody to compare it with" in root.all("main")[0].all("p")[0].text
    assert "1 contestants" not in root.text
    assert "tied" not in root.text


def test_an_arena_without_games_says_what_to_do(tmp_path: Path) -> None:
    with open_store(None) as store:
        write_site(store, tmp_path)
    root = page(tmp_path, "index.html")
    assert "arena tick" in root.text
    assert "arena demo" in root.text
    assert root.all("table") == []
    assert json.loads((tmp_path / "index.json").read_text())["ranking"]["rows"] == []


def test_the_first_place_is_said_to_be_luck_where_its_interval_holds_zero(
    simulated: Site,
) -> None:
    known = told()
    assert "better than the price" in page_of(simulated.store, known).more[-1]
    leader = known.profiles[ALDER]
    wide = Estimate(0.02, 80, 18, interval=Interval(-0.1, 0.14, 0.95, "cluster t"))
    profiles = {**known.profiles, ALDER: replace(leader, scores={"alpha": wide})}
    unsure = page_of(simulated.store, replace(known, profiles=profiles))
    assert "luck alone could explain that" in unsure.more[-1]


def test_every_cell_says_what_the_json_twin_says(view: IndexPage, shown: Element) -> None:
    twin = json.loads(twins.told(view, "index.html").twin)["ranking"]
    assert len(lines(shown)) == len(twin["rows"]) == 6
    for line, row in zip(lines(shown), twin["rows"], strict=True):
        rank, name = line.inside[1], line.all("th")[0]
        assert isinstance(rank, Element)
        assert rank.text == " ".join(filter(None, (row["rank"]["text"], row["open_ranks"])))
        assert name.text == " ".join(filter(None, (row["contestant"]["text"], row["about"])))
        told_cells = [one for cells in row["cells"] for one in cells]
        cells = [td for td in line.all("td")[1:] if "shape" not in td.attributes["class"]]
        for td, said in zip(cells, told_cells, strict=True):
            assert td.text.startswith(said["text"])
            exact = said["text"] if str(said["value"]) == said["text"] else None
            assert same(td.attributes.get("data-v", exact), said["value"])
            assert said.get("between", {}).get("text", "") in td.text
            assert said.get("note", "") in td.text


def same(written: str | None, value: float | str | None) -> bool:
    if written is None or value is None:
        return written is None and value is None
    return Decimal(written) == Decimal(str(value))


def test_money_is_that_of_the_books(simulated: Site, view: IndexPage) -> None:
    for standing in simulated.store.boards.overall().standings:
        who = standing.contestant
        for key in ("returned", "pnl", "realised", "unrealised", "fees", "break_even"):
            found = cell(view, who, "returns", key)
            assert found.value == getattr(standing, key)
            assert found.text == METRICS[key].shown(getattr(standing, key))
        for key in ("turns_ok", "turns_failed", "refused"):
            assert cell(view, who, "replies", key).value == getattr(standing, key)


def test_an_interval_holds_its_value_or_says_why_not(view: IndexPage) -> None:
    drawn = [one for one in every_cell(view) if one.between]
    assert len(drawn) > 5
    for one in drawn:
        assert one.between
        assert isinstance(one.value, float)
        assert one.between.low <= one.value <= one.between.high or one.note


def test_a_score_without_an_interval_says_why(view: IndexPage) -> None:
    assert cell(view, ALDER, "forecasting", "brier").note == "one event: no interval"
    assert cell(view, ALWAYS_NO, "forecasting", "alpha") == Cell("n/a")
    assert estimated("cost", Estimate(0.5, 3, 0)).note == ""


def test_what_has_no_value_is_never_nought(view: IndexPage) -> None:
    for one in every_cell(view):
        assert (one.value is None) == (one.text in {"n/a", "n/a:", "unknown"}), one


def test_the_headline_is_drawn_with_its_interval(view: IndexPage, shown: Element) -> None:
    drawn = [line for line in lines(shown) if "drawn" in classes(line)]
    assert len(drawn) == sum(
        bool(cells[0].between) for row in view.ranking.rows for cells in row.cells[:1]
    )
    assert len(drawn) == 4


def classes(element: Element) -> set[str]:
    every = (one.attributes.get("class", "") for one in element.everything())
    return {name for names in every for name in names.split()}


def test_an_axis_makes_room_for_most_and_not_for_one_far_away(simulated: Site) -> None:
    reading = reading_of(simulated.store, told())
    found = axis_of("alpha", lines_of(simulated.store.boards.overall(), reading))
    assert found is not None
    assert found.least <= 0.0 <= found.most
    assert found.base == 0.0


def test_the_line_stands_where_the_leading_group_ends(shown: Element) -> None:
    rows = body(shown)
    at = next(n for n, row in enumerate(rows) if row.attributes.get("class") == "line")
    assert at == 2
    assert rows[at].text == (
        "end of the group tied for first, but one more is tied with it further down"
    )


def test_a_group_in_one_piece_ends_without_a_word_more(simulated: Site) -> None:
    words = page_of(simulated.store, told(TIED[:2])).ranking.tied_words
    assert words == "end of the group tied for first"


def test_who_has_no_forecast_stands_last_without_a_rank_and_with_a_reason(
    view: IndexPage,
) -> None:
    last = view.ranking.rows[-1]
    assert (last.slug, last.rank.text, last.rank.value) == (ALWAYS_NO, "n/a", None)
    assert last.about == "baseline, no forecast of it has come out"
    assert [row.rank.value for row in view.ranking.rows[:-1]] == [1, 2, 3, 4, 5]


def test_a_rank_has_the_ranks_that_tests_leave_open_beside_it(view: IndexPage) -> None:
    for row in view.ranking.rows[:-1]:
        low, high = map(int, row.open_ranks.split("\N{EN DASH}"))
        assert isinstance(row.rank.value, int)
        assert low <= row.rank.value <= high


def test_references_are_marked_in_words_and_can_be_hidden(
    simulated: Site, shown: Element
) -> None:
    marked = [one for one in lines(shown) if "ref" in one.attributes.get("class", "").split()]
    assert [one.all("th")[0].text for one in marked] == [
        "Market price baseline, the zero of alpha",
        "Always NO baseline, no forecast of it has come out",
    ]
    boxes = [e for e in shown.all("input") if e.attributes["type"] == "checkbox"]
    assert [box.attributes["id"] for box in boxes] == ["base"]
    without = parse(html_of(page_of(simulated.store, told(), NOBODY)))
    assert [e for e in without.all("input") if e.attributes["type"] == "checkbox"] == []


def test_the_linear_score_is_read_with_its_caveat(shown: Element) -> None:
    assert LINEAR_CAVEAT in table(shown, "Leaderboard").all("caption")[0].text


def test_every_metric_of_a_head_is_explained_and_says_which_way_is_better(
    view: IndexPage, shown: Element
) -> None:
    heads = table(shown, "Leaderboard").all("th")
    linked = [a for head in heads for a in head.all("a") if "#" in a.attributes["href"]]
    explained = [a.attributes["href"].partition("#")[2] for a in linked]
    assert {key for key in explained if key and "=" not in key} <= set(METRICS)
    for glance in view.ranking.glances:
        for column in glance.columns:
            if column.key in METRICS:
                assert column.better in {"", METRICS[column.key].better.value}
    words = " ".join(head.text for head in heads)
    assert "lower is better" in words
    assert "higher is better" in words


def test_there_are_six_glances_and_the_first_is_looked_at(shown: Element) -> None:
    radios = [e for e in shown.all("input") if e.attributes["type"] == "radio"]
    assert [e.attributes["value"] for e in radios] == [
        "summary", "returns", "forecasting", "risk", "cost", "replies",
    ]  # fmt: skip
    assert ["checked" in e.attributes for e in radios] == [True] + [False] * 5


def test_a_calibration_score_takes_the_interval_that_resampling_gave(view: IndexPage) -> None:
    """Its value lies outside of what the resampled events say, which is told."""
    found = cell(view, ALDER, "forecasting", "mcb")
    assert found.between
    assert found.note == "resampled events lie to one side of it"


def test_a_contestant_with_an_unpriced_position_has_no_return() -> None:
    """Its book lost a side and stayed so for longer than a mark may be old."""
    bets = buys((RAIN, Side.YES, 500), (SNOW, Side.YES, 500))
    with playing({ADA: {1: bets}}) as game:
        game.tick(0)
        game.quote(quote("0.3", None, name=SNOW))
        game.tick(100)
        view = page_of(game.store, Overview(), NOBODY)
    found = cell(view, ADA, "returns", "returned")
    assert (found.text, found.note, found.value) == ("n/a:", "1 of 2 positions unpriced", None)
    assert cell(view, ADA, "risk", "unpriced").value == 1


def test_a_cost_that_nobody_stated_is_unknown(lively: Site) -> None:
    view = page_of(lively.store, Overview(), NOBODY)
    assert cell(view, ADA, "cost", "cost") == Cell("unknown")


def test_it_is_said_what_would_flip_first_place(simulated: Site, view: IndexPage) -> None:
    assert view.flip == (
        "What would flip first place: 2 of 18 events. Without these 2 events, birch would "
        "stand first instead of Alder the First."
    )
    known = told()
    equal = replace(known, flip=Flip(ALDER, BIRCH, ()))
    assert "stand equal" in page_of(simulated.store, equal).flip
    never = replace(known, flip=Flip(ALDER, None, ()))
    assert page_of(simulated.store, never).flip == (
        "No small set of events was found without which anybody but Alder the First would "
        "stand first."
    )


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
    for fact in page_of(attacked.store, replace(overview, profiles={}), NOBODY).checks:
        assert "\n" not in fact.text
        assert fact.text.startswith("arena ")


def test_drawings_have_their_numbers_and_lead_to_their_contestants(view: IndexPage) -> None:
    assert view.equity
    assert view.ranks
    hrefs = {key.href for figure in (view.equity, view.ranks) for key in figure.keys}
    assert places.contestant(ALDER) in hrefs
    assert all(figure.grid.columns[0].texts for figure in (view.equity, view.ranks))


def test_without_estimates_there_is_nothing_to_draw(simulated: Site) -> None:
    blank = page_of(simulated.store, Overview())
    assert (blank.equity, blank.ranks, blank.plane, blank.flip) == (None, None, None, "")


def test_a_label_that_two_share_is_told_apart_by_the_id(simulated: Site) -> None:
    twins = Edition({who: Entrant(who, "Twin") for who in (ALDER, BIRCH)})
    rows = page_of(simulated.store, told(), twins).ranking.rows
    assert [row.contestant.text for row in rows[:2]] == ["Twin (alder)", "Twin (birch)"]


def test_who_has_only_just_sat_down_stands_last(simulated: Site) -> None:
    known = told()
    order = tuple(name for name in known.order if name != ALDER)
    profiles = {name: one for name, one in known.profiles.items() if name != ALDER}
    rows = page_of(simulated.store, replace(known, order=order, profiles=profiles)).ranking.rows
    assert rows[-1].slug == ALDER
    assert rows[-1].rank.text == "n/a"


def test_a_score_is_read_from_the_profile(simulated: Site) -> None:
    reading = reading_of(simulated.store, told(), CAST)
    first = lines_of(simulated.store.boards.overall(), reading)[0]
    assert score("alpha", first).text == "+0.0200"
    assert score("slope", first) == Cell("n/a")


def test_who_is_no_longer_configured_goes_by_its_id(simulated: Site) -> None:
    rows = page_of(simulated.store, told(), NOBODY).ranking.rows
    assert [row.contestant.text for row in rows] == [row.slug for row in rows]


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


def test_the_first_and_the_references_stand_in_front_and_the_others_elsewhere(
    simulated: Site,
) -> None:
    view = crowd(simulated.store, 200)
    names = [row.slug for row in view.ranking.rows]
    assert names[:12] == [f"contestant-{n:03}" for n in range(12)]
    assert all(row.reference for row in view.ranking.rows[12:])
    assert len(names) + view.ranking.left_out == 200
    assert (
        f"{view.ranking.left_out} more are among all contestants" in parse(html_of(view)).text
    )


def test_twenty_all_stand_in_front(simulated: Site) -> None:
    view = crowd(simulated.store, 20)
    assert (len(view.ranking.rows), view.ranking.left_out) == (20, 0)
    assert "more are among" not in parse(html_of(view)).text
