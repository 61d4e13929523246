"""Do the site's links lead anywhere?"""

from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADING = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "src")}
_ELSEWHERE = {"https", "data"}


def check_links(out: Path) -> list[str]:
    """List the links of a folder of pages that are broken, each with the page it stands on.

    Broken is what leads to no file, to a folder, to a file outside, or to no element of that
    page. Links to the web are not followed, but nothing may be loaded from there.
    """
    site = _Site(out.resolve())
    return [
        f"{path.relative_to(site.root).as_posix()}: {link.text} {problem}"
        for path, page in site.pages.items()
        for link in page.links
        if (problem := site.problem_with(link, path))
    ]


@dataclass(frozen=True, slots=True)
class _Link:
    """Where a link leads; a page is `loading` what it cannot be shown without."""

    text: str
    loading: bool


class _Page(HTMLParser):
    """Collects the ids of a page, and what it leads to or loads."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: set[str] = set()
        self.links: list[_Link] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in {"href", "src"}:
                self.links.append(_Link(value or "", (tag, name) in _LOADING))


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page


class _Site:
    """A folder of pages, each read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.pages = {path: _read(path) for path in sorted(root.rglob("*.html"))}

    def problem_with(self, link: _Link, path: Path) -> str:
        """Say what is wrong with a link on a page, or nothing."""
        try:
            parts = urlsplit(link.text)
        except ValueError:
            return "is no address"
        if parts.scheme in _ELSEWHERE:
            loaded = link.loading and parts.scheme != "data"
            return "is loaded from the web" if loaded else ""
        if parts.scheme or parts.netloc or link.text.startswith("/"):
            return "is not relative"
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if self.root not in target.parents:
            return "leads out of the site"
        if not target.is_file():
            return "leads to no file"
        if parts.fragment and target in self.pages:
            there = unquote(parts.fragment) in self.pages[target].ids
            return "" if there else "leads to no such place on the page"
        return ""
