"""Manifold's dialect speaks as recorded answers of Manifold do, and is as strict."""

from decimal import Decimal

import pytest

from arena.records.market import NO_WINS, VOIDED, YES_WINS
from tests.present import some
from tests.standins.venues.manifold import ManifoldDialect
from tests.testing.venues.asking import AT, WORLD, Asking, Json, Query, is_open
from tests.venues.recordings import recorded

MANIFOLD = ManifoldDialect()
ASKING = Asking(MANIFOLD)
told, refusal = ASKING.told, ASKING.refusal
OURS = {"contractType": "BINARY", "token": "MANA", "limit": "1000"}


def search(kept: str) -> list[Json]:
    """Give the rows of markets of the world; a search also finds old ones of its kind."""
    rows = told("/search-markets", {**OURS, "filter": kept})
    return [row for row in rows if row["mechanism"] == "cpmm-1"]


def test_every_id_leads_back_to_its_market() -> None:
    numbers = [market.number for market in WORLD.view(AT).markets]
    ids = [MANIFOLD.own_id(number) for number in numbers]
    assert [MANIFOLD.number(own) for own in ids] == numbers
    assert {len(own) for own in ids} == {10}


def test_a_search_has_the_fields_of_a_recorded_one() -> None:
    said: Json = recorded("manifold", "search_markets_open_2026-08.json")
    for row in some(search("open")):
        missing = set(said[0]) - set(row)
        assert missing <= {"closeTime"}
        assert set(row) <= set(said[0])


def test_a_search_has_the_types_of_a_recorded_one() -> None:
    said: Json = recorded("manifold", "search_markets_open_2026-08.json")
    for row in some(search("open")):
        for key, value in row.items():
            kind = type(said[0][key])
            assert isinstance(value, int | float if kind in {int, Decimal} else kind)
        assert set(row["pool"]) == {"YES", "NO"}


def test_a_page_has_the_fields_of_a_recorded_one() -> None:
    said: Json = recorded("manifold", "market_single_2022-10.json")
    gone = {"bets", "comments", "tags", "volume7Days"}  # not in answers of today
    assert set(said) - gone <= set(told(f"/market/{search('open')[0]['id']}"))


def test_a_resolved_market_has_the_fields_of_a_recorded_one() -> None:
    said: Json = recorded("manifold", "markets_resolved_no.json")
    gone = {"tags", "volume7Days", "description"}
    assert set(said[0]) - gone <= set(search("resolved")[0])


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "1001"}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"offset": "1001"}, "offset"),
        ({"sort": "volume"}, "sort"),
        ({"filter": "new"}, "filter"),
        ({"contractType": "binary"}, "contractType"),
        ({"token": "USD"}, "token"),
        ({"cursor": "x"}, None),
    ],
)
def test_a_search_is_strict(query: Query, field: str | None) -> None:
    said = refusal("/search-markets", query)
    assert set(said) == {"message", "details"}
    assert said["details"][0]["field"] == field


def test_bets_have_the_fields_of_recorded_ones() -> None:
    said: Json = recorded("manifold", "bets_price_history.json")
    gone = {"userAvatarUrl", "userName", "userUsername"}
    rows = told("/bets", {"contractId": MANIFOLD.own_id(is_open()[0].number)})
    assert set(said[0]) - gone <= set(rows[0])


def test_every_outcome_of_the_world_can_be_told() -> None:
    for outcome in (YES_WINS, NO_WINS, VOIDED):
        assert MANIFOLD.truth(outcome) == outcome
