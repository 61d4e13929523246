"""Checks of a built site, from its files alone: sizes, links, and what a page must have.

The budget is what a reader must load, and what a host accepts.
"""

import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from html import unescape
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET
from zlib import decompressobj
from zlib import error as PackedError  # noqa: N812  # as other errors are called

from arena.secrets import Secrets
from arena.site import places
from arena.site.bundle.published_site import MANIFEST, STAMPS
from arena.site.engine.manifest import ManifestEntry
from arena.site.heads import PUBLISHED

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

    A link is broken if it leads to no file, to a folder, to a file outside, or to no element
    of that page. Links to the web are not followed, but nothing may be loaded from there.
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


KB, MB, GB = 1000, 1_000_000, 1_000_000_000

PAGE_BYTES = 150 * KB
# A contestant's page after a year of days has 3,700 elements, as most of any: its figures have
# their numbers in tables. A page of 100,000 took 4.9 s to show on a slow telephone.
NODES = 4500
FRONT_NODES = 1500  # 1,300 with nineteen contestants
FRONT_GZ, STYLE_GZ, SCRIPT_GZ, VIEW_GZ = 30 * KB, 6 * KB, 8 * KB, 45 * KB
FRONT_STYLE_GZ = 2 * KB
# Of hosts: GitHub Pages takes 1 GB, Cloudflare Pages 20,000 files of 25 MB each.
GITHUB_BYTES, CLOUDFLARE_FILES, CLOUDFLARE_FILE = 1 * GB, 20_000, 25 * MB
FOLDER_FILES = 1000  # more in one folder are not listed by many tools


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """A measure against its limit; over it is a finding, or only a `warning`.

    `where` is the file or folder that is the largest; empty where it is of the whole site.
    """

    name: str
    measured: int
    limit: int
    unit: str
    where: str = ""
    warning: bool = False

    @property
    def over(self) -> bool:
        """Whether the measure exceeds its limit."""
        return self.measured > self.limit


@dataclass(slots=True)
class PageSizes:
    """What is measured of a site: bytes by file, and the elements of each page."""

    files: dict[str, int] = field(default_factory=dict)
    nodes: dict[str, int] = field(default_factory=dict)


def sizes_of(entries: Iterable[ManifestEntry]) -> PageSizes:
    """Measure a site by the list of its pages."""
    sizes = PageSizes()
    for entry in entries:
        for path, file in zip(entry.paths, entry.files, strict=True):
            sizes.files[path] = file.size
        if entry.nodes:
            sizes.nodes[entry.path] = entry.nodes
    return sizes


def budget(out: Path, sizes: PageSizes) -> tuple[BudgetLine, ...]:
    """Compare a site with its size limits.

    Those of hosts are warnings: whether they matter depends on where it is published.
    """
    pages = {path: size for path, size in sizes.files.items() if path.endswith(".html")}
    inner = {path: n for path, n in sizes.nodes.items() if path != places.INDEX}
    folders = Counter(path.rpartition("/")[0] for path in sizes.files)
    loaded = (places.INDEX, places.STYLE, places.FRONT_STYLE, places.SCRIPT)
    zipped = {path: _zipped(out / path) for path in loaded}
    total_bytes = sum(sizes.files.values())
    return (
        _most("largest page", pages, PAGE_BYTES, "bytes"),
        _most("most elements on a page", inner, NODES, "elements"),
        _of(sizes.nodes, places.INDEX, FRONT_NODES, "elements"),
        _of(zipped, places.INDEX, FRONT_GZ, "bytes gzipped"),
        _of(zipped, places.STYLE, STYLE_GZ, "bytes gzipped"),
        _of(zipped, places.FRONT_STYLE, FRONT_STYLE_GZ, "bytes gzipped"),
        _of(zipped, places.SCRIPT, SCRIPT_GZ, "bytes gzipped"),
        BudgetLine("first view", sum(zipped.values()), VIEW_GZ, "bytes gzipped"),
        _most("most files in a folder", folders, FOLDER_FILES, "files", warning=True),
        BudgetLine(
            "files (Cloudflare Pages)",
            len(sizes.files),
            CLOUDFLARE_FILES,
            "files",
            warning=True,
        ),
        _most(
            "largest file (Cloudflare Pages)",
            sizes.files,
            CLOUDFLARE_FILE,
            "bytes",
            warning=True,
        ),
        BudgetLine(
            "all files (GitHub Pages)", total_bytes, GITHUB_BYTES, "bytes", warning=True
        ),
    )


def _of(sizes: Mapping[str, int], path: str, limit: int, unit: str) -> BudgetLine:
    return BudgetLine(path, sizes.get(path, 0), limit, unit, path)


def _most(
    name: str, sizes: Mapping[str, int], limit: int, unit: str, *, warning: bool = False
) -> BudgetLine:
    where = max(sizes, key=lambda path: (sizes[path], path), default="")
    return BudgetLine(name, sizes.get(where, 0), limit, unit, where, warning)


