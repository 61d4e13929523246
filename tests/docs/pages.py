"""The pages of documentation as the tests read them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^(```+)(\w*)\s*$")
HEADING = re.compile(r"^(#{1,6}) (.+?)\s*$")
CODE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Fence:
    """A fenced block: its language, where its first line is, and its text."""

    language: str
    line: int
    text: str


@dataclass(frozen=True)
class Page:
    """One Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        """Every fenced block, in order."""
        return tuple(_fences(self.text.splitlines()))

    def fenced(self, *languages: str) -> tuple[Fence, ...]:
        """The blocks in any of some languages."""
        return tuple(fence for fence in self.fences if fence.language in languages)

    @cached_property
    def prose(self) -> str:
        """The page with its fenced blocks blanked out, line for line."""
        lines = self.text.splitlines()
        for fence in self.fences:
            first, count = fence.line - 2, len(fence.text.splitlines()) + 2
            lines[first : first + count] = [""] * count
        return "\n".join(lines)

    @cached_property
    def anchors(self) -> frozenset[str]:
        """What a link to this page may name after its #."""
        seen: dict[str, int] = {}
        anchors = []
        for title in self.titles().values():
            slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            count = seen.get(slug, 0)
            seen[slug] = count + 1
            anchors.append(f"{slug}-{count}" if count else slug)
        return frozenset(anchors)

    def titles(self, level: int | None = None) -> Mapping[int, str]:
        """Headings by line number, of one level or of all."""
        found = {}
        for number, line in enumerate(self.prose.splitlines(), 1):
            match = HEADING.match(line)
            if match and level in {None, len(match[1])}:
                found[number] = match[2].replace("`", "")
        return found

    def section(self, title: str) -> str:
        """The text below a heading, up to the next one of its level or above."""
        lines = self.text.splitlines()
        prose = self.prose.splitlines()
        start = next(n for n, t in self.titles().items() if t == title)
        level = len(prose[start - 1].split(" ", 1)[0])
        end = next(
            (
                n - 1
                for n in self.titles()
                if n > start and len(prose[n - 1].split(" ", 1)[0]) <= level
            ),
            len(lines),
        )
        return "\n".join(lines[start:end])

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """Every piece of inline code outside of fenced blocks."""
        return tuple(CODE.findall(self.prose))


def tables(text: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Every table of a text: rows of cells, the head first."""
    found: list[list[tuple[str, ...]]] = []
    before = ""
    for line in text.splitlines():
        if line.startswith("|"):
            if not before.startswith("|"):
                found.append([])
            cells = tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                found[-1].append(cells)
        before = line
    return tuple(tuple(rows) for rows in found)


def bare(cell: str) -> str:
    """A cell that is one piece of inline code without its marks; any other as it is."""
    whole = CODE.fullmatch(cell)
    return whole[1] if whole else cell


def _fences(lines: list[str]) -> Iterator[Fence]:
    opened: tuple[str, str, int] | None = None
    for number, line in enumerate(lines, 1):
        if opened is None:
            if match := FENCE.match(line):
                opened = (match[1], match[2], number + 1)
        elif line.strip() == opened[0]:
            _, language, first = opened
            yield Fence(language, first, "\n".join(lines[first - 1 : number - 1]))
            opened = None
    if opened is not None:
        raise ValueError(f"the fenced block of line {opened[2] - 1} is not closed")


EXAMPLES = tuple(Page(path) for path in sorted((ROOT / "docs" / "examples").glob("*.txt")))
DOCS = tuple(Page(path) for path in sorted((ROOT / "docs").glob("*.md")))
PAGES = (*DOCS, Page(ROOT / "README.md"), Page(ROOT / "CHANGELOG.md"))


def page(name: str) -> Page:
    """One of the pages, by its path from the project's folder."""
    return next(found for found in PAGES if found.name == name)


def examples(name: str) -> Page:
    """The examples of one of the documents, which stand under its headings."""
    return next(found for found in EXAMPLES if found.path.stem == name)
