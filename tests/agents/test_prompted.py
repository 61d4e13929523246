import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from arena.agents.prompted import from_settings, halved, rejoined
from arena.agents.reply import read_reply
from arena.errors import ArenaError
from arena.ports import Backstage, Llm
from arena.records.answer import (
    Answer,
    Attempt,
    Briefing,
    Completion,
    Holding,
    Question,
    Trouble,
    Usage,
)
from arena.records.cohort import ContestantId
from arena.records.decision import Action, Bet, BetId, Decision, Forecast, Sale
from arena.records.market import MarketId, Side
from arena.records.money import price, shares, usd
from arena.records.settings import ContestantSettings
from arena.testing import ScriptedLlm
from tests.agents.briefings import briefing, offer, offering
from tests.present import present

TEMPLATES = Path(__file__).parents[2] / "templates"
LINES = Callable[[str], "str | Completion"]
HOLD = '{"forecasts":{},"action":"HOLD","bets":[]}'
NONSENSE = "I would rather not say."
SHOWN = offering("M1", "M2", "M3", "M4")


def words(action: str = "HOLD", /, *legs: tuple[str, str, float], **forecasts: float) -> str:
    bets = [{"market_id": a, "side": side, "amount": x} for a, side, x in legs]
    return json.dumps({"forecasts": forecasts, "action": action, "bets": bets})


def chances(**forecasts: float) -> str:
    return json.dumps({"forecasts": forecasts})


def fails(trouble: Trouble, text: str | None = None, detail: str = "") -> Completion:
    return Completion(text, trouble=trouble, detail=detail)


REFUSED = fails(Trouble.REFUSAL)


def settings(
    model: str | None = "small",
    prompt: str | None = None,
    options: Mapping[str, object] | None = None,
) -> ContestantSettings:
    return ContestantSettings(
        id=ContestantId("ada"),
        agent="prompted",
        model=model,
        prompt=prompt,
        options=tuple((options or {}).items()),
    )


def backstage(llm: Llm, templates: Path = TEMPLATES) -> Backstage:
    return Backstage({"small": llm, "large": ScriptedLlm([])}, {}, templates)


def by_call(lines: Mapping[str, str | Completion] | LINES) -> ScriptedLlm:
    """A model whose line depends on the name of the call."""

    def reply(question: Question) -> str | Completion:
        assert question.caller is not None
        call = question.caller.call
        return lines(call) if callable(lines) else lines[call]

    return ScriptedLlm(reply)


def turn(llm: Llm, shown: Briefing = SHOWN, **options: object) -> Answer:
    agent = from_settings(settings(options=options), backstage(llm))
    return asyncio.run(agent.answer(shown))


def decided(answer: Answer, shown: Briefing = SHOWN) -> Decision:
    said = answer.completion
    assert said.text is not None
    assert said.trouble is None
    return present(read_reply(said.text, shown, finish=said.finish).decision)


def stated(answer: Answer) -> dict[str, float]:
    made = decided(answer)
    return {f.market.removeprefix("id-of-"): f.probability for f in made.forecasts}


def calls(answer: Answer) -> list[str]:
    return [call.name for call in answer.calls]


def halves(
    first: str | Completion, second: str | Completion, **more: str | Completion
) -> ScriptedLlm:
    """A model that refuses the whole question, and says this of its halves."""
    lines = {"decide": REFUSED, "decide/first-half": first, "decide/second-half": second}
    return by_call(lines | {f"decide/first-half/{name}": line for name, line in more.items()})


def test_it_asks_once_and_hands_on_question_and_reply() -> None:
    llm = ScriptedLlm([HOLD])
    answer = turn(llm)
    assert answer.completion.text == HOLD
    assert answer.completion.finish == "stop"
    assert [answer.question] == llm.asked
    assert calls(answer) == ["decide"]


