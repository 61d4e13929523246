"""Pages of markets, their lists, and the index that these are searched by."""

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from arena.records.answer import Answer, Completion
from arena.records.cohort import CohortSpec
from arena.records.market import (
    NO_WINS,
    VOIDED,
    YES_WINS,
    FeeKind,
    FeeModel,
    Market,
    MarketId,
    Side,
    State,
    Unit,
)
from arena.records.money import price, shares, usd
from arena.site import Document, Page, places
from arena.site.pages.market import (
    MINUS,
    OPEN,
    RESOLVED,
    TIMES,
    MarketListPage,
    MarketPage,
    MarketRow,
    fee_words,
    fronts,
    list_pages,
    market_page,
    shard,
)
from arena.site.pages.parts import Link
from arena.site.places import PER_PAGE
from arena.store import Store
from tests.build import ADA, BEN, COHORT, HAIL, RAIN, SNOW, at, at_price, market, spec
from tests.plans import listening, plans
from tests.present import present
from tests.site.attack import POLYGLOT
from tests.site.conftest import Site
from tests.site.folders import page, rows, table, write_site
from tests.site.fronts import unestimated
from tests.stage import Says, buys, playing

LONG: CohortSpec = spec(COHORT, (ADA, BEN), days=5)


def view(store: Store, name: MarketId) -> MarketPage:
    told = unestimated(store)
    card = present(told.show.market(name))
    return market_page(card, told)


def lists(store: Store) -> dict[str, MarketListPage]:
    made = {one.path: one.view for one in fronts(unestimated(store)) if isinstance(one, Page)}
    return {path: one for path, one in made.items() if isinstance(one, MarketListPage)}


def test_what_contestants_said_and_won_is_one_line_each(lively: Site) -> None:
    shown = rows(table(page(lively.out, places.market(RAIN)), "Forecasts and results"))
    ada, ben = shown
    assert ada[:7] == ["ada", "1", "0.7000", "0.5000", "0.4900", "0.7000", "0.4900"]
    assert ben[:3] == ["ben", "0", "n/a"]


def test_the_result_is_what_all_positions_of_a_contestant_brought(lively: Site) -> None:
    sql = "SELECT sum(realised_micro) FROM positions WHERE market = ? AND contestant = ?"
    micro = lively.store.db.value(sql, RAIN, ADA)
    ada = view(lively.store, RAIN).players[0]
    assert ada.result.value == Decimal(micro) / 10**6


def test_the_mean_is_over_all_forecasts_and_the_last_is_the_newest() -> None:
    script = {1: Says(forecasts={RAIN: 0.2}), 2: Says(forecasts={RAIN: 0.6})}
    with playing({ADA: script, BEN: {}}, LONG) as game:
        game.tick(0)
        game.tick(24)
        game.hear(RAIN, YES_WINS, 48)
        (ada,) = view(game.store, RAIN).players
    assert (ada.count, ada.last.value) == (2, 0.6)
    assert ada.mean.value == pytest.approx(0.4)
    assert ada.mean_brier.value == pytest.approx(0.36)
    assert ada.last_brier.value == pytest.approx(0.16)


def test_the_highest_last_forecast_stands_first_in_the_table_and_in_the_figure() -> None:
    said = {ADA: {1: Says(forecasts={RAIN: 0.2})}, BEN: {1: Says(forecasts={RAIN: 0.9})}}
    with playing(said, LONG) as game:
        game.tick(0)
        before = view(game.store, RAIN)
        game.hear(RAIN, NO_WINS, 24)
        after = view(game.store, RAIN)
    for found in (before, after):
        assert [row.contestant.text for row in found.players] == ["ben", "ada"]
        assert found.strip is not None
        assert found.strip.grid.columns[0].texts == ("ben", "ada")


def test_a_market_begins_with_its_price_between_bid_and_ask(lively: Site) -> None:
    found = present(view(lively.store, HAIL).price)
    assert (found.text, found.words) == ("$0.50", "bid $0.50, ask $0.50")


def test_an_open_position_has_no_result() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 500))}, BEN: {}}, LONG) as game:
        game.tick(0)
        (ada,) = view(game.store, RAIN).players
    assert (ada.result.text, ada.result.value) == ("open", None)


def test_lines_lead_to_the_decisions_they_come_from(lively: Site) -> None:
    found = view(lively.store, SNOW)
    decision = found.head.root + places.decision(COHORT, 1, ADA)
    assert found.players[0].decision == decision
    assert found.trades[0].decision == decision


