import pytest

from arena.agents.reply import ReplyReading, read_words
from arena.records.decision import Status
from arena.records.market import MarketId, Side
from arena.records.money import usd
from tests.present import present

MARKETS = {name: MarketId(name) for name in ("M1", "M2")}
LEG = '{"market_id":"M1","side":"YES","amount":120}'
BET = '{"reasoning":"r","action":"BET","bets":[' + LEG + "]}"

NO_NUMBERS = (
    "1,000", "0100", "0x64", "1_000", "$100", "1k", "100%", "0.1*1000", "100//2", "100 // 2\n",
    "100 # 50\n", "50+50", "1e", "--1", "1.2.3", "\u0661\u0660", "\uff11", "one", "100 USD",
)  # fmt: skip


def read(text: str) -> ReplyReading:
    return read_words(text, MARKETS)


WHOLE = read(BET).decision


def why(text: str) -> str:
    found = read(text)
    assert (found.status, found.decision) == (Status.REJECT, None)
    return "; ".join(found.reasons)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BET.replace("]}", ",],}"), "no comma before a closing bracket"),
        (BET.replace('"', "'"), "JSON quotes with"),
        (BET.replace('"r"', "'r'"), "JSON quotes with"),
        (BET.replace('"action"', "\u201caction\u201d"), "JSON quotes with"),
        (BET.replace('"BET"', "\u2018BET\u2019"), "JSON quotes with"),
        (BET.replace('"BET"', "\u201eBET\u201c"), "JSON quotes with"),
        (BET.replace('"action"', "action"), "the keys of JSON stand in"),
        (BET.replace(",", ", // so\n", 1), "no comments"),
        (BET.replace(",", ", # so\n", 1), "no comments"),
        (BET.replace(",", "/* so */ ,", 1), "no comments"),
        (BET.replace('"amount":120', '"amount":120 // 10% of cash\n'), "no comments"),
        (BET.replace(",", ",\u00a0", 1), "unusual spaces"),
        (BET.replace(",", ",\ufeff\v", 1), "unusual spaces"),
        (BET.replace("120", "+120"), "without +"),
        (BET.replace("120", "120."), "on both sides of the point"),
        (BET.replace('"action"', '"action":"BET","action"'), "a key comes twice"),
        (BET.replace(LEG, f"{LEG}{LEG.replace('M1', 'M2')}"), "a comma missing"),
        (BET.replace('"action"', '"x":True,"action"'), "not True, False and None"),
    ],
)
def test_syntax_with_one_reading_is_mended_and_noted(text: str, said: str) -> None:
    found = read(text)
    assert (found.status, said in "; ".join(found.reasons)) == (Status.REPAIRED, True)
    assert found.decision is not None
    assert WHOLE is not None
    assert found.decision.bets[:1] == WHOLE.bets


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a\nb", "a\nb"),
        (r"a\'b", "a'b"),
        (r"50\% of C:\x", r"50\% of C:\x"),
        (r"\u0041\ud83d\ude00\/", "A\U0001f600/"),
        (r"\ud83dx", "x"),
        (r"\ud83d\u0041", "A"),
        (r"\u12", r"\u12"),
        (r"\u0031\u002c\u0065\u003c", r"\u0031\u002c\u0065<"),
        ("it\u2019s \u201cso\u201d", "it\u2019s \u201cso\u201d"),
        ("// no comment # none", "// no comment # none"),
    ],
)
def test_a_string_keeps_its_words(written: str, meant: str) -> None:
    found = present(read(BET.replace('"r"', f'"{written}"')).decision)
    assert found.reasoning == meant


@pytest.mark.parametrize(
    "text",
    [
        BET.replace("}]", "} ...]"),
        BET.replace("}]", "}, ...]"),
        BET.replace("}]", "}, \u2026]"),
        BET.replace("}]", "}, // ... and so on\n]"),
        BET.replace("}]", "}, /* \u2026 */]"),
        BET.replace("}]", '}, "..."]'),
        BET.replace('","action', '" "action'),
        BET.replace("}]}", "]}}"),
        BET.replace("}]}", "}}]"),
        BET.replace(",", ",,", 1),
        BET.replace("{", "{,", 1),
        BET.replace('"BET"', "BET"),
        BET.replace('"r"', '"they said "yes" twice"'),
        BET.replace('"', "'").replace("'r'", "'it's'"),
        BET.replace('"r"', "undefined"),
        BET.replace('"r"', "TRUE"),
        BET.replace('"r"', "`r`"),
        BET.replace(":", "=", 1),
        BET.replace("{", "(", 1),
        BET + ',"more":1}',
        BET + ', {"market_id":"M2"}]}',
        BET + ", ...",
    ],
)
def test_what_would_take_a_guess_is_refused(text: str) -> None:
    why(text)


@pytest.mark.parametrize("amount", NO_NUMBERS)
def test_a_number_that_is_none_is_refused(amount: str) -> None:
    why(BET.replace("120", amount))


@pytest.mark.parametrize("word", ["NaN", "-Infinity", "Infinity", "nan", "+inf"])
def test_what_is_not_a_number_is_refused_outside_probabilities(word: str) -> None:
    assert "is not a number" in why(BET.replace("120", word))


def test_a_key_that_comes_twice_must_agree() -> None:
    twice = BET.replace('"action":"BET"', '"action":"BET","action":"HOLD"')
    assert why(twice) == "the key 'action' comes twice and differs"
    assert "'amount' comes twice" in why(BET.replace('"amount":120', '"amount":1,"amount":2'))
    assert "comes twice" in why(BET.replace('"amount":120', '"amount":1,"amount":true'))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BET[:-1], "breaks off"),
        (BET.replace('"r"', '"r'), "not JSON at character"),
        (BET.replace("120", "1,000"), "a number has no commas"),
        (BET.replace("120", "12 dollars"), "character 84, 'dollars}]}': expected a comma or }"),
        (BET.replace("120", "$12"), "'$12}]}': expected a value"),
        (BET.replace("120", "12k"), "'12k}]}': a number is bare"),
    ],
)
def test_the_reason_says_where_and_what(text: str, said: str) -> None:
    assert said in why(text)


@pytest.mark.parametrize("deep", ["[" * 50_000, '{"a":' * 30_000, '{"a":[' * 20_000])
def test_depth_is_refused_and_not_a_crash(deep: str) -> None:
    why(deep)
    why(deep + "1" + "]" * 20_000)


def test_a_balanced_depth_is_read_within_bounds() -> None:
    deep = BET.replace('"action"', f'"x":{"[" * 30}{"]" * 30},"action"')
    assert read(deep).decision == WHOLE
    assert "nested too deeply" in why(deep.replace("[" * 30, "[" * 50))


@pytest.mark.parametrize("amount", ["1e2", "1E2", "100.00", "1000e-1", f"100.{'0' * 5000}"])
def test_a_number_is_exact_however_it_is_written(amount: str) -> None:
    found = present(read(BET.replace("120", amount)).decision)
    assert [(b.side, b.stake) for b in found.bets] == [(Side.YES, usd(100))]


def test_no_reason_repeats_more_than_a_few_hostile_words() -> None:
    hostile = "\u202e\x1b[2J" * 10_000
    for text in (hostile, f"{{{hostile}", f'{{"a":{hostile}', f'{{"{hostile}":1 1}}'):
        said = why(text)
        assert said.isascii()
        assert len(said) < 400
