import pytest

from arena.agents.reply import Budget, ReplyReading, read_words
from arena.records.decision import Drop, Status
from arena.records.market import MarketId
from arena.records.money import usd

NAMES = ("M1", "M2", "M3", "12345")
MARKETS = {name: MarketId(f"id-of-{name}") for name in NAMES}

NO_AMOUNTS = (
    "true", "null", "[100]", "{}", '"1k"', '"\u20ac100"', '"100 EUR"', '"1.000,50"', '"1_000"',
    '"1,00"', '"0,600"', '"0x10"', '"1e2"', '"$"', '""', r'"1\u0030"', '"\u0661\u0660"',
    '"10-20"', '"50+50"', '"NaN"', '"all"', f'"{"9" * 400}"', '"1 000"', '"-$5"', '"C$100"',
    '"100 CAD"', '"100 USDC"', '"$100 AUD"', '"100 cents"', '"100 shares"', '"50 percent"',
)  # fmt: skip
IN_QUOTES = (
    ('"100"', "100"), ('" 100 "', "100"), ('"$1,000"', "1000"), ('"$ 12.50"', "12.5"),
    ('"1,234,567.89"', "1234567.89"), ('"+5"', "5"), ('"1,000"', "1000"),
    ('"100 USD"', "100"), ('"US$100"', "100"), ('"100 dollars"', "100"), ('"100$"', "100"),
    ('"100usd"', "100"), ('"USD 1,000.50"', "1000.5"), ('"1 US dollar"', "1"),
)  # fmt: skip


def leg(market: str = "M1", side: str = "YES", amount: str = "100") -> str:
    return f'{{"market_id":"{market}","side":"{side}","amount":{amount}}}'


def read(*legs: str, action: str = "BET", cash: str = "", cap: str = "") -> ReplyReading:
    text = f'{{"action":"{action}","bets":[{",".join(legs)}],"reasoning":"r"}}'
    budget = Budget(usd(cash), usd(cap) if cap else None) if cash else None
    return read_words(text, MARKETS, budget=budget)


def dropped(found: ReplyReading) -> list[tuple[int, Drop]]:
    return [(one.index, one.reason) for one in found.dropped]


def amounts(found: ReplyReading) -> list[str]:
    """The number and the amount of each order that stands."""
    if found.decision is None:
        return []
    stakes = [(bet.id, bet.stake) for bet in found.decision.bets]
    percents = [(sale.id, sale.percent) for sale in found.decision.sales]
    return [f"{i.rpartition('/')[2]}: {a.normalize():f}" for i, a in [*stakes, *percents]]


@pytest.mark.parametrize(
    ("order", "reason", "detail"),
    [
        (leg("M9"), Drop.UNKNOWN_MARKET, "bet 1: 'M9' is not on offer"),
        (leg("m1"), Drop.UNKNOWN_MARKET, "bet 1: 'm1' is not on offer"),
        (leg("M"), Drop.UNKNOWN_MARKET, "bet 1: 'M' is not on offer"),
        (leg("id-of-M1"), Drop.UNKNOWN_MARKET, "bet 1: 'id-of-M1' is not on offer"),
        ('{"side":"YES","amount":1}', Drop.UNKNOWN_MARKET, "bet 1: it has no market_id"),
        (leg().replace('"M1"', "true"), Drop.UNKNOWN_MARKET, "bet 1: true is not on offer"),
        (leg().replace('"M1"', "12345.0"), Drop.UNKNOWN_MARKET, "'12345.0' is not on offer"),
        (leg(side="MAYBE"), Drop.BAD_SIDE, "bet 1: side is YES or NO, not 'MAYBE'"),
        (leg().replace('"YES"', "true"), Drop.BAD_SIDE, "side is YES or NO, not true"),
        (leg().replace('"YES"', "null"), Drop.BAD_SIDE, "side is YES or NO, not null"),
        (leg().replace('"side":"YES",', ""), Drop.BAD_SIDE, "side is YES or NO"),
        ('{"market_id":"M1","side":"YES"}', Drop.BAD_AMOUNT, "bet 1: it has no amount"),
        (leg(amount='"10%"'), Drop.BAD_AMOUNT, "a bare number of dollars, not '10%'"),
        ('"YES M1 100"', Drop.NOT_AN_OBJECT, "bet 1: 'YES M1 100' is not an object"),
        ("[]", Drop.NOT_AN_OBJECT, "bet 1: a list is not an object"),
        ("null", Drop.NOT_AN_OBJECT, "bet 1: null is not an object"),
    ],
)
def test_an_order_that_cannot_be_read_is_dropped_with_its_reason(
    order: str, reason: Drop, detail: str
) -> None:
    found = read(order, leg("M2", "NO", "5"))
    assert (found.status, dropped(found)) == (Status.REPAIRED, [(0, reason)])
    assert detail in found.dropped[0].detail
    assert amounts(found) == ["2: 5"]


@pytest.mark.parametrize("amount", NO_AMOUNTS)
def test_an_amount_that_is_no_plain_number_of_dollars_is_bad(amount: str) -> None:
    assert dropped(read(leg(amount=amount))) == [(0, Drop.BAD_AMOUNT)]


@pytest.mark.parametrize(("amount", "meant"), IN_QUOTES)
def test_a_number_in_quotation_marks_is_read_and_noted(amount: str, meant: str) -> None:
    found = read(leg(amount=amount))
    assert (found.status, amounts(found)) == (Status.REPAIRED, [f"1: {meant}"])
    assert found.reasons == ("a number is bare: without quotation marks, signs and units",)


