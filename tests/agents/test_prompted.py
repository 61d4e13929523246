import asyncio
from pathlib import Path

import pytest

from arena.agents.prompted import from_settings
from arena.errors import ArenaError
from arena.llms.scripted import ScriptedLlm
from arena.ports import Backstage
from arena.records.cohort import ContestantId
from arena.records.settings import ContestantSettings
from tests.agents.briefings import offering

TEMPLATES = Path(__file__).parents[2] / "templates"


def settings(
    model: str | None = "small", prompt: str | None = None, *, option: str = ""
) -> ContestantSettings:
    return ContestantSettings(
        id=ContestantId("ada"),
        agent="prompted",
        model=model,
        prompt=prompt,
        options=((option, 1),) if option else (),
    )


def backstage(llm: ScriptedLlm, templates: Path = TEMPLATES) -> Backstage:
    return Backstage({"small": llm, "large": ScriptedLlm([])}, {}, templates)


def test_it_asks_once_and_hands_on_question_and_reply() -> None:
    llm = ScriptedLlm(["well"])
    agent = from_settings(settings(), backstage(llm))
    answer = asyncio.run(agent.answer(offering("M1")))
    assert answer.completion.text == "well"
    assert [answer.question] == llm.asked


def test_another_prompt_is_another_pair_of_templates(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "bold.system.md.j2").write_text("Be bold & brave.")
    (tmp_path / "prompts" / "bold.user.md.j2").write_text("{{ data }}")
    llm = ScriptedLlm(["well"])
    agent = from_settings(settings(prompt="bold"), backstage(llm, tmp_path))
    asyncio.run(agent.answer(offering("M1")))
    assert llm.asked[0].system == "Be bold & brave."


@pytest.mark.parametrize("model", ["huge", None])
def test_an_unknown_model_is_refused_with_the_known_ones(model: str | None) -> None:
    with pytest.raises(ArenaError) as caught:
        from_settings(settings(model), backstage(ScriptedLlm([])))
    assert caught.value.hint == "models: large, small"


def test_a_broken_prompt_is_found_when_the_agent_is_built(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "bold.system.md.j2").write_text("fine\n{% if %}")
    with pytest.raises(ArenaError, match=r"bold\.system\.md\.j2, line 2"):
        from_settings(settings(prompt="bold"), backstage(ScriptedLlm([]), tmp_path))


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ArenaError, match="'boldness'"):
        from_settings(settings(option="boldness"), backstage(ScriptedLlm([])))
