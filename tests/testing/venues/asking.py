"""Asking a dialect about one small world, as a client would that reads its JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from arena.records.market import State
from tests.standins.venues.dialect import Answer, Asked, Dialect, Quirks
from tests.standins.venues.world import StandInWorld, WorldMarket

AT = datetime(2026, 1, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
WORLD = StandInWorld(seed=1, events_per_day=8)
Json = Any
Query = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Asking:
    """A dialect that is asked at one moment."""

    dialect: Dialect

    def answer(self, path: str, query: Query | None = None) -> Answer:
        pairs = tuple((query or {}).items())
        return self.dialect.answer(Asked("GET", path, pairs), WORLD.view(AT), Quirks())

    def told(self, path: str, query: Query | None = None) -> Json:
        answer = self.answer(path, query)
        assert answer.status == 200
        return json.loads(json.dumps(answer.payload))

    def refusal(self, path: str, query: Query | None = None) -> Json:
        answer = self.answer(path, query)
        assert answer.status == 400
        return answer.payload


def is_open() -> list[WorldMarket]:
    return [market for market in WORLD.view(AT).markets if market.state is State.OPEN]
