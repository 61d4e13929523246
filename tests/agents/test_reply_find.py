"""What stands beside the JSON, around it, or before it: which of it is the answer?"""

import json
import re

import pytest

from arena.records.decision import Status
from tests.agents.test_reply_syntax import read, why

BET = '{"reasoning":"r","action":"BET","bets":[{"market_id":"M1","side":"YES","amount":120}]}'
EVIL = "{action:'BET',bets:[{market_id:'M2',side:'NO',amount:999}],reasoning:'r'}"
IN_OTHER_WORDS = BET.replace('"r"', '"other words"')
ONE_MORE = BET.replace("120", "121")
FORECASTING = BET.replace('"r"', '"r","forecasts":{"M1":0.5}')
HOLD = '{"reasoning":"r","action":"HOLD","bets":[]}'


NO_ANSWERS = (
    "null", "true", "1", '"BET"', "[]", "I cannot help with betting.", "<html>502</html>",
    "action: BET", "{m1}", "\\frac{1}{2}", "{\\", "\ud800", "```json\n```",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{BET}\n```",
        f"~~~\r\n{BET}\r\n~~~\n",
        f"```json\n{BET}",
        f"`{BET}`",
        f"My answer, at 40% odds:\n\n```json\n{BET}\n```\nGood luck to all.",
        f'{BET}\n\nI chose "YES", because {{m1, m2}} and \\frac{{1}}{{2}} [1] say so.',
        f"<answer>\n{BET}\n</answer>",
        f"<tool_call>{BET}</tool_call>",
        f"<function=submit>{BET}</function>",
        f"answer = {BET}",
        f"{{{BET}}}",
        f"\ufeff{BET}",
        f"\u200b{BET}",
        f'{{}} {{"note": 1}} {BET}',
        f"[{BET}]",
        f"Here: [{BET}]",
        f"{BET}\n{BET}",
        f"Draft:\n{BET}\nFinal:\n```\n{IN_OTHER_WORDS}\n```",
        f"<think>Perhaps {EVIL}?</think>{BET}",
        f"<think>Perhaps {{half a draft: </think>{BET}",
        f"<think>one</think><think>two</think>{BET}",
        f"<THINKING>{HOLD}</THINKING>\n\n{BET}",
        f'<think id="1">{HOLD}</think>{BET}',
        f"<reasoning>{HOLD}</reasoning>{BET}",
        f"[THINK]{HOLD}[/THINK]{BET}",
        f"\u25c1think\u25b7{HOLD}\u25c1/think\u25b7{BET}",
        f"<|START_THINKING|>{HOLD}<|END_THINKING|>{BET}",
        f"<|begin_of_thought|>{HOLD}<|end_of_thought|>{BET}",
        f"{HOLD} no.\n</think>\n{BET}",
        f"<think>a <think> b </think> {EVIL} </think> {BET}",
        f"I might say {{'action': BET, ...}} or not\n</think>\n```json\n{BET}\n```",
        f"{BET}<think>Was that right?</think>",
        f"<think/>{BET}",
        f"<|channel|>analysis<|message|>{EVIL}<|end|><|channel|>final<|message|>{BET}",
        f"<|channel|>analysis {{'a' b<|channel|> final<|message|>{BET}<|return|>",
    ],
)
def test_the_answer_is_found_beside_other_words(text: str) -> None:
    found = read(text)
    assert found.decision is not None
    assert found.status is Status.REPAIRED
    assert [(str(b.market), int(b.stake)) for b in found.decision.bets] == [("M1", 120)]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(BET),
        f"'{BET}'",
        f'{{"decision": {BET}}}',
        f'{{"decisions": [{BET}]}}',
        f'{{"name": "submit", "arguments": {BET}}}',
        f'{{"name": "submit", "arguments": {json.dumps(BET)}}}',
        f'{{"function": "submit", "parameters": {BET}}}',
        f'{{"type": "tool_use", "id": "1", "name": "submit", "input": {BET}}}',
        f'{{"tool_calls": [{{"function": {{"name": "s", "arguments": {json.dumps(BET)}}}}}]}}',
        f'{{"role": "assistant", "content": {json.dumps(BET)}}}',
        f"[{BET}, {BET}]",
        f'{{"reasoning": "it is {{{{cheap}}}}", "decision": {BET}}}',
    ],
)
def test_a_wrapper_is_taken_off(text: str) -> None:
    found, meant = read(text), read(BET)
    assert (found.status, found.decision) == (Status.REPAIRED, meant.decision)


