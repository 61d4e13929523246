from tests.present import present
from tests.standins.venues.polymarket_ids import (
    condition_id,
)
from tests.testing.venues.moments import (
    RESOLVED,
)
from tests.testing.venues.polymarket_asked import (
    DIALECT,
    resolutions,
    told,
)


def test_a_resolved_market_can_always_be_told_by_one_of_the_three_services() -> None:
    for market in RESOLVED:
        row = told(f"/gamma/markets/{market.number}")
        clob = told(f"/clob/markets/{condition_id(market.number)}")
        by_clob = [token["winner"] for token in clob["tokens"]]
        payouts = [r.get("payouts") for r in resolutions(market)]
        spoken = row.get("umaResolutionStatus") in {"resolved", "settled"}
        assert spoken or any(by_clob) or any(payouts)
        assert sum(by_clob) == (market.outcome is not None and market.outcome.truth is not None)


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
