"""Words from strangers, made fit to stand on a page or to name a file."""

import re
import unicodedata
from hashlib import sha256
from urllib.parse import urlsplit

LONGEST_ADDRESS = 2000
LONGEST_SLUG = 60
TAIL = 10  # hexadecimal digits that tell two ids of one slug apart

_SAFE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")
_ADDRESS = re.compile(r"https://[!#-;=?-~]+")  # printable ASCII without space " < >
# Most characters of most texts: none of these ranges holds one that hides.
_PLAIN = " -~\u00a1-\u00ac\u00ae-\u0377\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u22ff"
_PLAIN += "\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3"
_UNPLAIN, _UNPLAIN_IN_LINES = re.compile(f"[^{_PLAIN}]"), re.compile(f"[^\n{_PLAIN}]")
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_WIDTHLESS = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


def visible(text: str, *, lines: bool = False) -> str:
    """Name control and direction characters, and drop those without width.

    Line breaks stay only where `lines` says so; elsewhere they are spaces.

    >>> visible("rain" + chr(0x202E) + "?" + chr(0x200B))
    'rain[U+202E]?'
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    unplain = _UNPLAIN_IN_LINES if lines else _UNPLAIN
    return unplain.sub(lambda match: _visible(match[0], lines=lines), text)


def _visible(character: str, *, lines: bool) -> str:
    if character in "\n\t":
        return "\n" if lines and character == "\n" else " "
    if character in _WIDTHLESS:
        return ""
    if unicodedata.category(character) in _UNSEEN:
        return f"[U+{ord(character):04X}]"
    return character


def shorten(text: str, most: int) -> str:
    """Cut text to at most `most` characters, the last of them an ellipsis if any were cut.

    >>> shorten("a long question", 7)
    'a long…'
    """
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def one_line(text: str, most: int) -> str:
    """Make text fit for a cell of a table: one line of visible characters."""
    return shorten(" ".join(visible(text[: 4 * most]).split()), most) or "(no words)"


def slug(text: str) -> str:
    """Spell text with a-z, 0-9 and single hyphens; `x` where nothing is left.

    >>> slug("../Will IT rain?"), slug("¿!")
    ('will-it-rain', 'x')
    """
    kept = re.sub(r"[^a-z0-9]+", "-", text[:1000].lower())
    return kept[:LONGEST_SLUG].strip("-") or "x"


def tail(text: str) -> str:
    """The first digits of a text's SHA-256: unlike slugs, unlike for unlike texts."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:TAIL]


def file_name(text: str) -> str:
    """Name a file after any text at all, never two texts alike.

    >>> file_name("../Will IT rain?")
    'will-it-rain-b2e4d9ca90'
    """
    return f"{slug(text)}-{tail(text)}"


def folder_name(text: str) -> str:
    """Name a folder after an id: the id itself where that is safe everywhere."""
    return text if _SAFE_NAME.fullmatch(text) else file_name(text)


def address(text: str) -> str:
    """Return a link to the open web that is safe to follow, or nothing.

    Only https, only printable ASCII, and no user name that could pass for a host.
    """
    if len(text) > LONGEST_ADDRESS or not _ADDRESS.fullmatch(text):
        return ""
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        return ""
    return text if host and "@" not in parts.netloc else ""


def host_of(link: str) -> str:
    """The host that an address leads to, as a reader should see it."""
    return urlsplit(link).hostname or ""
