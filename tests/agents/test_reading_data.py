import json

from arena.agents.briefing_data import reading_data
from arena.agents.reply import read_words
from arena.records.market import MarketId

LEGS = (
    '[{"market_id":"M1","side":"YES","amount":120.5},{"market_id":"M9","side":"NO","amount":1}]'
)


def said(text: str) -> dict[str, object]:
    return reading_data(read_words(text, {"M1": MarketId("M1")}))


def test_a_reading_is_said_in_the_words_of_the_reply_format() -> None:
    found = said(f'{{"forecasts":{{"M1":0.25}},"action":"BET","bets":{LEGS},"reasoning":"r"}}')
    assert (found["status"], found["action"]) == ("repaired", "BET")
    assert found["bets"] == [{"market_id": "M1", "side": "YES", "amount": 120.5}]
    assert found["forecasts"] == [{"market_id": "M1", "p_yes": 0.25}]
    assert found["dropped"] == [
        {"index": 1, "reason": "unknown_market", "detail": "bet 2: 'M9' is not on offer"}
    ]


def test_a_reject_says_why_and_would_do_nothing() -> None:
    found = said("what?")
    assert (found["status"], found["action"], found["bets"]) == ("reject", None, [])
    assert found["reasons"]


def test_json_has_a_word_for_all_of_it() -> None:
    for text in ("what?", f'{{"action":"SELL","bets":{LEGS},"reasoning":"r"}}'):
        assert json.loads(json.dumps(said(text), allow_nan=False)) == said(text)
