"""How often markets of a kind ended YES, of those that resolved in this arena."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from arena.ports import Archive, ToolDeclaration, ToolReply

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