def _zipped(file: Path) -> int:
    try:
        return len(gzip.compress(file.read_bytes(), 9, mtime=0))
    except FileNotFoundError:
        return 0


CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'"
)
SUMS = "SHA256SUMS"
PACKED, GZIP_FORM, MOST_UNPACKED = ".gz", 31, 400_000_000
READ = frozenset({".html", ".json", ".md", ".xml", ".svg", ".txt", ".csv", ".js", ".css"})

_UNCLEAR = re.compile(r'[.\[\]"]')
_TITLE, _END = "<title>", "</title>"
_EMBEDDED = frozenset({"iframe", "object", "embed", "base", "style", "applet", "frame"})
_ADDRESSES = frozenset({"action", "data", "formaction", "href", "poster", "src", "xlink:href"})


@dataclass(frozen=True, slots=True)
class SiteFinding:
    """A rule that a file breaks, and how."""

    path: str
    rule: str
    what: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A site that was checked: what is wrong with it, and how large it is."""

    pages: int
    files: int
    findings: tuple[SiteFinding, ...]
    budget: tuple[BudgetLine, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found; what is over a host's limit is only a warning."""
        return not self.findings and not any(
            line.over and not line.warning for line in self.budget
        )


@dataclass(slots=True)
class _Check:
    out: Path
    secrets: Secrets
    links: Links
    sizes: PageSizes = field(default_factory=PageSizes)
    titles: dict[tuple[str, str], str] = field(default_factory=dict)


def check_site(
    out: Path,
    secrets: Secrets = Secrets(),  # noqa: B008  a frozen record
    told: Callable[[int, int], None] = lambda done, of: None,  # noqa: ARG005
) -> Checked:
    """Check every file of a site.

    Links and the places on pages that they lead to; the policy of each page and what would
    break it; one heading, a title of its own, ids that stand once; JSON versions, feeds and
    drawings that can be read; digests; keys that should not be there; sizes.

    Args:
        out: The site's folder.
        secrets: What must not be on any page.
        told: Called with the numbers of checked files and of all files.

    Raises:
        OSError: A file cannot be read.
    """
    files = sorted(files_in(out))
    check = _Check(out, secrets, Links(frozenset(files)))
    findings: list[SiteFinding] = []
    for n, path in enumerate(files, 1):
        content = (out / path).read_bytes()
        check.sizes.files[path] = len(content)
        findings += _of_file(check, path, content)
        told(n, len(files))
    findings += [SiteFinding(path, "link", what) for path, what in check.links.lost(out)]
    lines = budget(out, check.sizes)
    return Checked(len(check.sizes.nodes), len(files), tuple(findings), lines)


def _of_file(check: _Check, path: str, content: bytes) -> Iterator[SiteFinding]:
    suffix = Path(path).suffix
    if suffix == PACKED:
        try:
            content = decompressobj(GZIP_FORM).decompress(content, MOST_UNPACKED)
        except PackedError as error:
            yield SiteFinding(path, "text", f"cannot be unpacked: {error}")
            return
    elif suffix not in READ and not path.endswith(SUMS):
        return
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        yield SiteFinding(path, "text", f"is not UTF-8: {error.reason}")
        return
    yield from (SiteFinding(path, "secret", what) for what in check.secrets.found_in(text))
    if suffix == ".html":
        yield from _of_page(check, path, text)
    elif suffix == ".json":
        yield from _of_json(check, path, text)
    elif suffix in {".xml", ".svg"}:
        yield from _of_xml(path, text)
    elif path.endswith(SUMS):
        yield from _of_sums(check, path, text)


def _of_page(check: _Check, path: str, text: str) -> Iterator[SiteFinding]:
    page = list(tags(text))
    check.sizes.nodes[path] = len(page)
    yield from (SiteFinding(path, "link", what) for what in check.links.problems(path, page))
    yield from _of_policy(path, page)
    headings = sum(tag.name == "h1" for tag in page)
    if headings != 1:
        yield SiteFinding(path, "heading", f"has {headings} headings of the first rank")
    seen = set[str]()
    for tag in page:
        name = tag.attributes.get("id")
        if name is not None and name in seen:
            yield SiteFinding(path, "id", f"{name!r} stands more than once")
        seen.add(name or "")
    yield from _of_title(check, path, text)


