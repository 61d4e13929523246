"""What sources of documents have in common: how a server is asked, and what its answer says.

Documents come in other people's formats: their dates are read, and words without markup.
"""

import asyncio
import re
from calendar import monthrange
from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time
from decimal import Decimal
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Final, TypeVar

from arena.errors import ArenaError
from arena.http import Manners, PoliteReader, VenueKey
from arena.ports import ContextBackstage
from arena.records.answer import SourceDocument
from arena.records.market import MarketId, VenueId
from arena.records.settings import ContextSettings

PER_SECOND: Final = 2.0
_T = TypeVar("_T")


def reader_of(
    name: str, per_second: float, backstage: ContextBackstage, key: VenueKey | None = None
) -> PoliteReader:
    """Build a reader that gives up soon: a round waits for it.

    Its answers are kept under `context:` and the source's name.
    """
    manners = Manners(
        per_second, tries=2, longest_wait=10, seconds=20, most=5_000_000, after_block=5
    )
    venue = VenueId(f"context:{name}")
    return PoliteReader(venue, manners, backstage.clock, backstage.payloads, key=key)


def incomplete(settings: ContextSettings, what: str, hint: str) -> ArenaError:
    """Make the error of a source without an option that it needs."""
    message = f"the source {settings.name!r} needs {what}"
    return ArenaError("context.option", message, hint=hint, status=2)


async def several(asking: Iterable[Awaitable[_T]]) -> tuple[Sequence[_T], tuple[str, ...]]:
    """Wait for several answers: those that came, and why others did not, each reason once.

    Raises:
        ArenaError: None came, or one cannot be kept (`store.full`).
    """
    answers = await asyncio.gather(*asking, return_exceptions=True)
    errors = [answer for answer in answers if isinstance(answer, BaseException)]
    for error in errors:
        if not isinstance(error, ArenaError) or error.code.startswith("store."):
            raise error
    if errors and len(errors) == len(answers):
        raise errors[0]
    came = [answer for answer in answers if not isinstance(answer, BaseException)]
    return came, tuple(dict.fromkeys(str(error) for error in errors))


LONGEST_TEXT: Final = 20_000  # characters of a document that are read
LONGEST_LINE: Final = 2_000  # of a title or an address
_UNSAID = {  # with the end of each, as it is written in any case
    name: re.compile(rf"</{name}[\s/>]", re.ASCII | re.IGNORECASE)
    for name in ("script", "style", "template", "noscript")
}
_TAG = re.compile(r"<(?:!--|(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*)|[/!?])")
_BLANKS = re.compile(r"[^\S\n]*\n\s*|[^\S\n]+")
_SECONDS = {"epoch": Decimal(1), "epoch_ms": Decimal("0.001")}
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

    A day, a month or a year without more is its last second, so that nothing is taken for older
    than it is. A time without a zone is taken for UTC.

    >>> moment_of("2026-01-05"), moment_of("Mon, 05 Jan 2026 09:00:00 +0100").hour
    (datetime.datetime(2026, 1, 5, 23, 59, 59, tzinfo=datetime.timezone.utc), 8)

    Args:
        value: Text or a number.
        form: "epoch" for seconds since 1970, "epoch_ms" for thousandths of them, a pattern of
            `strptime`, or empty for ISO 8601 and the dates of mail and RSS.
    """
    with suppress(ValueError, OverflowError, OSError, ArithmeticError, TypeError):
        if form in _SECONDS:
            return datetime.fromtimestamp(float(Decimal(str(value)) * _SECONDS[form]), UTC)
        if not isinstance(value, str):
            return None
        if form:
            when = datetime.strptime(value, form)  # noqa: DTZ007  the zone is set below
            has_time = any(part in form for part in ("%H", "%I", "%X", "%c", "%T"))
            return _in_utc(when if has_time else _last_second(_last_day(when, form)))
        with suppress(ValueError):
            return _in_utc(_last_second(date.fromisoformat(value.strip())))
        with suppress(ValueError):
            return _in_utc(datetime.fromisoformat(value.strip()))
        return _in_utc(parsedate_to_datetime(value))
    return None


def _last_day(when: datetime, form: str) -> date:
    """The last day of the year or the month, where a pattern of `strptime` has no more."""
    parts = set(re.findall("%(.)", form))
    has_day_of_week = parts & set("aAwu") and parts & set("UWV")
    if has_day_of_week or parts & set("djxc"):
        return when.date()
    month = when.month if parts & set("mbB") else 12
    return date(when.year, month, monthrange(when.year, month)[1])


def _last_second(day: date) -> datetime:
    return datetime.combine(day, time(23, 59, 59))


def _in_utc(when: datetime) -> datetime:
    return when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC)


def words_in(value: object, most: int) -> str:
    r"""Give the words of a text, of a list of texts, or of rich text as JSON, without HTML.

    >>> words_in("<p>Rain &amp; snow</p><script>x()</script>\n\n 3 < 4", 100)
    'Rain & snow\n3 < 4'
    >>> words_in({"type": "doc", "content": [{"type": "text", "text": "So do I."}]}, 100)
    'So do I.'
    """
    texts = ("".join(_shown(part[: 3 * most])) for part in _texts_in(value))
    return "\n".join(_BLANKS.sub(_one_blank, text).strip() for text in texts)[:most]


def _texts_in(value: object) -> Iterator[str]:
    """Give the texts of nested lists, and those of rich text, whose parts are its `content`."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, Mapping):
            waiting += [part.get("content"), part.get("text")]
        elif isinstance(part, list | tuple):
            waiting += reversed(part)


def _one_blank(match: re.Match[str]) -> str:
    return "\n" if "\n" in match[0] else " "


def _shown(html: str) -> Iterator[str]:
    """Give what a reader of a page sees, piece by piece, in time linear in its length."""
    start = 0
    while tag := _TAG.search(html, start):
        yield _unescaped(html[start : tag.start()])
        name, is_comment = (tag["name"] or "").lower(), tag[0] == "<!--"
        end = html.find("-->" if is_comment else ">", tag.start() + 2)
        if end < 0:
            start = len(html) if is_comment else tag.start()
            break
        start = end + (3 if is_comment else 1)
        yield "\n" * (name in _BREAKS)
        if name in _UNSAID and not tag["end"] and html[end - 1] != "/":
            if not (closing := _UNSAID[name].search(html, start)):
                return
            start = closing.start()
    yield _unescaped(html[start:])


def _unescaped(text: str) -> str:
    with suppress(ValueError):  # a character's number of thousands of digits
        return unescape(text)
    return text
