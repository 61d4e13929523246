"""What the pages of providers show."""

from dataclasses import dataclass

from arena.site.pages.parts.parts import Figure, Head, Kpi, Link
from arena.site.pages.parts.tables import Table


@dataclass(frozen=True, slots=True)
class ProviderListPage:
    """templates/site/providers.html."""

    head: Head
    words: str
    figure: Figure | None
    table: Table | None
    families: Table | None
    unnamed: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ProviderPage:
    """templates/site/provider.html."""

    head: Head
    name: str
    words: str
    kpis: tuple[Kpi, ...]
    figure: Figure | None
    releases: Figure | None
    scores: Table
    replies: Table
    others: tuple[Link, ...]
