"""What a card of a contestant shows, on a page that is not ours."""

from dataclasses import dataclass

from arena.site.pages.parts.parts import Cell, Head, Link, Moment


@dataclass(frozen=True, slots=True)
class CardPage:
    """templates/site/card.html."""

    head: Head
    site: Link
    contestant: Link
    rank: str
    claims: tuple[str, ...]
    headline: str
    score: Cell
    returned: Cell
    as_of: Moment | None
