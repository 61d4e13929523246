"""Reads a paged list to its end; a cursor that comes again is an error."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from arena.errors import ArenaError
from arena.http.verdict import CHANGED

LONGEST_CURSOR = 2_000  # quoted it may be three times as long, and an address has 8,000
ENDS = frozenset({"", "LTE="})  # the second is -1 in base64, as Polymarket's CLOB says it


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a list: the ids of its rows in order, and what to ask the next one by.

    What else it says is for who fetched it to keep: a whole list of payloads is a lot.
    """

    ids: Sequence[str]
    cursor: str | None


async def walk(
    fetch: Callable[[str | None], Awaitable[ListPage]], *, most: int, what: str
) -> list[ListPage]:
    """Read a list page by page until it ends.

    It ends with a page without ids, which is left out, or one whose cursor is None, empty or
    "LTE=".

    Args:
        fetch: Asks for the page of a cursor; None is the first page.
        most: How many pages are read at most, 1 or more.
        what: What is listed, for messages: "polymarket: markets".

    Returns:
        The pages in order.

    Raises:
        ArenaError: `venue.format`: a cursor comes again, no row of a page is new, or a
            cursor is too odd to send back.
    """
    leaves: list[ListPage] = []
    seen: set[str] = set()
    cursors: set[str] = set()
    cursor: str | None = None
    while len(leaves) < most:
        leaf = await fetch(cursor)
        if not leaf.ids:
            break
        if seen.issuperset(leaf.ids):
            raise _stuck(what)
        seen.update(leaf.ids)
        leaves.append(leaf)
        cursor = leaf.cursor
        if cursor is None or cursor in ENDS:
            break
        if cursor in cursors:
            raise _stuck(what)
        if len(cursor) > LONGEST_CURSOR or not (cursor.isascii() and cursor.isprintable()):
            message = f"{what}: the cursor of page {len(leaves)} cannot be sent back"
            raise ArenaError("venue.format", message, hint=CHANGED)
        cursors.add(cursor)
    return leaves


def _stuck(what: str) -> ArenaError:
    message = f"{what}: paging is stuck: it sends the same page again"
    return ArenaError("venue.format", message, hint=CHANGED)
