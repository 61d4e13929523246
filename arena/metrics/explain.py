"""One number, taken apart: what went in, row by row, so that anybody can make it again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from arena.errors import ArenaError
from arena.metrics.measures import LEVEL, computable, is_mean, measure, terms
from arena.metrics.metric import Metric
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate
from arena.scoring.table import Factor, Floats, Forecasts

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Explained:
    """A metric of a contestant with its inputs and rows.

    `inputs` are sums and counts, `columns` head the rows. `digest` is SHA-256 of the rows
    as JSON without spaces, so that two people can say whether they look at the same ones.
    """

    contestant: str
    metric: Metric
    estimate: Estimate
    inputs: Mapping[str, Cell]
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    digest: str


def explain(
    forecasts: Forecasts, contestant: str, key: str, *, level: float = LEVEL
) -> Explained:
    """Take one contestant's metric apart.

    Rows are in the order of market and time. A mean's last column is what it is the mean of;
    a row without it, because its price is unknown, is not in the mean.

    Raises:
        ArenaError: The contestant has no forecast, or the metric is none of theirs.
    """
    own = forecasts.of(contestant)
    if not len(own):
        there = sorted(set(forecasts.contestant.names))
        raise ArenaError(
            "score.contestant",
            f"{contestant} has no forecast that came out",
            hint=f"there are {', '.join(there[:20])}" if there else "nobody has",
            status=2,
        )
    known = computable(forecasts, ordered=True)
    if key not in known:
        raise ArenaError(
            "score.metric",
            f"there is no metric {key} for these forecasts",
            hint=f"there are {', '.join(known)}",
            status=2,
        )
    names = np.array(own.market.names, dtype=object)[own.market.codes].astype(str)
    own = own.take(np.lexsort((own.at, names)))
    alone = replace(own, contestant=Factor(("",), np.zeros(len(own), dtype=np.intp)))
    estimate = measure([key], alone, level=level)[key][0]
    columns, rows = _rows(own, key)
    return Explained(
        contestant, METRICS[key], estimate, _inputs(own, key), columns, rows, digest_of(rows)
    )


def digest_of(rows: tuple[tuple[Cell, ...], ...]) -> str:
    """SHA-256 of rows as JSON: arrays in arrays, no spaces, ASCII, null for what is missing."""
    text = json.dumps(rows, separators=(",", ":"), allow_nan=False)
    return sha256(text.encode()).hexdigest()


def _rows(own: Forecasts, key: str) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    columns: dict[str, list[Cell]] = {
        "market": [own.market.names[code] for code in own.market.codes.tolist()],
        "event": [own.event.names[code] for code in own.event.codes.tolist()],
        "at": [None if np.isnat(at) else f"{at}Z" for at in own.at.astype("datetime64[s]")],
    }
    if own.options is None:
        columns["p"] = own.p.tolist()
        columns["outcome"] = own.outcome.tolist()
    else:
        for k, said in enumerate(own.options.T, 1):
            columns[f"p_{k}"] = said.tolist()
        columns["outcome"] = (own.outcome + 1).tolist()
    columns["market_p"] = _known(own.market_p)
    columns["close_p"] = _known(own.close_p)
    if is_mean(key, own):
        columns[key] = _known(terms(key, own))
    return tuple(columns), tuple(zip(*columns.values(), strict=True))


def _inputs(own: Forecasts, key: str) -> dict[str, Cell]:
    found: dict[str, Cell] = {"n": len(own), "events": own.event.used()}
    if own.options is None:
        found["outcomes YES"] = int(own.outcome.sum())
    if is_mean(key, own):
        values = terms(key, own)
        known = values[~np.isnan(values)]
        found["rows in the mean"] = len(known)
        found[f"sum of {key}"] = float(known.sum())
    return found


def _known(column: Floats) -> list[Cell]:
    return [None if value != value else value for value in column.tolist()]  # noqa: PLR0124
