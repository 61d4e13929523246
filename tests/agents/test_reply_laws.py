"""What holds for every reply: damaged anywhere, cut anywhere, or written by ourselves."""

import re
from collections.abc import Iterator
from decimal import ROUND_FLOOR, Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.agents.reply import Budget, ReplyReading, read_reply, read_words, write_reply
from arena.records.answer import Briefing
from arena.records.decision import Action, Bet, BetId, Decision, Forecast, Sale, Status
from arena.records.market import MarketId, Side
from arena.records.money import Usd, usd
from tests.agents.briefings import offering
from tests.sizes import size
from tests.vectors import replies

MUTATIONS = size(8_000, 200_000)
NAMES = ("M1", "M2", "M12")  # M1 is a beginning of M12
MARKETS = {name: MarketId(f"id-of-{name}") for name in NAMES}
CASH = Budget(usd(500))
LEG = '{"market_id":"M1","side":"YES","amount":37}'
BET = '{"action":"BET","bets":[' + LEG + "]}"
REPLIES = (
    BET,
    '{"action":"SELL","bets":[' + LEG + ',{"market_id":"M12","side":"NO","amount":12.5}]}',
    '{"action":"BET","bets":[{"amount":"$1,150","market_id":"M2","side":"no"},' + LEG + "],}",
    "{'forecasts':{'M1':.6},action:'BET',bets:[" + LEG + "]} // so",
    "<think>" + BET.replace("37", "400") + "</think>So:\n```json\n" + BET + "\n```",
    r'{"tool":{"action":"BET","bets":"[{\"market_id\":\"M2\",\"side\":\"NO\",\"amount\":1e2}]"}}',
    '{"action":"BET","bets":[' + LEG + ' {"market_id":"M2","side":"YES","amount":37}]/**/}',
    '{"forecasts":[{"market_id":"M1","p_yes":0.62}],"action":"HOLD","bets":[]}',
)
PIECES = (
    *'{}[]":,\'\\/#.-+$%0123456789eE \n', "```", "//", "/*", "*/", "<think>", "</think>",
    "null", "true", "NaN", "...", "M1", "M12", "YES", "NO", "BET", "HOLD", "SELL", "bets",
    "amount", "\u201c", "\u00a0", "\ufeff", "\\u0030", "\\n", "1,000", BET, LEG, "<|channel|>",
)  # fmt: skip
NUMBER = re.compile(
    r"(?:(?<![\w.])|(?<=\\[nrtbf]))"  # a letter before it may end the escape of a blank
    r"[+-]?(?:[0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
)

Legs = list[tuple[MarketId, Side, Decimal]]


def legs(found: ReplyReading) -> Legs:
    if found.decision is None:
        return []
    bets: Legs = [(b.market, b.side, b.stake) for b in found.decision.bets]
    return bets + [(s.market, s.side, s.percent) for s in found.decision.sales]


def numbers(text: str) -> set[Decimal]:
    """Every number that stands in a text, cut down to cents; those beyond reason are left."""
    exact = (Decimal(word.replace(",", "")) for word in NUMBER.findall(text))
    return {n.quantize(Decimal("0.01"), ROUND_FLOOR) for n in exact if n < 10**12}


def mutants(count: int) -> Iterator[str]:
    """Damage replies with a fixed seed: cut, copied, moved, swapped and foreign pieces."""
    chance = np.random.default_rng(20_261_121)
    draws = chance.integers(0, 2**31, size=(count, 5)).tolist()
    for which, how, at, length, piece in draws:
        text = REPLIES[which % len(REPLIES)]
        start = at % len(text)
        end = start + (length % 3 if length % 5 else length % len(text))
        foreign = PIECES[piece % len(PIECES)]
        if how % 4 == 0:
            yield text[:start] + text[end:]
        elif how % 4 == 1:
            yield text[:start] + foreign + text[start:]
        elif how % 4 == 2:
            yield text[:start] + foreign + text[end:]
        else:
            goal = piece % len(text)
            yield text[:goal] + text[start:end] + text[goal:]


