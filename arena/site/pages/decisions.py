"""The pages of decisions: what a model saw, what it said, and what became of it."""

from collections.abc import Iterator, Sequence

from arena.site.page import Document, Page
from arena.site.reading import Reading


def pages(keys: Sequence[str], reading: Reading) -> Iterator[Page | Document]:  # noqa: ARG001
    """The pages of turns: of a whole cohort (`cohort`), or single ones (`cohort/round/who`)."""
    yield from ()
