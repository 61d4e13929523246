"""Render a page to its files, where they are not there already.

A page has a key of everything that it is made from.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from os import stat
from pathlib import Path

from arena import __version__
from arena.process import rare_collection
from arena.render import Environment, closure_digest, names_below, render, source
from arena.site import TEMPLATES, Document, Page, PageTask, places
from arena.site.engine.json_page import figure_csv, figures_in, linked, told
from arena.site.engine.manifest import File, ManifestEntry, Shown
from arena.site.engine.page_map import pages_for
from arena.site.engine.site_folder import holds, write_new
from arena.site.reading import Reading

DIGITS = 32  # of a key in the list of pages

PageFiles = tuple[tuple[str, bytes], ...]  # paths and contents, the page itself last


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

    def print(self, plate: Plate) -> tuple[ManifestEntry, PageFiles]:
        """Make the files of a page, and its line in the list of pages."""
        made = tuple(self._contents(plate))
        files = tuple(
            File(path.rpartition("/")[2], len(content), sha256(content).hexdigest())
            for path, content in made
        )
        nodes = sum(_elements(content) for path, content in made if path.endswith(".html"))
        return ManifestEntry(plate.page.path, plate.key, nodes, files), made

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


BUILD = "a/build.js"
NO_JEKYLL = ".nojekyll"


@dataclass(frozen=True, slots=True)
class WrittenPages:
    """A page as it shall be, and those of its files that are new or changed."""

    entry: ManifestEntry
    changed: tuple[str, ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes the pages of tasks: into `stage`, beside what is in `out` already.

    A page of the same key as in `known`, whose files are there, is not made again.
    """

    reading: Reading
    press: Press
    out: Path
    stage: Path
    known: Mapping[str, ManifestEntry] = field(default_factory=dict)

    def make(self, task: PageTask) -> tuple[WrittenPages, ...]:
        """Make what is to be made for a task."""
        with rare_collection():
            return tuple(self._written_pages(task))

    def document(self, document: Document) -> WrittenPages:
        """Make a file whose text is ready."""
        entry, files = self.press.print(self.press.plate(document))
        return WrittenPages(entry, self._write_changed(files))

    def _written_pages(self, task: PageTask) -> Iterator[WrittenPages]:
        for page in pages_for(task, self.reading):
            plate = self.press.plate(page)
            old = self.known.get(page.path)
            if old and old.key == plate.key and is_intact(self.out, old):
                yield WrittenPages(old, (), page.group)
            else:
                entry, files = self.press.print(plate)
                yield WrittenPages(entry, self._write_changed(files), page.group)

    def _write_changed(self, files: PageFiles) -> tuple[str, ...]:
        out, stage = str(self.out), str(self.stage)
        changed = [(path, new) for path, new in files if not holds(f"{out}/{path}", new)]
        for path, new in changed:
            write_new(f"{stage}/{path}", new)
        return tuple(path for path, _ in changed)


def is_intact(out: Path, entry: ManifestEntry) -> bool:
    """Whether the files of a page are there with their sizes."""
    folder = f"{out}/{entry.path.rpartition('/')[0]}"
    try:
        return all(
            stat(f"{folder}/{name}").st_size == size  # noqa: PTH116  a Path takes thrice as long
            for name, size, _ in entry.files
        )
    except OSError:
        return False


def assets(env: Environment, shown: Shown) -> Iterator[Document]:
    """What pages load: the style sheet and the script, made of several, and what built them.

    The last is the one place that names the version and the state of the books: pages do
    not, for then each of them would change every time.
    """
    yield Document(places.STYLE, style_sheet(env))
    yield Document(places.SCRIPT, _joined(env, "js"))
    yield Document(places.FRONT_STYLE, _tight(source(env, f"{TEMPLATES}/front.css")))
    yield Document(places.THEME, source(env, f"{TEMPLATES}/theme.js"))
    yield Document(places.VERIFY, source(env, f"{TEMPLATES}/verify.js"))
    build_facts = {
        "version": __version__,
        "as_of": shown.at,
        "entry": shown.entry,
        "head": shown.head,
        "templates": shown.templates,
        "edition": shown.asked,
    }
    yield Document(BUILD, f'A("build", {json.dumps(build_facts)});\n')
    yield Document(NO_JEKYLL, "")


def style_sheet(env: Environment) -> str:
    """The style sheet of every page, made of several."""
    return _tight(_joined(env, "css"))


def _joined(env: Environment, folder: str) -> str:
    parts = names_below(env, f"{TEMPLATES}/{folder}", folder)
    return "".join(source(env, part) for part in parts)


def _tight(css: str) -> str:
    """A style sheet without comments and idle space; what stands in quotes is as it was."""
    parts = re.split(r'("[^"]*")', re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL))
    for n in range(0, len(parts), 2):
        parts[n] = re.sub(r" ?([{};,]) ?", r"\1", re.sub(r"\s+", " ", parts[n]))
    return "".join(parts).replace(";}", "}").strip() + "\n"