def test_no_damage_makes_a_reply_say_what_is_not_written_in_it() -> None:
    executed = 0
    for n, text in enumerate(mutants(MUTATIONS)):
        found = read_words(text, MARKETS, budget=CASH if n % 2 else None)
        assert (found.decision is None) == (found.status is Status.REJECT)
        placed = legs(found)
        if placed:
            executed += 1
            assert {market for market, _, _ in placed} <= set(MARKETS.values()), text
            amounts = {a.quantize(Decimal("0.01"), ROUND_FLOOR) for _, _, a in placed}
            assert amounts <= numbers(text), text
            if n % 2 and found.decision and found.decision.bets:
                assert sum(amount for _, _, amount in placed) <= 500, text
    assert executed > MUTATIONS / 10  # damage that nothing survives would prove nothing


def whole() -> list[str]:
    """Replies that state a decision, as models write them and as we do."""
    fine = [case for case in replies() if case["expected"]["status"] != "reject"]
    return [*REPLIES, *(str(case["text"]) for case in fine)]


@pytest.mark.parametrize("text", whole())
def test_a_reply_cut_short_anywhere_moves_no_other_money(text: str) -> None:
    names = [*NAMES, "m1", "m2", "m3", "12345", "0xAbC9"]
    markets = {name: MarketId(name) for name in names}
    meant = legs(read_words(text, markets))
    for end in range(len(text)):
        cut = read_words(text[:end], markets)
        assert legs(cut) in ([], meant)
        assert read_words(text[:end], markets, finish="length").decision is None
    assert read_words(text, markets).decision is not None


def test_a_reply_without_its_last_bracket_is_rejected() -> None:
    for text in REPLIES[:2]:
        assert read_words(text, MARKETS).decision is not None
        for end in range(len(text)):
            assert read_words(text[:end], MARKETS).decision is None


SHOWN = offering(*NAMES)
DIGITS = '{"action": "BET" ,"bets":[ {"market_id":"M1" ,"side":"YES" ,"amount": 1 0 e9 NaN }'
tokens = st.sampled_from([*DIGITS.split(), *PIECES])
amounts = st.decimals("0.000001", "99999", places=6)
orders = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(list(Side)), amounts),
    unique_by=lambda order: order[0],
    min_size=1,
)


@settings(deadline=None, max_examples=size(75, 300))
@given(st.text(max_size=60) | st.lists(tokens, max_size=30).map("".join), st.text(max_size=9))
@example("\ud800", "")
@example('{"\ud800":"\ud800"}', "\ud800")
def test_no_text_breaks_the_reader(text: str, finish: str) -> None:
    for found in (read_reply(text, SHOWN, finish=finish), read_words(text, {})):
        assert (found.decision is None) == (found.status is Status.REJECT)
        assert "".join(found.reasons).isascii()


def written(
    shown: Briefing, action: Action, placed: Legs, stated: dict[str, float]
) -> Decision:
    ids = [BetId(f"c/3/ada/{n}") for n in range(1, len(placed) + 1)]
    numbered = list(zip(ids, placed, strict=True))
    names = {offer.alias: offer.market.id for offer in shown.offers}
    return Decision(
        action,
        tuple(Forecast(names[alias], p) for alias, p in stated.items()),
        tuple(Bet(i, m, s, Usd(a)) for i, (m, s, a) in numbered if action is Action.BET),
        tuple(Sale(i, m, s, a) for i, (m, s, a) in numbered if action is Action.SELL),
    )


@settings(deadline=None)
@given(
    st.sampled_from(list(Action)),
    orders,
    st.dictionaries(st.sampled_from(NAMES), st.floats(0, 1)),
    st.text(max_size=50),
)
def test_what_we_write_is_in_order_and_reads_back_equal(
    action: Action, placed: list[tuple[str, Side, Decimal]], stated: dict[str, float], why: str
) -> None:
    bets = placed if action is not Action.HOLD else []
    found = read_reply(write_reply(action, forecasts=stated, bets=bets, reasoning=why), SHOWN)
    known = [(MARKETS[alias], side, amount) for alias, side, amount in bets]
    meant = written(SHOWN, action, known, stated)
    assert found.status is Status.OK
    assert found.decision is not None
    said = found.decision
    assert said.action == meant.action
    assert said.forecasts == meant.forecasts
    assert said.bets == meant.bets
    assert said.sales == meant.sales
    again = write_reply(action, forecasts=stated, bets=bets, reasoning=said.reasoning)
    assert read_reply(again, SHOWN) == found
