"""Checks of a built site, from its files alone."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from posixpath import normpath
from xml.etree import ElementTree as ET
from zlib import decompressobj
from zlib import error as PackedError  # noqa: N812  # as other errors are called

from arena.secrets import Secrets
from arena.site.bundle.bundle_manifest import MANIFEST, STAMPS
from arena.site.checks.budget import BudgetLine, PageSizes, budget
from arena.site.checks.links import Links, Tag, files_in, tags
from arena.site.heads import PUBLISHED

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
            elif value[:11].lower() == "javascript:":
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
