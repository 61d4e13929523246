"""Manifold's dialect speaks as recorded answers of Manifold do, and is as strict."""

from datetime import timedelta
from decimal import Decimal
from itertools import pairwise

import pytest

from arena.records.market import NO_WINS, VOIDED, YES_WINS, State
from tests.present import present, some
from tests.standins.venues.dialect import Asked, Quirks, millis
from tests.standins.venues.manifold import KNOWN, SORTS, ManifoldDialect
from tests.standins.venues.manifold_rows import NEVER_CLOSES, UNSURE_FOR
from tests.testing.venues.asking import (
    AT,
    HOUR,
    PLAIN,
    WORLD,
    Asking,
    Json,
    Query,
    ending,
    is_open,
    known,
)
from tests.venues.recordings import recorded

MANIFOLD = ManifoldDialect()
ASKING = Asking(MANIFOLD)
asked, told, refusal = ASKING.answer, ASKING.told, ASKING.refusal
PLAINLY = {State.RESOLVED: 1, State.DISPUTED: 0}
MISSING = {"message": "Contract not found"}
OURS = {"contractType": "BINARY", "token": "MANA", "limit": "1000"}


def search(query: Query, quirks: Quirks = PLAIN) -> list[Json]:
    """Give the rows of markets of the world; a search also finds old ones of its kind."""
    rows = told("/search-markets", {**OURS, **query}, quirks=quirks)
    return [row for row in rows if row["mechanism"] == "cpmm-1"]


def test_every_id_leads_back_to_its_market() -> None:
    numbers = [market.number for market in WORLD.view(AT).markets]
    ids = [MANIFOLD.own_id(number) for number in numbers]
    assert [MANIFOLD.number(own) for own in ids] == numbers
    assert {len(own) for own in ids} == {10}


@pytest.mark.parametrize(
    "own", ["", "l6jsJPhOWSztXtzqhpU7", "hZsE0A09Sd", "../../etc.", "é" * 10]
)
def test_a_foreign_id_leads_to_no_market(own: str) -> None:
    assert MANIFOLD.number(own) is None


def test_the_row_of_an_event_is_no_market_of_the_world() -> None:
    event = next(m for m in is_open() if m.siblings > 1).event_number
    assert MANIFOLD.number(MANIFOLD.own_id(event * 10)) is None
    assert told(f"/market/{MANIFOLD.own_id(event * 10)}")["outcomeType"] == "MULTIPLE_CHOICE"


def test_a_search_has_the_fields_of_a_recorded_one() -> None:
    said: Json = recorded("manifold", "search_markets_open_2026-08.json")
    for row in some(search({"filter": "open"})):
        missing = set(said[0]) - set(row)
        assert missing <= {"closeTime"}
        assert set(row) <= set(said[0])


def test_a_search_has_the_types_of_a_recorded_one() -> None:
    said: Json = recorded("manifold", "search_markets_open_2026-08.json")
    for row in some(search({"filter": "open"})):
        for key, value in row.items():
            kind = type(said[0][key])
            assert isinstance(value, int | float if kind in {int, Decimal} else kind)
        assert set(row["pool"]) == {"YES", "NO"}


def test_a_page_has_the_fields_of_a_recorded_one() -> None:
    said: Json = recorded("manifold", "market_single_2022-10.json")
    gone = {"bets", "comments", "tags", "volume7Days"}  # not in answers of today
    assert set(said) - gone <= set(told(f"/market/{search({'filter': 'open'})[0]['id']}"))


def test_a_resolved_market_has_the_fields_of_a_recorded_one() -> None:
    said: Json = recorded("manifold", "markets_resolved_no.json")
    gone = {"tags", "volume7Days", "description"}
    assert set(said[0]) - gone <= set(search({"filter": "resolved"})[0])


def test_a_search_for_what_is_open_finds_it_all_and_nothing_else() -> None:
    rows = search({"filter": "open"})
    assert {MANIFOLD.number(row["id"]) for row in rows} >= {m.number for m in is_open()}
    for row in rows:
        assert (row["outcomeType"], row["token"]) == ("BINARY", "MANA")
        assert row.get("closeTime", NEVER_CLOSES) > millis(AT)
        assert not row["isResolved"]


def test_without_a_type_other_kinds_are_mixed_in() -> None:
    rows = told("/search-markets", {"limit": "1000", "sort": "newest"})
    kinds = {(row["outcomeType"], row["mechanism"], row["token"]) for row in rows}
    assert ("MULTIPLE_CHOICE", "cpmm-multi-1", "MANA") in kinds
    assert ("PSEUDO_NUMERIC", "cpmm-1", "MANA") in kinds
    assert ("BINARY", "cpmm-1", "CASH") in kinds
    assert len({row["id"] for row in rows}) == len(rows)