def test_the_unit_of_a_sale_is_percent() -> None:
    for amount in ('"50%"', '"50 percent"', '"50 pct"'):
        assert amounts(read(leg(amount=amount), action="SELL")) == ["1: 50"]
    assert dropped(read(leg(amount='"$50"'), action="SELL")) == [(0, Drop.BAD_AMOUNT)]
    detail = read(leg(amount='"half"'), action="SELL").dropped[0].detail
    assert detail == "bet 1: amount is a bare number of percent, not 'half'"


@pytest.mark.parametrize(
    "amount", ["1e999", "1e9999999", "9" * 400, "9" * 5000, "1e" + "9" * 30, "1000000000000"]
)
def test_an_amount_that_cannot_be_kept_is_bad(amount: str) -> None:
    assert dropped(read(leg(amount=amount))) == [(0, Drop.BAD_AMOUNT)]


@pytest.mark.parametrize(
    "amount", ["0", "-50", "-0.0", "1e-999999999", "0.009", '"-5"', '"$-5"', "-999999999999"]
)
def test_an_amount_below_a_cent_is_not_positive(amount: str) -> None:
    assert dropped(read(leg(amount=amount), cash="100")) == [(0, Drop.NON_POSITIVE_AMOUNT)]


def test_without_a_budget_a_millionth_is_an_amount() -> None:
    assert amounts(read(leg(amount="0.000001"))) == ["1: 0.000001"]
    assert dropped(read(leg(amount="0.0000009"))) == [(0, Drop.NON_POSITIVE_AMOUNT)]


def test_an_amount_is_cut_down_to_what_can_be_kept_never_up() -> None:
    for amount in ("0.30000000000000004", "0.3000009"):
        found = read(leg(amount=amount))
        assert (found.status, amounts(found)) == (Status.REPAIRED, ["1: 0.3"])
    exact = read(leg(amount="33.333333"))
    assert (exact.status, amounts(exact)) == (Status.OK, ["1: 33.333333"])


def test_with_a_budget_amounts_are_whole_cents() -> None:
    found = read(leg(amount="33.339"), cash="100")
    assert (found.status, amounts(found)) == (Status.REPAIRED, ["1: 33.33"])


def test_a_whole_number_may_name_a_market() -> None:
    found = read(leg().replace('"M1"', "12345"))
    assert (found.status, amounts(found)) == (Status.REPAIRED, ["1: 100"])


@pytest.mark.parametrize("side", ["yes", " Yes ", "yEs"])
def test_case_and_spaces_of_a_side_do_not_matter(side: str) -> None:
    found = read(leg(side=side))
    assert (found.status, amounts(found)) == (Status.REPAIRED, ["1: 100"])


def test_the_same_order_twice_is_one() -> None:
    found = read(leg(), leg("M2"), leg(amount="100.00"))
    assert amounts(found) == ["1: 100", "2: 100"]
    assert dropped(found) == [(2, Drop.DUPLICATE_ORDER)]
    assert found.dropped[0].detail == "bet 3: it repeats bet 1"


@pytest.mark.parametrize(
    "other", [leg(amount="200"), leg(side="NO"), leg(side="NO", amount="1")]
)
def test_orders_of_a_market_that_contradict_each_other_are_all_dropped(other: str) -> None:
    found = read(leg(), leg("M2"), other, leg())
    assert amounts(found) == ["2: 100"]
    assert dropped(found) == [(n, Drop.CONFLICTING_ORDER) for n in (0, 2, 3)]


def test_both_sides_of_a_market_can_be_sold() -> None:
    found = read(leg(), leg(side="NO"), action="SELL")
    assert (found.status, amounts(found)) == (Status.OK, ["1: 100", "2: 100"])
    again = read(leg(), leg(side="NO"), leg(amount="50"), action="SELL")
    assert dropped(again) == [(0, Drop.CONFLICTING_ORDER), (2, Drop.CONFLICTING_ORDER)]


def test_orders_fill_in_their_order_while_cash_lasts() -> None:
    found = read(
        leg(amount="700"), leg("M2", amount="400"), leg("M3", amount="300"), cash="1000"
    )
    assert amounts(found) == ["1: 700", "3: 300"]
    assert dropped(found) == [(1, Drop.OVER_BUDGET)]
    assert found.dropped[0].detail == "bet 2: 400 dollars are more than the 300 that are left"


def test_a_cap_bounds_each_order_and_is_judged_before_the_cash() -> None:
    found = read(leg(amount="2000"), leg("M2", amount="250"), cash="1000", cap="250")
    assert (amounts(found), dropped(found)) == (["2: 250"], [(0, Drop.OVER_CAP)])
    assert found.dropped[0].detail == "bet 1: 2000 dollars are more than the cap of 250"


def test_without_a_budget_money_is_left_to_the_ledger() -> None:
    assert amounts(read(leg(amount="999999999999"))) == ["1: 999999999999"]


def test_a_sale_takes_no_cash() -> None:
    assert amounts(read(leg(), action="SELL", cash="1", cap="1")) == ["1: 100"]


def test_where_all_are_dropped_their_reasons_are_those_of_the_rejection() -> None:
    found = read(leg("M9"), leg(side="MAYBE"))
    assert found.status is Status.REJECT
    assert found.reasons == tuple(one.detail for one in found.dropped)


def test_other_spellings_of_a_key_are_noted_where_they_are() -> None:
    found = read(leg(), leg("M2").replace("market_id", "marketId"))
    assert found.reasons == ("bet 2: the key 'marketId' is written market_id",)


def test_a_leg_that_says_two_things_makes_the_reply_unreadable() -> None:
    found = read(leg().replace('"amount":100', '"amount":100,"Amount":9'))
    assert (found.status, found.decision) == (Status.REJECT, None)
