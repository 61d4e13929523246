"""Do the site's links lead anywhere?"""

from collections.abc import Iterator
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
    root = out.resolve()
    pages = {path: _read(path) for path in sorted(root.rglob("*.html"))}
    return [
        f"{path.relative_to(root).as_posix()}: {link} {problem}"
        for path, page in pages.items()
        for tag, name, link in page.links
        if (problem := _problem(path, tag, name, link, pages, root))
    ]


class _Page(HTMLParser):
    """Collects the ids of a page, and what it leads to or loads."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: set[str] = set()
        self.links: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in {"href", "src"}:
                self.links.append((tag, name, value or ""))


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page


def _problem(
    path: Path, tag: str, name: str, link: str, pages: dict[Path, _Page], root: Path
) -> str:
    parts = urlsplit(link)
    if parts.scheme in _ELSEWHERE:
        loaded = (tag, name) in _LOADING and parts.scheme != "data"
        return "is loaded from the web" if loaded else ""
    if parts.scheme or parts.netloc or link.startswith("/"):
        return "is not relative"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if root not in target.parents:
        return "leads out of the site"
    if not target.is_file():
        return "leads to no file"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
        return "leads to no such place on the page"
    return ""
