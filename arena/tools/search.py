"""A search server as a tool: the same mapping as for a source of documents."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from arena.contexts.search import SearchSource, from_settings
from arena.errors import ArenaError
from arena.ports import ContextBackstage, ToolDeclaration, ToolDocument, ToolReply
from arena.records.settings import ContextSettings, ToolSettings

_PARAMETERS: Final = (
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
        declared = (ToolDeclaration(settings.name, words, _PARAMETERS),)
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
