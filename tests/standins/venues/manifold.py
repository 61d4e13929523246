"""Manifold's dialect: its public addresses, which take no parameter that they do not know.

Source: https://docs.manifold.markets/api and
https://github.com/manifoldmarkets/manifold (common/src/api/schema.ts).
"""

from collections.abc import Iterable
from http import HTTPStatus
from itertools import groupby
from operator import attrgetter

from arena.records.market import Outcome
from tests.standins.venues.dialect import Answer, Asked, Quirks, millis
from tests.standins.venues.manifold_bets import bets
from tests.standins.venues.manifold_rows import (
    Row,
    full_row,
    lite_row,
    number_of,
    other_row,
    own_id,
)
from tests.standins.venues.world import WorldMarket, WorldView

MOST_ROWS, MOST_OFFSET = 1_000, 1_000
LATEST = 10**16  # milliseconds since 1970
BRIEFLY = (("Cache-Control", "public, max-age=5"),)

# what a list is sorted by, and whether the largest comes first
SORTS = {
    "newest": ("createdTime", True),
    "score": ("uniqueBettorCount", True),
    "most-popular": ("uniqueBettorCount", True),
    "24-hour-vol": ("volume24Hours", True),
    "liquidity": ("totalLiquidity", True),
    "last-updated": ("lastUpdatedTime", True),
    "close-date": ("closeTime", False),
}
KNOWN = {
    "search-markets": frozenset(
        {"term", "sort", "filter", "contractType", "limit", "offset", "token"}
    ),
    "bets": frozenset({"contractId", "limit", "before", "beforeTime"}),
    "market": frozenset({"lite"}),
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
            case ("bets",):
                self._allow("bets")
                return self._bets()
            case ("market", own):
                self._allow("market")
                return self._market(own)
        raise _missing("The requested route is not found")

    def _allow(self, address: str) -> None:
        unknown = sorted({name for name, _ in self._asked.query} - KNOWN[address])
        if unknown:
            raise _bad(None, f"Unrecognized key(s) in object: '{unknown[0]}'")

    def _search(self) -> list[Row]:
        """List markets of yes or no that are traded for mana."""
        limit, offset = (
            self._whole("limit", 100, MOST_ROWS),
            self._whole("offset", 0, MOST_OFFSET),
        )
        if not limit:
            raise _bad("limit", "Number must be greater than 0")
        self._word("contractType", ("BINARY",), "BINARY")
        self._word("token", ("MANA",), "MANA")
        name, falling = SORTS[self._word("sort", SORTS, "score")]
        kept = self._word("filter", ("open", "resolved"), "open")
        rows = [row for row in self._rows() if self._state(row) == kept]
        found = sorted(rows, key=lambda row: self._place(row, name), reverse=falling)
        start = 0 if self._quirks.first_page else offset
        return found[start : start + limit]

    def _state(self, row: Row) -> str:
        closes = row.get("closeTime")
        left = closes - millis(self._at) if isinstance(closes, int) else LATEST
        return "resolved" if row["isResolved"] else "open" if left > 0 else "closed"

    def _rows(self) -> Iterable[Row]:
        for _, group in groupby(self._view.markets, attrgetter("event_number")):
            markets = tuple(group)
            yield from (lite_row(market, self._at) for market in markets)
            if (other := other_row(markets)) is not None:
                yield other

    def _place(self, row: Row, name: str) -> tuple[str | float, str]:
        said = row.get(name, "")
        return str(said) if self._quirks.as_text else _number(row, name), str(row["id"])

    def _market(self, own: str) -> Row:
        market = self._known(own)
        if market is None:
            raise _missing()
        return (lite_row if self._asked.one("lite") == "true" else full_row)(market, self._at)

    def _bets(self) -> list[Row]:
        limit = self._whole("limit", MOST_ROWS, MOST_ROWS)
        before = self._whole("beforeTime", LATEST, LATEST)
        market = self._known(self._asked.one("contractId") or "")
        if market is None:
            return []
        made = bets(market, self._view)
        rows = [row for row in made if _number(row, "createdTime") < before]
        rows.sort(key=lambda row: -_number(row, "createdTime"))
        places = [n for n, row in enumerate(rows) if row["id"] == self._asked.one("before")]
        start = places[0] + 1 if places and not self._quirks.first_page else 0
        return rows[start : start + limit]

    def _known(self, own: str) -> WorldMarket | None:
        number = number_of(own)
        found = None if number is None else self._view.find(number)
        hidden = found is not None and self._quirks.hidden(found.opens_at, self._at)
        return None if hidden else found

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