def test_the_caller_is_the_contestants_turn() -> None:
    llm = ScriptedLlm([HOLD])
    turn(llm)
    caller = present(llm.asked[0].caller)
    seat = (caller.cohort, caller.round, caller.contestant, caller.call)
    assert seat == ("c", 3, "ada", "decide")


def test_words_that_need_mending_are_handed_on_as_they_are() -> None:
    fenced = f"Well:\n```json\n{HOLD}\n```"
    answer = turn(ScriptedLlm([fenced]))
    assert answer.completion.text == fenced
    assert calls(answer) == ["decide"]


def test_words_that_cannot_be_read_are_asked_for_once_more() -> None:
    llm = ScriptedLlm([NONSENSE, HOLD])
    answer = turn(llm)
    assert calls(answer) == ["decide", "decide/again"]
    assert answer.completion.text == HOLD
    assert llm.asked[1].user.startswith(llm.asked[0].user)
    assert NONSENSE in llm.asked[1].user
    assert answer.question == llm.asked[0]


def test_what_was_wrong_is_told() -> None:
    llm = ScriptedLlm(['{"forecasts":{},"action":"WAIT","bets":[]}', HOLD])
    turn(llm)
    assert "WAIT" in llm.asked[1].user.removeprefix(llm.asked[0].user)


def test_there_is_no_third_time() -> None:
    answer = turn(ScriptedLlm([NONSENSE, "Still not.", HOLD]))
    assert calls(answer) == ["decide", "decide/again"]
    assert answer.completion.text == "Still not."
    assert answer.completion.trouble is None  # the step reads the words, and says what is wrong


@pytest.mark.parametrize(
    "cut",
    [fails(Trouble.TRUNCATED, '{"forecasts":{"M1'), Completion(HOLD, finish="length")],
    ids=["as the client says", "as the server says"],
)
def test_a_reply_that_was_cut_off_would_be_cut_off_again(cut: Completion) -> None:
    answer = turn(ScriptedLlm([cut, HOLD]))
    assert calls(answer) == ["decide"]
    assert answer.completion.trouble is Trouble.TRUNCATED


def test_an_answer_without_words_is_asked_for_once_more() -> None:
    llm = ScriptedLlm([fails(Trouble.EMPTY, detail="it only thought"), HOLD])
    assert turn(llm).completion.text == HOLD
    assert "it only thought" in llm.asked[1].user
    answer = turn(ScriptedLlm([fails(Trouble.EMPTY)] * 2))
    assert calls(answer) == ["decide", "decide/again"]
    assert answer.completion.trouble is Trouble.EMPTY


SHARES = words("BET", ("M1", "YES", 50), ("M2", "NO", 60)).replace(
    '"amount": 50', '"amount": 50, "unit": "shares"'
)


def test_an_order_that_contradicts_itself_is_asked_about_once() -> None:
    llm = ScriptedLlm([SHARES, words("BET", ("M1", "YES", 70))])
    assert [bet.stake for bet in decided(turn(llm)).bets] == [70]
    assert "'unit' is 'shares'" in llm.asked[1].user


@pytest.mark.parametrize("second", [SHARES, NONSENSE, fails(Trouble.BUDGET)])
def test_where_that_does_not_help_the_other_orders_stand(second: str | Completion) -> None:
    answer = turn(ScriptedLlm([SHARES, second]))
    assert calls(answer) == ["decide", "decide/again"]
    assert [bet.stake for bet in decided(answer).bets] == [60]


@pytest.mark.parametrize("first", [SHARES, NONSENSE], ids=["an order", "no words"])
def test_while_the_second_answer_is_to_come_so_is_the_turn_s(first: str) -> None:
    answer = turn(ScriptedLlm([first, fails(Trouble.PENDING)]))
    assert answer.completion.trouble is Trouble.PENDING


