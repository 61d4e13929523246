from dataclasses import replace
from decimal import Decimal

from arena.records.cohort import CohortId, ContestantId
from arena.records.market import Side
from arena.records.money import price, shares, usd
from arena.site.charts.price import HEIGHT, WIDTH, price_chart
from arena.store.cards import Deal, Seen
from tests.build import ADA, COHORT, RAIN, at, at_price, quote

BET = Deal(
    entry=1,
    cohort=CohortId(COHORT),
    contestant=ContestantId(ADA),
    at=at(1),
    market=RAIN,
    side=Side.YES,
    shares=shares(1),
    price=price("0.4"),
    dollars=usd("0.4"),
    fee=usd(0),
    sold=False,
)


def books(*mids: str | None) -> list[Seen]:
    """A book an hour; None is one that lost a side."""
    return [
        Seen(at(n), at_price(mid) if mid else quote("0.3", None)) for n, mid in enumerate(mids)
    ]


def test_a_price_holds_until_the_next() -> None:
    chart = price_chart(books("0.5", "0.75", "0.25"), ())
    assert chart is not None
    assert (
        chart.path == f"M0 {HEIGHT // 2}H{WIDTH // 2}V{HEIGHT // 4}H{WIDTH}V{3 * HEIGHT // 4}"
    )


def test_where_a_side_is_missing_there_is_a_gap() -> None:
    chart = price_chart(books("0.5", None, "0.5", "0.5"), ())
    assert chart is not None
    assert chart.path == "M0 200H480M960 200H1440V200"


def test_one_price_is_no_line() -> None:
    assert price_chart(books("0.5"), ()) is None
    assert price_chart(books("0.5", None), ()) is None
    assert price_chart([], ()) is None


def test_a_bet_stands_at_the_price_of_yes_that_it_paid() -> None:
    no = replace(BET, side=Side.NO, price=price("0.75"))
    chart = price_chart(books("0.5", "0.5", "0.5"), (BET, no, BET))
    assert chart is not None
    assert [(d.x, d.y, d.side) for d in chart.dots] == [(720, 240, "yes"), (720, 300, "no")]


def test_sales_and_what_lies_outside_are_not_drawn() -> None:
    sold = replace(BET, sold=True)
    late = replace(BET, at=at(9))
    chart = price_chart(books("0.5", "0.5", "0.5"), (sold, late))
    assert chart is not None
    assert chart.dots == ()


def test_the_words_say_what_the_line_shows() -> None:
    chart = price_chart(books("0.5", "0.75", "0.25"), ())
    assert chart is not None
    assert Decimal("0.25") < Decimal("0.75")
    assert chart.words == (
        "Middle of the book for YES: first 0.5000, last 0.2500, lowest 0.2500, highest 0.7500."
    )
