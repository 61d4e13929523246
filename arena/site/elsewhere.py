"""Links to cohorts whose pages are kept at another address."""

import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from html import escape
from posixpath import dirname, normpath
from urllib.parse import urlsplit

_HREF = re.compile(r'(<a\b[^<>]*?\bhref=")([^"]*)(")')
FOLDERS = ("cohorts", "decisions", "data")  # in each of which a cohort has its own folder


@dataclass(frozen=True)
class Elsewhere:
    """The folders of cohorts that moved to `there`; the site itself stands at `here`.

    With no `there`, or nothing that moved, every link stays as it is.
    """

    there: str = ""
    here: str = ""
    moved: frozenset[str] = frozenset()

    @cached_property
    def digest(self) -> str:
        """What stands for it where links are made."""
        said = repr((self.there, self.here, sorted(self.moved)))
        return sha256(said.encode()).hexdigest() if self.there and self.moved else ""

    def relinked(self, path: str, html: str) -> str:
        """Lead the links of a page to where things are now.

        On a page that moved they lead back to `here`, where that is known.
        """
        if not self.digest:
            return html
        home = moving(path) in self.moved
        return _HREF.sub(
            lambda found: found[1] + self._href(path, found[2], home=home) + found[3], html
        )

    def _href(self, path: str, href: str, *, home: bool) -> str:
        if not href or href.startswith("#") or urlsplit(href).scheme:
            return href
        way, mark, name = href.partition("#")
        target = normpath(f"{dirname(path)}/{way}".lstrip("/"))
        moved = moving(target) in self.moved
        base = self.there if moved else self.here
        if moved == home or not base:
            return href
        return escape(f"{base.rstrip('/')}/{target}{mark}{name}", quote=True)


def moving(path: str) -> str:
    """The folder of the cohort that a page belongs to; empty for any other page.

    >>> moving("cohorts/rain/index.html"), moving("cohorts/index.html"), moving("index.html")
    ('rain', '', '')
    """
    top, _, rest = path.partition("/")
    folder, slash, _ = rest.partition("/")
    return folder if top in FOLDERS and slash else ""