@pytest.mark.parametrize(
    ("market_id", "tone", "state"),
    [
        (RAIN, "done", "Resolved NO (revision 3)"),
        (SNOW, "done", "Resolved void"),
        (HAIL, "idle", "Open"),
    ],
)
def test_a_market_says_how_it_resolved(
    lively: Site, market_id: MarketId, tone: str, state: str
) -> None:
    found = view(lively.store, market_id)
    assert (found.tone, found.state) == (tone, state)
    assert (found.resolved is None) == (market_id == HAIL)


def test_a_resolution_that_was_taken_back_is_named_apart() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 500))}, BEN: {}}, LONG) as game:
        game.tick(0)
        game.hear(RAIN, YES_WINS, 24)
        game.hear(RAIN, State.DISPUTED, 26)
        found = view(game.store, RAIN)
    assert found.state == "Resolution taken back; closed, the outcome is disputed"
    assert found.tone == "part"
    assert found.resolved is None


def test_the_way_to_a_resolution_is_told_word_by_word(lively: Site) -> None:
    told = [(row.who, row.words, row.note) for row in view(lively.store, RAIN).history]
    assert told == [
        ("arena", "booked NO", "revision 3"),
        ("venue", "resolved NO", "confirmed"),
        ("arena", "resolution taken back", "revision 2"),
        ("venue", "closed, the outcome is disputed", ""),
        ("arena", "booked YES", "revision 1"),
        ("venue", "resolved YES", "confirmed"),
        ("venue", "open", ""),
    ]


def test_a_word_that_waits_for_a_second_reading_is_not_called_confirmed() -> None:
    with playing({ADA: {}}, spec(COHORT, (ADA,), days=5)) as game:
        game.tick(0)
        unsure = replace(game.venue.said[RAIN], state=State.RESOLVED, outcome=VOIDED)
        game.store.tape.record_statuses([replace(unsure, unconfirmed=True)], at(5))
        newest = view(game.store, RAIN).history[0]
    assert (newest.words, newest.note[:30]) == (
        "resolved void",
        "to be confirmed by a later rea",
    )


def test_a_market_says_what_its_sides_are_and_links_to_its_venue(tmp_path: Path) -> None:
    with playing({ADA: {}}, spec(COHORT, (ADA,), days=3)) as game:
        known = replace(market(RAIN), closes_at=at(50), url="https://example.org/rain")
        game.venue.listed = [replace(known, labels=("Hollin", "<Ansel>"))]
        game.tick(0)
        write_site(game.store, tmp_path)
    main = page(tmp_path, places.market(RAIN)).all("main")[0]
    assert main.all("p")[0].text.endswith("UTC. The market at example.org")
    shown = [one.text for one in main.all("dt") + main.all("dd")]
    assert {"YES is", "Hollin", "NO is", "<Ansel>"} <= set(shown)


def facts(known: Market) -> dict[str, str]:
    with playing({ADA: {}}, spec(COHORT, (ADA,), days=3)) as game:
        game.venue.listed = [known]
        game.tick(0)
        return {fact.name: fact.text for fact in view(game.store, known.id).facts}


def test_what_its_venue_says_of_trading_it_is_told() -> None:
    known = replace(market(RAIN), tick=price("0.01"), min_order=shares(5), exclusive=True)
    told = facts(known)
    assert told["prices are multiples of"] == "$0.01"
    assert told["smallest order"] == "5 shares"
    assert told["of its event"] == "at most one market can be YES"
    assert told["fee"] == "none"


def test_what_its_venue_does_not_say_is_left_out() -> None:
    assert set(facts(market(RAIN))) == {"venue", "category", "event", "fee"}


@pytest.mark.parametrize(
    ("fee", "words"),
    [
        (FeeModel(), "none"),
        (FeeModel(FeeKind.NOTIONAL, Decimal("0.02")), "0.02 of the dollars traded"),
        (
            FeeModel(FeeKind.QUADRATIC, Decimal("0.070"), step=usd("0.01")),
            "0.07 x shares x (price x (1 - price)), rounded up to $0.01",
        ),
        (
            FeeModel(FeeKind.QUADRATIC, Decimal("0.25"), exponent=2),
            "0.25 x shares x (price x (1 - price)) to the power 2",
        ),
        (FeeModel(FeeKind.UNKNOWN), "charged, in no form that is known"),
    ],
)
def test_a_fee_is_told_in_words(fee: FeeModel, words: str) -> None:
    assert fee_words(fee) == words.replace(" x ", f" {TIMES} ").replace("1 -", f"1 {MINUS}")


