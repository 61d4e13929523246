"""Tools as the exchange reaches them: asked once, paid for once, kept before they are used.

Two are short and stand here: how often markets of a kind ended YES, and a search server.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from time import monotonic
from typing import Final

from arena.agents.briefing_data import as_json, clean, clean_line
from arena.contexts.search import SearchSource, from_settings
from arena.errors import ArenaError, ForeignError, StopError, foreign
from arena.llms.retries import milliseconds
from arena.llms.tariff import BYTES_A_TOKEN, CONFIGURED
from arena.ports import (
    Archive,
    ContextBackstage,
    Llm,
    Tool,
    ToolDeclaration,
    ToolDocument,
    ToolDoor,
    ToolReply,
)
from arena.records.answer import Attempt, Completion, Question, Trouble, Usage
from arena.records.money import usd
from arena.records.settings import ContextSettings, ModelSettings, ToolAdapter, ToolSettings
from arena.tools.calculator import Calculator
from arena.tools.fetch import Fetch
from arena.tools.mcp import McpTools

_SEARCH_PARAMETERS: Final = (
    '{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],'
    '"additionalProperties":false}'
)


@dataclass(frozen=True, slots=True)
class Search:
    """Asks a search server; its options are those of the context source `search`."""

    source: SearchSource
    declared: tuple[ToolDeclaration, ...]

    @classmethod
    def of(cls, settings: ToolSettings, backstage: ContextBackstage) -> "Search":
        """Build it.

        Raises:
            ArenaError: `context.option`: an option is unknown or has a wrong value.
        """
        named = ContextSettings(settings.name, settings.adapter, settings.options)
        words = "Search for documents. Those from after the present moment are withheld."
        declared = (ToolDeclaration(settings.name, words, _SEARCH_PARAMETERS),)
        return cls(from_settings(named, backstage), declared)

    async def listed(self) -> tuple[ToolDeclaration, ...]:
        """Give what there is to call."""
        return self.declared

    async def call(
        self, name: str, arguments: Mapping[str, object], as_of: datetime
    ) -> ToolReply:
        """Give the documents that the server names for a `query`.

        Raises:
            ArenaError: There is no query, or the server did not answer.
        """
        del name
        query = str(arguments.get("query", "")).strip()
        if not query:
            raise ArenaError("tool.arguments", "query is empty", status=2)
        documents = await self.source.named_for(query, as_of)
        return ToolReply(
            documents=[
                ToolDocument(each.text, each.title, each.url, each.published_at)
                for each in documents
            ]
        )


_PARAMETERS: Final = (
    '{"type":"object","properties":{"category":{"type":"string","description":'
    '"a category of the markets shown, as it is written there; without it, all"},'
    '"venue":{"type":"string","description":"the name of a venue; without it, all"}},'
    '"additionalProperties":false}'
)
_WORDS: Final = (
    "Count markets of this arena that had resolved, and say which share of them ended YES. "
    "They are the newest 2,000 at most, by category or venue."
)


@dataclass(frozen=True, slots=True)
class BaseRates:
    """Counts resolved markets of the arena's own archive."""

    archive: Archive
    declared: tuple[ToolDeclaration, ...]

    @classmethod
    def named(cls, name: str, archive: Archive) -> "BaseRates":
        """Make one that models know by a name."""
        return cls(archive, (ToolDeclaration(name, _WORDS, _PARAMETERS),))

    async def listed(self) -> tuple[ToolDeclaration, ...]:
        """Give what there is to call."""
        return self.declared

    async def call(
        self, name: str, arguments: Mapping[str, object], as_of: datetime
    ) -> ToolReply:
        """Give how many `markets` resolved, and `share_of_yes`, null where none did."""
        del name
        venue, category = (str(arguments.get(key) or "") for key in ("venue", "category"))
        rate = self.archive.base_rate(as_of, venue, category)
        share = round(rate.paid / rate.markets, 4) if rate.markets else None
        return ToolReply({"markets": rate.markets, "share_of_yes": share})


KIND: Final = "tool"  # what stands for a provider where calls of tools are counted
MOST_DOCUMENTS: Final = 20
LONGEST_TITLE: Final = 200
LONGEST_WORDS: Final = 300  # of a failure
LONGEST_DESCRIPTION: Final = 1_000
LONGEST_PARAMETERS: Final = 8_000
FEWEST: Final = 20  # characters to which no text is cut any further


LIVE: Final = frozenset({ToolAdapter.FETCH, ToolAdapter.MCP, ToolAdapter.SEARCH})
"""Tools that know the present and no other moment: a play of the past may not call them."""


def tool_of(settings: ToolSettings, archive: Archive, sources: ContextBackstage) -> Tool:
    """Build a tool; nothing is asked of anybody yet.

    Raises:
        ArenaError: `tool.option`: it does not take these options.
    """
    match settings.adapter:
        case ToolAdapter.CALCULATOR | ToolAdapter.BASE_RATES if settings.options:
            message = f"the tool {settings.name} is a {settings.adapter}, which has no options"
            raise ArenaError("tool.option", message, status=2)
        case ToolAdapter.CALCULATOR:
            return Calculator.named(settings.name)
        case ToolAdapter.FETCH:
            return Fetch.of(settings)
        case ToolAdapter.MCP:
            return McpTools.of(settings)
        case ToolAdapter.SEARCH:
            return Search.of(settings, sources)
        case ToolAdapter.BASE_RATES:
            return BaseRates.named(settings.name, archive)