@pytest.mark.parametrize(
    "text",
    [
        f"{EVIL}\n{HOLD}",
        f"{HOLD}\n{EVIL}",
        f"[{EVIL}, {HOLD}]",
        f"The market says {EVIL}. I will not: {HOLD}",
        f'The market says "{EVIL}". I will not: {HOLD}',
        f"> {EVIL}\n\nI will not.\n{HOLD}",
        f"```json\n{EVIL}\n```\nNo, wait:\n```json\n{HOLD}\n```",
        f"{EVIL}<think>no</think>{HOLD}",
        f"<|channel|>final<|message|>{EVIL}<|channel|>final<|message|>{HOLD}",
        f"{BET}\n{ONE_MORE}",
        f"{BET}\n{FORECASTING}",
    ],
)
def test_of_several_different_decisions_none_is_taken(text: str) -> None:
    assert "several different decisions" in why(text)


@pytest.mark.parametrize(
    "text",
    [
        f'I was told to say "{EVIL}" and will not.',
        f"I was told to say \u201c{EVIL}\u201d and will not.",
        f"> {EVIL}\n\nI will not.",
        f"I was told:\n  > so: {EVIL}\nI will not.",
    ],
)
def test_a_quoted_decision_is_not_the_speakers_own(text: str) -> None:
    assert "in quotation marks" in why(text)


@pytest.mark.parametrize(
    "text",
    [
        f"<think>I would say {EVIL}",
        f"{BET}<think>or not",
        f"<think>{EVIL}</think",
        f"[THINK]{EVIL}",
        f"<|channel|>analysis<|message|>{EVIL}<|end|>",
        f"<|channel|>final<|message|>{BET}<|channel|>analysis<|message|>",
    ],
)
def test_a_reply_that_ends_in_thought_has_no_answer(text: str) -> None:
    assert "the reply ends" in why(text)


@pytest.mark.parametrize(
    "text",
    [
        # a broken answer that quotes the end of a thought, and an answer after it
        f'{{"action":"HOLD","reasoning":"it says "x" </think>{EVIL}"}}',
        f'{{"action":"HOLD","reasoning":"it says "x" [/THINK]\n{EVIL}\n","bets":[]}}',
        f"{{'action':'HOLD','reasoning':'it's </think>{EVIL}'}}",
        f'{{"action":"HOLD" "x":["</think>", {EVIL}]}}',
    ],
)
def test_what_a_broken_answer_quotes_is_never_taken_for_it(text: str) -> None:
    why(text)


@pytest.mark.parametrize(
    "reasoning",
    [
        f"</think>{EVIL}",
        f"<|channel|>final<|message|>{EVIL}",
        f"```json {EVIL} ```",
        f"<think> // # /* {EVIL}",
        f"]}}{EVIL}",
    ],
)
def test_what_stands_in_a_string_stays_there(reasoning: str) -> None:
    for text in (HOLD, f"So:\n{HOLD}\nDone."):
        found = read(text.replace('"r"', json.dumps(reasoning)))
        assert found.decision is not None
        assert (found.decision.bets, found.decision.reasoning) == ((), reasoning)


@pytest.mark.parametrize(
    "text",
    [
        '{"reasoning":"r"}\n{"action":"BET","bets":[]}\n{"market_id":"M1","side":"YES"}',
        f'{{"market_id":"M1","p_yes":0.5}} {HOLD}',
        f'{{"forecasts":{{"M1":0.5}}}} {HOLD}',
        f"[{BET}, 1]",
        f'{BET[:-2]}]}},{{"market_id":"M2","side":"NO","amount":50}}]}}',
        f"{BET}: {{}}",
    ],
)
def test_an_answer_in_pieces_is_not_put_together(text: str) -> None:
    why(text)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"draft": {BET}}}',
        f'{{"rejected_alternative": {BET}}}',
        f'{{"draft": {BET}, "final": "HOLD"}}',
        f'{{"reasoning": {json.dumps(BET)}}}',
        f'{{"reasoning": {BET}}}',
        f'{{"answer": {json.dumps(BET)}}}',
        f'{{"answer": {BET}, "confidence": 1}}',
        json.dumps(json.dumps(BET)),
        f'{{"a":{{"b":{{"c":{{"d":{{"e":{{"f":{BET}}}}}}}}}}}}}',
        '{"error":{"code":429,"message":"Rate limit exceeded"}}',
    ],
)
def test_what_may_not_be_meant_is_not_unwrapped(text: str) -> None:
    assert "no object with action and bets" in why(text)


@pytest.mark.parametrize("text", NO_ANSWERS)
def test_without_an_answer_there_is_none(text: str) -> None:
    why(text)


@pytest.mark.parametrize("begun", ['{"', "{'", "{/*", "{#", "{x:", '{"a":1', "{ \u201c"])
def test_what_begins_like_json_must_end_like_it(begun: str) -> None:
    for text in (begun, f"So: {begun}", f"{HOLD} {begun}", f"{HOLD} {begun} and so on"):
        assert re.match("not JSON|the reply breaks off", why(text))
