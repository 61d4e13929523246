from decimal import Decimal

import pytest

from arena.agents.reply import (
    MAX_BYTES,
    MAX_REASONING,
    Budget,
    ReplyReading,
    read_reply,
    read_words,
    write_reply,
)
from arena.records.decision import Action, Bet, BetId, Decision, Forecast, Sale, Status
from arena.records.market import MarketId, Side
from arena.records.money import usd
from tests.agents.briefings import offering
from tests.present import present

SHOWN = offering("M1", "M2")
M1 = MarketId("id-of-M1")
M2 = MarketId("id-of-M2")
BET = '{"reasoning":"r","action":"BET","bets":[{"market_id":"M1","side":"YES","amount":120}]}'
HOLD = '{"reasoning":"r","action":"HOLD","bets":[]}'


def read(text: str, finish: str = "") -> ReplyReading:
    return read_reply(text, SHOWN, finish=finish)


def decision(text: str) -> Decision:
    return present(read(text).decision)


def reason(text: str) -> str:
    found = read(text)
    assert (found.status, found.decision) == (Status.REJECT, None)
    return "; ".join(found.reasons)


def test_a_whole_reply_is_read() -> None:
    said = read(
        '{"reasoning": "why not", "forecasts": [{"market_id": "M1", "p_yes": 0.62},'
        ' {"market_id": "M2", "p_yes": 0.1}], "action": "BET",'
        ' "bets": [{"market_id": "M2", "side": "NO", "amount": 12.5}]}'
    )
    assert said == ReplyReading(
        Status.OK,
        Decision(
            Action.BET,
            forecasts=(Forecast(M1, 0.62), Forecast(M2, 0.1)),
            bets=(Bet(BetId("c/3/ada/1"), M2, Side.NO, usd("12.5")),),
            reasoning="why not",
        ),
    )


def test_a_sale_is_a_percentage() -> None:
    said = decision(BET.replace("BET", "SELL").replace("120", "33.5"))
    assert said.sales == (Sale(BetId("c/3/ada/1"), M1, Side.YES, Decimal("33.5")),)
    assert said.bets == ()


def test_what_was_mended_is_said() -> None:
    said = read(f"Sure!\n{BET.replace('YES', 'yes')}")
    assert said.status is Status.REPAIRED
    assert said.decision == decision(BET)
    assert said.reasons == (
        "answer with the JSON object alone: there were words, fences or tags beside it",
        "side is written YES or NO, in capitals",
    )


@pytest.mark.parametrize(
    "finish",
    [
        "length",
        "max_tokens",
        "MAX_TOKENS",
        "model_length",
        "incomplete",
        "Max-Output Tokens",
        "FinishReason.MAX_TOKENS",
        "model_context_window_exceeded",
    ],
)
def test_a_reply_that_was_cut_off_is_rejected_however_whole_it_looks(finish: str) -> None:
    said = read(BET, finish)
    assert said.status is Status.REJECT
    assert finish in said.reasons[0]


@pytest.mark.parametrize("finish", ["", "stop", "end_turn", "STOP", "tool_calls", "\u202e"])
def test_any_other_end_is_an_end(finish: str) -> None:
    assert read(BET, finish) == read(BET)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"bets":[],"reasoning":"r"}', "there is no action"),
        (BET.replace("BET", "BUY"), "action is one of BET, SELL, HOLD, not 'BUY'"),
        (BET.replace("BET", "\u017fELL"), "action is one of BET, SELL, HOLD"),
        (BET.replace('"BET"', "null"), "action is one of BET, SELL, HOLD, not null"),
        (BET.replace("BET", "HOLD"), "HOLD comes with bets"),
        ('{"action":"BET","reasoning":"r"}', "bets must be a list"),
        ('{"action":"SELL","bets":null}', "bets must be a list"),
        ('{"action":"BET","bets":{"M1":{"side":"YES","amount":1}}}', "bets must be a list"),
    ],
)
def test_a_reply_that_leaves_doubt_is_rejected(text: str, why: str) -> None:
    assert why in reason(text)


def test_hold_needs_no_bets() -> None:
    for text in (HOLD.replace(',"bets":[]', ""), HOLD.replace("[]", "null")):
        said = read(text)
        assert (said.status, said.decision) == (Status.REPAIRED, decision(HOLD))


@pytest.mark.parametrize("action", ["BET", "SELL"])
def test_an_order_of_nothing_is_a_hold(action: str) -> None:
    said = read(HOLD.replace("HOLD", action))
    assert (said.status, said.decision) == (Status.REPAIRED, decision(HOLD))


def test_without_any_order_left_there_is_no_decision() -> None:
    assert reason(BET.replace("M1", "M9")) == "bet 1: 'M9' is not on offer"


def test_more_orders_than_anybody_needs_are_rejected() -> None:
    leg = '{"market_id":"M1","side":"YES","amount":1}'
    assert "21 bets" in reason(f'{{"action":"BET","bets":[{",".join([leg] * 21)}]}}')


