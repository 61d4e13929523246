"""RSS and Atom feeds: the one door to feedparser, which the extra `feeds` brings."""

from calendar import timegm
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from arena.contexts.fields import PER_SECOND, document_of, incomplete, reader_of, several
from arena.errors import ArenaError
from arena.http import PoliteReader
from arena.ports import ContextBackstage, ContextSource
from arena.records.answer import DocumentBatch, SourceDocument
from arena.records.market import Market
from arena.records.settings import ContextSettings
from arena.venues.options import is_pace, is_whole, read_options

try:
    import feedparser
except ModuleNotFoundError:
    feedparser = None

MOST_REDIRECTS = 3


@dataclass(frozen=True, slots=True)
class FeedOptions:
    """`urls` are the feeds, of each of which the first `most` entries are read."""

    urls: tuple[str, ...] = ()
    most: int = 100
    per_second: float = PER_SECOND


def from_settings(settings: ContextSettings, backstage: ContextBackstage) -> ContextSource:
    """Build feeds as a source.

    Raises:
        ArenaError: `context.option`: an option is unknown or has a wrong value.
            `context.missing`: feedparser is not installed.
    """
    right = {
        "urls": lambda value: isinstance(value, tuple) and bool(value) and all(map(_is, value)),
        "most": lambda value: is_whole(value, 1, 1000),
        "per_second": is_pace,
    }
    options = read_options(settings, FeedOptions, right, "urls is a list of addresses")
    if not options.urls:
        raise incomplete(settings, "urls", "urls is a list of addresses")
    if feedparser is None:
        raise ArenaError(
            "context.missing",
            f"the source {settings.name!r} needs feedparser, which is not installed",
            hint="pip install 'paper-arena[feeds]'",
        )
    return FeedSource(reader_of(settings.name, options.per_second, backstage), options)


def _is(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://"))


@dataclass(frozen=True, slots=True)
class FeedSource:
    """Gives the entries of feeds; one feed that cannot be read does not cost the others.

    An entry that was changed has the date of its change. A redirect is followed within its
    host, up to three times.
    """

    reader: PoliteReader
    options: FeedOptions
    only_now: bool = True

    async def documents(self, markets: Sequence[Market], as_of: datetime) -> DocumentBatch:
        """Give what the feeds hold now, about whatever it is.

        Raises:
            ArenaError: No feed can be read.
        """
        del markets, as_of
        before = self.reader.requests
        feeds, failures = await several(self._entries(url) for url in self.options.urls)
        documents = tuple(document for feed in feeds for document in feed)
        return DocumentBatch(documents, self.reader.requests - before, failures=failures)

    async def _entries(self, url: str) -> Sequence[SourceDocument]:
        asked = url
        for _ in range(MOST_REDIRECTS + 1):
            reply = await self.reader.feed(asked)
            if isinstance(reply.payload, bytes):
                return self._read(url, reply.payload)
            if not _within(url, reply.url):
                break
            asked = reply.url
        raise ArenaError(
            "context.moved",
            f"the feed {url} points to {ascii(reply.url)[1:200]}",
            hint="write the new address into the source's `urls` if it is right",
        )

    def _read(self, url: str, body: bytes) -> Sequence[SourceDocument]:
        # a stream: of bytes it would try whether they are the name of a file
        parsed = feedparser.parse(BytesIO(body))
        if not parsed.get("version"):
            raise ArenaError("context.format", f"{url} is no feed", hint="open it in a browser")
        return [_document(entry) for entry in parsed.entries[: self.options.most]]


def _within(url: str, other: str) -> bool:
    """Whether an address is of the same host, `www.` or not, and of the web."""
    try:
        hosts = [urlsplit(each).hostname or "" for each in (url, other)]
    except ValueError:
        return False
    return _is(other) and hosts[0].removeprefix("www.") == hosts[1].removeprefix("www.")


def _document(entry: dict[str, Any]) -> SourceDocument:
    contents = [part.get("value") for part in entry.get("content") or ()]
    return document_of(
        {
            "title": entry.get("title"),
            "text": contents or entry.get("summary"),
            "url": entry.get("link"),
            "published_at": _later_date(entry),
        }
    )


def _later_date(entry: dict[str, Any]) -> str | None:
    """When it was published or last changed; None also where that is no year of ours."""
    # its own `get` gives one date in the place of the other
    moments = [dict.get(entry, name) for name in ("published_parsed", "updated_parsed")]
    with suppress(ValueError, OverflowError):
        seconds = max((timegm(moment) for moment in moments if moment), default=None)
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
    return None
