"""Turns a data frame into forecasts; each row left out is counted under a reason."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.errors import ArenaError, nearest
from arena.metrics.insights.drift import ProbeAnswers
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Place, Whole
from arena.sheets.board import PublishedBoard
from arena.sheets.files import ALIASES, SheetSource, emptied, number_in, numbers_in

NO_TRUTH: Final = frozenset({"outcome_missing", "outcome_void", "outcome_fractional"})
_YES: Final = (
    *("yes", "y", "true", "t", "won", "ja", "wahr", "oui", "vrai", "vero", "verdadero"),
    *("sí", "sì", "si", "waar"),
)
_NO: Final = (
    *("no", "n", "false", "f", "lost", "nein", "falsch", "non", "faux"),
    *("falso", "onwaar"),
)
_WORDS: Final = dict.fromkeys(_YES, 1.0) | dict.fromkeys(_NO, 0.0)
OPEN_WORDS: Final = ("open", "pending", "tbd", "unresolved")
_NEVER: Final = ("void", "voided", "annulled", "ambiguous", "cancelled", "canceled", "n/a")
_WHILE_OPEN: Final = (
    f"empty or {', '.join(OPEN_WORDS)} while it is open; {', '.join(_NEVER)} if never"
)
REPAIRS: Final = {
    "at_day_or_month": "write a day as 2026-05-01: of 1/5 nothing says which is the month",
    "at_not_a_time": "2026-05-01, 2026-05-01T09:30Z, 1.5.2026 9:30 and 5/1/2026 9:30 PM are "
    "read; a cell of `at` may be empty, and the column may be left out",
    "p_out_of_range": "a p is from 0 to 1, or has % behind it or in its heading",
    "outcome_not_0_or_1": f"an outcome is 1, {', '.join(_YES)}; 0, {', '.join(_NO)}; "
    f"{_WHILE_OPEN}",
    "outcome_not_an_option": f"an outcome is the number of an option, from 1; {_WHILE_OPEN}",
}
_SUM_TOLERANCE: Final = 1e-6
UNNAMED: Final = "(none)"  # the label of a row that has none
_CELLS: Final = 8  # a table of contestants by markets may have so many times the rows

_DATE: Final = re.compile(
    r"(\d{1,2})([./])(\d{1,2})\2(\d{4})"
    r"(?:[ ,]+(\d{1,2}):(\d\d)(:\d\d)?(?:\s?([ap])\.?m\.?)?)?",
    re.ASCII | re.IGNORECASE,
)
_MONTHS: Final = 12
_DATED: Final = ("at", "due", "resolved_at", "quoted_at", "news_at", "day")
_SEVERAL: Final = "news_at"  # times with spaces between them
# What lies outside is no moment: a day before or after it is one of Python's datetimes too.
_FIRST_MOMENT: Final = np.datetime64("0001-01-02", "us")
_LAST_MOMENT: Final = np.datetime64("9999-01-01", "us")
_SHOWN: Final = 20  # headings in an error

Moments = NDArray[np.datetime64]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Forecasts, and for each reason where the first row stands that was left out for it.

    `said` tells what was taken for what, where that is not plain from the headings, and
    `names` what the files call our columns. `board` is that of the arena that published them.
    """

    forecasts: Forecasts
    first: Mapping[str, Place]
    said: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    board: PublishedBoard | None = None

    @property
    def faulty(self) -> int:
        """How many rows were left out for what is written in them, not for want of a truth."""
        return sum(n for why, n in self.forecasts.left_out.items() if why not in NO_TRUTH)


def forecasts_of(sources: Sequence[SheetSource], labels: Sequence[str]) -> Sheet:
    """Check every row and turn what is good into columns.

    Raises:
        ArenaError: A column that is needed is not there.
    """
    for source in sources:
        _require(source)
    frames = [source.frame for source in sources]
    frame = frames[0] if len(frames) == 1 else pd.concat(frames)
    _refuse_unfit(frame, sources, labels)
    options = _options(frame)
    faults = _Faults(len(frame))
    names = {
        key: _factor(frame, key, faults)
        for key in ("contestant", "market", "event")
        if key in frame
    }
    names.setdefault("event", names["market"])
    at = _moments(sources, faults)
    p = _p(frame, options, faults)
    counts = None if options is None else _counts(np.isnan(options))
    outcome = _outcomes(frame["outcome"], counts, faults)
    prices = {key: _price(frame, key, faults) for key in ("market_p", "close_p")}
    codes = names["market"].codes
    agreed = [("event", names["event"].codes), ("outcome", outcome)]
    for key, values in agreed if counts is None else [*agreed, ("options", counts)]:
        faults.add_contradictions(key, codes, values)
    turn = _turns(names["contestant"], names["market"], at, faults.good)
    faults.add_contradictions("p", turn, _values(p if options is None else options))
    faults.add("repeated", _repeated(turn, faults.good))
    forecasts = Forecasts(
        contestant=names["contestant"],
        market=names["market"],
        event=names["event"],
        at=at,
        p=p,
        outcome=outcome,
        market_p=prices["market_p"],
        close_p=prices["close_p"],
        options=options,
        labels={label: _label(frame[label]) for label in labels},
        left_out=faults.counts(),
    )
    return Sheet(
        forecasts.take(faults.good) if faults.first else forecasts,
        {why: _place(sources, *rows) for why, rows in faults.first.items()},
        tuple(_source_words(sources)),
        {ours: name for source in sources for ours, name in source.headings.taken.items()},
    )