def test_a_reply_of_an_old_tape_is_asked_about_as_it_was_then() -> None:
    def asked(said: Completion) -> list[str]:
        return calls(turn(ScriptedLlm([replace(said, parser_version=1), HOLD])))

    twice = ["decide", "decide/again"]
    assert asked(fails(Trouble.TRUNCATED)) == asked(Completion(NONSENSE)) == twice
    assert asked(Completion(HOLD, finish="length")) == twice
    assert asked(fails(Trouble.EMPTY)) == asked(Completion(SHARES)) == ["decide"]


NOT_HERE = {Trouble.EMPTY, Trouble.REFUSAL, Trouble.TOO_LONG}


@pytest.mark.parametrize("trouble", [t for t in Trouble if t not in NOT_HERE])
@pytest.mark.parametrize("elicitation", ["one_call", "locked"])
def test_what_the_world_did_is_not_asked_for_again(trouble: Trouble, elicitation: str) -> None:
    llm = ScriptedLlm([fails(trouble, detail="why")])
    answer = turn(llm, elicitation=elicitation)
    assert len(llm.asked) == 1
    assert (answer.completion.trouble, answer.completion.detail) == (trouble, "why")


def test_a_silence_without_trouble_is_an_empty_reply() -> None:
    assert turn(ScriptedLlm([Completion(None)] * 2)).completion.trouble is Trouble.EMPTY


def test_usage_attempts_and_latency_are_those_of_all_calls() -> None:
    def one(text: str) -> Completion:
        used = Usage(10, 5, usd("0.01"), priced="reported")
        return Completion(text, usage=used, latency_ms=70, attempts=(Attempt(60), Attempt(10)))

    said = turn(ScriptedLlm([one(NONSENSE), one(HOLD)])).completion
    assert said.usage == Usage(20, 10, usd("0.02"), priced="reported")
    assert (len(said.attempts), said.latency_ms) == (4, 140)


def test_a_refused_question_is_put_in_halves() -> None:
    first = words("BET", ("M1", "YES", 100), M1=0.6)
    answer = turn(halves(first, words("BET", ("M4", "NO", 70), M3=0.2)))
    made = decided(answer)
    assert calls(answer) == ["decide", "decide/first-half", "decide/second-half"]
    assert stated(answer) == {"M1": 0.6, "M3": 0.2}
    assert [f"{bet.market} {bet.stake:.0f}" for bet in made.bets] == [
        "id-of-M1 100",
        "id-of-M4 70",
    ]


@pytest.mark.parametrize("trouble", [Trouble.TOO_LONG, Trouble.REFUSAL])
def test_where_both_halves_fail_so_the_question_is_not_cut_further(trouble: Trouble) -> None:
    llm = ScriptedLlm([fails(trouble, "no", "by far")] * 9)
    answer = turn(llm)
    assert (len(llm.asked), answer.completion.trouble) == (3, trouble)
    assert answer.completion.detail == "by far"


def test_a_half_is_told_of_its_own_markets_and_money_alone() -> None:
    llm = ScriptedLlm([REFUSED, HOLD, HOLD])
    turn(llm)
    for half, own, other in zip(llm.asked[1:], ("M2", "M3"), ("M3", "M2"), strict=True):
        assert f'"{own}"' in half.user
        assert f'"{other}"' not in half.user
        assert '"largest_stake":1250' in half.user.replace(" ", "")


def test_a_half_that_is_refused_again_adds_nothing() -> None:
    assert stated(turn(halves(REFUSED, words(M3=0.2)))) == {"M3": 0.2}


def test_one_market_that_is_refused_cannot_be_halved() -> None:
    llm = ScriptedLlm([REFUSED, HOLD])
    assert turn(llm, offering("M1")).completion.trouble is Trouble.REFUSAL
    assert len(llm.asked) == 1


def test_a_half_that_cannot_be_read_is_asked_for_once_more() -> None:
    llm = halves(NONSENSE, words(M3=0.2), again=words(M1=0.1))
    assert stated(turn(llm)) == {"M1": 0.1, "M3": 0.2}


