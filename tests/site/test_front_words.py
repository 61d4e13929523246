"""What the front page says first, and that other pages say the same."""

import json
from dataclasses import replace
from decimal import Decimal

from arena.records.cohort import ContestantId
from arena.records.entrant import Edition, Entrant
from arena.records.estimate import Estimate, Interval
from arena.site.overview import Overview, Place
from arena.site.pages.leaderboard import front_of
from tests.site.conftest import Site
from tests.site.fronts import ALDER, ALPHAS, ALWAYS_NO, BIRCH, MARKET, page_of, reading_of, told


def told_of_alder(alpha: Estimate, rank_of_birch: int = 2) -> Overview:
    """The usual front, but for what is known of the two on top."""
    known = told()
    first, second = known.profiles[ALDER], known.profiles[BIRCH]
    profiles = {
        **known.profiles,
        ALDER: replace(first, scores={**first.scores, "alpha": alpha}),
        BIRCH: replace(second, place=Place(rank_of_birch, 1, 4)),
    }
    return replace(known, profiles=profiles)


def alpha(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, 80, 18, interval=Interval(low, high, 0.95, "t"))


def test_all_are_said_to_be_tied_where_nobody_is_told_apart(simulated: Site) -> None:
    everybody = tuple(ALPHAS)
    assert page_of(simulated.store, told(everybody)).news.startswith(
        "All 5 contestants are statistically tied for first by Brier gain over the market"
    )


def test_it_is_said_where_nobody_was_shown_to_beat_the_price(simulated: Site) -> None:
    beaten = page_of(simulated.store, told((ALDER, BIRCH)))
    tied = page_of(simulated.store, told((ALDER, BIRCH, MARKET)))
    assert "nobody was shown to beat it" not in " ".join(beaten.more)
    assert "nobody was shown to beat it" in " ".join(tied.more)


def test_without_a_contestant_of_the_price_it_is_said_who_stands_above_it(
    simulated: Site,
) -> None:
    above = told_of_alder(alpha(-0.001, 0.03))
    without = page_of(simulated.store, replace(above, tied=(ALDER, BIRCH)), Edition())
    assert "1 of the 2 tied have an interval" in " ".join(without.more)
    with_it = page_of(simulated.store, replace(above, tied=(ALDER, BIRCH)))
    assert "No contestant forecasts the market's own price" not in " ".join(with_it.more)


def test_the_figure_of_returns_tells_of_dashes_only_where_something_is_open(
    simulated: Site,
) -> None:
    reading = reading_of(simulated.store, told())
    board = simulated.store.boards.overall()
    closed = replace(board, standings=tuple(replace(s, open=0) for s in board.standings))
    some, none = front_of(board, reading).equity, front_of(closed, reading).equity
    assert some is not None
    assert none is not None
    assert "dashed" in some.caption
    assert "dashed" not in none.caption
    assert none.caption.endswith("no position is open.")


def test_the_cost_is_the_one_that_the_page_of_costs_begins_with(
    simulated: Site, lively: Site
) -> None:
    for site in (simulated, lively):
        front = json.loads((site.out / "index.json").read_text())
        costs = json.loads((site.out / "costs.json").read_text())
        said = costs["facts"][0]
        kpi = front["kpis"][-1]["cell"]["text"]
        assert kpi in {said["text"], said["note"]}


def test_a_realised_return_is_the_same_on_its_own_page(simulated: Site) -> None:
    front = json.loads((simulated.out / "index.json").read_text())["ranking"]
    keys = [column["key"] for column in front["glances"][0]["columns"]]
    assert front["rows"]
    for row in front["rows"]:
        own = json.loads((simulated.out / f"contestants/{row['slug']}/index.json").read_text())
        kpis = {one["name"]: one["cell"]["text"] for one in own["standing"]["kpis"]}
        shown = row["cells"][0][keys.index("realised_return")]
        assert shown["text"] == kpis["Return, realised"]


def test_a_share_of_bets_is_never_said_to_be_below_none_or_above_all(simulated: Site) -> None:
    front = json.loads((simulated.out / "index.json").read_text())["ranking"]
    keys = [column["key"] for column in front["glances"][1]["columns"]]
    cells = [row["cells"][1][keys.index("win_rate")] for row in front["rows"]]
    rooms = [cell["between"] for cell in cells if cell.get("between")]
    assert rooms
    assert all(0 <= room["low"] <= room["high"] <= 1 for room in rooms)


