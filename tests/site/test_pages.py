import json
from collections.abc import Sequence
from dataclasses import fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import CohortId, ContestantId, RankBy, Rules, Universe
from arena.records.grade import Board, Standing
from arena.records.market import YES_WINS, Side, State
from arena.site import places
from arena.site.pages.leaderboard import KEYS
from arena.store import open_store
from tests.build import ADA, BEN, COHORT, RAIN, SNOW, at, at_price, market, quote, spec
from tests.site.conftest import Site
from tests.site.folders import page, rows, table, write_site
from tests.stage import buys, playing

ADAS = places.contestant(ADA)


def json_twin(out: Path) -> Any:  # noqa: ANN401  # it is JSON
    return json.loads((out / places.LEADERBOARD_JSON).read_text(encoding="utf-8"))


def written(line: dict[str, object]) -> list[str]:
    """A line of the JSON twin as the table should write it."""
    unpriced = f"n/a: {line['unpriced']} of {line['open']} position"
    unpriced += "s unpriced" if line["open"] != 1 else " unpriced"

    def shown(key: str) -> str:
        value = line[key]
        if isinstance(value, dict):
            return f"{METRICS[key].shown(value['value'])} n {figures.count(value['n'])}"
        exact = Decimal(value) if isinstance(value, str) else value
        assert exact is None or isinstance(exact, Decimal | float)
        return METRICS[key].shown(exact)

    special = {
        "cost": "unknown" if line["cost"] is None else shown("cost"),
        "turns": f"{line['turns_ok']} / {line['turns_failed']}",
        "open": f"{line['open']}"
        + (f" {line['unpriced']} unpriced" if line["unpriced"] else ""),
    }
    unknown = dict.fromkeys(("returned", "pnl", "unrealised"), unpriced)
    known = special | (unknown if line["unpriced"] else {})
    rank = "n/a" if line["rank"] is None else str(line["rank"])
    return [rank, str(line["label"])] + [known.get(key) or shown(key) for key in KEYS]


@pytest.mark.parametrize("name", ["simulated", "lively"])
def test_every_cell_of_the_table_says_what_the_json_twin_says(
    name: str, request: pytest.FixtureRequest
) -> None:
    site: Site = request.getfixturevalue(name)
    shown = rows(table(page(site.out, "index.html"), "Leaderboard"))
    assert shown == [written(line) for line in json_twin(site.out)["standings"]]
    assert len(shown) > 1


def plain(value: object) -> object:
    return str(value.normalize()) if isinstance(value, Decimal) else value


@pytest.mark.parametrize("name", ["simulated", "lively"])
def test_the_json_twin_says_what_the_board_says(
    name: str, request: pytest.FixtureRequest
) -> None:
    site: Site = request.getfixturevalue(name)
    lines = json_twin(site.out)["standings"]
    board = site.store.boards.overall()
    assert [line["contestant"] for line in lines] == [s.contestant for s in board.standings]
    for line, standing in zip(lines, board.standings, strict=True):
        for key in ("rank", "returned", "open", "unpriced", "break_even", "turns_ok"):
            assert line[key] == getattr(standing, key), key
        for key in ("linear", "kelly", "stated", "forecast", "win_rate"):
            score = getattr(standing, key)
            assert line[key] == {"value": score.value, "n": score.n}
        for key in ("pnl", "realised", "unrealised", "fees", "cost", "total"):
            amount = getattr(standing, key)
            told = line[key]
            assert amount == (told if told is None else Decimal(str(told))), key


def test_the_first_sentence_says_what_the_table_shows(lively: Site) -> None:
    said = page(lively.out, "index.html").all("main")[0].all("p")[0].text
    assert said == (
        "This table shows how 2 contestants did in 2 cohorts with 4 resolved fills; "
        "data as of 2026-01-08 18:00 UTC."
    ).replace("4 resolved fills", f"{resolved(lively.store.boards.overall())} resolved fills")


def resolved(board: Board) -> int:
    return sum(s.win_rate.n for s in board.standings)


def test_no_page_claims_that_anybody_is_better(simulated: Site) -> None:
    said = page(simulated.out, "index.html").text
    assert "not tested for significance here" in said
    assert "The command arena compare tests differences of scores" in said
    assert "wins" not in said.lower()


def test_the_linear_score_is_read_with_its_caveat(simulated: Site) -> None:
    for path in ("index.html", "cohorts/daily-2026-01-05/index.html"):
        heads = table(page(simulated.out, path), "Leaderboard" + _of(path)).all("thead")
        assert "a small winning bet is scored as a bad one" in heads[0].text


def _of(path: str) -> str:
    return "" if path == "index.html" else " of this cohort"


