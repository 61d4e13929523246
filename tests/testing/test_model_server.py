import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from urllib.request import urlopen

import pytest

from arena.agents.prompt import question_for
from arena.agents.reply import read_reply
from arena.llms.openai_chat import from_settings
from arena.records.answer import Completion
from arena.records.briefing import Briefing
from arena.records.decision import Action, Decision
from arena.records.settings import ModelSettings
from arena.render import environment
from arena.testing.model_server import Message, ModelServer, small_bettor
from tests.agents.briefings import briefing, market, offer

ENV = environment(Path(__file__).parents[2] / "templates")


def model(server: ModelServer, name: str = "small") -> ModelSettings:
    return ModelSettings(
        name, "openai_chat", server.base_url, name, deadline=timedelta(seconds=9)
    )


def answered(shown: Briefing, name: str = "small") -> Completion:
    with ModelServer() as server:
        llm = from_settings(model(server, name), None)
        return asyncio.run(llm.complete(question_for(shown, ENV)))


def decided(shown: Briefing, name: str = "small") -> Decision:
    text = answered(shown, name).text
    assert text is not None
    decision = read_reply(text, shown).decision
    assert decision is not None
    return decision


def some_offers() -> Briefing:
    return briefing([offer(f"M{n}", market(f"m{n}", f"Question {n}?")) for n in range(1, 6)])


def test_without_more_it_forecasts_near_the_price_and_makes_one_small_bet() -> None:
    said = decided(some_offers())
    assert said.action is Action.BET
    assert len(said.bets) == 1
    assert 50 <= said.bets[0].stake <= 2500
    assert len(said.forecasts) == 5
    assert all(abs(f.probability - 0.39) <= 0.16 for f in said.forecasts)


def test_the_same_question_gets_the_same_words_and_another_model_others() -> None:
    shown = some_offers()
    assert answered(shown).text == answered(shown).text
    assert decided(shown).forecasts != decided(shown, "large").forecasts


def test_without_a_price_or_without_money_it_holds() -> None:
    assert decided(briefing([offer("M1", bid=None)])).action is Action.HOLD
    assert decided(briefing()).action is Action.HOLD


def test_a_question_of_another_kind_is_held() -> None:
    assert json.loads(small_bettor("m", [{"role": "user", "content": "Hello {you}"}])) == {
        "forecasts": {},
        "action": "HOLD",
        "bets": [],
        "reasoning": "m follows the price, with a doubt",
    }


def test_two_servers_stand_side_by_side() -> None:
    def name(model: str, messages: Sequence[Message]) -> str:  # noqa: ARG001  says who it is
        return model

    with ModelServer(reply=name) as one, ModelServer(reply=name) as two:
        assert one.base_url != two.base_url


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    with ModelServer():
        pass
    assert threading.active_count() == before


def test_a_port_that_is_taken_is_an_error() -> None:
    with ModelServer() as one:
        port = int(one.base_url.rpartition(":")[2].partition("/")[0])
        with pytest.raises(OSError, match="in use"), ModelServer(port=port):
            pass


def test_it_can_be_started_from_a_shell() -> None:
    command = [sys.executable, "-m", "arena.testing.model_server", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  our own
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            assert url.startswith("http://127.0.0.1:")
            with pytest.raises(OSError, match="404"), urlopen(url):  # noqa: S310  this machine
                pass
        finally:
            process.terminate()