def _of_policy(path: str, page: Sequence[Tag]) -> Iterator[SiteFinding]:
    """Breaches of the strict content security policy, or its absence from the page."""
    policies = [
        tag.attributes.get("content")
        for tag in page
        if tag.attributes.get("http-equiv", "").lower() == "content-security-policy"
    ]
    if policies != [CSP]:
        yield SiteFinding(path, "policy", "does not have the one policy that every page has")
    for tag in page:
        if tag.name in _EMBEDDED or (tag.name == "script" and "src" not in tag.attributes):
            yield SiteFinding(path, "policy", f"has <{tag.name}>")
        for name, value in tag.attributes.items():
            if name == "style" or name.startswith("on"):
                yield SiteFinding(path, "policy", f"has {name}= on <{tag.name}>")
            elif name in _ADDRESSES and value[:11].lower() == "javascript:":
                yield SiteFinding(path, "policy", f"has a script in {name}= on <{tag.name}>")


def _of_title(check: _Check, path: str, text: str) -> Iterator[SiteFinding]:
    start, end = text.find(_TITLE), text.find(_END)
    title = text[start + len(_TITLE) : end].strip() if 0 <= start < end else ""
    if not title:
        yield SiteFinding(path, "title", "has no title")
        return
    kind = (path.partition("/")[0], title)
    first = check.titles.setdefault(kind, path)
    if first != path:
        yield SiteFinding(path, "title", f"has the title of {first}")


def _of_json(check: _Check, path: str, text: str) -> Iterator[SiteFinding]:
    try:
        document = json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        yield SiteFinding(path, "json", f"cannot be read: {error}")
        return
    is_twin = path.removesuffix(".json") + ".html" in check.links.files
    version = document.get("schema_version") if isinstance(document, Mapping) else None
    if is_twin and not isinstance(version, int):
        yield SiteFinding(path, "json", "has no schema_version")


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")


def _of_xml(path: str, text: str) -> Iterator[SiteFinding]:
    if "<!" in text.replace("<!--", "").replace("<![CDATA[", ""):
        yield SiteFinding(path, "xml", "declares a document type")
        return
    try:
        ET.fromstring(text)  # noqa: S314  nothing is declared in it that could grow
    except ET.ParseError as error:
        yield SiteFinding(path, "xml", f"is not well formed: {error}")


def _of_sums(check: _Check, path: str, text: str) -> Iterator[SiteFinding]:
    """Hold files against their digests."""
    folder = path.rpartition("/")[0]
    for line in text.splitlines():
        digest, _, name = line.partition("  ")
        target = normpath(f"{folder}/{name}".lstrip("/"))
        if target not in check.links.files:
            yield SiteFinding(path, "digest", f"{name} is not there")
        elif sha256((check.out / target).read_bytes()).hexdigest() != digest:
            yield SiteFinding(path, "digest", f"{name} has another digest")


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a twin that is another now; None where there is or was none."""

    where: str
    old: object
    new: object


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file with other bytes; `values` are those that changed, of a JSON document."""

    path: str
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences between two sites."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[ChangedFile, ...]

    @property
    def is_none(self) -> bool:
        """Whether the two are the same to the byte."""
        return not (self.added or self.removed or self.changed)


_PAST = frozenset({PUBLISHED, MANIFEST})


def compare(old: Path, new: Path) -> Difference:
    """Compare two folders of pages.

    Files whose names begin with a dot are left out, and so are the heads of a site's own past,
    their time stamps, and the manifest that names these.
    """
    before, after = (
        {path for path in files_in(folder) if path not in _PAST and not path.startswith(STAMPS)}
        for folder in (old, new)
    )
    changed = (
        ChangedFile(path, _values(old / path, new / path))
        for path in sorted(before & after)
        if (old / path).read_bytes() != (new / path).read_bytes()
    )
    return Difference(
        tuple(sorted(after - before)), tuple(sorted(before - after)), tuple(changed)
    )


def _values(old: Path, new: Path) -> tuple[Value, ...]:
    if old.suffix != ".json":
        return ()
    try:
        before, after = (json.loads(file.read_text(encoding="utf-8")) for file in (old, new))
    except ValueError:
        return ()
    return changed_values(before, after)


def changed_values(before: object, after: object) -> tuple[Value, ...]:
    """The values of a JSON document that are others in a second one."""
    was, now = dict(flat(before, "")), dict(flat(after, ""))
    return tuple(
        Value(where, was.get(where), now.get(where))
        for where in dict.fromkeys([*was, *now])
        if where not in was
        or where not in now
        or (type(was[where]), was[where]) != (type(now[where]), now[where])
    )


def flat(value: object, where: str) -> Iterator[tuple[str, object]]:
    """Every value of a document, under the way that leads to it, which no other has.

    >>> dict(flat({"a": [{"b": 1}], "a[0].b": 2, "c": []}, ""))
    {'a[0].b': 1, '"a[0].b"': 2, 'c': []}
    """
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            step = json.dumps(name) if _UNCLEAR.search(name) else name
            yield from flat(inner, f"{where}.{step}" if where else step)
    elif isinstance(value, list) and value:
        for n, inner in enumerate(value):
            yield from flat(inner, f"{where}[{n}]")
    else:
        yield where, value
