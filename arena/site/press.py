"""From a page to its files: what it is made from, and what comes of it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from functools import cache
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any

from arena.render import Environment, closure_digest, render
from arena.site import places
from arena.site.elsewhere import Elsewhere
from arena.site.manifest import Entry, File
from arena.site.page import Document, Page
from arena.site.twins import csv_of, figures_in, linked, twin_of

TEMPLATES = "site"  # the folder below that of all templates
DIGITS = 32  # of a key in the list of pages

_PLAIN = frozenset({str, int, float, bool, type(None)})
_ELEMENT = re.compile(rb"<[a-zA-Z]")


@dataclass(frozen=True, slots=True)
class Printed:
    """A page with its files, the page itself last."""

    entry: Entry
    files: tuple[tuple[str, bytes], ...]


@dataclass(slots=True)
class Press:
    """Turns pages into files, by the code that `program` stands for."""

    env: Environment
    program: str
    elsewhere: Elsewhere = field(default_factory=Elsewhere)
    _closures: dict[str, str] = field(default_factory=dict)

    def key(self, page: Page | Document) -> str:
        """Name all that the bytes of a page follow from.

        It is the template with all that it draws on, and every value of the view: also those
        that only people read, for the same number may be written in another way.
        """
        if isinstance(page, Document):
            return sha256(page.content).hexdigest()[:DIGITS]
        said: list[object] = [page.path, self._closure(page.template)]
        _flatten(page.view, said)
        return sha256(repr(said).encode()).hexdigest()[:DIGITS]

    def print(self, page: Page | Document, key: str) -> Printed:
        """Make the files of a page whose key is known."""
        made = ((page.path, page.content),) if isinstance(page, Document) else self._files(page)
        files = tuple(
            File(path.rpartition("/")[2], len(content), sha256(content).hexdigest())
            for path, content in made
        )
        nodes = sum(
            len(_ELEMENT.findall(content)) for path, content in made if path.endswith(".html")
        )
        return Printed(Entry(page.path, key, nodes, files), made)

    def _files(self, page: Page) -> tuple[tuple[str, bytes], ...]:
        return tuple(
            (path, text.encode("utf-8", "replace")) for path, text in self._texts(page)
        )

    def _texts(self, page: Page) -> Iterator[tuple[str, str]]:
        """What machines read first, then what people do."""
        view = linked(page.view, page.path)
        for figure in figures_in(view):
            if figure.svg:
                yield places.figure(page.path, figure.key, "svg"), figure.alone
            if figure.csv:
                yield places.figure(page.path, figure.key, "csv"), csv_of(figure.grid)
        yield places.twin(page.path), twin_of(view, page.template)
        html = render(self.env, f"{TEMPLATES}/{page.template}", page=view)
        yield page.path, self.elsewhere.relinked(page.path, html)

    def _closure(self, template: str) -> str:
        if template not in self._closures:
            digest = closure_digest(self.env, f"{TEMPLATES}/{template}")
            self._closures[template] = digest + self.program + self.elsewhere.digest
        return self._closures[template]


def program_digest() -> str:
    """SHA-256 of the code between a view and its bytes."""
    here = Path(__file__).parent
    digest = sha256()
    for name in ("press.py", "twins.py", "elsewhere.py", "places.py", "../render.py"):
        digest.update((here / name).read_bytes())
    return digest.hexdigest()


def _flatten(value: object, said: list[object]) -> None:
    """Write down every value in a view, in the order of its fields."""
    kind: Any = value.__class__
    if kind in _PLAIN:
        said.append(value)
    elif isinstance(value, tuple | list):
        said.append(len(value))
        for inner in value:
            _flatten(inner, said)
    elif is_dataclass(value):
        said.append(kind.__name__)
        for inner in _values(kind)(value):
            _flatten(inner, said)
    elif isinstance(value, Mapping):
        _flatten(tuple(value.items()), said)
    elif isinstance(value, Enum):
        _flatten(value.value, said)
    elif isinstance(value, Decimal | str):
        said.append(str(value))
    else:
        said.append(repr(value))


@cache
def _values(kind: Any) -> Any:  # noqa: ANN401  # any record there is
    names = [f.name for f in fields(kind)]
    if len(names) == 1:
        (only,) = names
        return lambda value: (getattr(value, only),)
    return attrgetter(*names) if names else lambda _: ()