def test_a_half_to_come_is_an_answer_to_come() -> None:
    assert (
        turn(halves(words(M1=0.1), fails(Trouble.PENDING))).completion.trouble
        is Trouble.PENDING
    )


@tuned(deadline=None, max_examples=40)
@given(st.integers(2, 9), st.data(), st.sampled_from(["one_call", "locked"]))
def test_one_poisoned_market_silences_at_most_its_half(
    number: int, data: st.DataObject, elicitation: str
) -> None:
    names = [f"M{n}" for n in range(1, number + 1)]
    poisoned = data.draw(st.sampled_from(names))

    def reply(question: Question) -> str | Completion:
        if f'"{poisoned}"' in question.user:
            return fails(Trouble.REFUSAL)
        return words(**{name: 0.3 for name in names if f'"{name}"' in question.user})

    shown = offering(*names)
    made = decided(turn(ScriptedLlm(reply), shown, elicitation=elicitation), shown)
    assert len(made.forecasts) >= number // 2


def locked(forecast: str | Completion, stake: str | Completion = HOLD) -> ScriptedLlm:
    return by_call({"forecast": forecast, "stake": stake})


def test_locked_probabilities_come_first_and_orders_follow() -> None:
    llm = locked(chances(M1=0.6), words("BET", ("M1", "YES", 100)))
    answer = turn(llm, elicitation="locked")
    assert calls(answer) == ["forecast", "stake"]
    assert stated(answer) == {"M1": 0.6}
    assert decided(answer).bets[0].stake == 100


def test_what_the_second_call_says_of_probabilities_is_passed_over() -> None:
    llm = locked(chances(M1=0.6), words("BET", ("M1", "YES", 100), M1=0.9, M2=0.5))
    assert stated(turn(llm, elicitation="locked")) == {"M1": 0.6}


def test_the_second_call_sees_the_locked_probabilities() -> None:
    llm = locked(chances(M1=0.6125))
    turn(llm, elicitation="locked")
    first, second = llm.asked
    assert "0.6125" not in first.user
    assert "0.6125" in second.user


def test_without_probabilities_there_is_no_second_call() -> None:
    llm = by_call({"forecast": NONSENSE, "forecast/again": "Still not."})
    answer = turn(llm, elicitation="locked").completion
    assert answer.trouble is Trouble.UNREADABLE
    assert answer.detail


def test_probabilities_that_cannot_be_read_are_asked_for_once_more() -> None:
    llm = by_call({"forecast": NONSENSE, "forecast/again": chances(M1=0.6), "stake": HOLD})
    answer = turn(llm, elicitation="locked")
    assert calls(answer) == ["forecast", "forecast/again", "stake"]
    assert stated(answer) == {"M1": 0.6}


def test_a_whole_decision_instead_of_probabilities_is_never_carried_out() -> None:
    leg = '{"market_id":"M1","side":"YES","amount":100}'
    eager = f'{{"forecasts":"M1","action":"BET","bets":[{leg}]}}'
    answer = turn(ScriptedLlm([eager] * 2), elicitation="locked").completion
    assert answer.trouble is Trouble.UNREADABLE


@pytest.mark.parametrize(
    ("stake", "why"),
    [
        (fails(Trouble.RATE_LIMITED, detail="HTTP 429"), "no stakes: rate limited: HTTP 429"),
        (fails(Trouble.REFUSAL), "no stakes: refusal"),
    ],
)
def test_without_stakes_the_locked_probabilities_still_count(
    stake: Completion, why: str
) -> None:
    llm = by_call(lambda call: chances(M1=0.6) if call == "forecast" else stake)
    answer = turn(llm, elicitation="locked")
    assert stated(answer) == {"M1": 0.6}
    assert decided(answer).action is Action.HOLD
    assert answer.completion.detail == why  # no choice, and nobody takes it for one


