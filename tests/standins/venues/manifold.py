"""Manifold's dialect: its public addresses, which take no parameter that they do not know.

Source: https://docs.manifold.markets/api and
https://github.com/manifoldmarkets/manifold (common/src/api/schema.ts).
"""

from collections.abc import Iterable
from datetime import timedelta
from http import HTTPStatus
from itertools import groupby
from operator import attrgetter

from arena.records.market import Outcome
from tests.standins.venues.dialect import Answer, Asked, Quirks, draw, millis
from tests.standins.venues.manifold_bets import bets, open_orders, probability
from tests.standins.venues.manifold_rows import (
    Row,
    answers,
    full_row,
    lite_row,
    number_of,
    other_row,
    own_id,
)
from tests.standins.venues.world import WorldMarket, WorldView

MOST_ROWS, MOST_OFFSET, MOST_PROBS = 1_000, 1_000, 100
LATEST = 10**16  # milliseconds since 1970
BRIEFLY = (("Cache-Control", "public, max-age=5"),)
DAY = timedelta(days=1)

FILTERS = {
    "all": None,
    "open": None,
    "closed": None,
    "resolved": None,
    "news": None,
    "uncertain": None,
    "closing-day": DAY,
    "closing-week": 7 * DAY,
    "closing-month": 30 * DAY,
    "closing-90-days": 90 * DAY,
}
KINDS = (
    *("ALL", "BINARY", "MULTIPLE_CHOICE", "FREE_RESPONSE", "PSEUDO_NUMERIC", "NUMBER"),
    *("BOUNTIED_QUESTION", "STONK", "POLL", "MULTI_NUMERIC", "DATE", "PERP"),
)
# what a list is sorted by, and whether the largest comes first
SORTS = {
    "newest": ("createdTime", True),
    "score": ("uniqueBettorCount", True),
    "daily-score": ("uniqueBettorCount", True),
    "freshness-score": ("uniqueBettorCount", True),
    "most-popular": ("uniqueBettorCount", True),
    "24-hour-vol": ("volume24Hours", True),
    "liquidity": ("totalLiquidity", True),
    "subsidy": ("totalLiquidity", True),
    "last-updated": ("lastUpdatedTime", True),
    "close-date": ("closeTime", False),
    "start-time": ("createdTime", False),
    "resolve-date": ("resolutionTime", True),
    "prob-descending": ("probability", True),
    "prob-ascending": ("probability", False),
    "prob-50": ("probability", True),
    "bounty-amount": ("totalBounty", True),
    "random": ("id", True),
}
KNOWN = {
    "search-markets": frozenset(
        {"term", "sort", "filter", "contractType", "topicSlug", "creatorId", "limit", "offset"}
        | {"token", "beforeTime", "liquidity", "hasBets", "includeLiteAnswers", "forYou"}
        | {"isPrizeMarket", "marketTier", "gids"}
    ),
    "markets": frozenset({"limit", "before", "sort", "order", "userId", "groupId"}),
    "market-probs": frozenset({"ids"}),
    "bets": frozenset(
        {"contractId", "contractSlug", "userId", "username", "limit", "before", "after"}
        | {"beforeTime", "afterTime", "order", "kinds", "points", "filterRedemptions"}
    ),
    "market": frozenset({"lite"}),
    "slug": frozenset({"lite"}),
    "prob": frozenset[str](),
}
LIST_SORTS = {
    "created-time": "createdTime",
    "updated-time": "lastUpdatedTime",
    "last-bet-time": "lastBetTime",
    "last-comment-time": "lastCommentTime",
}


class _RefusedError(Exception):
    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def _bad(field: str | None, error: str) -> _RefusedError:
    details = [{"field": field, "error": error}]
    said = {"message": "Error validating request.", "details": details}
    return _RefusedError(Answer(HTTPStatus.BAD_REQUEST, said))


def _missing(message: str = "Contract not found") -> _RefusedError:
    return _RefusedError(Answer(HTTPStatus.NOT_FOUND, {"message": message}))