def test_closed_and_not_resolved_is_a_state_of_its_own() -> None:
    rows = search({"filter": "closed"})
    waiting = {State.CLOSED_PENDING, State.PROPOSED, State.DISPUTED}
    found = [known(present(MANIFOLD.number(row["id"]))) for row in rows if "p" in row]
    assert any(market.state in waiting for market in found)
    assert all(row["closeTime"] <= millis(AT) for row in rows)


def test_the_pools_price_is_the_middle_of_the_worlds_spread() -> None:
    for row in some(search({"filter": "open"})):
        number = MANIFOLD.number(row["id"])
        mid = None if number is None else known(number).mid
        if mid is None:
            continue
        yes, no, p = row["pool"]["YES"], row["pool"]["NO"], row["p"]
        assert p * no / ((1 - p) * yes + p * no) == pytest.approx(float(mid), abs=1e-12)
        assert row["probability"] == pytest.approx(float(mid), abs=1e-12)
        assert yes**p * no ** (1 - p) == pytest.approx(row["totalLiquidity"])


def test_a_side_that_nobody_stands_on_still_has_a_probability() -> None:
    one_sided = [market for market in is_open() if market.mid is None]
    assert one_sided
    for market in one_sided:
        assert 0 < told(f"/market/{MANIFOLD.own_id(market.number)}/prob")["prob"] < 1


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
        ({"before": "x"}, None),
    ],
)
def test_a_search_is_strict(query: Query, field: str | None) -> None:
    said = refusal("/search-markets", query)
    assert set(said) == {"message", "details"}
    assert said["details"][0]["field"] == field


@pytest.mark.parametrize("path", ["/markets", "/market-probs", "/bets"])
def test_no_address_takes_a_parameter_that_it_does_not_know(path: str) -> None:
    assert "Unrecognized" in refusal(path, {"key": "x"})["details"][0]["error"]
    assert "key" not in KNOWN[path.removeprefix("/")]


@pytest.mark.parametrize("sort", ["newest", "24-hour-vol", "liquidity", "prob-descending"])
def test_a_search_is_sorted_the_largest_first(sort: str) -> None:
    values = [row[SORTS[sort][0]] for row in search({"sort": sort, "filter": "open"})]
    assert all(a >= b for a, b in pairwise(values))
    assert len(set(values)) > 1


def test_sorted_as_text_is_not_sorted() -> None:
    rows = search({"sort": "24-hour-vol", "filter": "open"}, Quirks(as_text=True))
    values = [row["volume24Hours"] for row in rows]
    assert values != sorted(values, reverse=True)
    assert [str(v) for v in values] == sorted(map(str, values), reverse=True)


def test_offset_and_limit_cut_a_page() -> None:
    whole = search({"filter": "open", "sort": "newest"})
    page = {"filter": "open", "sort": "newest", "limit": "7", "offset": "5"}
    assert search(page) == whole[5:12]
    assert search(page, Quirks(first_page=True)) == whole[:7]


def test_older_markets_can_be_searched_for() -> None:
    before = millis(AT - timedelta(days=3))
    rows = search({"filter": "open", "beforeTime": str(before)})
    assert rows
    assert all(row["createdTime"] < before for row in rows)


def test_a_list_goes_on_after_an_id_and_starts_again_for_one_it_does_not_know() -> None:
    first = told("/markets", {"limit": "9"})
    rest = told("/markets", {"limit": "9", "before": first[-1]["id"]})
    assert not {row["id"] for row in first} & {row["id"] for row in rest}
    assert told("/markets", {"limit": "9", "before": "nobody"}) == first


def test_a_market_is_found_by_its_slug_with_its_rules() -> None:
    row = search({"filter": "open"})[0]
    page = told(f"/slug/{row['slug']}")
    assert page == told(f"/market/{row['id']}")
    assert page["textDescription"] == known(present(MANIFOLD.number(row["id"]))).rules
    assert page["description"]["type"] == "doc"


@pytest.mark.parametrize(
    "path", ["/market/nobody", "/market/abcdefghij/prob", "/slug/no-market-here"]
)
def test_an_unknown_market_is_404(path: str) -> None:
    answer = asked(path)
    assert (answer.status, answer.payload) == (404, MISSING)


def test_nothing_can_be_changed() -> None:
    asking = Asked("POST", "/market/abc/resolve")
    assert MANIFOLD.answer(asking, WORLD.view(AT), PLAIN).status == 404


def test_several_probabilities_come_by_id_and_one_alone_is_refused() -> None:
    two = [row["id"] for row in search({"filter": "open"})[:2]]
    probs = told("/market-probs", {"ids": [*two, "nobody"]})
    assert probs == {own: told(f"/market/{own}/prob") for own in two}
    refused = refusal("/market-probs", {"ids": two[0]})
    assert refused["details"][0]["error"] == "Expected array, received string"
    assert refusal("/market-probs", {"ids": ["x"] * 101})