def test_a_contestant_with_an_unpriced_position_has_no_return(tmp_path: Path) -> None:
    """Its book lost a side and stayed so for longer than a mark may be old."""
    bets = buys((RAIN, Side.YES, 500), (SNOW, Side.YES, 500))
    with playing({ADA: {1: bets}}) as game:
        game.tick(0)
        game.quote(quote("0.3", None, name=SNOW))
        game.tick(100)
        write_site(game.store, tmp_path)
        standing = game.store.boards.overall().standings[0]
    assert (standing.unpriced, standing.open) == (1, 2)
    cells = rows(table(page(tmp_path, "index.html"), "Leaderboard"))[0]
    assert cells[:4] == ["n/a", "ada"] + ["n/a: 1 of 2 positions unpriced"] * 2
    assert cells[-1] == "2 1 unpriced"


def test_a_cost_that_nobody_stated_is_unknown(lively: Site) -> None:
    board = {s.contestant: s for s in lively.store.boards.overall().standings}
    assert board[ADA].cost is None
    line = next(
        r for r in rows(table(page(lively.out, "index.html"), "Leaderboard")) if r[1] == ADA
    )
    assert line[2 + KEYS.index("cost")] == "unknown"


def test_an_arena_without_games_says_what_to_do(tmp_path: Path) -> None:
    with open_store(None) as store:
        write_site(store, tmp_path)
    assert "arena tick" in page(tmp_path, "index.html").text
    twin = json_twin(tmp_path)
    assert (twin["standings"], twin["as_of"], twin["cohorts"]) == ([], None, 0)
    for path in ("cohorts/index.html", "contestants/index.html", "markets/index.html"):
        assert "arena tick" in page(tmp_path, path).text


def test_a_cohorts_page_shows_every_key_of_its_agreement(lively: Site) -> None:
    names = [e.text for e in page(lively.out, f"cohorts/{COHORT}/index.html").all("dt")]
    agreed = ["venue", "decide_every", "decide_for"]
    agreed += [f"universe.{f.name}" for f in fields(Universe)]
    agreed += [f"rules.{f.name}" for f in fields(Rules)]
    assert names == agreed


def test_a_cohorts_page_shows_its_digests(lively: Site) -> None:
    card = lively.store.db.row("SELECT digest FROM cohorts WHERE cohort = ?", COHORT)
    rounds = lively.store.db.rows("SELECT digest FROM rounds WHERE cohort = ?", COHORT)
    assert card is not None
    shown = {e.text for e in page(lively.out, f"cohorts/{COHORT}/index.html").all("code")}
    assert shown == {card["digest"], *(row["digest"] for row in rounds)}


def test_a_cohorts_rounds_count_the_turns_that_failed(lively: Site) -> None:
    shown = rows(table(page(lively.out, f"cohorts/{COHORT}/index.html"), "Rounds"))
    assert [(row[0], row[3]) for row in shown] == [
        ("1", "1 / 1"),
        ("2", "2 / 0"),
        ("3", "1 / 1"),
    ]


def test_a_cohorts_page_shows_its_own_leaderboard(simulated: Site) -> None:
    cohort = CohortId("daily-2026-01-06")
    board = simulated.store.boards.of_cohort(cohort)
    shown = rows(
        table(page(simulated.out, places.cohort(cohort)), "Leaderboard of this cohort")
    )
    assert [row[2] for row in shown] == [
        METRICS["returned"].shown(s.returned) for s in lines(board)
    ]


def lines(board: Board) -> Sequence[Standing]:
    return board.standings


def test_a_cohorts_page_shows_how_its_markets_ended(lively: Site) -> None:
    shown = rows(table(page(lively.out, f"cohorts/{COHORT}/index.html"), "Markets offered"))
    assert {row[0]: row[1] for row in shown} == {
        "Will there be rain?": "resolved NO (revision 3)",
        "Will there be snow?": "resolved void",
        "Will there be hail?": "not resolved",
    }


def test_worths_of_open_positions_add_up_to_the_mark_of_the_books(simulated: Site) -> None:
    for who in ("alder", "always-no"):
        shown = rows(
            table(page(simulated.out, f"contestants/{who}/index.html"), "Open positions")
        )
        marked = simulated.store.db.value(
            "SELECT bid_micro FROM totals WHERE contestant = ?", who
        )
        cents = sum(Decimal(row[5].replace("$", "").replace(",", "")) for row in shown)
        assert abs(cents - Decimal(marked).scaleb(-6)) <= Decimal("0.005") * len(shown)
        assert len(shown) > 1


def test_a_contestants_page_lists_its_failures_with_their_reasons(lively: Site) -> None:
    shown = rows(table(page(lively.out, places.contestant(BEN)), "Failed turns"))
    assert [row[1:3] for row in shown] == [["longer", "1"], [COHORT, "1"]]
    assert all(row[3].startswith("unreadable reply: ") for row in shown)


