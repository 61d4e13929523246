import json

import pytest

from arena.records.market import NO_WINS, VOIDED, YES_WINS, Outcome, State
from arena.records.money import price
from tests.present import present
from tests.standins.venues.polymarket_ids import (
    condition_id,
)
from tests.testing.venues.moments import (
    RESOLVED,
    moment_of,
)
from tests.testing.venues.polymarket_asked import (
    CONDITION,
    DIALECT,
    ask,
    resolutions,
    told,
)


def test_a_final_payout_is_all_or_nothing_or_half() -> None:
    for market in RESOLVED:
        assert market.outcome is not None
        paid = DIALECT.truth(market.outcome)
        row = told(f"/gamma/markets/{market.number}")
        shown = [float(p) for p in json.loads(row["outcomePrices"])]
        assert shown[0] == pytest.approx(float(present(paid.yes_pays)), abs=0.001)
        assert sum(shown) == pytest.approx(1)
        assert (row["active"], row["closed"]) == (True, True)


def test_void_and_fractions_pay_one_half() -> None:
    truths = [DIALECT.truth(o) for o in (YES_WINS, NO_WINS, VOIDED, Outcome(price("0.25")))]
    half = Outcome(price("0.5"))
    assert truths == [YES_WINS, NO_WINS, half, half]


def test_a_resolved_market_can_always_be_told_by_one_of_the_three_services() -> None:
    for market in RESOLVED:
        row = told(f"/gamma/markets/{market.number}")
        clob = told(f"/clob/markets/{condition_id(market.number)}")
        by_clob = [token["winner"] for token in clob["tokens"]]
        payouts = [r.get("payouts") for r in resolutions(market)]
        spoken = row.get("umaResolutionStatus") in {"resolved", "settled"}
        assert spoken or any(by_clob) or any(payouts)
        assert sum(by_clob) == (market.outcome is not None and market.outcome.truth is not None)


def test_the_oracles_word_is_missing_at_times() -> None:
    rows = [told(f"/gamma/markets/{market.number}") for market in RESOLVED]
    words = {row.get("umaResolutionStatus", "absent") for row in rows}
    assert words == {"resolved", "settled", "", "absent"}
    assert {row["acceptingOrders"] for row in rows} == {True, False}


def test_prices_stay_where_they_were_at_the_close() -> None:
    market = next(m for m in RESOLVED if m.bids and m.asks and m.outcome == NO_WINS)
    row = told(f"/gamma/markets/{market.number}")
    assert row["bestBid"] == float(present(market.bid)) > 0


def test_payouts_are_millionths_of_a_dollar() -> None:
    rows = [(m, row) for m in RESOLVED for row in resolutions(m) if "payouts" in row]
    assert {tuple(row["payouts"]) for _, row in rows} == {
        (1_000_000, 0),
        (0, 1_000_000),
        (500_000, 500_000),
    }
    market, row = rows[0]
    assert market.outcome is not None
    assert row["payouts"][0] == present(DIALECT.truth(market.outcome).yes_pays) * 1_000_000


def test_a_dispute_is_told_and_has_no_winner() -> None:
    view, market = moment_of(State.DISPUTED)
    (row,) = resolutions(market, view)
    assert (row["status"], row["was_disputed"], row["price"]) == ("disputed", True, "69")
    clob = told(f"/clob/markets/{condition_id(market.number)}", view=view)
    assert [token["winner"] for token in clob["tokens"]] == [False, False]


def test_a_proposal_has_its_price_and_when_it_will_be_final() -> None:
    view, market = moment_of(State.PROPOSED)
    (row,) = resolutions(market, view)
    assert row["status"] == "proposed"
    assert row["proposed_price"] != "69" == row["price"]
    assert row["expected_settlement_time"].endswith("Z")


def test_resolutions_leave_out_what_is_not_known() -> None:
    known = [condition_id(m.number) for m in RESOLVED[:5]]
    asked = ",".join([*known, "0x" + "0" * 64, "nonsense", *known])
    rows = told("/data/v2/resolutions", ("condition_id", asked))["data"]
    assert {row["condition_id"] for row in rows} <= set(known)
    assert len(rows) == len({row["condition_id"] for row in rows}) > 0


def test_resolutions_have_one_selector_and_twenty_ids_at_most() -> None:
    many = ",".join(f"0x{n:064x}" for n in range(21))
    assert ask("/data/v2/resolutions", ("condition_id", many)).status == 400
    assert ask("/data/v2/resolutions").status == 400
    both = (("condition_id", CONDITION), ("event_id", "1"))
    assert ask("/data/v2/resolutions", *both).status == 400