def test_stakes_that_cannot_be_read_leave_the_locked_probabilities() -> None:
    lines = {"forecast": chances(M1=0.6), "stake": NONSENSE, "stake/again": NONSENSE}
    answer = turn(by_call(lines), elicitation="locked")
    assert stated(answer) == {"M1": 0.6}
    assert answer.completion.detail.startswith("no stakes: unreadable reply: ")


def test_an_answer_with_stakes_has_nothing_to_say_of_failure() -> None:
    assert turn(locked(chances(M1=0.6)), elicitation="locked").completion.detail == ""


def test_stakes_to_come_are_an_answer_to_come() -> None:
    llm = locked(chances(M1=0.6), fails(Trouble.PENDING))
    assert turn(llm, elicitation="locked").completion.trouble is Trouble.PENDING


def test_refused_probabilities_and_refused_stakes_are_both_put_in_halves() -> None:
    llm = by_call(
        {
            "forecast": fails(Trouble.REFUSAL),
            "forecast/first-half": chances(M1=0.6, M2=0.111),
            "forecast/second-half": chances(M3=0.2),
            "stake": fails(Trouble.REFUSAL),
            "stake/first-half": words("BET", ("M1", "YES", 100)),
            "stake/second-half": HOLD,
        }
    )
    answer = turn(llm, elicitation="locked")
    assert stated(answer) == {"M1": 0.6, "M2": 0.111, "M3": 0.2}
    assert decided(answer).bets[0].stake == 100
    assert "0.111" not in llm.asked[-1].user  # a half sees the probabilities of its markets


def test_samples_are_asked_by_number_and_decide_together() -> None:
    llm = by_call(
        {
            "decide": words("BET", ("M1", "YES", 100), M1=0.5),
            "decide/2": words("BET", ("M1", "YES", 300), M1=0.6),
            "decide/3": words("HOLD", M1=0.9),
        }
    )
    answer = turn(llm, samples=3)
    assert calls(answer) == ["decide", "decide/2", "decide/3"]
    assert stated(answer) == {"M1": 0.6}
    assert decided(answer).bets[0].stake == 100


def test_samples_are_pooled_by_the_rule_that_was_asked_for() -> None:
    llm = by_call({"decide": words(M1=0.8), "decide/2": words(M1=0.8)})
    answer = turn(llm, samples=2, aggregate="extremised", extremise=2)
    assert stated(answer) == {"M1": pytest.approx(16 / 17)}


def test_each_sample_is_asked_again_and_halved_by_itself() -> None:
    llm = by_call(
        {
            "decide": NONSENSE,
            "decide/again": words(M1=0.2),
            "decide/2": REFUSED,
            "decide/2/first-half": words(M1=0.4),
            "decide/2/second-half": REFUSED,
        }
    )
    assert stated(turn(llm, samples=2, aggregate="mean")) == {"M1": pytest.approx(0.3)}


def test_locked_samples_are_pooled_before_one_call_for_the_stakes() -> None:
    llm = by_call(
        {
            "forecast": chances(M1=0.5),
            "forecast/2": chances(M1=0.6125),
            "forecast/3": chances(M1=0.9),
            "stake": words("BET", ("M1", "YES", 100)),
        }
    )
    answer = turn(llm, elicitation="locked", samples=3)
    assert stated(answer) == {"M1": 0.6125}
    assert "0.6125" in llm.asked[-1].user
    assert calls(answer)[-1] == "stake"


def test_market_by_market_each_market_has_samples_of_its_own() -> None:
    said = {
        "M1": (0.5, 0.6, 0.7),
        "M2": (0.1, 0.2, 0.3),
        "M3": (0.9, 0.8, 0.7),
        "M4": (0.5,) * 3,
    }
    llm = by_call(
        {
            f"forecast/{name}{'' if n == 1 else f'/{n}'}": chances(**{name: p})
            for name, samples in said.items()
            for n, p in enumerate(samples, 1)
        }
        | {"stake": words("BET", ("M1", "YES", 100))}
    )
    answer = turn(llm, elicitation="each", samples=3)
    assert stated(answer) == {"M1": 0.6, "M2": 0.2, "M3": 0.8, "M4": 0.5}
    assert len(answer.calls) == 4 * 3 + 1


