"""Asking the Polymarket of the tests' world, as a client would that reads its JSON."""

import json
from datetime import timedelta
from typing import Any

from tests.standins.venues.dialect import Answer, Asked, Quirks
from tests.standins.venues.polymarket import PolymarketDialect
from tests.standins.venues.polymarket_ids import (
    condition_id,
    token_id,
)
from tests.standins.venues.world import WorldMarket, WorldView
from tests.testing.venues.moments import (
    TWO_SIDED,
    VIEW,
)

DIALECT = PolymarketDialect()
CONDITION = condition_id(TWO_SIDED.number)
YES, NO = (token_id(TWO_SIDED.number, side) for side in (0, 1))
YOUNG = Quirks(hydration=timedelta(days=400))
Pairs = tuple[tuple[str, str], ...]


def ask(
    path: str, *query: tuple[str, str], view: WorldView = VIEW, quirks: Quirks | None = None
) -> Answer:
    return DIALECT.answer(Asked("GET", path, query), view, quirks or Quirks())


def told(path: str, *query: tuple[str, str], view: WorldView = VIEW) -> Any:  # noqa: ANN401  JSON
    answer = ask(path, *query, view=view)
    assert answer.status == 200
    return json.loads(json.dumps(answer.payload))


def post(path: str, body: object, quirks: Quirks | None = None) -> Answer:
    asked = Asked("POST", path, (), json.dumps(body).encode())
    return DIALECT.answer(asked, VIEW, quirks or Quirks())


def walk(*query: tuple[str, str], path: str = "/gamma/markets/keyset") -> list[Any]:
    """Follow the cursor to the end."""
    rows, cursor = [], ""
    while True:
        page = told(path, *query, *((("after_cursor", cursor),) if cursor else ()))
        rows += page[path.split("/")[2]]
        cursor = page.get("next_cursor")
        if not cursor:
            return rows


def resolutions(market: WorldMarket, view: WorldView = VIEW) -> Any:  # noqa: ANN401  JSON
    query = ("condition_id", condition_id(market.number))
    return told("/data/v2/resolutions", query, view=view)["data"]