def probes_of(source: SheetSource) -> tuple[ProbeAnswers, Mapping[str, int]]:
    """The good rows of a file of answers to probes, and by reason how many are not.

    A row that is there twice is a second answer to the same question.

    Raises:
        ArenaError: A column that is needed is not there.
    """
    frame = source.frame
    missing = [key for key in ("contestant", "market", "at", "p") if key not in frame]
    if missing:
        raise ArenaError(
            "insights.probes",
            f"{source.name}: there is no column {', '.join(missing)}",
            hint="an answer has contestant, question, at and p",
            status=2,
        )
    faults = _Faults(len(frame))
    names = {key: _factor(frame, key, faults) for key in ("contestant", "market")}
    at = _moments([source], faults)
    faults.add("at_missing", np.isnat(at))
    p, good = _p(frame, None, faults), faults.good
    contestant, question = (names[key].take(good) for key in ("contestant", "market"))
    return ProbeAnswers(contestant, question, at[good], p[good]), faults.counts()


def _source_words(sources: Sequence[SheetSource]) -> Iterator[str]:
    for source in sources:
        words = "; ".join(source.said)
        if words:
            yield f"{source.name}: {words}"


def _place(sources: Sequence[SheetSource], row: int, against: int | None = None) -> Place:
    """Where a row over all files stands in its own, and the row that says otherwise."""
    ends = np.cumsum([len(source.frame) for source in sources])
    which = int(np.searchsorted(ends, row, side="right"))
    source, number = sources[which], row - int(ends[which])
    at = source.place(int(source.frame.index[number]))
    other = "" if against is None else _place(sources, against)
    if isinstance(other, Place):
        other = other.at if other.file == source.name else f"{other.file}, {other.at}"
    return Place(row + 1, source.name, at, other)


class _Faults:
    """Which rows are good so far; a row is left out for its first fault."""

    def __init__(self, n: int) -> None:
        self.good: Flags = np.ones(n, dtype=bool)
        self.first: dict[str, tuple[int, ...]] = {}
        self._counts: dict[str, int] = {}

    def add(self, reason: str, bad: Flags) -> None:
        bad = bad & self.good
        count = int(np.count_nonzero(bad))
        if count:
            self._counts[reason] = self._counts.get(reason, 0) + count
            self.first.setdefault(reason, (int(np.argmax(bad)),))
            self.good &= ~bad

    def add_contradictions(self, key: str, codes: Whole, values: Whole) -> None:
        """Leave out the good rows of one code whose values differ: nobody knows which holds."""
        bad = _torn(codes, values, self.good) & self.good
        if bad.any():
            first = int(np.argmax(bad))
            others = bad & (codes == codes[first]) & (values != values[first])
            self.first[f"{key}_contradicted"] = (first, int(np.argmax(others)))
        self.add(f"{key}_contradicted", bad)

    def counts(self) -> dict[str, int]:
        return dict(sorted(self._counts.items()))


def _require(source: SheetSource) -> None:
    """Make sure that a file has what a forecast needs."""
    missing = {key: key for key in ("market", "outcome") if key not in source.frame}
    if "p" not in source.frame and "p_1" not in source.frame:
        missing["p"] = "p (or p_1, p_2, ...)"
    if not missing:
        return
    names = source.headings.names
    free = [name for name in names if name not in source.headings.taken.values()]
    only = free[0] if len(free) == len(missing) == 1 else ""
    near = ((_alike(ours, free) or only, ours) for ours in missing)
    meant = " ".join(f"--map {theirs!r}={ours}" for theirs, ours in near if theirs)
    raise ArenaError(
        "score.columns",
        f"{source.name}: there is no column {', '.join(missing.values())}; "
        f"it has {', '.join(map(repr, names[:_SHOWN])) or 'none'}"
        + f" and {len(names) - _SHOWN} more"
        * (len(names) > _SHOWN),
        hint=f"is it {meant}?" if meant else "--map THEIRS=OURS names one, as in --map guess=p",
        status=2,
    )


