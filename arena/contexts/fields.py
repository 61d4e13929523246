"""Documents out of other people's formats: their dates, and words without markup."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, time
from decimal import Decimal
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from typing import Final

from arena.records.context import SourceDocument
from arena.records.market import MarketId

LONGEST_TEXT: Final = 20_000  # characters of a document that are read
LONGEST_LINE: Final = 2_000  # of a title or an address
_UNSAID = frozenset({"script", "style", "template", "noscript"})
_TAG = re.compile(r"</?[a-zA-Z!]")
_BLANKS = re.compile(r"[^\S\n]*\n\s*|[^\S\n]+")
_BREAKS = frozenset({"br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4"})


def document_of(fields: Mapping[str, object], form: str = "") -> SourceDocument:
    """Make a document of `title`, `text`, `url`, `published_at` and `markets`.

    What is missing or no text is empty; a list of texts is put together, a line each. A date
    that cannot be read is None. The source's name is filled in by the round.

    Args:
        fields: What a file or a server says, by these names.
        form: How the date is written, as for `moment_of`.
    """
    markets = fields.get("markets")
    named = markets.split(",") if isinstance(markets, str) else markets
    names = named if isinstance(named, list | tuple) else ()
    return SourceDocument(
        source="",
        title=" ".join(words_in(fields.get("title"), LONGEST_LINE).split()),
        text=words_in(fields.get("text"), LONGEST_TEXT),
        url=words_in(fields.get("url"), LONGEST_LINE).strip(),
        published_at=moment_of(fields.get("published_at"), form),
        markets=tuple(MarketId(name.strip()) for name in names if isinstance(name, str)),
    )


def moment_of(value: object, form: str = "") -> datetime | None:
    """Read when something was published, in UTC; None where that cannot be read.

    A day without a time is its last second, so that nothing is taken for older than it is. A
    time without a zone is taken for UTC.

    >>> moment_of("2026-01-05"), moment_of("Mon, 05 Jan 2026 09:00:00 +0100").hour
    (datetime.datetime(2026, 1, 5, 23, 59, 59, tzinfo=datetime.timezone.utc), 8)

    Args:
        value: Text or a number.
        form: "epoch" for seconds since 1970, a pattern of `strptime`, or empty for ISO 8601
            and the dates of mail and RSS.
    """
    with suppress(ValueError, OverflowError, OSError, ArithmeticError, TypeError):
        if form == "epoch":
            return datetime.fromtimestamp(float(Decimal(str(value))), UTC)
        if not isinstance(value, str):
            return None
        if form:
            when = datetime.strptime(value, form)  # noqa: DTZ007  the zone is set below
            has_time = any(part in form for part in ("%H", "%I", "%X", "%c", "%T"))
            return _in_utc(when if has_time else _last_second(when.date()))
        with suppress(ValueError):
            return _in_utc(_last_second(date.fromisoformat(value.strip())))
        with suppress(ValueError):
            return _in_utc(datetime.fromisoformat(value.strip()))
        return _in_utc(parsedate_to_datetime(value))
    return None


def _last_second(day: date) -> datetime:
    return datetime.combine(day, time(23, 59, 59))


def _in_utc(when: datetime) -> datetime:
    return when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC)


def words_in(value: object, most: int) -> str:
    r"""Give the words of a text, or of a list of texts, without HTML.

    >>> words_in("<p>Rain &amp; snow</p><script>x()</script>\n\n 3 < 4", 100)
    'Rain & snow\n3 < 4'
    """
    if isinstance(value, list | tuple):
        return "\n".join(words_in(part, most) for part in value)[:most]
    if not isinstance(value, str):
        return ""
    text = value[: 3 * most]
    if _TAG.search(text) or "&" in text:
        text = _Words(text).text
    return _BLANKS.sub(_one_blank, text).strip()[:most]


def _one_blank(match: re.Match[str]) -> str:
    return "\n" if "\n" in match[0] else " "


class _Words(HTMLParser):
    """Collects what a reader of a page sees."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._unsaid = 0
        with suppress(AssertionError):  # what it raises at some broken declarations
            self.feed(text)
            self.close()

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def handle_starttag(self, tag: str, attrs: Iterable[object]) -> None:
        del attrs
        self._unsaid += tag in _UNSAID
        self._parts += ["\n"] if tag in _BREAKS else []

    def handle_endtag(self, tag: str) -> None:
        self._unsaid = max(0, self._unsaid - (tag in _UNSAID))
        self._parts += ["\n"] if tag in _BREAKS else []

    def handle_data(self, data: str) -> None:
        self._parts += [] if self._unsaid else [data]