def test_the_first_of_all_can_be_said_to_be_worse_than_the_price(simulated: Site) -> None:
    for room, word in (
        (alpha(-0.04, -0.02), ": worse than the price."),
        (alpha(-0.04, 0.02), "luck alone could explain that."),
        (alpha(0.02, 0.04), "better than the price, though the best of many is lucky"),
    ):
        said = " ".join(page_of(simulated.store, told_of_alder(room)).more)
        assert word in said


def test_two_who_stand_equal_are_both_named_where_one_stands_first(simulated: Site) -> None:
    view = page_of(simulated.store, told_of_alder(alpha(0.02, 0.04), rank_of_birch=1))
    assert "Alder the First and 1 other stand equal, and the order" in " ".join(view.more)
    assert view.kpis[0].cell.note == "and 1 other"


def test_two_are_said_to_be_both(simulated: Site) -> None:
    known = told((ALDER, BIRCH))
    alone = {
        name: replace(one, place=Place(None, 1, 6))
        for name, one in known.profiles.items()
        if name not in {ALDER, BIRCH}
    }
    two = replace(known, profiles={**known.profiles, **alone})
    assert page_of(simulated.store, two).news.startswith("Both contestants are statistically")


def test_a_baseline_that_leads_is_not_passed_over_where_first_place_flips(
    simulated: Site,
) -> None:
    known = told()
    led = replace(known, order=(MARKET, *(n for n in known.order if n != MARKET)))
    assert page_of(simulated.store, led).flip.startswith(
        "What would flip first place of those who are no baseline: 2 of 18 events."
    )


def test_the_evidence_beside_alpha_is_what_alpha_is_the_mean_of(simulated: Site) -> None:
    front = json.loads((simulated.out / "index.json").read_text())
    keys = [column["key"] for column in front["ranking"]["glances"][0]["columns"]]
    shown = {
        row["slug"]: row["cells"][0][keys.index("forecasts_n")]
        for row in front["ranking"]["rows"]
    }
    for slug, cell in shown.items():
        own = json.loads((simulated.out / f"contestants/{slug}/index.json").read_text())
        kpis = {one["name"]: one["cell"] for one in own["standing"]["kpis"]}
        assert " ".join(kpis["Brier gain over the market"]["note"].split()).startswith(
            cell["note"]
        ), slug


def test_forecasts_without_a_price_are_not_called_evidence_of_alpha(simulated: Site) -> None:
    known = told()
    few = replace(known, basis=replace(known.basis, markets=20, events=15, forecasts=380))
    view = page_of(simulated.store, few)
    assert view.news.endswith("from 20 resolved markets of 15 independent events.")
    assert view.kpis[2].over == "15 events, 380 forecasts; 20 more had no price"
    assert "2 of 15 events" in view.flip


def test_what_is_said_to_be_less_fees_is_and_what_is_not_is_not(simulated: Site) -> None:
    front = json.loads((simulated.out / "index.json").read_text())["ranking"]
    returns = front["glances"][1]
    assert returns["note"].startswith("P/L, realised and open: before fees.")
    keys = [column["key"] for column in returns["columns"]]
    for row in front["rows"]:
        books = {
            key: Decimal(cell["value"])
            for key, cell in zip(keys, row["cells"][1], strict=True)
            if key in {"pnl", "realised", "unrealised", "fees"}
        }
        assert books["pnl"] == books["realised"] + books["unrealised"] - books["fees"]


def test_it_is_said_where_all_but_the_baselines_are_simulated(simulated: Site) -> None:
    names = [line.contestant for line in simulated.store.boards.overall().standings]
    played = [name for name in names if name not in {MARKET, ALWAYS_NO}]

    def said(agents: dict[ContestantId, str]) -> bool:
        cast = {name: Entrant(name, agent=agent) for name, agent in agents.items()}
        cast |= {n: Entrant(n, agent="market", reference=True) for n in (MARKET, ALWAYS_NO)}
        return "no language model was asked" in " ".join(
            page_of(simulated.store, told(), Edition(cast)).more
        )

    everybody = dict.fromkeys(played, "simulated")
    assert said(everybody)
    assert not said({**everybody, played[0]: "prompted"})
