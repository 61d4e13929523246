"""The pages of cohorts."""

from dataclasses import fields
from pathlib import Path

from arena.metrics.registry import METRICS
from arena.records.cohort import CohortId, Rules, Universe
from arena.records.market import YES_WINS, Side
from arena.site import places
from arena.site.pages.cohorts.agreements import own_rules, seal_of
from tests.build import ADA, COHORT, RAIN, spec
from tests.present import present
from tests.site.conftest import Site
from tests.site.folders import Element, page, rows, table, write_site
from tests.site.fronts import unestimated
from tests.stage import buys, playing

MINE = places.cohort(COHORT)


def facts(root: Element) -> dict[str, str]:
    """Names and values of every list of facts."""
    names, values = root.all("dt"), root.all("dd")
    return {name.text: value.text for name, value in zip(names, values, strict=True)}


def test_a_cohorts_page_shows_every_key_and_folds_those_that_are_as_by_default(
    lively: Site,
) -> None:
    root = page(lively.out, MINE)
    agreed = {"venue", "decide_every", "decide_for"}
    agreed |= {f"universe.{f.name}" for f in fields(Universe)}
    agreed |= {f"rules.{f.name}" for f in fields(Rules)}
    assert agreed <= facts(root).keys()
    folded = {dt.text for one in root.all("details") for dt in one.all("dt")}
    card = present(unestimated(lively.store).show.cohort(COHORT))
    changed, unchanged = own_rules(card.spec)
    assert {fact.name for fact in unchanged} == folded & agreed
    assert {fact.name for fact in changed} == agreed - folded


def test_an_answer_that_may_not_come_later_says_so(lively: Site) -> None:
    assert facts(page(lively.out, MINE))["rules.answer_within"] == "no wait"


def test_a_cohorts_page_shows_its_digests(lively: Site) -> None:
    card = present(lively.store.db.row("SELECT digest FROM cohorts WHERE cohort = ?", COHORT))
    rounds = lively.store.db.rows("SELECT digest FROM rounds WHERE cohort = ?", COHORT)
    shown = {e.text for e in page(lively.out, MINE).all("code")}
    assert shown >= {card["digest"], *(row["digest"] for row in rounds)}


def test_a_cohorts_rounds_count_the_turns_that_failed(lively: Site) -> None:
    shown = rows(table(page(lively.out, MINE), "Rounds"))
    assert [(row[0], row[3]) for row in shown] == [
        ("1", "1 / 1"),
        ("2", "2 / 0"),
        ("3", "1 / 1"),
    ]


def test_a_cohorts_page_shows_results_and_no_rank(simulated: Site) -> None:
    cohort = CohortId("daily-2026-01-06")
    board = simulated.store.boards.of_cohort(cohort)
    root = page(simulated.out, places.cohort(cohort))
    shown = rows(table(root, "Results of this cohort"))
    by_name = sorted(board.standings, key=lambda line: line.contestant)
    assert [row[1] for row in shown] == [METRICS["pnl"].shown(line.pnl) for line in by_name]
    assert by_name != list(board.standings)
    assert "One cohort has too few events to rank contestants" in root.text


def test_a_line_of_a_cohorts_leaderboard_leads_to_its_seat(simulated: Site) -> None:
    cohort = CohortId("daily-2026-01-06")
    path = places.cohort(cohort)
    links = table(page(simulated.out, path), "Results of this cohort").all("a")
    seats = [
        "../../" + places.seat(line.contestant, cohort)
        for line in simulated.store.boards.of_cohort(cohort).standings
    ]
    led = [a.attributes["href"] for a in links if "/cohorts/" in a.attributes["href"]]
    assert led == sorted(seats)


def test_a_cohorts_page_shows_how_its_markets_ended(lively: Site) -> None:
    shown = rows(table(page(lively.out, MINE), "Markets offered"))
    assert {row[0]: row[1] for row in shown} == {
        "Will there be rain?": "resolved NO (revision 3)",
        "Will there be snow?": "resolved void",
        "Will there be hail?": "not resolved",
    }


def test_progress_is_counted_in_rounds_markets_and_forecasts(lively: Site) -> None:
    shown = facts(page(lively.out, MINE))
    assert shown["Rounds"] == "3 of 3 played"
    assert shown["Markets"] == "2 of 3 have resolved"
    assert shown["Forecasts"] == "1 of 2 scored, 1 excluded"
    bars = [e.attributes for e in page(lively.out, MINE).all("progress")]
    assert [(bar["value"], bar["max"]) for bar in bars] == [("3", "3"), ("2", "3"), ("2", "2")]


def test_what_is_in_no_score_is_listed_with_its_reason(lively: Site) -> None:
    said = [one.text for one in page(lively.out, MINE).all("main")[0].all("li")]
    assert "Will there be snow? (resolved void)" in said
    assert "2 turns could not be read: nothing was traded or scored in them." in said


def test_a_seal_from_before_the_first_forecast_is_shown_with_its_tests(lively: Site) -> None:
    root = page(lively.out, places.cohort(CohortId("longer")))
    assert "before its first forecast" in root.all("main")[0].text
    shown = rows(table(root, "Registered tests"))
    assert [row[:4] for row in shown] == [["pairs", "forecast", "no difference", "two-sided"]]


def test_a_cohort_without_a_seal_calls_itself_exploratory(lively: Site) -> None:
    assert "all its results are exploratory" in page(lively.out, MINE).all("main")[0].text


def test_a_seal_that_came_too_late_is_none() -> None:
    agreed = spec(COHORT, (ADA,), days=3)
    with playing({ADA: {1: buys((RAIN, Side.YES, 500))}}, agreed) as game:
        game.tick(0)
        game.seal(agreed, late=True)
        reading = unestimated(game.store)
        card = present(reading.show.cohort(COHORT))
        assert "Nothing was sealed before" in seal_of(card, reading).words


def test_the_list_says_how_much_has_settled_and_names_no_first(simulated: Site) -> None:
    shown = rows(table(page(simulated.out, places.COHORTS), "Cohorts"))
    oldest = shown[-1]
    assert oldest[0] == "daily-2026-01-05"
    assert len(oldest) == 7
    assert int(oldest[4].removesuffix("%")) > int(shown[0][4].removesuffix("%"))


def test_no_cohort_is_said_to_wait_for_no_position(tmp_path: Path) -> None:
    with playing({ADA: {1: "not JSON"}}, spec(COHORT, (ADA,), days=1)) as game:
        game.tick(0)
        game.hear(RAIN, YES_WINS, 24)
        assert game.store.db.value("SELECT complete_at FROM cohorts") is None
        write_site(game.store, tmp_path)
    assert "past its decisions, with no position open" in page(tmp_path, MINE).text
    seat = page(tmp_path, places.seat(ADA, CohortId(COHORT))).text
    assert "the cohort is past its decisions" in seat
