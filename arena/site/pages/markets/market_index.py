"""The index that the list of markets is searched by: a script for each page of the list."""

import json
from collections.abc import Sequence

from arena.site.page import Document
from arena.site.pages.markets.view import MarketRow

NAME = "markets"
_FOLDER = "markets/"
_ARMED = str.maketrans(
    {c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}  # none may end a script, or a line of it
)


def shard_path(page: int) -> str:
    """Where the part of the index stands that covers one page of the list."""
    return f"{_FOLDER}s/page-{page}.js"


def shard(page: int, rows: Sequence[MarketRow]) -> Document:
    """Write a part of the index: a column of each thing that is shown or searched.

    It is a script that hands its data to `A`, because pages that were opened as files may
    load nothing else.
    """
    columns = {
        "path": [row.market.href.rpartition(_FOLDER)[2] for row in rows],
        "text": [row.market.text for row in rows],
        "venue": [row.venue for row in rows],
        "category": [row.category for row in rows],
        "state": [row.state for row in rows],
        "closes": [row.closes.iso[:10] if row.closes else "" for row in rows],
    }
    json_text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    text = json_text.encode("utf-8", "replace").decode().translate(_ARMED)
    return Document(shard_path(page), f'A("{NAME}/{page}",{text});\n')
