"""The kinds of payload that Manifold sends, by name, and what reads each."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.venues.manifold.parse import market, markets
from arena.venues.manifold.past import bets, prob, probs
from arena.venues.rows import Origin, Read

KINDS: Mapping[str, Callable[[object, Origin], Read[Any]]] = {
    "markets": markets,
    "market": market,
    "probs": probs,
    "prob": prob,
    "bets": bets,
}
