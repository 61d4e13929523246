"""A data frame as forecasts: every row is kept, or left out for a reason that has a name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole

NO_TRUTH: Final = frozenset({"outcome_missing", "outcome_void", "outcome_fractional"})
_WORDS: Final = {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
_NEVER: Final = frozenset({"void", "voided", "annulled", "ambiguous", "cancelled", "n/a"})
_SUM_TOLERANCE: Final = 1e-6
_CELLS: Final = 8  # a table of contestants by markets may have so many times the rows

Moments = NDArray[np.datetime64]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Forecasts, and for each reason the number of the first row that was left out for it.

    Rows are counted from 1, without a line of headings, over all files in their order.
    """

    forecasts: Forecasts
    first: Mapping[str, int]

    @property
    def faulty(self) -> int:
        """How many rows were left out for what is written in them, not for want of a truth."""
        return sum(n for why, n in self.forecasts.left_out.items() if why not in NO_TRUTH)


def forecasts_of(frames: Sequence[pd.DataFrame], labels: Sequence[str], where: str) -> Sheet:
    """Check every row and turn what is good into columns.

    Raises:
        ArenaError: A column that is needed is not there.
    """
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    _require(frame, labels, where)
    options = _options(frame)
    faults = _Faults(len(frame))
    names = {
        key: _factor(frame, key, faults)
        for key in ("contestant", "market", "event")
        if key in frame
    }
    names.setdefault("event", names["market"])
    at = _moments(frame, faults)
    p = _p(frame, options, faults)
    outcome = _outcomes(frame["outcome"], 0 if options is None else options.shape[1], faults)
    known = {key: _price(frame, key, faults) for key in ("market_p", "close_p")}
    for key, said in (("event", names["event"].codes), ("outcome", outcome)):
        faults.add(f"{key}_contradicted", _contradicted(names["market"], said, faults.good))
    faults.add("repeated", _repeated(names["contestant"], names["market"], at, faults.good))
    whole = Forecasts(
        contestant=names["contestant"],
        market=names["market"],
        event=names["event"],
        at=at,
        p=p,
        outcome=outcome,
        market_p=known["market_p"],
        close_p=known["close_p"],
        options=options,
        labels={label: _label(frame[label]) for label in labels},
        left_out=faults.counts(),
    )
    return Sheet(whole.take(faults.good) if faults.first else whole, faults.first)


class _Faults:
    """Which rows are good so far; a row is left out for the first reason that it gives."""

    def __init__(self, n: int) -> None:
        self.good: Flags = np.ones(n, dtype=bool)
        self.first: dict[str, int] = {}
        self._counts: dict[str, int] = {}

    def add(self, reason: str, bad: Flags) -> None:
        bad = bad & self.good
        found = int(np.count_nonzero(bad))
        if found:
            self._counts[reason] = self._counts.get(reason, 0) + found
            self.first.setdefault(reason, int(np.argmax(bad)) + 1)
            self.good &= ~bad

    def counts(self) -> dict[str, int]:
        return dict(sorted(self._counts.items()))


def _require(frame: pd.DataFrame, labels: Sequence[str], where: str) -> None:
    missing = [key for key in ("market", "outcome", *labels) if key not in frame]
    if "p" not in frame and "p_1" not in frame:
        missing.append("p (or p_1, p_2, ...)")
    if "p_1" in frame and "p_2" not in frame:
        missing.append("p_2 (one option is no question)")
    if missing:
        raise ArenaError(
            "score.columns",
            f"{where}: there is no column {', '.join(missing)}",
            hint="`arena score --help` lists the columns; a label is a column of your own",
            status=2,
        )
    if "p" in frame and "p_1" in frame:
        raise ArenaError(
            "score.columns",
            f"{where}: both p and p_1 are there",
            hint="give P(YES) in p, or one probability an option in p_1, p_2, ...",
            status=2,
        )


def _options(frame: pd.DataFrame) -> Floats | None:
    if "p_1" not in frame:
        return None
    count = 1
    while f"p_{count + 1}" in frame:
        count += 1
    numbers = [_numbers(frame[f"p_{k}"]) for k in range(1, count + 1)]
    return np.column_stack(numbers)


def _numbers(column: "pd.Series[float]") -> Floats:
    if column.dtype.kind in "fiu":
        plain: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return plain
    words = column.astype(object)
    truths = words.map(lambda word: isinstance(word, bool | np.bool_)).to_numpy(dtype=bool)
    found = pd.to_numeric(words.map(str, na_action="ignore"), errors="coerce")
    return np.where(truths, np.nan, np.asarray(found, dtype=np.float64))


def _outside(p: Floats) -> Flags:
    found: Flags = np.logical_or(p < 0, p > 1)
    return found


def _p(frame: pd.DataFrame, options: Floats | None, faults: _Faults) -> Floats:
    if options is None:
        p = _numbers(frame["p"])
        faults.add("p_missing", np.asarray(frame["p"].isna()))
        faults.add("p_not_a_number", ~np.isfinite(p))
        faults.add("p_out_of_range", _outside(p))
        return p
    cells = frame[[f"p_{k}" for k in range(1, options.shape[1] + 1)]]
    faults.add("p_missing", cells.isna().to_numpy().any(axis=1))
    faults.add("p_not_a_number", np.asarray(~np.isfinite(options).all(axis=1)))
    faults.add("p_out_of_range", np.asarray(_outside(options).any(axis=1)))
    faults.add("p_sum_not_1", np.asarray(np.abs(options.sum(axis=1) - 1) > _SUM_TOLERANCE))
    return np.full(len(frame), np.nan)


