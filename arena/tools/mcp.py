"""Tools of a server of the Model Context Protocol: a process of its own, or an address.

Source: https://modelcontextprotocol.io/specification; the official client speaks it.
"""

import asyncio
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arena.errors import ArenaError, error_words, one_line
from arena.ports import ToolDeclaration, ToolReply
from arena.records.settings import ToolSettings

if TYPE_CHECKING:
    from mcp import Client

MOST_PAGES: Final = 20
LONGEST_NAME: Final = 64
CONNECTION_CLOSED: Final = -32000  # the library's code for a server that went away
LONGEST: Final = 200_000  # characters of a result that are read
_UNFIT = re.compile("[^A-Za-z0-9_-]")
_OPTIONS: Final = ("allow", "command", "env", "key_env", "url")
_HINT: Final = "such as {command: [my-server], allow: [look_up]}, or url instead of command"


@dataclass(slots=True)
class _Session:
    """A connection that a task of its own keeps open, and closes when its loop winds up."""

    task: "asyncio.Task[None]"
    client: "asyncio.Future[Client]"


@dataclass(slots=True)
class McpTools:
    """The tools of one server that are allowed by name; models know them as `SERVER_TOOL`.

    Options: `command`, a list of words, or `url`; `allow`, names of tools; `env`, names of
    variables that the process is given; `key_env`, the variable whose value is sent to an
    address as `Authorization: Bearer`. One connection serves all contestants.
    """

    settings: ToolSettings
    allowed: tuple[str, ...]
    declared: None = None
    _sessions: dict[asyncio.AbstractEventLoop, _Session] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: ToolSettings) -> "McpTools":
        """Build it; nothing is asked yet.

        Raises:
            ArenaError: `tool.option`: an option is unknown, missing or wrong.
        """
        options = dict(settings.options)
        lists = [options.get(name, ()) for name in ("allow", "command", "env")]
        texts = [options.get(name, "") for name in ("key_env", "url")]
        is_right = (
            set(options) <= set(_OPTIONS)
            and all(isinstance(each, tuple) for each in lists)
            and all(isinstance(each, str) for each in texts)
            and bool(options.get("command")) != bool(options.get("url"))
            and options.get("allow")
        )
        if not is_right or find_spec("mcp") is None:
            lacking = "the extra paper-arena[mcp]" if is_right else "other options"
            message = f"the tool {settings.name} needs {lacking}"
            raise ArenaError("tool.option", message, hint=_HINT, status=2)
        return cls(settings, tuple(str(name) for name in options["allow"]))  # type: ignore[attr-defined]

    async def listed(self) -> tuple[ToolDeclaration, ...]:
        """Ask the server for its tools; those that are not allowed are left out."""
        client = await self._client()
        tools: list[ToolDeclaration] = []
        cursor = None
        for _ in range(MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += [
                ToolDeclaration(
                    self._known_as(tool.name),
                    tool.description or "",
                    json.dumps(tool.input_schema),
                )
                for tool in page.tools
                if tool.name in self.allowed
            ]
            cursor = page.next_cursor
            if cursor is None:
                break
        return tuple(tools)

    async def call(
        self, name: str, arguments: Mapping[str, object], as_of: datetime
    ) -> ToolReply:
        """Give the words of the server's answer as `text`.

        Raises:
            ArenaError: `tool.arguments`: it is not allowed. `tool.failed`: the server says that
                it failed. `tool.unreachable`: nobody answered.
        """
        from mcp import MCPError  # noqa: PLC0415  an extra

        del as_of
        names = {self._known_as(each): each for each in self.allowed}
        if name not in names:
            raise ArenaError("tool.arguments", f"{name} is not allowed", status=2)
        client = await self._client()
        try:
            result = await client.call_tool(names[name], dict(arguments))
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                self._forget()  # the next call opens another
            raise ArenaError("tool.unreachable", one_line(error.message)) from error
        parts: Sequence[Any] = result.content
        texts = [part.text if part.type == "text" else f"({part.type})" for part in parts]
        if not texts and result.structured_content is not None:
            texts = [json.dumps(result.structured_content)]
        words = "\n".join(texts)[:LONGEST]
        if result.is_error:
            raise ArenaError("tool.failed", words or "it failed")
        return ToolReply({"text": words})

    def _known_as(self, name: str) -> str:
        return _UNFIT.sub("_", f"{self.settings.name}_{name}")[:LONGEST_NAME]

    async def _client(self) -> "Client":
        loop = asyncio.get_running_loop()
        if loop not in self._sessions:
            ready: asyncio.Future[Client] = loop.create_future()
            task = loop.create_task(self._serve(ready))
            task.add_done_callback(partial(self._ended, ready))
            self._sessions[loop] = _Session(task, ready)
        return await asyncio.shield(self._sessions[loop].client)

    def _forget(self) -> None:
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session is not None:
            session.task.cancel()

    async def _serve(self, ready: "asyncio.Future[Client]") -> None:
        """Hold a connection open until this task is cancelled, or its server ends."""
        from mcp import Client  # noqa: PLC0415  an extra

        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(Client(await self._transport(stack)))
            ready.set_result(client)
            await asyncio.Event().wait()

    def _ended(self, ready: "asyncio.Future[Client]", task: "asyncio.Task[None]") -> None:
        """Tell whoever waits why there is no connection; the next call tries again."""
        self._sessions.pop(task.get_loop(), None)
        error = None if task.cancelled() else task.exception()
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if not ready.done():
            words = error_words(error) if isinstance(error, Exception) else "it was closed"
            ready.set_exception(ArenaError("tool.unreachable", words))

    async def _transport(self, stack: AsyncExitStack) -> Any:  # noqa: ANN401  the library's
        from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415
        from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415
        from mcp.shared._httpx_utils import create_mcp_http_client  # noqa: PLC0415

        options = dict(self.settings.options)
        if "url" in options:
            key = os.environ.get(str(options.get("key_env", "")), "").strip()
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            door = await stack.enter_async_context(create_mcp_http_client(headers))
            return streamable_http_client(str(options["url"]), http_client=door)
        command, *words = [str(word) for word in options["command"]]  # type: ignore[attr-defined]
        named = [str(name) for name in options.get("env", ())]  # type: ignore[attr-defined]
        env = {name: os.environ[name] for name in named if name in os.environ}
        silent = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: ASYNC230, SIM115
        return stdio_client(
            StdioServerParameters(command=command, args=words, env=env), errlog=silent
        )