def test_where_more_is_on_offer_more_orders_are_read() -> None:
    names = [f"M{n}" for n in range(1, 16)]
    legs = ",".join(f'{{"market_id":"{name}","side":"YES","amount":1}}' for name in names * 2)
    text = f'{{"action":"BET","bets":[{legs}],"reasoning":""}}'
    found = present(read_reply(text, offering(*names)).decision)
    assert len(found.bets) == 15


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('"confidence":0.9', "the key 'confidence' was passed over"),
        ('"__proto__":{"a":1}', "the key '__proto__' was passed over"),
        (f'"{"x" * 99}":1', f"the key '{'x' * 40}...' was passed over"),
    ],
)
def test_other_keys_are_passed_over_and_noted(more: str, said: str) -> None:
    found = read(BET.replace('"action"', f'{more},"action"'))
    assert (found.decision, found.reasons) == (decision(BET), (said,))


def test_many_reasons_are_counted() -> None:
    keys = ",".join(f'"k{n}":0' for n in range(100))
    found = read(BET.replace('"action"', f'{keys},"action"'))
    assert len(found.reasons) == 13
    assert found.reasons[-1] == "and 88 more"


@pytest.mark.parametrize("key", ["Action", "ACTION", "action ", "ac_tion", "ac-tion"])
def test_a_key_may_be_in_another_case(key: str) -> None:
    found = read(BET.replace('"action"', f'"{key}"'))
    assert (found.status, found.decision) == (Status.REPAIRED, decision(BET))


@pytest.mark.parametrize("key", ["act", "actions", "decision", "\u0430ction", "verb"])
def test_no_other_word_stands_for_a_key(key: str) -> None:
    reason(BET.replace('"action"', f'"{key}"'))


def test_two_spellings_of_a_key_must_agree() -> None:
    again = BET.replace('"action":"BET"', '"action":"BET","Action":"WORD"')
    assert "the key action comes twice and differs" in reason(again.replace("WORD", "HOLD"))
    assert read(again.replace("WORD", "BET")).decision == decision(BET)


def test_reasoning_is_capped_and_free_of_control_characters() -> None:
    told = "a\\u0000\\u001b[31m\\n\\tb\\ud800" + "x" * 10_000
    said = decision(HOLD.replace('"r"', f'"{told}"')).reasoning
    assert said.startswith("a[31m\n\tbxxx")
    assert len(said) == MAX_REASONING


@pytest.mark.parametrize("value", ['["a"]', "null", "7"])
def test_reasoning_that_is_no_text_is_not_kept(value: str) -> None:
    found = read(HOLD.replace('"r"', value))
    assert found.decision == Decision(Action.HOLD)
    assert found.reasons == ("reasoning is a string of a few sentences",)


def test_a_giant_reply_is_rejected_unread() -> None:
    assert str(MAX_BYTES) in reason(f'{{"action":"HOLD","reasoning":"{"A" * MAX_BYTES}"}}')
    assert str(MAX_BYTES) in reason("\u00e9" * (MAX_BYTES - 10))


def test_the_largest_reply_is_read() -> None:
    room = MAX_BYTES - len(HOLD) + 1
    assert read(HOLD.replace('"r"', f'"{"r" * room}"')).status is Status.OK


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "\ufeff\n"])
def test_an_empty_reply_is_called_so(text: str) -> None:
    assert reason(text) == "the reply is empty"


def test_hostile_names_stay_short_and_ascii_in_the_reason() -> None:
    said = reason(BET.replace("M1", "\u202e" + "x" * 10_000))
    assert said.isascii()
    assert len(said) < 100


def test_words_can_be_read_without_a_briefing() -> None:
    found = read_words(BET, {"M1": M1}, budget=Budget(usd(120)))
    assert found.decision is not None
    assert found.decision.bets == (Bet(BetId("reply/1"), M1, Side.YES, usd(120)),)


def test_what_is_written_is_read_back() -> None:
    text = write_reply(
        Action.BET,
        forecasts={"M1": 0.62},
        bets=[("M1", Side.YES, usd("120")), ("M2", Side.NO, usd("999999999999.123456"))],
        reasoning='said "so"',
    )
    said = decision(text)
    assert [bet.stake for bet in said.bets] == [usd("120"), usd("999999999999.123456")]
    assert said.forecasts == (Forecast(M1, 0.62),)
    assert said.reasoning == 'said "so"'


def test_the_writer_is_compact() -> None:
    assert write_reply(Action.BET, bets=[("M1", Side.YES, usd("120"))]) == (
        '{"forecasts":{},"action":"BET",'
        '"bets":[{"market_id":"M1","side":"YES","amount":120}],"reasoning":""}'
    )


def test_the_writer_is_never_too_long_to_be_read() -> None:
    assert decision(write_reply(Action.HOLD, reasoning="x" * MAX_BYTES)).action is Action.HOLD
