"""When a provider ends a model: the days that are publicly known, `retirements.json`."""

import json
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import files

from arena.llms.price_list import is_called, seller_of
from arena.records.settings import ModelSettings


def retirement_of(settings: ModelSettings) -> date | None:
    """Give the day on which a model's provider ends it; None where none is known.

    What was configured counts before the table. The table is of models that their own
    provider serves: others that serve the same model end it when they like.
    """
    if settings.retires_on is not None:
        return settings.retires_on
    seller = seller_of(settings.base_url, settings.provider) or ""
    name = settings.model.lower()
    for day, patterns in _ends().get(seller, {}).items():
        if any(is_called(name, pattern) for pattern in patterns):
            return date.fromisoformat(day)
    return None


@cache
def _ends() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    table = json.loads((files("arena.llms") / "retirements.json").read_text("utf-8"))
    return {seller: entry["ends"] for seller, entry in table.items()}
