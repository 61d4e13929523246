"""What the front page says first, and that other pages say the same."""

import json

from tests.site.conftest import Site
from tests.site.fronts import ALDER, ALPHAS, BIRCH, MARKET, page_of, told


def test_all_are_said_to_be_tied_where_nobody_is_told_apart(simulated: Site) -> None:
    everybody = tuple(ALPHAS)
    assert page_of(simulated.store, told(everybody)).news.startswith(
        "All 5 contestants are statistically tied for first by alpha"
    )


def test_it_is_said_where_nobody_was_shown_to_beat_the_price(simulated: Site) -> None:
    beaten = page_of(simulated.store, told((ALDER, BIRCH)))
    tied = page_of(simulated.store, told((ALDER, BIRCH, MARKET)))
    assert "nobody was shown to beat it" not in " ".join(beaten.more)
    assert "nobody was shown to beat it" in " ".join(tied.more)


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
