from decimal import Decimal

import pytest

from arena.agents.reply import MAX_BYTES, MAX_REASONING, ReplyError, read_reply, write_reply
from arena.records.decision import Action, Bet, BetId, Decision, Forecast, Sale
from arena.records.market import MarketId, Side
from arena.records.money import usd
from tests.agents.briefings import offering

SHOWN = offering("M1", "M2")
M1 = MarketId("id-of-M1")
M2 = MarketId("id-of-M2")
BET = '{"action":"BET","bets":[{"market_id":"M1","side":"YES","amount":120}]}'
HOLD = '{"action":"HOLD","bets":[]}'
STAKING = '{"action":"BET","bets":[{"market_id":"M1","side":"YES","amount":AMOUNT}]}'


def read(text: str) -> Decision:
    return read_reply(text, SHOWN)


def reason(text: str) -> str:
    with pytest.raises(ReplyError) as caught:
        read(text)
    return str(caught.value)


def staking(amount: str) -> str:
    return STAKING.replace("AMOUNT", amount)


def test_a_whole_reply_is_read() -> None:
    said = read(
        '{"forecasts": {"M1": 0.62, "M2": 0.1}, "action": "BET", "reasoning": "why not",'
        ' "bets": [{"market_id": "M2", "side": "NO", "amount": 12.5}]}'
    )
    assert said == Decision(
        Action.BET,
        forecasts=(Forecast(M1, 0.62), Forecast(M2, 0.1)),
        bets=(Bet(BetId("c/3/ada/1"), M2, Side.NO, usd("12.5")),),
        reasoning="why not",
    )


def test_a_sale_is_a_percentage() -> None:
    said = read('{"action":"SELL","bets":[{"market_id":"M1","side":"NO","amount":33.5}]}')
    assert said.sales == (Sale(BetId("c/3/ada/1"), M1, Side.NO, Decimal("33.5")),)
    assert said.bets == ()


def test_legs_are_numbered_in_the_order_written() -> None:
    leg = '{"market_id":"M2","side":"YES","amount":50}'
    said = read(f'{{"action":"BET","bets":[{leg},{leg}]}}')
    assert [bet.id for bet in said.bets] == ["c/3/ada/1", "c/3/ada/2"]


def test_letter_case_of_words_does_not_matter() -> None:
    said = read('{"action":"bet","bets":[{"market_id":"M1","side":"yes","amount":1}]}')
    assert said.bets[0].side is Side.YES


def test_an_amount_is_exact() -> None:
    assert read(staking("0.30000000000000004")).bets[0].stake == usd("0.3")
    assert read(staking("1e2")).bets[0].stake == usd(100)


@pytest.mark.parametrize("amount", ["0", "-50", "-0.0", "1e-999999999"])
def test_a_stake_that_is_not_positive_is_left_to_the_rules(amount: str) -> None:
    assert read(staking(amount)).bets[0].stake <= 0


@pytest.mark.parametrize(
    "amount",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "1e9999999",
        "9" * 400,
        "9" * 5000,
        "1e" + "9" * 30,
    ],
)
def test_an_amount_that_cannot_be_kept_is_refused(amount: str) -> None:
    with pytest.raises(ReplyError):
        read(staking(amount))


@pytest.mark.parametrize(
    "amount",
    [
        "true",
        "null",
        '"100"',
        '"10%"',
        '"$1,000"',
        '"1k"',
        "[100]",
        "{}",
        "1,000",
        "0100",
        "+1",
    ],
)
def test_an_amount_is_a_bare_number(amount: str) -> None:
    with pytest.raises(ReplyError):
        read(staking(amount))


@pytest.mark.parametrize("value", ["true", '"0.5"', "1.01", "-0.1", "NaN", "null", '"60%"'])
def test_a_forecast_is_a_number_in_the_unit_interval(value: str) -> None:
    with pytest.raises(ReplyError):
        read(f'{{"forecasts":{{"M1":{value}}},"action":"HOLD"}}')


def test_an_unknown_market_is_named_and_refused() -> None:
    assert "'M99'" in reason(BET.replace("M1", "M99"))
    assert "'M7'" in reason('{"forecasts":{"M7":0.5},"action":"HOLD"}')
    assert "'m1'" in reason(BET.replace("M1", "m1"))


def test_hostile_names_stay_short_and_ascii_in_the_reason() -> None:
    said = reason(BET.replace("M1", "\u202e" + "x" * 10_000))
    assert said.isascii()
    assert len(said) < 100


