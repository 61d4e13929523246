"""Render a page to its files, with a key of everything that it is made from."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from arena.render import Environment, closure_digest, render
from arena.site import places
from arena.site.engine.json_page import figure_csv, figures_in, linked, told
from arena.site.engine.manifest import File, ManifestEntry
from arena.site.page import Document, Page

TEMPLATES = "site"  # the folder below that of all templates
DIGITS = 32  # of a key in the list of pages


@dataclass(frozen=True, slots=True)
class Printed:
    """A page with its files, the page itself last."""

    entry: ManifestEntry
    files: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class Plate:
    """A page that is ready to be printed: `key` stands for all it is made from.

    `view` knows where the files of the page stand, `twin` is its text for machines.
    """

    page: Page | Document
    key: str
    view: object = None
    twin: str = ""


@dataclass(slots=True)
class Press:
    """Turns pages into files, by the code that `program` stands for."""

    env: Environment
    program: str
    _closures: dict[str, str] = field(default_factory=dict)

    def plate(self, page: Page | Document) -> Plate:
        """Prepare a page and compute its key, which says whether it must be rendered again.

        Its key names all that its bytes follow from: the template with all that it draws on,
        and every value of the view, also those that only people read, for the same number may
        be written in another way.
        """
        if isinstance(page, Document):
            return Plate(page, sha256(page.content).hexdigest()[:DIGITS])
        view = linked(page.view, page.path)
        page_json = told(view, page.template)
        key_parts = (page.path, self._closure(page.template), page_json.twin, *page_json.unsaid)
        key_text = "".join([f"{len(text)}:{text}" for text in key_parts])
        key = sha256(key_text.encode("utf-8", "replace")).hexdigest()
        return Plate(page, key[:DIGITS], view, page_json.twin)

    def print(self, plate: Plate) -> Printed:
        """Make the files of a page."""
        made = tuple(self._contents(plate))
        files = tuple(
            File(path.rpartition("/")[2], len(content), sha256(content).hexdigest())
            for path, content in made
        )
        nodes = sum(_elements(content) for path, content in made if path.endswith(".html"))
        return Printed(ManifestEntry(plate.page.path, plate.key, nodes, files), made)

    def _contents(self, plate: Plate) -> Iterator[tuple[str, bytes]]:
        page = plate.page
        if isinstance(page, Document):
            yield page.path, page.content
            return
        for path, text in self._texts(page, plate):
            yield path, text.encode("utf-8", "replace")

    def _texts(self, page: Page, plate: Plate) -> Iterator[tuple[str, str]]:
        """The files of a page: those for machines first, then those for people."""
        view = plate.view
        for figure in figures_in(view):
            if figure.svg:
                yield places.figure(page.path, figure.key, "svg"), figure.alone
            if figure.csv:
                yield places.figure(page.path, figure.key, "csv"), figure_csv(figure)
        yield places.twin(page.path), plate.twin
        yield page.path, render(self.env, f"{TEMPLATES}/{page.template}", page=view)

    def _closure(self, template: str) -> str:
        if template not in self._closures:
            digest = closure_digest(self.env, f"{TEMPLATES}/{template}")
            self._closures[template] = digest + self.program
        return self._closures[template]


def program_digest() -> str:
    """SHA-256 of the code between a view and its bytes."""
    here = Path(__file__).parent
    digest = sha256()
    for name in ("renderer.py", "json_page.py", "../places.py", "../../render.py"):
        digest.update((here / name).read_bytes())
    return digest.hexdigest()


def _elements(content: bytes) -> int:
    """How many elements a page of ours starts: every other `<` is escaped, but the first."""
    return content.count(b"<") - content.count(b"</") - content.startswith(b"<!")