def _outcomes(column: "pd.Series[float]", options: int, faults: _Faults) -> Whole:
    """The outcome as 0 or 1; with options the number of the one that came true, from 0."""
    if column.dtype.kind in ("fiu" if options else "bfiu"):
        found = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        found = _worded(column, {} if options else _WORDS, faults)
    faults.add("outcome_missing", np.asarray(column.isna()))
    if options:
        whole = (found == np.round(found)) & (found >= 1) & (found <= options)
        faults.add("outcome_not_an_option", ~whole)
        number: Whole = np.where(whole, found - 1, 0).astype(np.intp)
        return number
    certain: Flags = np.logical_or(found == 0, found == 1)
    faults.add("outcome_fractional", ~certain & ~_outside(found) & ~np.isnan(found))
    faults.add("outcome_not_0_or_1", ~certain)
    truth: Whole = (found == 1).astype(np.intp)
    return truth


def _worded(column: "pd.Series[str]", known: Mapping[str, float], faults: _Faults) -> Floats:
    said = _label(column, missing="")
    words, codes = [word.strip().lower() for word in said.names], said.codes
    value = np.array([known.get(word, _float(word)) for word in words], dtype=np.float64)
    faults.add("outcome_void", np.isin(codes, _where(words, _NEVER)))
    faults.add("outcome_missing", np.isin(codes, _where(words, frozenset({""}))))
    found: Floats = value[codes]
    return found


def _where(words: Sequence[str], among: frozenset[str]) -> list[int]:
    return [n for n, word in enumerate(words) if word in among]


def _float(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return float("nan")


def _price(frame: pd.DataFrame, key: str, faults: _Faults) -> Floats:
    if key not in frame:
        return np.full(len(frame), np.nan)
    price = _numbers(frame[key])
    faults.add(f"{key}_not_a_number", ~np.isfinite(price) & ~np.asarray(frame[key].isna()))
    faults.add(f"{key}_out_of_range", _outside(price))
    return price


def _factor(frame: pd.DataFrame, key: str, faults: _Faults) -> Factor:
    found = _label(frame[key], missing="")
    blank = [n for n, name in enumerate(found.names) if not name.strip()]
    if blank:
        faults.add(f"{key}_missing", np.isin(found.codes, blank))
    return found


def _label(column: "pd.Series[str]", missing: str = "(none)") -> Factor:
    if column.dtype == object:
        column = column.map(str, na_action="ignore")  # what is one name is one text
    codes, names = pd.factorize(column)
    said = [str(name) for name in np.asarray(names, dtype=object).tolist()]
    if codes.size and codes.min() < 0:
        said = said if missing in said else [*said, missing]
        codes = np.where(codes < 0, said.index(missing), codes)
    return Factor(tuple(said), codes)


def _moments(frame: pd.DataFrame, faults: _Faults) -> Moments:
    if "at" not in frame:
        return np.full(len(frame), "NaT", dtype="datetime64[us]")
    column = frame["at"]
    if column.dtype.kind == "M":
        stamps = pd.to_datetime(column, utc=True)
        return _utc(stamps)
    found = _label(column, missing="")
    # pandas would read "now" and "today" by the clock
    dates = [said if said.strip()[:1].isdigit() else "" for said in found.names]
    read = pd.to_datetime(
        pd.Series(dates, dtype=object), format="ISO8601", utc=True, errors="coerce"
    )
    at: Moments = _utc(read)[found.codes]
    faults.add("at_not_a_time", np.isnat(at) & ~np.asarray(column.isna()))
    return at


def _utc(stamps: "pd.Series[pd.Timestamp]") -> Moments:
    found: Moments = stamps.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
    return found


def _contradicted(market: Factor, said: Whole, good: Flags) -> Flags:
    """Rows of markets of which good rows say different things: nobody knows which is true."""
    codes, values = market.codes, said
    if not good.all():
        codes, values = codes[good], values[good]
    last = np.zeros(len(market.names), dtype=np.intp)
    last[codes] = values
    torn = np.zeros(len(market.names), dtype=bool)
    torn[codes[last[codes] != values]] = True
    found: Flags = torn[market.codes]
    return found


def _repeated(contestant: Factor, market: Factor, at: Moments, good: Flags) -> Flags:
    """Good rows that say again who forecasts what at which moment: the first one counts."""
    pair = contestant.codes * len(market.names) + market.codes
    found = np.zeros(len(pair), dtype=bool)
    if len(contestant.names) * len(market.names) <= _CELLS * len(pair):
        times = np.bincount(pair)
        if times.max(initial=0) <= 1:
            return found
        again = times[pair] > 1
    else:
        again = pd.Series(pair).duplicated(keep=False).to_numpy()
    rows = np.flatnonzero(again & good)
    pairs, moments = (pd.factorize(column[rows])[0] for column in (pair, at.astype(np.int64)))
    found[rows] = pd.Series(pairs * (len(rows) + 1) + moments).duplicated().to_numpy()
    return found
