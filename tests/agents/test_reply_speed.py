"""Reading takes time in proportion to a reply's length, whatever an attacker writes."""

import json

import pytest

from arena.agents.reply import MAX_BYTES, read_words
from arena.records.market import MarketId
from tests.hangs import grows_in_proportion

MARKETS = {"M1": MarketId("a"), "M2": MarketId("b")}
LEG = '{"market_id":"M1","side":"YES","amount":1},'
HOLD = '{"action":"HOLD","bets":[]}'
BET = '{"action":"BET","bets":[{"market_id":"M1","side":"YES","amount":'

Shape = tuple[str, str, str]  # what comes first, what is repeated, what comes last
SHAPES: dict[str, Shape] = {
    "braces": ("", "{", ""),
    "spaced braces": ("", "{ ", ""),
    "named braces": ("", "{a ", ""),
    "brackets": ("", "[", ""),
    "nested objects": ("", '{"a":', ""),
    "nested lists": ('{"a":', "[", ""),
    "objects": ("", "{}", ""),
    "objects and commas": ("", "{} ,", ""),
    "decisions": ("", HOLD + "\n", ""),
    "decisions in a list": ("[", HOLD + ",", "1]"),
    "quoted objects": ("", '"{}', ""),
    "quoted lines": ("", "> {} ", ""),
    "open thoughts": ("", "<think>", ""),
    "whole thoughts": ("", "<think></think>", ""),
    "ends of thoughts": ("", "</think>", ""),
    "ends after broken JSON": ('{"a" b ', "</think>", ""),
    "broken JSON and ends": ("", '{"a" b </think>', ""),
    "unfinished tags": ("", "</think ", ""),
    "named tags": ("", "<a", ""),
    "fences": ("", "```json\n", ""),
    "channels": ("", "<|channel|>analysis", ""),
    "final channels": ("", "<|channel|>final", ""),
    "backslashes": ("", "\\", ""),
    "escaped backslashes": ('{"a":"', "\\\\", '"}'),
    "unknown escapes": ('{"a":"', "\\q", '"}'),
    "code points": ('{"a":"', "\\ud83d", '"}'),
    "line breaks in a string": ('{"a":"', "\n", '"}'),
    "quotes": ("", '"', ""),
    "apostrophes": ("", "'", ""),
    "opened strings": ("", '{"', ""),
    "opened curly strings": ("{", "\u201c", ""),
    "spaces": ("{", " ", "}"),
    "odd spaces": ("{", "\v", "}"),
    "comments": ("{", "/**/", "}"),
    "line comments": ("{", "#\n", "}"),
    "comments after braces": ("", "{//", "\nx"),
    "one name": ("{", "a", ""),
    "one number": (BET, "9", "}]}"),
    "many decimals": (BET + "0.", "0", "1}]}"),
    "a long exponent": (BET + "1e", "9", "}]}"),
    "a long string": (BET + '"', "9", '"}]}'),
    "equal keys": ("{", '"a":1,', '"b":2}'),
    "keys that differ": ("{", '"a":1,"a":2,', '"b":2}'),
    "legs": ('{"action":"BET","bets":[', LEG, "1]}"),
    "forecasts": ('{"action":"HOLD","forecasts":[', '{"market_id":"M1","p_yes":1},', "]}"),
    "no numbers": ('{"action":"HOLD","bets":[', "NaN,", "]}"),
    "no probabilities": ('{"action":"HOLD","forecasts":[', '{"p_yes":NaN},', "]}"),
}


def made(shape: Shape, size: int) -> str:
    first, repeated, last = shape
    return first + repeated * ((size - len(first) - len(last)) // len(repeated)) + last


@pytest.mark.parametrize("name", SHAPES)
def test_time_is_in_proportion_to_length(name: str) -> None:
    room = MAX_BYTES // 3 if not SHAPES[name][1].isascii() else MAX_BYTES
    assert grows_in_proportion(lambda n: read_words(made(SHAPES[name], n), MARKETS), room)


def test_a_decision_in_a_string_in_a_string_is_no_slower() -> None:
    def read(legs: int) -> None:
        inner = json.dumps('{"action":"BET","bets":[' + LEG * legs + "1]}")
        read_words(json.dumps(f'{{"arguments":{inner}}}'), MARKETS)

    assert grows_in_proportion(read, 1500)


def test_many_different_keys_are_no_slower() -> None:
    def read(many: int) -> None:
        keys = ",".join(f'"{n}":{n}' for n in range(many))
        read_words(f"{{{keys}}}", MARKETS)

    assert grows_in_proportion(read, 13_000)