def test_a_contestants_page_counts_its_refused_orders_by_reason(lively: Site) -> None:
    shown = rows(table(page(lively.out, places.contestant(BEN)), "Refused orders"))
    assert shown == [["the stake exceeds the largest bet", "2"]]


def test_a_contestants_page_lists_its_deals_newest_first(lively: Site) -> None:
    shown = rows(table(page(lively.out, ADAS), "Last fills and sales"))
    assert [row[2] for row in shown] == ["sold YES", "bought NO", "bought YES"]
    assert [row[1] for row in shown] == [f"Will there be {m}?" for m in (RAIN, SNOW, RAIN)]


def test_a_fill_has_its_three_probabilities_and_their_scores(lively: Site) -> None:
    """Ada put $500 of at most $2,500 on rain at 0.5, and said 0.7; it is NO."""
    bought = rows(table(page(lively.out, ADAS), "Last fills and sales"))[-1]
    assert bought[5:10] == [
        "0.2000",
        "0.7000 Brier 0.4900",
        "0.6000 Brier 0.3600",
        "0.2000 Brier 0.0400",
        "NO",
    ]


def test_what_is_void_has_no_score(lively: Site) -> None:
    bought = rows(table(page(lively.out, ADAS), "Last fills and sales"))[1]
    assert bought[6] == "0.2000"
    assert bought[9] == "void"


def test_a_markets_page_shows_everybodys_last_forecast(lively: Site) -> None:
    shown = rows(table(page(lively.out, places.market(RAIN)), "Last stated forecasts"))
    assert [row[:3] for row in shown] == [["ada", "0.7000", "0.4900"]]


def test_a_markets_page_says_how_it_resolved(lively: Site) -> None:
    lead = page(lively.out, places.market(RAIN)).all("main")[0].all("p")[0].text
    assert lead == "Resolved NO (revision 3), booked 2026-01-08 18:00 UTC."


def test_a_markets_page_says_what_its_sides_are_and_links_to_its_venue(tmp_path: Path) -> None:
    with playing({ADA: {}}, spec(COHORT, days=3)) as game:
        known = replace(market(RAIN), closes_at=at(50), url="https://example.org/rain")
        game.venue.listed = [replace(known, labels=("Hollin", "<Ansel>"))]
        game.tick(0)
        write_site(game.store, tmp_path)
    main = page(tmp_path, places.market(RAIN)).all("main")[0]
    assert main.all("p")[0].text.endswith("UTC. The market at example.org")
    shown = [one.text for one in main.all("dt") + main.all("dd")]
    assert {"YES is", "Hollin", "NO is", "<Ansel>"} <= set(shown)


def test_a_resolution_that_was_taken_back_is_named(tmp_path: Path) -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 500))}}, spec(COHORT, days=3)) as game:
        game.tick(0)
        game.say(RAIN, YES_WINS)
        game.tick(24)
        game.say(RAIN, State.DISPUTED)
        game.tick(26)
        write_site(game.store, tmp_path)
    lead = page(tmp_path, places.market(RAIN)).all("main")[0].all("p")[0].text
    assert lead == "Resolution taken back; closed, the outcome is disputed."


def test_a_markets_chart_steps_between_its_prices(tmp_path: Path) -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 500))}}, spec(COHORT, days=3)) as game:
        game.tick(0)
        game.quote(at_price("0.75"))
        game.tick(24)
        game.tick(48)
        write_site(game.store, tmp_path)
    drawn = [e.attributes for e in page(tmp_path, places.market(RAIN)).all("path")]
    line = next(a["d"] for a in drawn if a["class"] == "ch-line")
    dots = [a["d"] for a in drawn if a["class"].startswith("ch-dot")]
    assert line == "M0 200H720V100H1440V100"
    assert dots == ["M0 200h0"]


def test_a_label_that_two_share_is_told_apart_by_the_id(lively: Site, tmp_path: Path) -> None:
    write_site(lively.store, tmp_path, {ADA: "Twin", BEN: "Twin"})
    names = {row[1] for row in rows(table(page(tmp_path, "index.html"), "Leaderboard"))}
    assert names == {"Twin (ada)", "Twin (ben)"}


def test_who_played_before_is_still_there_without_a_label(lively: Site, tmp_path: Path) -> None:
    write_site(lively.store, tmp_path, {ContestantId("somebody-new"): "New"})
    assert (tmp_path / ADAS).is_file()


def test_the_order_is_named(lively: Site) -> None:
    caption = table(page(lively.out, "index.html"), "Leaderboard").all("caption")[0].text
    assert lively.store.boards.overall().rank_by == RankBy.RETURN
    assert caption.startswith("Ranked by return.")
