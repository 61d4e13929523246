"""A contestant whose class stands in a file beside `config.yaml`, or in an installed module."""

import asyncio
import inspect
import json
import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path, PurePath
from threading import Lock, Thread
from traceback import extract_tb
from types import ModuleType
from typing import Final, Protocol

from arena.agents.reply import MAX_BYTES
from arena.errors import ArenaError, did_you_mean, error_words, one_line
from arena.llms.wires.lenient import thawed
from arena.ports import Agent, Backstage
from arena.process import aside
from arena.records.answer import Answer, Briefing, Completion, Trouble, Usage
from arena.records.money import usd
from arena.records.settings import ContestantSettings

SECONDS: Final = 1500.0  # less than the longest turn, so that the words are these
SHOWN: Final = 16  # digits of a digest
MOST_COUNTED: Final = 10**9  # tokens, or dollars
_FILE: Final = ".py"
_OF_THE_ARENA: Final = frozenset(
    {Trouble.BUDGET, Trouble.MISSED, Trouble.NOT_SET_UP, Trouble.WITHDRAWN}
)


class Player(Protocol):
    """What such a class has: its answer is a text, a mapping, or an `Answer`."""

    def answer(self, briefing: Briefing) -> object:
        """Answer a briefing in the reply format; it may be a coroutine."""


def is_local(agent: str) -> bool:
    """Whether an agent is named by its class, as `my_agent.py:Mine` or `package.module:Mine`.

    >>> is_local("my_agent.py:Mine"), is_local("prompted")
    (True, False)
    """
    return ":" in agent


