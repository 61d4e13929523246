"""A folder of documents: a corpus for replays, or what somebody puts there."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from arena.contexts.fields import document_of
from arena.errors import ArenaError
from arena.ports import ContextBackstage, ContextSource
from arena.records.answer import DocumentBatch, SourceDocument
from arena.records.market import Market
from arena.records.settings import ContextSettings
from arena.venues.options import is_words, read_options

LARGEST = 20_000_000  # bytes of a file
FENCE = "---"

Stamp = tuple[int, int]  # when a file was changed, and its size


def from_settings(settings: ContextSettings, backstage: ContextBackstage) -> ContextSource:
    """Build a folder as a source.

    Option: `path`, that of the folder, from that of the configuration file ("documents" if not
    given).

    Raises:
        ArenaError: `context.option`: an option is unknown or has a wrong value.
    """
    options = read_options(settings, dict[str, str], {"path": is_words}, "path is a folder")
    return FolderSource(Path(backstage.root, options.get("path", "documents")))


@dataclass(frozen=True, slots=True)
class FolderSource:
    """Gives every document of a folder's files: *.json, *.jsonl, and *.md with front matter.

    A file is read again when it has changed. One that cannot be read is a failure, and the
    others are used.
    """

    folder: Path
    _read: dict[Path, tuple[Stamp, Sequence[SourceDocument]]] = field(default_factory=dict)

    async def documents(self, markets: Sequence[Market], as_of: datetime) -> DocumentBatch:
        """Give all documents; the round leaves out those of later days.

        Raises:
            ArenaError: `context.folder`: there is no such folder.
        """
        del markets, as_of
        if not self.folder.is_dir():
            raise ArenaError(
                "context.folder",
                f"there is no folder {self.folder.name} with documents",
                hint="make it, or mend `path` among the source's options",
            )
        documents: list[SourceDocument] = []
        failures: list[str] = []
        for file in sorted(self.folder.rglob("*")):
            if file.suffix.lower() not in READERS or not file.is_file():
                continue
            try:
                documents += self._documents(file)
            except (OSError, ValueError, RecursionError) as error:
                failures.append(f"{file.name} cannot be read: {type(error).__name__}")
        return DocumentBatch(tuple(documents), failures=tuple(failures))

    def _documents(self, file: Path) -> Sequence[SourceDocument]:
        state = file.stat()
        stamp = (state.st_mtime_ns, state.st_size)
        if state.st_size > LARGEST:
            raise ValueError(f"more than {LARGEST} bytes")
        if file not in self._read or self._read[file][0] != stamp:
            text = file.read_text("utf-8-sig", "replace")
            fields = READERS[file.suffix.lower()](text, file.stem)
            self._read[file] = stamp, [document_of(each) for each in fields]
        return self._read[file][1]


def _in_json(text: str, _: str) -> Iterator[Mapping[str, object]]:
    """One document, or a list of them."""
    parsed = json.loads(text)
    yield from (row for row in (parsed if isinstance(parsed, list) else [parsed]) if _is(row))


def _in_lines(text: str, _: str) -> Iterator[Mapping[str, object]]:
    """A document a line."""
    rows = (json.loads(line) for line in text.split("\n") if line.strip())
    yield from (row for row in rows if _is(row))


def _in_markdown(text: str, stem: str) -> Iterator[Mapping[str, object]]:
    """Lines `name: value` between two fences, then the text; the title is the file's name."""
    head, body = "", text
    if text.startswith(FENCE + "\n"):
        head, _, body = text.removeprefix(FENCE + "\n").partition(f"\n{FENCE}\n")
    pairs = (line.partition(":") for line in head.splitlines())
    fields = {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}
    yield {"title": stem, "text": body, **fields}


def _is(row: object) -> bool:
    return isinstance(row, Mapping)


READERS = {".json": _in_json, ".jsonl": _in_lines, ".md": _in_markdown}