@dataclass(slots=True)
class Meeting:
    """A model that answers nobody before everybody has asked."""

    expected: int
    came: int = 0
    all_here: asyncio.Event | None = None

    async def complete(self, question: Question) -> Completion:
        assert question.caller is not None
        self.all_here = self.all_here or asyncio.Event()
        self.came += 1
        if self.came == self.expected:
            self.all_here.set()
        await self.all_here.wait()
        return Completion(HOLD)


def test_samples_are_asked_side_by_side() -> None:
    answer = turn(Meeting(25), samples=25)
    assert len(answer.calls) == 25


@dataclass(slots=True)
class Broken:
    """A model whose first call fails with a defect while the others go on."""

    asked: int = 0
    answered: int = 0

    async def complete(self, question: Question) -> Completion:
        assert question.caller is not None
        self.asked += 1
        if self.asked == 1:
            raise ZeroDivisionError
        await asyncio.sleep(0)
        self.answered += 1
        return Completion(HOLD)


def test_a_defect_in_one_call_is_raised_after_the_others_are_done() -> None:
    llm = Broken()
    with pytest.raises(ZeroDivisionError):
        turn(llm, samples=3)
    assert llm.answered == 2


def test_prices_are_shown_or_hidden_by_option() -> None:
    seen, blind = ScriptedLlm([HOLD]), ScriptedLlm([HOLD])
    turn(seen)
    turn(blind, show_price="never")
    assert "0.38" in seen.asked[0].user
    assert "0.38" not in blind.asked[0].user


def test_another_prompt_is_another_pair_of_templates(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "bold.system.md.j2").write_text("Be bold & brave. Say JSON.")
    body = "<{{ tag }}>{{ data }}</{{ tag }}>"
    (tmp_path / "prompts" / "bold.user.md.j2").write_text(body)
    llm = ScriptedLlm([HOLD])
    agent = from_settings(settings(prompt="bold"), backstage(llm, tmp_path))
    asyncio.run(agent.answer(offering("M1")))
    assert llm.asked[0].system == "Be bold & brave. Say JSON."


@pytest.mark.parametrize("model", ["huge", None])
def test_an_unknown_model_is_refused_with_where_to_name_one(model: str | None) -> None:
    with pytest.raises(ArenaError) as caught:
        from_settings(settings(model), backstage(ScriptedLlm([])))
    assert "a name of `models` in config.yaml" in caught.value.hint


def test_a_broken_prompt_is_found_when_the_agent_is_built(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "bold.system.md.j2").write_text("fine\n{% if %}")
    with pytest.raises(ArenaError, match=r"bold\.system\.md\.j2, line 2"):
        from_settings(settings(prompt="bold"), backstage(ScriptedLlm([]), tmp_path))


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("boldness", 1, "has no option 'boldness'"),
        (
            "elicitation",
            "unlocked",
            "elicitation is one of one_call, locked, each, not 'unlocked'",
        ),
        ("samples", 0, "samples is a whole number from 1 to 25, not 0"),
        ("samples", 26, "samples is a whole number from 1 to 25, not 26"),
        ("aggregate", "mode", "aggregate is one of median, "),
        ("extremise", 2, "extremise goes with aggregate: extremised, not median"),
        ("aggregate", "mean", "aggregate goes with more than one of samples"),
        ("show_price", "sometimes", "show_price cannot be 'sometimes'"),
    ],
)
def test_a_wrong_option_is_refused_at_the_start(
    option: str, value: object, reason: str
) -> None:
    with pytest.raises(ArenaError, match=f"ada: .*{reason}") as caught:
        from_settings(settings(options={option: value}), backstage(ScriptedLlm([])))
    assert (caught.value.code, caught.value.status) == ("agent.option", 2)