def _alike(ours: str, names: Sequence[str]) -> str:
    """The heading that is most like one of the usual names of a column."""
    usual = (ours, *ALIASES[ours])
    return next(filter(None, (nearest(name, names) for name in usual)), "")


def _refuse_unfit(
    frame: pd.DataFrame, sources: Sequence[SheetSource], labels: Sequence[str]
) -> None:
    """Make sure that the columns of all files go together."""
    where = ", ".join(source.name for source in sources)
    missing = [key for key in labels if key not in frame]
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
    numbers = [numbers_in(frame[f"p_{k}"]) for k in range(1, count + 1)]
    return np.column_stack(numbers)


def _outside(p: Floats) -> Flags:
    outside: Flags = np.logical_or(p < 0, p > 1)
    return outside


def _p(frame: pd.DataFrame, options: Floats | None, faults: _Faults) -> Floats:
    if options is None:
        p = numbers_in(frame["p"])
        faults.add("p_missing", np.asarray(frame["p"].isna()))
        faults.add("p_not_a_number", ~np.isfinite(p))
        faults.add("p_out_of_range", _outside(p))
        return p
    width = options.shape[1]
    blank = frame[[f"p_{k}" for k in range(1, width + 1)]].isna().to_numpy()
    counts = _counts(blank)
    faults.add("p_missing", (blank != (np.arange(width) >= counts[:, None])).any(axis=1))
    faults.add("p_missing", counts < 2)  # noqa: PLR2004  one option is no question
    faults.add("p_not_a_number", (~np.isfinite(options) & ~blank).any(axis=1))
    faults.add("p_out_of_range", np.asarray(_outside(options).any(axis=1)))
    sums = np.nansum(options, axis=1)
    faults.add("p_sum_not_1", np.asarray(np.abs(sums - 1) > _SUM_TOLERANCE))
    return np.full(len(frame), np.nan)


def _counts(blank: Flags) -> Whole:
    """How many options each question has: those after its last cell do not exist."""
    given: Whole = blank.shape[1] - np.argmin(blank[:, ::-1], axis=1)
    return np.where(blank.all(axis=1), 0, given)


def _outcomes(column: "pd.Series[float]", options: Whole | None, faults: _Faults) -> Whole:
    """The outcome as 0 or 1; with counts of options the one that came true, from 0."""
    if column.dtype.kind in ("bfiu" if options is None else "fiu"):
        outcomes = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        outcomes = _worded(column, truth_of if options is None else number_in, faults)
    faults.add("outcome_missing", np.asarray(column.isna()))
    if options is not None:
        is_option = (outcomes == np.round(outcomes)) & (outcomes >= 1) & (outcomes <= options)
        faults.add("outcome_not_an_option", ~is_option)
        option: Whole = np.where(is_option, outcomes - 1, 0).astype(np.intp)
        return option
    certain: Flags = np.logical_or(outcomes == 0, outcomes == 1)
    faults.add("outcome_fractional", ~certain & ~_outside(outcomes) & ~np.isnan(outcomes))
    faults.add("outcome_not_0_or_1", ~certain)
    truth: Whole = (outcomes == 1).astype(np.intp)
    return truth


def _worded(
    column: "pd.Series[str]", meaning: Callable[[str], float], faults: _Faults
) -> Floats:
    factor = _label(column, missing="")
    words, codes = np.array([word.lower() for word in factor.names], dtype=str), factor.codes
    faults.add("outcome_void", np.isin(words, _NEVER)[codes])
    faults.add("outcome_missing", np.isin(words, ("", *OPEN_WORDS))[codes])
    outcomes: Floats = np.array([meaning(word) for word in words.tolist()], np.float64)[codes]
    return outcomes


def _price(frame: pd.DataFrame, key: str, faults: _Faults) -> Floats:
    if key not in frame:
        return np.full(len(frame), np.nan)
    price = numbers_in(frame[key])
    faults.add(f"{key}_not_a_number", ~np.isfinite(price) & ~np.asarray(frame[key].isna()))
    faults.add(f"{key}_out_of_range", _outside(price))
    return price