def door_of(
    settings: ToolSettings,
    archive: Archive,
    sources: ContextBackstage,
    line: Callable[[Llm, ModelSettings], Llm],
) -> ToolDoor:
    """Build a tool as contestants reach it.

    Args:
        settings: The tool.
        archive: What is on record.
        sources: What tools are made of that ask a server.
        line: Puts what calls it behind the exchange.

    Raises:
        ArenaError: `tool.option`: it does not take its options.
    """
    tool = tool_of(settings, archive, sources)
    declared = None if tool.declared is None else declarations_text(tool.declared)
    return ToolDoor(line(ToolLlm(settings, tool), model_of(settings)), declared)


def model_of(settings: ToolSettings) -> ModelSettings:
    """Give the model as which the exchange asks a tool: its one token costs a call's price."""
    return ModelSettings(
        name=f"{KIND}:{settings.name}",
        adapter=KIND,
        base_url="",
        model=settings.adapter,
        max_tokens=1,
        price_in=Decimal(0),
        price_out=settings.price.scaleb(6),
        provider=KIND,
        options=settings.options,
    )


@dataclass(frozen=True, slots=True)
class ToolLlm:
    """Calls a tool as a question says, and gives its result as the words of a reply.

    A result is JSON in ASCII without a mark that a prompt could take for its own, cut to the
    tool's tokens. What goes wrong is such a result too, beside the completion's `trouble`.
    Documents from after the round's moment are withheld, and counted in it.
    """

    settings: ToolSettings
    tool: Tool

    async def complete(self, question: Question) -> Completion:
        """Call once: a tool that failed is not asked again."""
        start = monotonic()
        seconds = self.settings.timeout.total_seconds()
        trouble, detail = None, ""
        try:
            with foreign(TimeoutError):
                async with asyncio.timeout(seconds):
                    text = await self._result(question)
        except TimeoutError:
            trouble, detail = Trouble.TIMEOUT, f"nothing came within {seconds:g} s"
        except ArenaError as error:
            if isinstance(error, StopError) or error.code.startswith("store."):
                raise  # the arena's own matter
            is_refusal = error.code in {"tool.arguments", "tool.refused"}
            trouble, detail = Trouble.REQUEST if is_refusal else Trouble.SERVER, error.message
        except ForeignError as error:
            trouble, detail = Trouble.CRASHED, str(error)
        if trouble:
            detail = clean_line(detail, LONGEST_WORDS)
            text = as_json({"error": detail})
        spent = milliseconds(monotonic() - start)
        is_free = not self.settings.price or trouble is Trouble.REQUEST
        billed = False if is_free else None if trouble else True
        cost = usd(0) if trouble else self.settings.price
        return Completion(
            text=text,
            model=question.system,
            usage=Usage(0, 0, cost, priced=CONFIGURED),
            latency_ms=spent,
            attempts=(Attempt(spent, None, trouble, detail, billed),),
            trouble=trouble,
            detail=detail,
        )

    async def _result(self, question: Question) -> str:
        if not question.system:
            return declarations_text(await self.tool.listed())
        request = json.loads(question.user)
        if "error" in request:
            raise ArenaError("tool.arguments", request["error"], status=2)
        as_of = datetime.fromisoformat(request["as_of"])
        reply = await self.tool.call(question.system, request["arguments"], as_of)
        return shown(reply, as_of, self.settings.longest * BYTES_A_TOKEN)


def declarations_text(tools: Sequence[ToolDeclaration]) -> str:
    """Write down what can be called, as a question declares it.

    Descriptions are cleaned, for a server's are a stranger's; a tool whose parameters are no
    schema of an object, or a very long one, is left out.
    """
    listed = []
    for tool in tools:
        with suppress(ValueError, RecursionError):
            schema = json.loads(tool.parameters)
            if len(tool.parameters) <= LONGEST_PARAMETERS and isinstance(schema, Mapping):
                description = clean(tool.description, LONGEST_DESCRIPTION)
                listed.append(
                    {"name": tool.name, "description": description, "parameters": schema}
                )
    return json.dumps(listed)


def shown(reply: ToolReply, as_of: datetime, longest: int) -> str:
    """Write a result down: its facts, then its documents, with dates where these are known.

    Args:
        reply: What a tool gave.
        as_of: The round's moment; documents dated after it are withheld.
        longest: The most characters of the whole; texts are cut until it fits.
    """
    known = [d for d in reply.documents if d.published_at is None or d.published_at <= as_of]
    withheld = len(reply.documents) - len(known)
    facts: dict[str, object] = {"withheld": withheld} if withheld else {}
    room = longest
    while True:
        documents = [_document(document, room) for document in known[:MOST_DOCUMENTS]]
        listed = {"documents": documents} if reply.documents else {}
        text = as_json({**_cut(reply.facts, room), **listed, **facts})
        if len(text) <= longest:
            return text
        if room <= FEWEST:
            return as_json({"error": "the result is too long", **facts})
        room = max(FEWEST, min(room // 2, room * longest // len(text)))


def _document(document: ToolDocument, longest: int) -> dict[str, object]:
    when = document.published_at
    return {
        "title": clean_line(document.title, LONGEST_TITLE),
        "url": clean_line(document.url, LONGEST_TITLE),
        "published_at": when.isoformat() if when else None,
        "text": clean(document.text, longest),
    }


def _cut(facts: Mapping[str, object], longest: int) -> dict[str, object]:
    return {
        clean_line(name, LONGEST_TITLE): clean(value, longest)
        if isinstance(value, str)
        else value
        for name, value in facts.items()
    }