@pytest.mark.parametrize(
    "text",
    [
        '{"bets":[]}',
        '{"action":null}',
        BET.replace("BET", "BUY"),
        BET.replace("BET", "HOLD"),
        BET.replace("BET", "\u017fELL"),
        '{"action":"BET","bets":[]}',
        '{"action":"BET"}',
        '{"action":"SELL","bets":null}',
        '{"action":"BET","bets":{"M1":{"side":"YES","amount":1}}}',
        '{"action":"BET","bets":["YES M1 100"]}',
        BET.replace("YES", "Trump"),
        BET.replace('"YES"', "true"),
        BET.replace("amount", "stake"),
        BET.replace('"action"', '"Action"'),
        BET.replace('"amount":120', '"amount":120,"Amount":9'),
        '{"forecasts":[0.5],"action":"HOLD"}',
    ],
)
def test_a_reply_that_leaves_doubt_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        read(text)


def test_more_orders_than_anybody_needs_are_refused() -> None:
    leg = '{"market_id":"M1","side":"YES","amount":1}'
    assert "21" in reason(f'{{"action":"BET","bets":[{",".join([leg] * 21)}]}}')


def test_a_key_that_comes_twice_must_agree() -> None:
    assert "twice" in reason(BET.replace('"action":"BET"', '"action":"BET","action":"HOLD"'))
    assert "twice" in reason(staking('true,"amount":1'))
    assert read(BET.replace('"action":"BET"', '"action":"BET","action":"BET"')) == read(BET)


def test_unknown_keys_are_passed_over() -> None:
    assert read(BET.replace('"action"', '"__proto__":{"a":1},"action"')) == read(BET)


def test_hold_needs_no_bets() -> None:
    assert read('{"action":"HOLD"}') == read('{"action":"HOLD","bets":null}') == read(HOLD)


@pytest.mark.parametrize(
    "text",
    [
        f"\ufeff{BET}",
        f"\n\n  {BET}\n",
        f"```json\n{BET}\n```",
        f"```\n{BET}\n```",
        f"~~~JSON\r\n{BET}\r\n~~~\n",
        f"My answer, at 40% odds:\n\n```json\n{BET}\n```\nGood luck to all.",
    ],
)
def test_a_byte_order_mark_and_one_fence_are_seen_through(text: str) -> None:
    assert read(text) == read(BET)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        f"[{BET}]",
        f"{BET}\n{HOLD}",
        f"Sure! {BET}",
        f"```json\n{BET}",
        f"```json\n{BET}\n~~~",
        f"```json\n{BET}\n```\n```json\n{HOLD}\n```",
        f"```json\n{BET}\n```\n{HOLD}",
        f"<think>\n```json\n{BET}\n```\nno\n</think>",
        f"<|channel|>analysis\n```json\n{BET}\n```",
        "```json\n```",
        "I cannot help with betting.",
        "<html><body>502</body></html>",
        "action: BET",
        BET[:-1],
    ],
)
def test_anything_but_one_object_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        read(text)


def test_a_fence_inside_the_reasoning_is_content() -> None:
    text = BET.replace('"bets"', '"reasoning":"```json\\n{}\\n```","bets"')
    assert read(text).bets == read(BET).bets


def test_reasoning_is_capped_and_free_of_control_characters() -> None:
    told = "a\\u0000\\u001b[31m\\n\\tb\\ud800" + "x" * 10_000
    said = read(f'{{"action":"HOLD","reasoning":"{told}"}}').reasoning
    assert said.startswith("a[31m\n\tbxxx")
    assert len(said) == MAX_REASONING


def test_reasoning_that_is_no_text_is_not_kept() -> None:
    assert read('{"action":"HOLD","reasoning":["a"]}').reasoning == ""


def test_a_giant_reply_is_refused_unread() -> None:
    assert str(MAX_BYTES) in reason(f'{{"action":"HOLD","reasoning":"{"A" * MAX_BYTES}"}}')
    assert str(MAX_BYTES) in reason("\u00e9" * (MAX_BYTES - 10))


@pytest.mark.parametrize("deep", ["[" * 50_000, '{"a":' * 30_000, '{"a":[' * 20_000])
def test_depth_is_refused_and_not_a_crash(deep: str) -> None:
    with pytest.raises(ReplyError):
        read(deep)


def test_what_is_written_is_read_back() -> None:
    text = write_reply(
        Action.BET,
        forecasts={"M1": 0.62},
        bets=[("M1", Side.YES, usd("120")), ("M2", Side.NO, usd("999999999999.123456"))],
        reasoning='said "so"',
    )
    said = read(text)
    assert [bet.stake for bet in said.bets] == [usd("120"), usd("999999999999.123456")]
    assert said.forecasts == (Forecast(M1, 0.62),)
    assert said.reasoning == 'said "so"'


def test_the_writer_is_compact() -> None:
    assert write_reply(Action.BET, bets=[("M1", Side.YES, usd("120"))]) == (
        '{"forecasts":{},"action":"BET",'
        '"bets":[{"market_id":"M1","side":"YES","amount":120}],"reasoning":""}'
    )