def _factor(frame: pd.DataFrame, key: str, faults: _Faults) -> Factor:
    factor = _label(frame[key], missing="")
    if "" in factor.names:
        faults.add(f"{key}_missing", factor.codes == factor.names.index(""))
    return factor


def truth_of(word: str) -> float:
    """1 for yes, 0 for no, in figures or words; another number as it is, NaN for any word."""
    return _WORDS.get(word.lower(), number_in(word))


def numbers_of(label: Factor) -> tuple[Floats, Flags]:
    """A label as numbers: NaN where it is empty or none; and the rows where it is no number."""
    names = pd.Series(label.names, dtype=object)
    numbers = numbers_in(names)
    wrong = ~np.isfinite(numbers) & np.array([n not in {"", UNNAMED} for n in names])
    return np.where(wrong, np.nan, numbers)[label.codes], wrong[label.codes]


def moments_of(words: Sequence[str]) -> Moments:
    """Times as ISO 8601 writes them, in UTC; NaT for anything else."""
    # pandas would read "now" and "today" by the clock
    dates = pd.Series([word if word[:1].isdigit() else "" for word in words], dtype=object)
    return _utc(pd.to_datetime(dates, format="ISO8601", utc=True, errors="coerce"))


def with_iso_dates(source: SheetSource, name: str) -> SheetSource:
    """Write the dates of a column as ISO 8601 does, and words for nothing as empty cells.

    Raises:
        ArenaError: One is as 1/5/2026, and nothing in the file says which is the month.
    """
    column = emptied(source.frame[name], name)
    iso = _iso_dates(source, name) if name in _DATED else {}

    def written(cell: str) -> list[str]:
        return [iso.get(word, word) for word in _words(cell, name)]

    if iso:
        unsure = "may be two days: nothing in the file says which number is the month"
        hint = REPAIRS["at_day_or_month"]
        refuse_cells(
            source, name, lambda cells: ("" in written(c) for c in cells), unsure, hint
        )
        column = column.map(lambda cell: " ".join(written(cell)), na_action="ignore")
    return replace(source, frame=source.frame.assign(**{name: column}))


def refuse_cells(
    source: SheetSource,
    name: str,
    are_bad: Callable[[Sequence[str]], Iterable[object]],
    why: str,
    hint: str,
) -> None:
    """Name the first cell of a column that cannot be read for sure; an empty one is no fault.

    Raises:
        ArenaError: There is one.
    """
    cells = _label(source.frame[name], missing="")
    bad = [n for n, is_bad in enumerate(are_bad(cells.names)) if is_bad and cells.names[n]]
    for row in np.flatnonzero(np.isin(cells.codes, bad))[:1]:
        where = f"{source.name}, {source.place(int(source.frame.index[row]))}"
        what = f"{source.headings.taken[name]}: {cells.names[cells.codes[row]]!r} {why}"
        raise ArenaError("score.cell", f"{where}, {what}", hint=hint, status=2)


def _label(column: "pd.Series[str]", missing: str = UNNAMED) -> Factor:
    if column.dtype == object:
        column = column.map(str, na_action="ignore")  # what is one name is one text
    codes, names = pd.factorize(column)
    levels = [str(name) for name in np.asarray(names, dtype=object).tolist()]
    stripped = [name.strip() or (name and missing) for name in levels]
    if stripped != levels:
        merged, unique = pd.factorize(np.array(stripped, dtype=object))
        levels, codes = unique.tolist(), np.where(codes < 0, -1, merged[codes])
    if codes.size and codes.min() < 0:
        levels = levels if missing in levels else [*levels, missing]
        codes = np.where(codes < 0, levels.index(missing), codes)
    return Factor(tuple(levels), codes)


def _moments(sources: Sequence[SheetSource], faults: _Faults) -> Moments:
    """When each forecast was made; what a file's dates mean is decided by that file alone."""
    moments, unsure, unread = zip(*map(_times, sources), strict=True)
    faults.add("at_day_or_month", np.concatenate(unsure))
    faults.add("at_not_a_time", np.concatenate(unread))
    return np.concatenate(moments)


def _times(source: SheetSource) -> tuple[Moments, Flags, Flags]:
    """The moments of a file, those that may be two, and those that are none."""
    column = source.frame.get("at", pd.Series(pd.NaT, source.frame.index))
    if column.dtype.kind == "M":
        at, unsure = _utc(pd.to_datetime(column, utc=True)), np.zeros(len(column), dtype=bool)
    else:
        factor, iso = _label(column, missing=""), _iso_dates(source, "at")
        words = [iso.get(word, word) for word in factor.names]
        at = moments_of(words)[factor.codes]
        unsure = np.array([iso.get(word) == "" for word in factor.names], bool)[factor.codes]
    return at, unsure, np.isnat(at) & ~np.asarray(column.isna())


