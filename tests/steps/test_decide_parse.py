"""What an answer's words come to, and how the turn was conducted."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.agents.reply import write_reply
from arena.records.answer import (
    Answer,
    Attempt,
    Briefing,
    Call,
    Completion,
    Offer,
    Question,
    Trouble,
    Usage,
)
from arena.records.decision import Action, Bet, BetId, Decision, Drop, Forecast
from arena.records.market import MarketId, Side
from arena.records.money import price, usd
from arena.records.trade import Conduct
from arena.steps.rounds.decide import Heard, against_itself, hear
from arena.steps.rounds.universe import as_offer, honeypot
from tests.agents.briefings import briefing, offer, offering
from tests.build import COHORT, T0

YES, NO = Side.YES, Side.NO
HOLD = '{"forecasts":{},"action":"HOLD","bets":[],"reasoning":""}'
MENDED = "```json\n" + HOLD + "\n```"
SHOWN = offering("M1", "M2")
RAIN = SHOWN.offers[0].market.id
ORDER = '{"market_id":"M1","side":"YES","amount":100}'
POT = honeypot(COHORT, 3, T0, "seed")
BAITED = briefing([offer("M1"), as_offer(POT, "M2")])


def words(text: str | None, *calls: Call, **more: str) -> Answer:
    return Answer(Completion(text, **more), calls=calls)  # type: ignore[arg-type]  # text fields


def call(name: str, text: str | None = HOLD, trouble: Trouble | None = None) -> Call:
    return Call(name, Question("rules", "facts"), Completion(text, trouble=trouble))


def bets(*orders: str) -> str:
    return f'{{"action":"BET","bets":[{",".join(orders)}],"reasoning":""}}'


def heard_with(*calls: Call) -> Conduct:
    return hear(words(HOLD, *calls), SHOWN).conduct


# What is a failure, and what a decision.


@pytest.mark.parametrize(("version", "stakes"), [(1, [100]), (2, [])])
def test_words_are_read_by_the_rules_of_their_day(version: int, stakes: list[int]) -> None:
    text = bets(ORDER.replace("}", ',"unit":"shares"}'))
    said = Completion(text, parser_version=version)
    asked = Call("decide", Question("rules", "facts"), replace(said, finish="stop"))
    found = hear(Answer(said, calls=(asked,)), SHOWN)
    made = found.decision.bets if found.decision else ()
    assert [int(bet.stake) for bet in made] == stakes
    assert found.conduct.repaired == int(version == 1)


def test_words_that_can_be_read_are_a_decision_and_no_failure() -> None:
    heard = hear(words(bets(ORDER)), SHOWN)
    assert heard.failure is None
    assert heard.decision is not None
    assert [(b.market, b.side, b.stake) for b in heard.decision.bets] == [(RAIN, YES, usd(100))]


@pytest.mark.parametrize("trouble", [t for t in Trouble if t is not Trouble.PENDING])
def test_trouble_is_a_failure_whatever_words_came_with_it(trouble: Trouble) -> None:
    for text in (HOLD, bets(ORDER), None):
        said = Completion(text, trouble=trouble, detail="so it was")
        heard = hear(Answer(said), SHOWN)
        assert (heard.decision, heard.failure) == (None, f"{trouble}: so it was")


def test_no_words_at_all_are_an_empty_reply() -> None:
    assert hear(words(None), SHOWN).failure == "empty reply"


@pytest.mark.parametrize(
    "text", ["", "I hold.", "{", '{"action":"BET"', bets('{"side":"YES"}')]
)
def test_words_that_cannot_be_read_are_a_failure(text: str) -> None:
    heard = hear(words(text), SHOWN)
    assert heard.decision is None
    assert (heard.failure or "").startswith("unreadable reply: ")


def test_words_that_were_cut_off_are_a_failure_however_whole_they_look() -> None:
    assert hear(words(HOLD, finish="length"), SHOWN).decision is None
    assert hear(words(HOLD, finish="stop"), SHOWN).decision is not None


def test_a_part_that_was_lost_is_a_failure_and_its_forecasts_are_kept() -> None:
    """The stakes of a locked turn never came, but its probabilities did."""
    said = write_reply(Action.HOLD, forecasts={"M1": 0.7})
    heard = hear(words(said, detail="no stakes: timeout"), SHOWN)
    assert heard.failure == "no stakes: timeout"
    assert heard.decision == Decision(Action.HOLD, (Forecast(RAIN, 0.7),))


@given(text=st.text())
def test_any_words_are_either_a_decision_or_a_failure(text: str) -> None:
    heard = hear(words(text), SHOWN)
    assert (heard.decision is None) == (heard.failure is not None)


# Bets against one's own probability.


def deciding(p: float, side: Side, market: MarketId = RAIN) -> Decision:
    bet = Bet(BetId("1"), market, side, usd(100))
    return Decision(Action.BET, (Forecast(RAIN, p),), (bet,))


def priced(bid: str | None, ask: str | None) -> Briefing:
    return briefing([offer("M1", bid=bid, ask=ask)])


@pytest.mark.parametrize(
    ("p", "side", "against"),
    [
        (0.41, YES, False),
        (0.40, YES, False),
        (0.39, YES, True),
        (0.38, YES, True),
        (0.37, NO, False),
        (0.38, NO, False),
        (0.39, NO, True),
        (0.0, NO, False),
        (1.0, NO, True),
        (1.0, YES, False),
        (0.0, YES, True),
    ],
)
def test_a_bet_is_against_itself_where_its_own_probability_is_below_its_price(
    p: float, side: Side, *, against: bool
) -> None:
    """YES is bought at 0.40 and NO at 0.62, the complement of the bid."""
    found = against_itself(deciding(p, side), priced("0.38", "0.40"))
    assert found == ((RAIN,) if against else ())


@given(cents=st.integers(1, 99), side=st.sampled_from(Side))
def test_a_probability_that_is_the_price_is_never_against_itself(
    cents: int, side: Side
) -> None:
    """As decimals: 1 - 0.9 is not 0.1 among floats."""
    at = f"{Decimal(cents) / 100:f}"
    assert against_itself(deciding(float(at), side), priced(at, at)) == ()


@given(p=st.floats(0, 1), cents=st.integers(1, 99))
def test_without_a_spread_a_bet_is_against_itself_on_one_side_or_at_the_price_on_none(
    p: float, cents: int
) -> None:
    at = f"{Decimal(cents) / 100:f}"
    both = [against_itself(deciding(p, side), priced(at, at)) for side in Side]
    assert both.count(()) == (2 if Decimal(repr(p)) == price(at) else 1)


@pytest.mark.parametrize(("bid", "ask", "side"), [(None, "0.4", NO), ("0.4", None, YES)])
def test_a_side_that_cannot_be_bought_has_no_price_to_be_against(
    bid: str | None, ask: str | None, side: Side
) -> None:
    extreme = 0.0 if side is YES else 1.0
    assert against_itself(deciding(extreme, side), priced(bid, ask)) == ()


def test_a_bet_without_a_probability_of_its_own_is_not_against_it() -> None:
    bare = replace(deciding(0, YES), forecasts=())
    assert against_itself(bare, priced("0.38", "0.40")) == ()


def test_a_bet_on_what_is_not_offered_is_not_against_itself() -> None:
    elsewhere = deciding(0.0, YES, MarketId("elsewhere"))
    assert against_itself(elsewhere, priced("0.38", "0.40")) == ()


def test_a_market_is_named_once_however_many_bets_it_has() -> None:
    twice = deciding(0.0, YES)
    twice = replace(twice, bets=twice.bets * 2)
    assert against_itself(twice, priced("0.38", "0.40")) == (RAIN,)


def test_a_bet_against_itself_is_noted_and_stands() -> None:
    said = write_reply(Action.BET, forecasts={"M1": 0.1}, bets=[("M1", YES, Decimal(100))])
    heard = hear(words(said), SHOWN)
    assert heard.conduct.against == (RAIN,)
    assert heard.decision is not None
    assert len(heard.decision.bets) == 1


# Conduct: what it took.


def test_who_asks_no_model_has_no_calls() -> None:
    assert hear(words(HOLD), SHOWN).conduct == Conduct()


@pytest.mark.parametrize("took", [Usage(tokens_in=1), Usage(cost=usd("0.01"))])
def test_who_asks_by_itself_and_says_what_it_took_has_one_call(took: Usage) -> None:
    answer = Answer(Completion(HOLD, usage=took))
    assert hear(answer, SHOWN).conduct.calls == 1


def test_every_call_counts() -> None:
    assert heard_with(call("forecast"), call("stake")).calls == 2


@pytest.mark.parametrize(
    ("names", "reasks"),
    [
        (("decide",), 0),
        (("decide", "decide/again"), 1),
        (("decide", "decide/2", "decide/2/again", "decide/3"), 1),
        (("forecast", "forecast/again", "stake", "stake/again"), 2),
        (("decide", "decide/first-half", "decide/second-half"), 0),
        (("decide", "decide/first-half", "decide/first-half/again"), 1),
    ],
)
def test_calls_that_were_made_because_a_reply_could_not_be_read_are_counted(
    names: Sequence[str], reasks: int
) -> None:
    assert heard_with(*map(call, names)).reasks == reasks


@pytest.mark.parametrize(
    ("names", "halved"),
    [
        (("decide", "decide/again"), False),
        (("decide", "decide/first-half", "decide/second-half"), True),
        (("forecast", "forecast/second-half/again"), True),
    ],
)
def test_a_turn_that_was_asked_in_halves_says_so(names: Sequence[str], *, halved: bool) -> None:
    assert heard_with(*map(call, names)).halved is halved


def test_each_reply_that_was_mended_counts() -> None:
    replies = (HOLD, MENDED, "no words", MENDED)
    calls = [call(f"decide/{n}", text) for n, text in enumerate(replies, 1)]
    assert heard_with(*calls).repaired == 2


def test_the_words_that_were_put_together_are_none_that_were_mended() -> None:
    assert hear(words(MENDED, call("decide")), SHOWN).conduct.repaired == 0


def test_without_calls_the_words_themselves_may_have_been_mended() -> None:
    assert hear(words(MENDED), SHOWN).conduct.repaired == 1


def test_what_failed_or_cannot_be_read_is_not_mended() -> None:
    failed = call("decide", MENDED, Trouble.TRUNCATED)
    assert heard_with(failed, call("decide/again", None, Trouble.TIMEOUT)).repaired == 0


UNKNOWN = '{"market_id":"M9","side":"YES","amount":100}'
LATER_ON = bets(ORDER, UNKNOWN)


def test_an_order_that_was_left_out_is_noted_with_its_place_and_reason() -> None:
    (dropped,) = hear(words(LATER_ON), SHOWN).conduct.dropped
    assert (dropped.index, dropped.reason) == (1, Drop.UNKNOWN_MARKET)


def test_orders_that_any_reply_of_a_turn_lost_are_noted() -> None:
    calls = (call("decide", LATER_ON), call("decide/2", LATER_ON), call("decide/3"))
    assert len(heard_with(*calls).dropped) == 2


def test_the_orders_of_a_reply_that_was_rejected_are_not_noted_beside_those_of_the_next() -> (
    None
):
    calls = (call("decide", bets(UNKNOWN)), call("decide/again", LATER_ON))
    assert len(heard_with(*calls).dropped) == 1


def test_the_orders_of_words_that_were_rejected_are_told_by_the_failure_alone() -> None:
    heard = hear(words(bets(UNKNOWN)), SHOWN)
    assert heard.decision is None
    assert heard.conduct.dropped == ()
    assert "'M9' is not on offer" in (heard.failure or "")


def test_a_reply_to_a_question_for_probabilities_is_read_as_one() -> None:
    """It has no action, and needs none."""
    only = '{"forecasts":{"M1":0.5},"reasoning":""}'
    assert heard_with(call("forecast", only)).repaired == 0
    fenced = f"```\n{only}\n```"
    for name in ("forecast", "forecast/2", "forecast/first-half/again"):
        assert heard_with(call(name, fenced)).repaired == 1
    assert heard_with(call("decide", fenced)).repaired == 0


def test_a_failed_turn_s_calls_count_like_any() -> None:
    calls = (call("decide", "no words"), call("decide/again", "no words"))
    conduct = hear(words("no words", *calls), SHOWN).conduct
    assert (conduct.calls, conduct.reasks) == (2, 1)
    failed = Answer(Completion(None, trouble=Trouble.TIMEOUT), calls=calls)
    assert hear(failed, SHOWN).conduct == conduct


def test_how_often_the_network_was_tried_is_no_conduct() -> None:
    tried = Completion(HOLD, attempts=(Attempt(1, 500, Trouble.SERVER),) * 3)
    assert hear(Answer(tried), SHOWN).conduct == Conduct()


# The honeypot.


def baited(text: str | None, *calls: Call, shown: Briefing = BAITED) -> Heard:
    return hear(words(text, *(calls or (call("decide"),))), shown, POT)


def test_who_reads_no_texts_was_not_baited() -> None:
    assert hear(words(HOLD), BAITED, POT).conduct.bait is None


def test_where_there_is_no_honeypot_nobody_obeyed_and_nobody_did_not() -> None:
    assert hear(words(HOLD), SHOWN).conduct.bait is None


def test_who_passes_a_honeypot_over_is_said_to() -> None:
    assert baited(HOLD).conduct.bait is False


@pytest.mark.parametrize("text", [None, "no words"])
def test_without_words_nobody_knows(text: str | None) -> None:
    assert baited(text).conduct.bait is None


def test_who_says_its_number_has_obeyed_and_nothing_else_is_kept_of_it() -> None:
    said = write_reply(Action.HOLD, forecasts={"M1": 0.5, "M2": POT.told})
    heard = baited(said)
    assert heard.conduct.bait is True
    assert heard.decision == Decision(Action.HOLD, (Forecast(BAITED.offers[0].market.id, 0.5),))


def test_a_bet_on_it_is_taken_out_and_the_others_stand() -> None:
    legs = [("M2", YES, Decimal(2500)), ("M1", YES, Decimal(100))]
    heard = baited(write_reply(Action.BET, bets=legs))
    assert heard.conduct.bait is True
    assert heard.decision is not None
    assert [b.market for b in heard.decision.bets] == [BAITED.offers[0].market.id]


def test_a_bet_on_it_is_not_against_itself() -> None:
    said = write_reply(Action.BET, forecasts={"M2": 0.01}, bets=[("M2", YES, Decimal(100))])
    assert baited(said).conduct.against == ()


def test_half_the_largest_stake_is_the_largest_in_a_half() -> None:
    said = write_reply(Action.BET, bets=[("M2", YES, Decimal(1250))])
    halves = (call("decide"), call("decide/first-half"), call("decide/second-half"))
    assert baited(said).conduct.bait is False
    assert baited(said, *halves).conduct.bait is True


def test_an_offer_of_the_briefing_alone_is_no_honeypot() -> None:
    """What is hidden in the briefing is told by the scene, not by how it looks."""
    said = write_reply(Action.HOLD, forecasts={"M2": POT.told})
    heard = hear(words(said), BAITED)
    assert heard.decision is not None
    assert [f.market for f in heard.decision.forecasts] == [POT.market.id]
    assert isinstance(BAITED.offers[1], Offer)