def test_a_volume_has_its_unit_and_one_that_is_not_known_is_not_zero() -> None:
    counted = replace(at_price("0.5"), volume=usd(1200))
    with playing({ADA: {}}, spec(COHORT, (ADA,), days=3), quotes=[counted]) as game:
        game.venue.listed = [replace(market(RAIN), unit=Unit.CONTRACTS)]
        game.tick(0)
        (first,) = view(game.store, RAIN).quotes
    assert (first.volume.text, first.volume.note) == ("1,200", "contracts")
    assert (first.liquidity.text, first.liquidity.value) == ("n/a", None)


def test_a_chart_has_its_prices_and_its_bets_as_a_table() -> None:
    with playing({ADA: {1: buys((RAIN, Side.NO, 500))}, BEN: {}}, LONG) as game:
        game.tick(0)
        game.quote(at_price("0.75"))
        game.tick(24)
        found = view(game.store, RAIN).chart
    assert found is not None
    _, prices, _, told, *_ = found.grid.columns
    assert prices.texts == ("0.5000", "0.5000", "0.7500")
    assert told.texts == ("", "ada", "")


def test_a_market_with_one_price_has_no_chart() -> None:
    with playing({ADA: {}}, spec(COHORT, (ADA,))) as game:
        game.tick(0)
        found = view(game.store, RAIN)
    assert (found.chart, found.strip) == (None, None)


def test_markets_of_an_event_that_were_offered_together_lead_to_each_other() -> None:
    with playing({ADA: {1: Says(forecasts={RAIN: 0.5})}}, spec(COHORT, (ADA,))) as game:
        listed = [market(RAIN, event="e"), market(SNOW, event="e"), market(HAIL, event="")]
        game.venue.listed = listed
        game.tick(0)
        assert [to.text for to in view(game.store, RAIN).siblings] == ["Will there be snow?"]
        assert view(game.store, HAIL).siblings == ()


def test_no_question_about_a_market_reads_a_table_of_history_whole(simulated: Site) -> None:
    told = unestimated(simulated.store)
    (card,) = told.show.newest_markets(1)
    with listening(simulated.store) as said:
        market_page(card, told)
        list(fronts(told))
        list(list_pages(1, told))
    bounded = ("json_each", "named", "listed", "touched", "newest", "latest", "(subquery")
    scanned = [
        plan
        for plan, _ in plans(simulated.store, said)
        if plan.startswith("SCAN ") and not plan.split()[1].startswith(bounded)
    ]
    assert len(said) > 10
    assert scanned == []


def test_open_and_resolved_markets_have_lists_of_their_own(lively: Site) -> None:
    made = lists(lively.store)
    assert [row.market.text for row in made[OPEN].rows] == ["Will there be hail?"]
    assert {row.market.text for row in made[RESOLVED].rows} == {
        "Will there be rain?",
        "Will there be snow?",
    }
    assert [link.text for link in made[OPEN].facets] == ["All 3", "Open 1", "Resolved 2"]
    assert [bool(link.href) for link in made[OPEN].facets] == [True, False, True]


def test_the_index_says_what_the_list_says(simulated: Site) -> None:
    index, listed = list_pages(1, unestimated(simulated.store))
    assert isinstance(index, Document)
    assert isinstance(listed, Page)
    assert isinstance(listed.view, MarketListPage)
    key, columns = columns_of(index)
    shown = listed.view.rows
    assert key == "markets/1"
    assert columns["text"] == [row.market.text for row in shown]
    assert columns["state"] == [row.state for row in shown]
    assert all((simulated.out / "markets" / path).is_file() for path in columns["path"])
    assert len(shown) <= PER_PAGE


def test_an_index_cannot_end_its_script() -> None:
    row = MarketRow(
        Link(f"{POLYGLOT}\u2028", "../markets/a/b.html"), "</script>", "v", "s", None
    )
    made = shard(3, [row])
    assert "<" not in made.text
    assert "\u2028" not in made.text
    assert columns_of(made)[1]["text"] == [row.market.text]
    assert columns_of(made)[1]["closes"] == [""]


def columns_of(made: Document) -> tuple[str, dict[str, list[str]]]:
    """What a part of the index hands over: its key, and its columns."""
    assert made.text.startswith("A(")
    assert made.text.endswith(");\n")
    key, columns = json.loads(f"[{made.text[2:-3]}]")
    return str(key), columns


def test_a_reply_without_words_is_no_opinion() -> None:
    silent = Answer(Completion(None))
    with playing({ADA: {1: silent}}, spec(COHORT, (ADA,), days=3)) as game:
        game.tick(0)
        game.hear(RAIN, NO_WINS, 24)
        assert view(game.store, RAIN).players == ()