@pytest.mark.parametrize(
    ("outcome", "word"), [(YES_WINS, "YES"), (NO_WINS, "NO"), (VOIDED, "CANCEL")]
)
def test_an_outcome_has_a_word(outcome: object, word: str) -> None:
    number = next(
        m.number
        for m in WORLD.view(AT).markets
        if m.outcome == outcome and m.resolved_at and m.resolved_at < AT - UNSURE_FOR
    )
    row = told(f"/market/{MANIFOLD.own_id(number)}")
    assert (row["isResolved"], row["resolution"]) == (True, word)
    assert row["closeTime"] <= row["resolutionTime"]
    assert "resolutionProbability" not in row


def test_a_split_outcome_is_mkt_with_its_probability() -> None:
    splits = [
        m
        for m in WORLD.view(AT).markets
        if m.outcome and m.outcome.verdict.value == "FRACTION" and m.resolved_at
    ]
    for market in splits:
        later = AT + UNSURE_FOR
        row = told(f"/market/{MANIFOLD.own_id(market.number)}", at=later)
        assert row["resolution"] == "MKT"
        assert market.outcome is not None
        assert row["resolutionProbability"] == float(present(market.outcome.yes_pays))
    assert splits


def test_a_probability_knows_nothing_of_the_resolution() -> None:
    number, course = ending(NO_WINS, PLAINLY)
    at, path = course[-1].at, f"/market/{MANIFOLD.own_id(number)}/prob"
    assert told(path, at=at + HOUR) == told(path, at=at - HOUR)
    assert told(path, at=at + HOUR)["prob"] > 0


def test_a_changed_resolution_is_taken_back_before_it_is_given_anew() -> None:
    number, course = ending(None, {State.RESOLVED: 2})
    at, path = course[-1].at, f"/market/{MANIFOLD.own_id(number)}"
    first, between, last = (told(path, at=t) for t in (at - HOUR, at, at + UNSURE_FOR))
    assert first["isResolved"]
    assert not between["isResolved"]
    assert "resolution" not in between
    assert last["isResolved"]
    assert last["resolution"] != first["resolution"]


def test_some_markets_never_close() -> None:
    times = [row.get("closeTime") for row in told("/markets", {"limit": "1000"})]
    assert None in times
    assert NEVER_CLOSES in times


def test_a_young_market_is_listed_and_not_found() -> None:
    young = max(is_open(), key=lambda m: m.opens_at)
    quirks, own = Quirks(hydration=AT - young.opens_at + HOUR), MANIFOLD.own_id(young.number)
    assert own in [row["id"] for row in search({"filter": "open"}, quirks)]
    assert asked(f"/market/{own}", quirks=quirks).status == 404
    assert told("/market-probs", {"ids": [own, "x"]}, quirks=quirks) == {}


def test_bets_tell_the_worlds_prices_in_pages_the_newest_first() -> None:
    number = is_open()[0].number
    query = {"contractId": MANIFOLD.own_id(number), "limit": "50"}
    rows: list[Json] = []
    while page := told("/bets", query | ({"before": rows[-1]["id"]} if rows else {})):
        rows += page
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(a["createdTime"] >= b["createdTime"] for a, b in pairwise(rows))
    moved = [r for r in rows if r["isFilled"] and not r["isRedemption"]]
    history = WORLD.history(number, AT - timedelta(days=30), AT)
    assert [row["probAfter"] for row in moved[::-1]] == [float(p) for _, p in history[1:]]
    assert len(moved) < len(rows)


def test_bets_have_the_fields_of_recorded_ones() -> None:
    said: Json = recorded("manifold", "bets_price_history.json")
    gone = {"userAvatarUrl", "userName", "userUsername"}
    rows = told("/bets", {"contractId": MANIFOLD.own_id(is_open()[0].number)})
    assert set(said[0]) - gone <= set(rows[0])


def test_bets_of_a_span_of_time() -> None:
    own = MANIFOLD.own_id(is_open()[0].number)
    low, high = millis(AT - 9 * HOUR), millis(AT - 3 * HOUR)
    query = {"contractId": own, "afterTime": str(low), "beforeTime": str(high)}
    rows = told("/bets", query)
    assert rows
    assert all(low < row["createdTime"] < high for row in rows)
    assert told("/bets", {**query, "order": "asc"}) == rows[::-1]


def test_open_orders_stand_on_both_sides_of_the_probability() -> None:
    market = next(m for m in is_open() if m.mid is not None)
    query = {"contractId": MANIFOLD.own_id(market.number), "kinds": "open-limit"}
    rows = told("/bets", query)
    yes = [row["limitProb"] for row in rows if row["outcome"] == "YES"]
    no = [row["limitProb"] for row in rows if row["outcome"] == "NO"]
    prob = float(present(market.mid))
    assert yes
    assert no
    assert max(yes) < prob < min(no)
    assert not any(row["isFilled"] for row in rows)


def test_a_stranger_has_no_bets() -> None:
    assert told("/bets", {"contractId": "nobody"}) == []


def test_every_outcome_of_the_world_can_be_told() -> None:
    for outcome in (YES_WINS, NO_WINS, VOIDED):
        assert MANIFOLD.truth(outcome) == outcome
