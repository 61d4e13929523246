from decimal import Decimal

from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.agents.reply import ReplyError, read_reply, write_reply
from arena.records.decision import Action, Decision
from arena.records.market import Side
from tests.agents.briefings import offering

ALIASES = [f"M{n}" for n in range(1, 13)]  # M1 is a beginning of M12
SHOWN = offering(*ALIASES)

amounts = st.decimals("0.01", "99999", places=2)
legs = st.tuples(st.sampled_from(ALIASES), st.sampled_from(list(Side)), amounts)
forecasts = st.dictionaries(st.sampled_from(ALIASES), st.floats(0, 1), max_size=4)
WORDS = '{"action": "BET" ,"bets":[ {"market_id":"M1" ,"side":"YES" ,"amount": 1 0 e9 NaN }'
tokens = st.sampled_from([*WORDS.split(), "]}", "```", "~~~", "\n", "json", '"', "\\u00"])


@st.composite
def replies(draw: st.DrawFn) -> str:
    action = draw(st.sampled_from([Action.BET, Action.SELL]))
    return write_reply(
        action,
        forecasts=draw(forecasts),
        bets=draw(st.lists(legs, min_size=1, max_size=3)),
        reasoning=draw(st.text(max_size=20)),
    )


def read(text: str) -> Decision | None:
    try:
        return read_reply(text, SHOWN)
    except ReplyError:
        return None


@settings(deadline=None, max_examples=60)
@given(replies(), st.sampled_from(["{}", "```json\n{}\n```", "Well:\n~~~~\n{}\n~~~~\nDone."]))
def test_a_reply_cut_short_is_refused_or_says_the_same(reply: str, around: str) -> None:
    text = around.replace("{}", reply)
    whole = read(text)
    assert whole is not None
    assert all(read(text[:end]) in {None, whole} for end in range(len(text)))


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=60) | st.lists(tokens, max_size=30).map("".join))
@example("\ud800")
def test_no_text_breaks_the_reader(text: str) -> None:
    read(text)


@settings(deadline=None, max_examples=150)
@given(replies(), st.data())
def test_a_damaged_reply_never_moves_other_money(reply: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(reply) - 1))
    damage = data.draw(st.sampled_from(["", '"', "}", ",", " ", "\n", ":", "{", "\\"]))
    said, meant = read(reply[:at] + damage + reply[at + 1 :]), read(reply)
    if said is not None and meant is not None and damage != "":
        assert {bet.stake for bet in said.bets} <= {bet.stake for bet in meant.bets}


@settings(deadline=None)
@given(st.lists(legs, min_size=1, max_size=5), forecasts, st.text(max_size=50))
def test_writing_and_reading_agree(
    bets: list[tuple[str, Side, Decimal]], stated: dict[str, float], why: str
) -> None:
    said = read(write_reply(Action.BET, forecasts=stated, bets=bets, reasoning=why))
    assert said is not None
    assert [(b.market, b.side, b.stake) for b in said.bets] == [
        (f"id-of-{alias}", side, stake) for alias, side, stake in bets
    ]
    assert {f.market: f.probability for f in said.forecasts} == {
        f"id-of-{alias}": p for alias, p in stated.items()
    }
