"""What providers charge: the dated table that comes with the arena, `prices.json`.

`docs/prices.py` makes it from the package genai-prices (MIT; its notice is in the file), and
amends what that has not followed: such a row says where and on which day it was read.
A price is in dollars a million tokens. Where a provider's price depends on the hour of the
day, the table has the dearest. Prices of a cache that is kept for an hour are not in it.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

LONGEST_NAME = 200

Row = Mapping[str, Any]

_COMPACT_DAY = re.compile(r"-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[-:]|$)")


def taken() -> str:
    """Give the day of the snapshot, as 2026-11-21."""
    return str(_table()["taken"])


def as_of(row: Row) -> str:
    """Give the day of a row of the table: the snapshot's, or its own where it was amended."""
    return str(row.get("checked") or taken())


@lru_cache(maxsize=256)
def seller_of(base_url: str, provider: str) -> str | None:
    """Say whose prices hold: the server's if it is a known one's, else the provider's.

    >>> seller_of("https://api.x.ai/v1", ""), seller_of("http://127.0.0.1:8000", "xAI")
    ('x-ai', 'x-ai')
    >>> seller_of("http://127.0.0.1:8000", "") is None
    True
    """
    sellers = _table()["sellers"]
    for name, seller in sellers.items():
        if re.match(seller["url"], base_url):
            return str(name)
    wanted = provider.strip().lower()
    named = (n for n, seller in sellers.items() if wanted == n or wanted in seller["names"])
    return next(named, None)


def listed(seller: str, model: str, at: date, tier: str) -> Row | None:
    """Give the prices of a model on a day, in a tier; '' is the usual one.

    A price without a date holds for all earlier days: older prices are not known.

    Returns:
        A row of the table: `in`, `out` and where known `cached` and `written`, as exact
        text; None where the table has none.
    """
    entry = _model(seller, model[:LONGEST_NAME].lower())
    rows: Sequence[Row] = entry.get(tier, ()) if entry else ()
    past = (row for row in reversed(rows) if row.get("from", "") <= at.isoformat())
    return next(past, None)


@lru_cache(maxsize=1024)
def _model(seller: str, name: str) -> Row | None:
    """Find a model by what it is called: as it is, with its day written out, without a path."""
    dashed = _COMPACT_DAY.sub(r"-\1-\2-\3", name)
    tried = dict.fromkeys((name, dashed, name.rpartition("/")[2]))
    return next(
        (entry for spelling in tried if (entry := _named(seller, spelling)) is not None), None
    )


def _named(seller: str, name: str) -> Row | None:
    return next(
        (m for m in _models(seller) if any(is_called(name, p) for p in m["names"])), None
    )


def _models(seller: str) -> Iterator[Row]:
    """Everything that a seller sells; what it has from others comes last, in one tier."""
    sellers = _table()["sellers"]
    yield from sellers[seller]["models"]
    for other in sellers[seller]["sells"]:
        for model in sellers[other]["models"]:
            yield {key: model[key] for key in ("names", "") if key in model}


def is_called(name: str, pattern: str) -> bool:
    """Say whether a name fits: as it is, with `*` for anything, or an expression after `/`.

    >>> [is_called("o3-2025-04-16", p) for p in ("o3", "o3*", "*-04-16", "/^o3-[0-9]{4}")]
    [False, True, True, True]
    """
    if pattern.startswith("/"):
        return re.search(pattern[1:], name) is not None
    text = pattern.strip("*")
    if pattern.startswith("*"):
        return text in name if pattern.endswith("*") else name.endswith(text)
    return name.startswith(text) if pattern.endswith("*") else name == text


@cache
def _table() -> Row:
    table: Row = json.loads((files("arena.llms") / "prices.json").read_text("utf-8"))
    return table