class ManifoldDialect:
    """Speaks as `https://api.manifold.markets/v0` does."""

    def answer(self, asked: Asked, view: WorldView, quirks: Quirks) -> Answer:
        """Answer a request; nothing here changes anything, so only GET is known."""
        try:
            if asked.method != "GET":
                raise _missing("The requested route is not found")
            return Answer(HTTPStatus.OK, _Request(asked, view, quirks).payload(), BRIEFLY)
        except _RefusedError as refused:
            return refused.answer

    def own_id(self, number: int) -> str:
        """Give a market's id."""
        return own_id(number)

    def number(self, own: str) -> int | None:
        """Find a market's number from its id."""
        number = number_of(own)
        return number if number is not None and number % 10 else None

    def truth(self, outcome: Outcome) -> Outcome:
        """Manifold can say all that the world can: CANCEL gives everybody's money back."""
        return outcome


class _Request:
    """One request, at one moment of the world."""

    def __init__(self, asked: Asked, view: WorldView, quirks: Quirks) -> None:
        self._asked = asked
        self._view = view
        self._quirks = quirks
        self._at = view.at

    def payload(self) -> object:
        """Find who answers this address, by its steps."""
        match self._asked.parts:
            case ("search-markets",):
                self._allow("search-markets")
                return self._search()
            case ("markets",):
                self._allow("markets")
                return self._markets()
            case ("market-probs",):
                self._allow("market-probs")
                return self._probs()
            case ("bets",):
                self._allow("bets")
                return self._bets()
            case ("market", own):
                self._allow("market")
                return self._market(own)
            case ("market", own, "prob"):
                self._allow("prob")
                return self._prob(own)
            case ("slug", slug):
                self._allow("slug")
                return self._market(slug.rpartition("-")[2], slug)
        raise _missing("The requested route is not found")

    def _allow(self, address: str) -> None:
        unknown = sorted({name for name, _ in self._asked.query} - KNOWN[address])
        if unknown:
            raise _bad(None, f"Unrecognized key(s) in object: '{unknown[0]}'")

    def _search(self) -> list[Row]:
        limit, offset = (
            self._whole("limit", 100, MOST_ROWS),
            self._whole("offset", 0, MOST_OFFSET),
        )
        if not limit:
            raise _bad("limit", "Number must be greater than 0")
        sort, kept = self._word("sort", SORTS, "score"), self._word("filter", FILTERS, "all")
        kind = self._word("contractType", KINDS, "ALL")
        token = self._word("token", ("MANA", "CASH", "ALL"), "ALL")
        before = self._whole("beforeTime", LATEST, LATEST)
        terms = (self._asked.one("term") or "").lower().split()
        rows = [
            row
            for row in self._rows()
            if kind in {"ALL", row["outcomeType"]}
            and token in {"ALL", row["token"]}
            and _number(row, "createdTime") < before
            and self._passes(row, kept)
            and all(term in str(row["question"]).lower() for term in terms)
        ]
        name, falling = SORTS[sort]
        found = self._sorted(rows, name, falling=falling)
        start = 0 if self._quirks.first_page else offset
        return found[start : start + limit]

    def _passes(self, row: Row, kept: str) -> bool:
        closes = row.get("closeTime")
        left = closes - millis(self._at) if isinstance(closes, int) else LATEST
        is_open = not row["isResolved"] and left > 0
        within = FILTERS[kept]
        if within is not None:
            return is_open and left <= within / timedelta(milliseconds=1)
        unsure = 0.4 < _number(row, "probability") < 0.6
        return {
            "open": is_open,
            "closed": not row["isResolved"] and left <= 0,
            "resolved": row["isResolved"] is True,
            "uncertain": is_open and unsure,
        }.get(kept, True)

    def _markets(self) -> list[Row]:
        limit = self._whole("limit", 500, MOST_ROWS)
        name = LIST_SORTS[self._word("sort", LIST_SORTS, "created-time")]
        order = self._word("order", ("asc", "desc"), "desc")
        rows = self._sorted(self._rows(), name, falling=order == "desc")
        before = self._asked.one("before")
        places = [n for n, row in enumerate(rows) if row["id"] == before]
        start = places[0] + 1 if places and not self._quirks.first_page else 0
        return rows[start : start + limit]

    def _rows(self) -> Iterable[Row]:
        for _, group in groupby(self._view.markets, attrgetter("event_number")):
            markets = tuple(group)
            yield from (lite_row(market, self._at) for market in markets)
            if (other := other_row(markets)) is not None:
                yield other

    def _sorted(self, rows: Iterable[Row], name: str, *, falling: bool) -> list[Row]:
        if name == "id":
            return sorted(rows, key=lambda row: draw("random", row["id"], self._at))

        def key(row: Row) -> tuple[str | float, str]:
            said = row.get(name, "")
            return str(said) if self._quirks.as_text else _number(row, name), str(row["id"])

        return sorted(rows, key=key, reverse=falling)

    def _probs(self) -> Row:
        ids = self._asked.all("ids")
        if len(ids) == 1:
            raise _bad("ids", "Expected array, received string")
        if not 1 <= len(ids) <= MOST_PROBS:
            raise _bad("ids", f"Array must contain 1 to {MOST_PROBS} element(s)")
        found = ((own, self._known(own)) for own in dict.fromkeys(ids))
        return {own: probability(market) for own, market in found if market is not None}

    def _prob(self, own: str) -> Row:
        market = self._known(own)
        if market is not None:
            return probability(market)
        found = self._several(own)
        return {"answerProbs": {str(row["id"]): row["probability"] for row in answers(found)}}

    def _market(self, own: str, slug: str | None = None) -> Row:
        market = self._known(own)
        lite = self._asked.one("lite") == "true"
        if market is not None:
            row = (lite_row if lite else full_row)(market, self._at)
        else:
            row = self._other(own)
        if slug is not None and row["slug"] != slug:
            raise _missing()
        return row

    def _other(self, own: str) -> Row:
        markets = self._several(own)
        row = other_row(markets)
        if row is None:
            raise _missing()
        told = {"description": "", "textDescription": ""}
        several = {"answers": answers(markets)} if len(markets) > 1 else {}
        return row | told | several

    def _bets(self) -> list[Row]:
        limit = self._whole("limit", MOST_ROWS, MOST_ROWS)
        kinds = self._word("kinds", ("", "open-limit"), "")
        order = self._word("order", ("asc", "desc"), "desc")
        before = self._whole("beforeTime", LATEST, LATEST)
        after = self._whole("afterTime", 0, LATEST)
        market = self._known(self._asked.one("contractId") or "")
        if market is None:
            return []
        made = open_orders(market, self._at) if kinds else bets(market, self._view)
        if self._asked.one("filterRedemptions") == "true":
            made = [row for row in made if not row["isRedemption"]]
        rows = [row for row in made if after < _number(row, "createdTime") < before]
        rows.sort(key=lambda row: -_number(row, "createdTime"))
        places = [n for n, row in enumerate(rows) if row["id"] == self._asked.one("before")]
        if places and not self._quirks.first_page:
            rows = rows[places[0] + 1 :]
        return (rows[::-1] if order == "asc" else rows)[:limit]

    def _known(self, own: str) -> WorldMarket | None:
        number = number_of(own)
        found = None if number is None else self._view.find(number)
        hidden = found is not None and self._quirks.hidden(found.opens_at, self._at)
        return None if hidden else found

    def _several(self, own: str) -> tuple[WorldMarket, ...]:
        number = number_of(own)
        found = () if number is None or number % 10 else self._view.event(number // 10)
        if not found or self._quirks.hidden(found[0].opens_at, self._at):
            raise _missing()
        return found

    def _whole(self, key: str, default: int, most: int) -> int:
        said = self._asked.one(key)
        if said is None:
            return default
        if not (said.isascii() and said.isdigit()):
            raise _bad(key, "Expected number, received nan")
        if int(said) > most:
            raise _bad(key, f"Number must be less than or equal to {most}")
        return int(said)

    def _word(self, key: str, words: Iterable[str], default: str) -> str:
        said, known = self._asked.one(key), tuple(words)
        if said is not None and said not in known:
            raise _bad(key, "Invalid input")
        return default if said is None else said


def _number(row: Row, name: str) -> float:
    value = row.get(name)
    return float(value) if isinstance(value, int | float) else -1.0
