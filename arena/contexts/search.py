"""Any search server that answers in JSON: what it is asked and what it says, by a mapping."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from arena.contexts.fields import PER_SECOND, document_of, incomplete, reader_of, several
from arena.errors import ArenaError
from arena.http import PoliteReader, VenueKey
from arena.ports import ContextBackstage
from arena.records.answer import DocumentBatch, SourceDocument
from arena.records.market import Market
from arena.records.money import usd
from arena.records.settings import ContextSettings
from arena.venues.options import is_number, is_pace, is_whole, read_options

LONGEST_QUESTION = 300
_NAME = re.compile(r"\{(question|as_of|day|since|since_day|market|event)\}")
_HINT = "url is an address; query (sent in it) or body (sent as JSON) hold {question}"

Pairs = tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a server is asked about each of the first `markets` of a round, and how it answers.

    `query` and `body` are templates; {question} in them is a market's question, {as_of} the
    round's moment and {day} its day, {since} and {since_day} those `days` before, {market} and
    {event} the venue's own ids. With a `venue`, it is asked about that one's markets alone.
    `results` is the path to the list in the answer, empty where the answer is the list; of each
    row `title`, `text`, `link` and `published_at` are paths; of several the first that has
    words counts. `date` is how dates are written (`moment_of`). `price` is dollars a request;
    None is unknown.
    """

    url: str = ""
    query: Pairs = ()
    body: Pairs = ()
    results: str = "results"
    title: object = "title"
    text: object = "content"
    link: object = "url"
    published_at: object = "published_at"
    date: str = ""
    days: int = 30
    venue: str = ""
    markets: int = 50
    price: float | None = None
    per_second: float = PER_SECOND
    key_env: str = ""
    key_header: str = ""
    key_query: str = ""
    key_prefix: str = ""


def from_settings(settings: ContextSettings, backstage: ContextBackstage) -> "SearchSource":
    """Build a search server as a source.

    Raises:
        ArenaError: `context.option`: an option is unknown or has a wrong value.
    """
    right = {
        "url": lambda value: _is_text(value) and str(value).startswith(("https:", "http:")),
        **dict.fromkeys(("query", "body"), _is_mapping),
        **dict.fromkeys(("title", "text", "link", "published_at"), _is_path),
        **dict.fromkeys(("results", "date", "venue", *_KEY), _is_text),
        "days": lambda value: is_whole(value, 1, 36500),
        "markets": lambda value: is_whole(value, 1, 1000),
        "price": lambda value: is_number(value, 0, 1000),
        "per_second": is_pace,
    }
    options = read_options(settings, SearchOptions, right, _HINT)
    sent_as = bool(options.key_header) + bool(options.key_query)
    if not options.url or not (options.query or options.body):
        what = "url, and query or body"
    elif sent_as != bool(options.key_env):
        what = "one of key_header and key_query beside key_env"
    else:
        named = (options.key_env, options.key_header, options.key_query, options.key_prefix)
        key = VenueKey(*named) if options.key_env else None
        reader = reader_of(settings.name, options.per_second, backstage, key)
        return SearchSource(reader, options)
    raise incomplete(settings, what, _HINT)


_KEY = ("key_env", "key_header", "key_query", "key_prefix")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_path(value: object) -> bool:
    return _is_text(value) or (isinstance(value, tuple) and all(map(_is_text, value)))


def _is_mapping(value: object) -> bool:
    return isinstance(value, tuple) and all(_is_pair(each) for each in value)


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)  # noqa: PLR2004


@dataclass(frozen=True, slots=True)
class SearchSource:
    """Asks a server about every market of a round. It follows no link of an answer."""

    reader: PoliteReader
    options: SearchOptions
    only_now: bool = True

    async def documents(self, markets: Sequence[Market], as_of: datetime) -> DocumentBatch:
        """Give what the server names for the markets; those that failed are told of.

        Raises:
            ArenaError: It answered about none of them.
        """
        before, price = self.reader.requests, self.options.price
        venue = self.options.venue
        asked = [m for m in markets if venue in {"", m.venue}][: self.options.markets]
        answers, failures = await several(self._about(market, as_of) for market in asked)
        documents = tuple(document for answer in answers for document in answer)
        requests = self.reader.requests - before
        cost = None if price is None else usd(requests * Decimal(str(price)))
        return DocumentBatch(documents, requests, cost, failures)

    async def _about(self, market: Market, as_of: datetime) -> Sequence[SourceDocument]:
        documents = await self.named_for(market.question, as_of, market)
        return [replace(document, markets=(market.id,)) for document in documents]

    async def named_for(
        self, question: str, as_of: datetime, market: Market | None = None
    ) -> Sequence[SourceDocument]:
        """Give what the server names for a question; only its first 300 characters are sent.

        Without a market, its id and its event's are empty.

        Raises:
            ArenaError: It did not answer, or in another form.
        """
        options, since = self.options, as_of - timedelta(days=self.options.days)
        words = {
            "question": " ".join(question.split())[:LONGEST_QUESTION],
            "as_of": f"{as_of:%Y-%m-%dT%H:%M:%SZ}",
            "day": f"{as_of:%Y-%m-%d}",
            "since": f"{since:%Y-%m-%dT%H:%M:%SZ}",
            "since_day": f"{since:%Y-%m-%d}",
            "market": market.id.partition(":")[2] if market else "",
            "event": market.event.rpartition(":")[2] if market else "",
        }
        query = [(name, str(_filled(value, words))) for name, value in options.query]
        if options.body:
            body = {name: _filled(value, words) for name, value in options.body}
            reply = await self.reader.post(options.url, body)
        else:
            reply = await self.reader.get(options.url, query)
        rows = _at(reply.payload, options.results)
        if not isinstance(rows, list):
            raise ArenaError(
                "context.format",
                f"no list stands at {options.results!r} of the answer",
                hint="`results` is the path to it, such as data.articles",
            )
        return [self._document(row) for row in rows if isinstance(row, Mapping)]

    def _document(self, row: Mapping[str, object]) -> SourceDocument:
        options = self.options
        fields = {
            "title": _first(row, options.title),
            "text": _first(row, options.text),
            "url": _first(row, options.link),
            "published_at": _first(row, options.published_at),
        }
        return document_of(fields, options.date)


def _filled(template: object, words: Mapping[str, str]) -> object:
    """Fill a template in: once, so that no question can name another word."""
    if isinstance(template, str):
        return _NAME.sub(lambda match: words[match[1]], template)
    if isinstance(template, tuple):
        if template and _is_mapping(template):
            return {name: _filled(value, words) for name, value in template}
        return [_filled(value, words) for value in template]
    return template


def _first(row: Mapping[str, object], paths: object) -> object:
    names = paths if isinstance(paths, tuple) else (paths,)
    values = (_at(row, str(name)) for name in names)
    return next((value for value in values if value), None)


def _at(payload: object, path: str) -> object:
    """What stands at a path such as data.articles; None where nothing does."""
    for name in path.split(".") if path else ():
        payload = payload.get(name) if isinstance(payload, Mapping) else None
    return payload
