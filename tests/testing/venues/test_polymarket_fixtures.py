"""The stand-in's payloads beside recorded ones: the same fields, of the same types."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

from tests.present import some
from tests.standins.venues.dialect import Asked, Quirks, seconds
from tests.standins.venues.polymarket import PolymarketDialect
from tests.standins.venues.polymarket_ids import condition_id, is_new_protocol, token_id
from tests.standins.venues.world import WorldMarket
from tests.testing.venues.moments import AT, OPEN, RESOLVED, TWO_SIDED, VIEW
from tests.venues.recordings import recorded

EVENTS = (
    "gamma_event_negrisk_fed_june",
    "gamma_event_mixed_live_and_resolved",
    "gamma_event_up_down",
)
WITHOUT_END = {"endDate", "endDateIso"}
CHARGED = tuple(
    m
    for m in (*OPEN, *RESOLVED)
    if m.fee.kind == "quadratic" and not is_new_protocol(m.event_number)
)


SPEAKER = PolymarketDialect()


def said(path: str, *query: tuple[str, str]) -> Any:  # noqa: ANN401  JSON
    return SPEAKER.answer(Asked("GET", path, query), VIEW, Quirks()).payload


def recorded_markets() -> list[dict[str, Any]]:
    single: Any = recorded("polymarket", "gamma_market_resolved_yes_negrisk.json")
    events: list[Any] = [recorded("polymarket", f"{name}.json") for name in EVENTS]
    return [single, *(market for event in events for market in event["markets"])]


def kind(value: object) -> str:
    return "number" if type(value) in (int, float, Decimal) else type(value).__name__


def types(rows: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(key, kind(value)) for row in rows for key, value in row.items()}


def market_row(market: WorldMarket) -> dict[str, Any]:
    row: dict[str, Any] = said(f"/gamma/markets/{market.number}")
    return row


def test_a_market_has_only_fields_that_were_recorded_and_of_their_types() -> None:
    theirs = types(recorded_markets())
    ours = types([market_row(market) for market in CHARGED])
    assert ours - theirs == set()


def test_a_market_has_every_field_that_all_recorded_ones_have() -> None:
    always = set.intersection(*(set(row) for row in recorded_markets()))
    missing = [always - set(market_row(market)) for market in CHARGED]
    assert set.union(*missing) <= WITHOUT_END


def test_an_event_has_only_fields_that_were_recorded_and_of_their_types() -> None:
    events: list[Any] = [recorded("polymarket", f"{name}.json") for name in EVENTS]
    rows = said("/gamma/markets/keyset", ("include_tag", "true"))["markets"]
    assert types([event for row in some(rows) for event in row["events"]]) <= types(events)
    assert types([tag for row in rows for tag in row["tags"]]) <= types(
        [tag for event in events for tag in event["tags"]]
    )


def test_a_book_is_as_recorded() -> None:
    theirs: Any = recorded("polymarket", "clob_books_batch_negrisk_fed_june.json")
    body = json.dumps([{"token_id": token_id(TWO_SIDED.number, 0)}]).encode()
    asked = Asked("POST", "/clob/books", (), body)
    payload: Any = SPEAKER.answer(asked, VIEW, Quirks()).payload
    (ours,) = payload
    assert types([ours]) == types([theirs[0]])
    assert types(ours["bids"]) == types(theirs[0]["bids"])


def test_a_short_market_is_as_recorded() -> None:
    theirs: Any = recorded("polymarket", "clob_markets_abbrev_negrisk_fed_june.json")
    market = next(m for m in OPEN if m.fee.kind == "quadratic")
    ours = said(f"/clob/clob-markets/{condition_id(market.number)}")
    assert types([ours]) == types([theirs[0]])
    assert (types([ours["fd"]]), types(ours["t"])) == (
        types([theirs[0]["fd"]]),
        types(theirs[0]["t"]),
    )


def test_a_resolution_has_every_field_of_the_recorded_ones() -> None:
    theirs: Any = recorded("polymarket", "data_v2_resolutions.json")
    conditions = ",".join(condition_id(m.number) for m in RESOLVED[:10])
    ours = said("/data/v2/resolutions", ("condition_id", conditions))["data"]
    assert all(types(theirs) <= types([row]) for row in some(ours))


def test_histories_are_as_recorded() -> None:
    token, since = token_id(TWO_SIDED.number, 0), str(seconds(AT - timedelta(days=9)))
    clob: Any = recorded("polymarket", "clob_prices_history_daily.json")
    ours = said("/clob/prices-history", ("market", token), ("startTs", since))
    assert types(ours["history"]) == types(clob["history"])
    data: Any = recorded("polymarket", "data_v2_prices_history.json")
    ours = said("/data/v2/prices-history", ("token_id", token), ("start", since))
    assert types(ours["data"]) == types(data)


def test_errors_are_as_recorded() -> None:
    for name, answer in {
        "error_gamma_404": said("/gamma/markets/1"),
        "error_gamma_422_keyset_offset": said("/gamma/markets/keyset", ("offset", "1")),
        "error_clob_404_market": said("/clob/markets/0x1"),
        "error_clob_404_no_orderbook": said("/clob/midpoint", ("token_id", "1")),
    }.items():
        assert recorded("polymarket", f"{name}.json") == answer