def _words(cell: str, name: str) -> list[str]:
    return cell.split() if name == _SEVERAL else [cell.strip()]


def _iso_dates(source: SheetSource, name: str) -> Mapping[str, str]:
    """Dates as 5/1/2026 of a column, as ISO 8601 has them; empty where nobody can say.

    The column shows which number is the month, or the file's other dates do, or semicolons.
    """
    dates = _dates(source, name)
    others = [date for other in _DATED for date in _dates(source, other)] if dates else []
    orders = _orders(dates) or _orders(others) or {source.semicolons or None}
    order = orders.pop() if len(orders) == 1 else None
    return {date[0]: "" if order is None else _iso(date, day_first=order) for date in dates}


def _dates(source: SheetSource, name: str) -> list[re.Match[str]]:
    cells = _label(source.frame[name], missing="").names if name in source.frame else ()
    words = (word for cell in cells for word in _words(cell, name))
    return [date for word in words if (date := _DATE.fullmatch(word))]


def _orders(dates: Sequence[re.Match[str]]) -> set[bool | None]:
    """Whether dates are of somebody who writes the day first; both where they differ."""
    day_first = any(date[2] == "." or int(date[1]) > _MONTHS for date in dates)
    month_first = any(int(date[3]) > _MONTHS or date[8] for date in dates)
    return {order for order, shown in ((True, day_first), (False, month_first)) if shown}


def _iso(date: re.Match[str], *, day_first: bool) -> str:
    """A moment as ISO 8601 writes it.

    >>> _iso(_DATE.fullmatch("5.1.2026 9:30"), day_first=True)
    '2026-01-05T09:30'
    >>> _iso(_DATE.fullmatch("1/5/2026 9:30 PM"), day_first=False)
    '2026-01-05T21:30'
    """
    day, month = (date[1], date[3]) if day_first else (date[3], date[1])
    written = f"{date[4]}-{month:0>2}-{day:0>2}"
    if not date[5]:
        return written
    half = (date[8] or "").lower()
    hour = int(date[5]) % 12 + 12 * (half == "p") if half else int(date[5])
    return f"{written}T{hour:02}:{date[6]}{date[7] or ''}"


def _utc(stamps: "pd.Series[pd.Timestamp]") -> Moments:
    moments: Moments = stamps.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
    outside = (moments < _FIRST_MOMENT) | (moments >= _LAST_MOMENT)
    return np.where(outside, np.datetime64("NaT", "us"), moments)


def _torn(codes: Whole, values: Whole, good: Flags) -> Flags:
    """Rows whose code has good rows with different values; codes below 0 are ignored."""
    good = good & (codes >= 0)
    last = np.zeros(codes.max(initial=-1) + 2, dtype=np.intp)
    last[codes[good]] = values[good]
    torn = np.zeros(len(last), dtype=bool)
    torn[codes[good & (last[codes] != values)]] = True
    contradicted: Flags = torn[codes]
    return contradicted


def _values(p: Floats) -> Whole:
    """A code for each probability, or row of them; equal ones share a code."""
    codes: Whole = (
        pd.factorize(p)[0]
        if p.ndim == 1
        else np.unique(np.nan_to_num(p, nan=-1), axis=0, return_inverse=True)[1].reshape(-1)
    )
    return codes


def _turns(contestant: Factor, market: Factor, at: Moments, good: Flags) -> Whole:
    """A code for contestant, market and moment; -1 where only one good row has them."""
    pair = contestant.codes * len(market.names) + market.codes
    turns = np.full(len(pair), -1, dtype=np.intp)
    if len(contestant.names) * len(market.names) <= _CELLS * len(pair):
        times = np.bincount(pair)
        if times.max(initial=0) <= 1:
            return turns
        again = times[pair] > 1
    else:
        again = pd.Series(pair).duplicated(keep=False).to_numpy()
    rows = np.flatnonzero(again & good)
    pairs, moments = (pd.factorize(column[rows])[0] for column in (pair, at.astype(np.int64)))
    turns[rows] = pd.factorize(pairs * (len(rows) + 1) + moments)[0]
    return turns


def _repeated(turn: Whole, good: Flags) -> Flags:
    """Good rows that repeat an earlier row of the same turn."""
    rows = np.flatnonzero((turn >= 0) & good)
    repeated = np.zeros(len(turn), dtype=bool)
    repeated[rows] = pd.Series(turn[rows]).duplicated().to_numpy()
    return repeated
