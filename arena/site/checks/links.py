"""Find links of the site that lead nowhere."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_TAG = re.compile(
    r"""<(?:!--.*?-->|([a-zA-Z][^\s/>]*)([^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*)>)""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""", re.DOTALL
)


class Tag(NamedTuple):
    """The start of an element; of an attribute that stands twice the first one counts."""

    name: str
    attributes: Mapping[str, str]


def tags(text: str) -> Iterator[Tag]:
    """Read the start tags of a page in their order; names are in lower case.

    >>> [(tag.name, tag.attributes) for tag in tags('<p ID=a hidden>x<a href="b&amp;c">')]
    [('p', {'id': 'a', 'hidden': ''}), ('a', {'href': 'b&c'})]
    """
    for name, attributes in _TAG.findall(text):
        if name:
            yield Tag(name.lower(), _attributes(attributes))


@lru_cache(maxsize=100_000)
def _attributes(text: str) -> Mapping[str, str]:
    attributes: dict[str, str] = {}
    if not text or text.isspace():
        return attributes
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        value = double or single or bare
        attributes.setdefault(name.lower(), unescape(value) if "&" in value else value)
    return attributes


_LOADING = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "src")}
_NAMING = frozenset({"alternate", "canonical", "license", "next", "prev"})  # loads nothing
_LEADING = frozenset({"href", "src"})
_ELSEWHERE = {"https", "data"}
NOWHERE = "leads to no such place on the page"


def check_links(out: Path) -> list[str]:
    """List the links of a folder of pages that are broken, each with the page it stands on.

    A link is broken if it leads to no file, to a folder, to a file outside, or to no element
    of that page. Links to the web are not followed, but nothing may be loaded from there.
    """
    links = Links(frozenset(files_in(out)))
    broken: list[str] = []
    for path in sorted(links.files):
        if path.endswith(".html"):
            read = tags((out / path).read_text(encoding="utf-8"))
            broken += [f"{path}: {problem}" for problem in links.problems(path, list(read))]
    return broken + [f"{path}: {problem}" for path, problem in links.lost(out)]


def files_in(out: Path) -> Iterator[str]:
    """Every file of a site by its path; those whose names begin with a dot are left out."""
    for place, folders, names in os.walk(out):
        folders[:] = [name for name in folders if not name.startswith(".")]
        here = Path(place).relative_to(out).as_posix()
        before = "" if here == "." else f"{here}/"
        yield from (before + name for name in names if not name.startswith("."))


@dataclass(slots=True)
class Links:
    """The links of a site's pages, judged one page after another.

    Whether a place on another page is there is known when all were read: `lost` says so.
    """

    files: frozenset[str]
    _judged: dict[tuple[str, str, bool], str] = field(default_factory=dict)
    _wanted: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)

    def problems(self, path: str, page: Sequence[Tag]) -> Iterator[str]:
        """The broken links of a page, including links to its own ids."""
        folder = path.rpartition("/")[0]
        ids = {tag.attributes["id"] for tag in page if "id" in tag.attributes}
        for tag in page:
            for name in tag.attributes.keys() & _LEADING:
                link = tag.attributes[name]
                if link.startswith("#"):
                    if unquote(link[1:]) not in ids and link != "#":
                        yield f"{link} {NOWHERE}"
                    continue
                loading = (tag.name, name) in _LOADING and not _is_named(tag)
                key = (folder, link, loading)
                if key not in self._judged:
                    self._judged[key] = self._judge(folder, link, loading=loading)
                if self._judged[key]:
                    yield f"{link} {self._judged[key]}"
                elif "#" in link:
                    self._want(path, folder, link)

    def lost(self, out: Path) -> Iterator[tuple[str, str]]:
        """Ids that links lead to and pages lack, each with a page that links to it."""
        for target, wanted in sorted(self._wanted.items()):
            text = (out / target).read_text(encoding="utf-8")
            ids = {tag.attributes.get("id") for tag in tags(text)}
            for fragment, (path, link) in sorted(wanted.items()):
                if fragment not in ids:
                    yield path, f"{link} {NOWHERE}"

    def _judge(self, folder: str, link: str, *, loading: bool) -> str:
        try:
            parts = urlsplit(link)
        except ValueError:
            return "is no address"
        if parts.scheme in _ELSEWHERE:
            return "is loaded from the web" if loading and parts.scheme != "data" else ""
        if parts.scheme or parts.netloc or link.startswith("/"):
            return "is not relative"
        target = _target(folder, parts.path)
        if target.startswith("../"):
            return "leads out of the site"
        return "" if target in self.files else "leads to no file"

    def _want(self, path: str, folder: str, link: str) -> None:
        """Record an id that a page must have."""
        parts = urlsplit(link)
        if parts.scheme or not parts.fragment:
            return
        target = _target(folder, parts.path)
        if target.endswith(".html"):
            wanted = self._wanted.setdefault(target, {})
            wanted.setdefault(unquote(parts.fragment), (path, link))


def _target(folder: str, way: str) -> str:
    """Where a link leads; what ends in a slash is a folder, and no file of that name."""
    end = "/" if way.endswith("/") else ""
    return normpath(f"{folder}/{unquote(way)}".lstrip("/")) + end


def _is_named(tag: Tag) -> bool:
    """Whether a link of the head only names another document, and loads nothing."""
    return tag.name == "link" and tag.attributes.get("rel", "") in _NAMING
