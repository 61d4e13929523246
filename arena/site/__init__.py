"""What is shown: static pages from the books.

A site is made of pages, documents, and the pieces of work that make them.
"""

from dataclasses import dataclass
from enum import StrEnum

TEMPLATES = "site"  # the folder below that of all templates


@dataclass(frozen=True, slots=True)
class Page:
    """A page to be: where it goes, and the view that its template may use.

    Nothing new is expected on one that is `final`. The bundle lists the digests of its `group`
    together.
    """

    path: str
    template: str
    view: object
    final: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is ready: its text, or its bytes where it is a picture or packed."""

    path: str
    text: str
    packed: bytes = b""
    group: str = ""

    @property
    def content(self) -> bytes:
        """What is written; a letter that UTF-8 has none for is a question mark."""
        return self.packed or self.text.encode("utf-8", "replace")


class Kind(StrEnum):
    """What a piece of work makes pages of."""

    COHORT = "cohort"  # its page, and those of its seats
    COHORT_LIST = "cohort list"
    MARKET = "market"
    MARKET_LIST = "market list"
    TURNS = "turns"  # the decisions of a cohort, all or some: "cohort" or "cohort/round/who"
    FRONT = "front"  # what shows the newest state of everything


@dataclass(frozen=True, slots=True)
class PageTask:
    """A piece of work that needs nothing of the others."""

    kind: Kind
    keys: tuple[str, ...]