def from_settings(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Build a contestant from a class that `settings.agent` names; options are its keywords.

    Raises:
        ArenaError: `plugin.unknown`: there is no such file, module or class, or the file is
            outside of the folder of config.yaml and not named from the root. `plugin.broken`:
            it has no method `answer`. `agent.option`: it does not take these options.
        Exception: Whatever its code raises while it is imported or made.
    """
    place, _, name = settings.agent.rpartition(":")
    module = _imported(place, Path(backstage.folder))
    there = [key for key, value in vars(module).items() if inspect.isclass(value)]
    if name not in there:
        raise _unknown(f"{place} has no class {name}", did_you_mean(name, there))
    made = vars(module)[name]
    options = {key: thawed(value) for key, value in settings.options}
    signature = inspect.signature(made)
    try:
        signature.bind(**options)
    except TypeError as error:
        raise ArenaError(
            "agent.option",
            f"{settings.id}: {one_line(str(error))}",
            hint=one_line(f"it is made as {name}{signature}"),
            status=2,
        ) from error
    if not callable(getattr(made, "answer", None)):
        raise ArenaError(
            "plugin.broken",
            f"{settings.agent} has no method answer(briefing)",
            hint="it takes a briefing and returns a mapping, as the README's example does",
            status=2,
        )
    source = Path(module.__file__ or "").read_bytes()
    shown = f"{PurePath(place).name}:{name} {sha256(source).hexdigest()[:SHOWN]}"
    return LocalAgent(made(**options), shown)


def _imported(place: str, folder: Path) -> ModuleType:
    """Import a file or a module; modules beside config.yaml are found after all others."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    if not place.endswith(_FILE):
        try:
            module = import_module(place)
        except ModuleNotFoundError as error:
            if not place.startswith(error.name or place):
                raise  # it is there, and lacks another
            hint = "name a file of Python beside config.yaml, or a module that is installed"
            raise _unknown(f"there is no module {place}", hint) from error
        vars(module).setdefault("print", aside)
        return module
    file = (folder / place).resolve()
    if not PurePath(place).is_absolute() and not file.is_relative_to(folder.resolve()):
        raise _unknown(f"{place} is outside of the folder of config.yaml", "name it from /")
    if not file.is_file():
        raise _unknown(f"there is no file {place}", "its path begins beside config.yaml")
    name = f"arena_agent_{sha256(str(file).encode()).hexdigest()[:SHOWN]}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise _unknown(f"{place} cannot be imported", "")
    module = sys.modules[name] = module_from_spec(spec)  # dataclasses look it up there
    vars(module)["print"] = aside
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever somebody's file raises
        raise ArenaError(
            "plugin.broken",
            f"{place}{_line_of(error, str(file))}: {error_words(error)}",
            hint=f"repair {PurePath(place).name}; `arena config check` tries it again",
            status=2,
        ) from error
    return module


def _line_of(error: Exception, file: str) -> str:
    """The line of a file that an exception came from."""
    lines = [
        frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file
    ]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines.append(error.lineno)
    return f", line {lines[-1]}" if lines else ""


def _unknown(what: str, hint: str) -> ArenaError:
    return ArenaError("plugin.unknown", one_line(what), hint=hint, status=2)


@dataclass(frozen=True, slots=True)
class LocalAgent:
    """Asks a player in a thread of its own, one turn at a time.

    Whatever it raises or gives is the turn's own trouble. `name` is recorded with each answer:
    its class and the beginning of the SHA-256 of its file. A turn takes `seconds` at most; a
    thread that does not end then is left behind, and keeps nothing from ending.
    """

    player: Player
    name: str
    seconds: float = SECONDS
    _line: Lock = field(default_factory=Lock)

    async def answer(self, briefing: Briefing) -> Answer:
        """Give the player's words."""
        loop = asyncio.get_running_loop()
        reply: asyncio.Future[Completion] = loop.create_future()

        def keep(completion: Completion) -> None:
            if not reply.done():
                reply.set_result(completion)

        def play() -> None:
            with self._line:
                completion = _guarded(self.player, briefing)
            with suppress(RuntimeError):  # the loop may have been closed since
                loop.call_soon_threadsafe(keep, completion)

        Thread(target=play, name=f"agent-{briefing.contestant}", daemon=True).start()
        try:
            completion = await asyncio.wait_for(reply, self.seconds)
        except TimeoutError:
            completion = _trouble(Trouble.TIMEOUT, f"no answer within {self.seconds:g} s")
        return Answer(replace(completion, model=self.name))


def _guarded(player: Player, briefing: Briefing) -> Completion:
    try:
        return _played(player, briefing)
    except BaseException as error:  # noqa: BLE001  # contestants cannot hurt each other
        return _trouble(Trouble.CRASHED, error_words(error))


def _played(player: Player, briefing: Briefing) -> Completion:
    reply = player.answer(briefing)
    if inspect.iscoroutine(reply):
        reply = asyncio.run(reply)
    if isinstance(reply, Answer):
        return _checked(reply.completion)
    if isinstance(reply, dict):
        reply = json.dumps({"reasoning": "", **reply}, default=float)
    if not isinstance(reply, str):
        return _trouble(
            Trouble.CRASHED, f"it gave a value of type {type(reply).__name__}, no answer"
        )
    return _checked(Completion(reply))


def _checked(completion: Completion) -> Completion:
    """Let through what can be kept: its calls would be nobody's, and were not paid for here."""
    text, usage, trouble = completion.text, completion.usage, completion.trouble
    tokens, cost = (usage.tokens_in, usage.tokens_out), usage.cost
    is_usage = all(n is None or (type(n) is int and 0 <= n <= MOST_COUNTED) for n in tokens)
    is_usage &= cost is None or 0 <= cost <= MOST_COUNTED
    is_known = trouble is None or trouble in set(Trouble) - _OF_THE_ARENA
    if not ((text is None or type(text) is str) and is_usage and is_known):
        return _trouble(Trouble.CRASHED, "its answer holds what no answer may hold")
    if text is not None and len(text.encode("utf-8", "replace")) > MAX_BYTES:
        return _trouble(Trouble.UNREADABLE, f"the reply is longer than {MAX_BYTES} bytes")
    kept = Usage(*tokens, None if cost is None else usd(cost))
    return Completion(text, usage=kept, trouble=trouble, detail=one_line(completion.detail))


def _trouble(trouble: Trouble, detail: str) -> Completion:
    return Completion(None, trouble=trouble, detail=one_line(detail))
