"""The pages of a task as files, where they are not there already."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import stat
from pathlib import Path

from arena import __version__
from arena.process import rare_collection
from arena.render import Environment, names_below, source
from arena.site import places
from arena.site.engine.manifest import ManifestEntry, Shown
from arena.site.engine.page_map import pages_for
from arena.site.engine.renderer import TEMPLATES, Press
from arena.site.engine.site_folder import holds, write_new
from arena.site.page import Document, PageTask
from arena.site.reading import Reading

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
        printed = self.press.print(self.press.plate(document))
        return WrittenPages(printed.entry, self._write_changed(printed.files))

    def _written_pages(self, task: PageTask) -> Iterator[WrittenPages]:
        for page in pages_for(task, self.reading):
            plate = self.press.plate(page)
            old = self.known.get(page.path)
            if old and old.key == plate.key and is_intact(self.out, old):
                yield WrittenPages(old, (), page.group)
            else:
                printed = self.press.print(plate)
                changed = self._write_changed(printed.files)
                yield WrittenPages(printed.entry, changed, page.group)

    def _write_changed(self, files: tuple[tuple[str, bytes], ...]) -> tuple[str, ...]:
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
