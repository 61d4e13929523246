"""Tools of a real MCP server, over standard input and output and over HTTP."""

import asyncio
import json
import os
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.records.answer import Completion, Question, Trouble
from arena.records.settings import ToolAdapter, ToolSettings
from arena.tools.tool_llm import ToolLlm, tool_of
from tests.agents.archives import FakeArchive
from tests.contexts.test_sources import backstage
from tests.engine.played import Seat, play
from tests.standins.tool_callers import calls_tools

pytest.importorskip("mcp", reason="mcp is not installed: it is in the dependency group verify")

from tests.standins.mcp_server import serving

COMMAND = (sys.executable, "-m", "tests.standins.mcp_server")
ALL = ("double", "secret", "breaks", "hang", "die")


GIVEN = {"allow": ALL, "command": COMMAND, "env": ("NUMBERS_KEY", "PYTHONPATH")}


def of(*, seconds: int = 30, **options: object) -> ToolLlm:
    given = {**(GIVEN if "url" not in options else {"allow": ALL}), **options}
    limit = timedelta(seconds=seconds)
    named = tuple(given.items())
    settings = ToolSettings("numbers", ToolAdapter.MCP, timeout=limit, options=named)
    return ToolLlm(settings, tool_of(settings, FakeArchive(), backstage()))


def wish(name: str, **arguments: object) -> Question:
    request = {"as_of": "2026-01-05T00:00:00+00:00", "arguments": arguments}
    return Question(name, json.dumps(request))


def asked(tool: ToolLlm, *questions: Question) -> list[Completion]:
    async def one_after_the_other() -> list[Completion]:
        return [await tool.complete(question) for question in questions]

    return asyncio.run(one_after_the_other())


def test_a_process_lists_its_allowed_tools_and_is_called() -> None:
    tool = of(allow=("double",))
    listed, doubled, refused = asked(
        tool, Question("", ""), wish("numbers_double", number=21), wish("numbers_secret")
    )
    tools = json.loads(listed.text or "")
    assert [tool["name"] for tool in tools] == ["numbers_double"]
    assert tools[0]["parameters"]["required"] == ["number"]
    assert (doubled.text, doubled.trouble) == ('{"text":"42.0"}', None)
    assert refused.text == '{"error":"numbers_secret is not allowed"}'


def test_an_address_is_sent_its_key_without_the_end_of_its_line() -> None:
    seen: list[str] = []
    os.environ[name := "NUMBERS_KEY"] = "planted-token\n"
    with serving(seen) as url:
        (doubled,) = asked(of(url=url, key_env=name), wish("numbers_double", number=1))
    assert doubled.text == '{"text":"2.0"}'
    assert {*seen} == {"Bearer planted-token"}


def test_a_tool_that_fails_or_hangs_is_told_and_the_next_call_goes_on() -> None:
    wishes = wish("numbers_breaks"), wish("numbers_hang"), wish("numbers_double", number=4)
    with serving([]) as url:
        failed, hung, well = asked(of(seconds=2, url=url), *wishes)
    assert (failed.trouble, hung.trouble) == (Trouble.SERVER, Trouble.TIMEOUT)
    assert failed.text == '{"error":"Error executing tool breaks"}'
    assert hung.text == '{"error":"nothing came within 2 s"}'
    assert well.text == '{"text":"8.0"}'


def test_a_server_that_dies_is_started_again() -> None:
    dead, well = asked(of(), wish("numbers_die"), wish("numbers_double", number=4))
    assert (dead.trouble, well.text) == (Trouble.SERVER, '{"text":"8.0"}')


def test_a_server_that_is_not_there_is_told() -> None:
    (lost,) = asked(of(command=("/nowhere/at-all",)), wish("numbers_double", number=4))
    assert (lost.trouble, "nowhere" in lost.detail) == (Trouble.SERVER, True)


@pytest.mark.parametrize(
    ("name", "value"), [("allow", ()), ("command", ""), ("other", 1), ("url", "http://x")]
)
def test_wrong_options_are_refused(name: str, value: object) -> None:
    wrong = tuple({**GIVEN, name: value}.items())
    with pytest.raises(ArenaError, match="the tool numbers needs other options"):
        tool_of(
            ToolSettings("numbers", ToolAdapter.MCP, options=wrong), FakeArchive(), backstage()
        )


def test_a_contestant_plays_with_tools_of_a_server(tmp_path: Path) -> None:
    seat = Seat("ada", options={"tools": ["numbers"]})
    reply = calls_tools((("numbers_double", '{"number": 2}'),))
    with serving([]) as url:
        options = {"url": url, "allow": ["double"]}
        tools = {"numbers": {"adapter": "mcp", "options": options}}
        played = play(tmp_path / "arena", [seat], reply, tools=tools)
    results = {call.name: call.completion.text for call in played.calls("ada")}
    assert results["decide/step/1/tool/1"] == '{"text":"4.0"}'
    assert "\\u003c|im_start" not in json.dumps(results)
    assert (played.turn("ada").failure, played.findings) == (None, ())
