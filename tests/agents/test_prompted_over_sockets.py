"""A prompted contestant asks a server of this machine, through the real client."""

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import pytest

from arena.agents.prompted import from_settings
from arena.agents.reply import read_reply
from arena.llms.wires.openai_chat import from_settings as chat
from arena.ports import Backstage
from arena.records.answer import Answer, Briefing, Trouble
from arena.records.cohort import ContestantId
from arena.records.decision import Decision
from arena.records.settings import ContestantSettings, ModelSettings
from tests.agents.briefings import briefing, market, offer
from tests.present import present
from tests.standins.asked import Asked
from tests.standins.bettors import small_bettor
from tests.standins.misbehaviour import BLOCKED, Ill, Misbehaviour, ails
from tests.standins.model_server import ModelServer
from tests.standins.scripts import Reply, in_turn, poisoned

TEMPLATES = Path(__file__).parents[2] / "templates"
SHOWN = briefing(
    [offer(f"M{n}", market(f"m{n}", f"Question number {n}?")) for n in range(1, 5)]
)


def played(
    reply: Reply, shown: Briefing = SHOWN, prompt: str = "decide", **options: object
) -> Answer:
    mine = ContestantSettings(
        ContestantId("ada"), "prompted", "", "small", prompt, tuple(options.items())
    )
    with ModelServer(reply) as server:
        deadline = timedelta(seconds=9)
        model = ModelSettings("small", "openai_chat", server.base_url, "s", deadline=deadline)
        agent = from_settings(mine, Backstage({"small": chat(model, None)}, {}, TEMPLATES))
        return asyncio.run(agent.answer(shown))


def markets_in(user: str) -> list[str]:
    """The markets that a question shows."""
    return re.findall('"market_id":"(M[0-9]+)"', user)


def decided(answer: Answer) -> Decision:
    said = answer.completion
    assert said.text is not None
    return present(read_reply(said.text, SHOWN, finish=said.finish).decision)


@pytest.mark.parametrize("elicitation", ["one_call", "locked"])
@pytest.mark.parametrize("samples", [1, 3])
def test_it_forecasts_every_market_and_bets(elicitation: str, samples: int) -> None:
    answer = played(small_bettor, elicitation=elicitation, samples=samples)
    made = decided(answer)
    assert len(made.forecasts) == 4
    assert len(made.bets) == 1
    assert len(answer.calls) == samples + (elicitation == "locked")
    spent = [present(call.completion.usage.tokens_out) for call in answer.calls]
    assert answer.completion.usage.tokens_out == sum(spent) > 0


@pytest.mark.parametrize("elicitation", ["one_call", "locked"])
def test_a_poisoned_market_costs_its_half_and_no_more(elicitation: str) -> None:
    answer = played(poisoned("Question number 2?"), elicitation=elicitation)
    assert [f.market for f in decided(answer).forecasts] == ["m3", "m4"]


@pytest.mark.parametrize("elicitation", ["one_call", "locked"])
def test_a_question_that_is_too_long_is_answered_by_halves(elicitation: str) -> None:
    def short_of_memory(model: str, asked: Asked) -> str | Misbehaviour:
        is_whole = "Question number 1?" in asked.user and "Question number 4?" in asked.user
        return ails(Ill.CONTEXT) if is_whole else small_bettor(model, asked)

    answer = played(short_of_memory, elicitation=elicitation)
    assert [f.market for f in decided(answer).forecasts] == ["m1", "m2", "m3", "m4"]
    assert answer.completion.trouble is None


def test_markets_asked_about_one_by_one_come_to_the_same_decision() -> None:
    locked, each = (played(small_bettor, elicitation=how) for how in ("locked", "each"))
    assert [call.name for call in each.calls] == [
        *[f"forecast/M{n}" for n in range(1, 5)],
        "stake",
    ]
    shown = [markets_in(call.question.user) for call in each.calls[:4]]
    assert shown == [[f"M{n}"] for n in range(1, 5)]
    assert decided(each).forecasts == decided(locked).forecasts
    assert decided(each).bets == decided(locked).bets


def test_a_market_that_fails_by_itself_has_no_forecast_and_the_others_do() -> None:
    answer = played(poisoned("Question number 2?"), elicitation="each")
    assert [f.market for f in decided(answer).forecasts] == ["m1", "m3", "m4"]


def test_where_no_market_could_be_asked_about_that_is_the_turns_failure() -> None:
    answer = played(in_turn(BLOCKED), elicitation="each")
    assert (len(answer.calls), answer.completion.trouble) == (4, Trouble.REFUSAL)


def test_the_structured_prompt_says_all_that_the_usual_one_says_and_more() -> None:
    usual, structured = (
        played(small_bettor, prompt=name).calls[0].question for name in ("decide", "structured")
    )
    assert structured.system.startswith(usual.system.rstrip())
    points = ["own words", "rule", "base rate", "status quo", "for YES", "the number"]
    added = structured.system.removeprefix(usual.system.rstrip())
    places = [added.index(point) for point in points]
    assert places == sorted(places)
    assert (structured.user.strip(), structured.schema) == (usual.user.strip(), usual.schema)