RAIN, SNOW, FOG = MarketId("rain"), MarketId("snow"), MarketId("fog")


def held(alias: str | None, name: str = "") -> Holding:
    market = MarketId(name or f"id-of-{alias}")
    return Holding(alias, market, "?", Side.YES, shares(10), usd(5), worth=price("0.5"))


def both(shown: Briefing) -> tuple[Briefing, Briefing]:
    return present(halved(shown))


def aliases(shown: Briefing) -> list[str]:
    return [one.alias for one in shown.offers + shown.sell_only]


def bets(*markets: MarketId) -> Decision:
    placed = tuple(Bet(BetId(m), m, Side.YES, usd(50)) for m in markets)
    said = tuple(Forecast(m, 0.5) for m in markets)
    return Decision(Action.BET, said, placed, reasoning=f"bets {len(markets)}")


def sells(*markets: MarketId) -> Decision:
    sold = tuple(Sale(BetId(m), m, Side.YES, Decimal(50)) for m in markets)
    return Decision(Action.SELL, (), (), sold, reasoning="sells")


def test_every_market_is_in_one_half_under_its_own_alias() -> None:
    first, second = both(replace(offering("M1", "M2", "M3"), sell_only=(offer("M4"),)))
    assert aliases(first) == ["M1", "M2", "M4"]
    assert aliases(second) == ["M3"]


def test_each_half_has_half_of_the_cash_and_the_cap_and_the_same_floor() -> None:
    shown = replace(offering("M1", "M2"), cash=usd("0.000003"), cap=usd("100.000001"))
    first, second = both(shown)
    assert first.cash == second.cash == usd("0.000001")
    assert first.cap == second.cap == usd("50")
    assert first.floor == second.floor == shown.floor


def test_a_holding_goes_where_its_market_goes() -> None:
    shown = briefing([offer("M1"), offer("M2")], holdings=[held("M2"), held("M1")])
    first, second = both(shown)
    assert [h.alias for h in first.holdings] == ["M1"]
    assert [h.alias for h in second.holdings] == ["M2"]


def test_holdings_that_cannot_be_sold_are_shared_out() -> None:
    stuck = [held(None, "a"), held("H9", "b"), held(None, "c")]
    first, second = both(briefing([offer("M1"), offer("M2")], holdings=stuck))
    assert [h.market for h in first.holdings] == ["a", "b"]
    assert [h.market for h in second.holdings] == ["c"]


def test_one_market_cannot_be_halved() -> None:
    assert halved(offering("M1")) is None
    assert halved(briefing()) is None


def test_two_bets_are_one_decision() -> None:
    joined = rejoined([bets(RAIN), bets(SNOW)])
    assert joined.action is Action.BET
    assert [bet.market for bet in joined.bets] == [RAIN, SNOW]
    assert [f.market for f in joined.forecasts] == [RAIN, SNOW]
    assert joined.reasoning == "bets 1\nbets 1"


def test_a_half_that_holds_leaves_the_other_its_orders() -> None:
    hold = Decision(Action.HOLD, (Forecast(FOG, 0.1),))
    joined = rejoined([hold, bets(RAIN)])
    assert joined.action is Action.BET
    assert [f.market for f in joined.forecasts] == [FOG, RAIN]


def test_of_a_bet_and_a_sale_the_half_with_more_orders_counts() -> None:
    joined = rejoined([bets(RAIN), sells(SNOW, FOG)])
    assert (joined.action, joined.bets) == (Action.SELL, ())
    assert [sale.market for sale in joined.sales] == [SNOW, FOG]
    assert [f.market for f in joined.forecasts] == [RAIN]


def test_on_a_tie_of_a_bet_and_a_sale_the_first_half_counts() -> None:
    assert rejoined([sells(SNOW), bets(RAIN)]).action is Action.SELL


def test_of_one_half_it_is_that_half() -> None:
    assert rejoined([bets(RAIN)]) == bets(RAIN)
