"""The pages about the files of data."""

from collections.abc import Iterator

from arena.site.page import Document, Page
from arena.site.reading import Reading


def pages(reading: Reading) -> Iterator[Page | Document]:  # noqa: ARG001
    """Every page of this kind."""
    yield from ()
