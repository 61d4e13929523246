"""Reads the forecasts of a study: those that `arena score` reads, with quotes and bets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from arena.errors import ArenaError, did_you_mean
from arena.metrics.study.protocol import (
    BookQuotes,
    GateColumns,
    StudyForecasts,
    StudyProtocol,
    known,
)
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole
from arena.sheets.columns import UNNAMED, moments_of, numbers_of
from arena.sheets.reading import Sheet, read_forecasts
from arena.stats.regression.efficiency import two_sided

NO_NEWS: Final = "none"  # somebody looked, and found none
_SUM: Final = 1e-6
_PLAIN: Final = ("stage", "fold", "class", "host", "stake", "backed")
_GATE: Final = ("volume", "quoted_at", "news_at")
_TABLES: Final = ("open", "close", "before", "exchange")


@dataclass(frozen=True, slots=True)
class StudySheet:
    """Forecasts of a study, the sheet that they are from, and faults in its quotes and bets.

    A fault makes what it stands in missing; `faults` counts rows by reason. `replaced` are
    forecasts that a later one of the same model and question replaces.
    """

    forecasts: StudyForecasts
    sheet: Sheet
    faults: Mapping[str, int]
    replaced: int


def read_study(
    files: Sequence[Path], protocol: StudyProtocol, renames: Mapping[str, str] | None = None
) -> StudySheet:
    """Read files of forecasts with what a study needs beside them.

    Raises:
        ArenaError: As `read_forecasts`; or a file has another number of options than the
            protocol, or none of the champion's forecasts.
    """
    k = len(protocol.options)
    stems = [*_TABLES, *(f"odds_{b.name}_{t}" for b in protocol.books for t in _TABLES[:2])]
    extras = [*_PLAIN, *_GATE, *(f"{stem}_{n + 1}" for stem in stems for n in range(k))]
    sheet = read_forecasts(files, extras=extras, renames=renames)
    rows = sheet.forecasts
    given = 2 if rows.options is None else rows.options.shape[1]
    fewer = rows.options is not None and bool(np.isnan(rows.options).any())
    if given != k or fewer:
        words = f"{given} or fewer" if fewer else str(given)
        raise ArenaError(
            "study.options",
            f"the forecasts are over {words} options, the protocol has {k}",
            hint="name the options of the file, in its order, in the protocol",
            status=2,
        )
    names = [rows.contestant.names[code] for code in np.unique(rows.contestant.codes)]
    if protocol.champion not in names:
        raise ArenaError(
            "study.champion",
            f"there is no resolved forecast of the champion {protocol.champion}",
            hint=f"name it in the protocol: {did_you_mean(protocol.champion, names)}",
            status=2,
        )
    return _Reader(sheet, protocol).read()


class _Reader:
    """Turns rows of forecasts into a table of models and questions."""

    def __init__(self, sheet: Sheet, protocol: StudyProtocol) -> None:
        self.sheet, self.protocol, self.rows = sheet, protocol, sheet.forecasts
        self.k = len(protocol.options)
        self.faults: dict[str, int] = {}
        self.question, self.order = _questions(self.rows)
        used = sorted(np.unique(self.rows.contestant.codes).tolist())
        self.models = tuple(self.rows.contestant.names[code] for code in used)
        self.model = np.searchsorted(used, self.rows.contestant.codes)

    def read(self) -> StudySheet:
        rows, n = self.rows, len(self.order)
        p = two_sided(rows.p) if rows.options is None else rows.options
        table = np.full((len(self.models), n, self.k), np.nan)
        stake, backed = np.full(table.shape[:2], np.nan), np.full(table.shape[:2], -1, np.intp)
        staked, side = self.numbers("stake"), self.numbers("backed")
        self.fault("stake_out_of_range", staked < 0)
        self.fault("backed_not_an_option", ~np.isnan(side) & ~self.is_option(side))
        bet = ~np.isnan(staked) & (staked >= 0) & self.is_option(side)
        for row in np.argsort(rows.at, kind="stable"):  # a later forecast replaces an earlier
            at = self.model[row], self.question[row]
            table[at] = p[row]
            stake[at] = staked[row] if bet[row] else np.nan
            backed[at] = int(side[row]) - 1 if bet[row] else -1
        host = self.of_question("host", self.numbers("host")[:, None])[:, 0]
        gate = self.gate()
        forecasts = StudyForecasts(
            models=self.models,
            questions=tuple(rows.market.names[rows.market.codes[row]] for row in self.order),
            event=rows.event.codes[self.order],
            outcome=rows.outcome[self.order],
            p=table,
            opening=self.quotes("open", rows.market_p),
            closing=self.quotes("close", rows.close_p),
            host=np.where(self.is_option(host), np.nan_to_num(host) - 1, -1).astype(np.intp),
            stake=stake,
            backed=backed,
            day=tuple(str(d) if d == d else "" for d in gate.at.astype("datetime64[D]")),  # noqa: PLR0124  NaT
            gate=gate,
            stage=self.factor("stage"),
            fold=self.factor("fold"),
            kind=self.factor("class"),
            odds={book.name: self.book(book.name) for book in self.protocol.books},
        )
        replaced = len(rows) - int(known(table).sum())
        return StudySheet(forecasts, self.sheet, dict(sorted(self.faults.items())), replaced)

    def fault(self, reason: str, bad: Flags) -> None:
        if bad.any():
            self.faults[reason] = self.faults.get(reason, 0) + int(bad.sum())

    def is_option(self, numbers: Floats) -> Flags:
        return np.isin(numbers, np.arange(1, self.k + 1))

    def factor(self, name: str) -> Factor | None:
        """What each question is called in a column, an empty name where it has none."""
        label = self.rows.labels.get(name)
        if label is None:
            return None
        names = tuple("" if each == UNNAMED else each for each in label.names)
        return Factor(names, label.codes[self.order])

    def numbers(self, name: str) -> Floats:
        """A column as numbers; empty cells, and a column that is not there, are NaN."""
        label = self.rows.labels.get(name)
        if label is None:
            return np.full(len(self.rows), np.nan)
        numbers, wrong = numbers_of(label)
        self.fault(f"{name}_not_a_number", wrong)
        return numbers

    def of_question(self, stem: str, cells: Floats) -> Floats:
        """What is said of each question, (n, c): that of its first row which says something.

        Rows that say otherwise are a fault, and nothing is known then.
        """
        values = np.full((len(self.order), cells.shape[1]), np.nan)
        filled = np.flatnonzero(known(cells))
        _, first = np.unique(self.question[filled], return_index=True)
        values[self.question[filled[first]]] = cells[filled[first]]
        torn = filled[np.asarray((values[self.question[filled]] != cells[filled]).any(axis=1))]
        self.fault(f"{stem}_contradicted", np.isin(np.arange(len(cells)), torn))
        values[self.question[torn]] = np.nan
        return values

    def cells(self, stem: str) -> Floats:
        return np.column_stack([self.numbers(f"{stem}_{n + 1}") for n in range(self.k)])

    def quotes(self, stem: str, yes: Floats | None = None) -> Floats:
        """Fair probabilities of each question, (n, K)."""
        cells = self.cells(stem)
        if yes is not None and self.rows.options is None and np.isnan(cells).all():
            cells = two_sided(yes)
        outside = np.asarray(((cells < 0) | (cells > 1)).any(axis=1))
        unfair = known(cells) & (np.abs(cells.sum(axis=1) - 1) > _SUM)
        self.fault(f"{stem}_out_of_range", outside)
        self.fault(f"{stem}_sum_not_1", unfair & ~outside)
        cells[outside | unfair] = np.nan
        return self.of_question(stem, cells)

    def book(self, name: str) -> BookQuotes:
        both = []
        for moment in _TABLES[:2]:
            stem = f"odds_{name}_{moment}"
            cells = self.cells(stem)
            low = np.asarray(((cells <= 1) | np.isinf(cells)).any(axis=1))
            self.fault(f"{stem}_not_above_1", low)
            cells[low] = np.nan
            both.append(self.of_question(stem, cells))
        return BookQuotes(both[0], both[1])

    def gate(self) -> GateColumns:
        """What the gate asks; of times, that of the champion's forecast, else of the first."""
        at = self.rows.at[self.order]
        mine = np.flatnonzero(self.model == self.models.index(self.protocol.champion))
        at[self.question[mine]] = self.rows.at[mine]
        words = self.words("quoted_at")
        quoted_at = moments_of(words)
        self.fault("quoted_at_not_a_time", np.isnat(quoted_at) & (np.array(words) != ""))
        ahead = quoted_at > at  # a quote from after the forecast
        self.fault("quoted_at_after_the_forecast", ahead)
        quoted_at = np.where(ahead, np.datetime64("NaT", "us"), quoted_at)
        return GateColumns(
            before=self.quotes("before"),
            exchange=self.quotes("exchange"),
            volume=self.of_question("volume", self.numbers("volume")[:, None])[:, 0],
            quoted_at=quoted_at,
            at=at,
            news=tuple(map(self.news, self.words("news_at"))),
        )

    def words(self, name: str) -> list[str]:
        """What the first row of each question says in a column; empty for nothing."""
        label = self.factor(name)
        if label is None:
            return [""] * len(self.order)
        return [label.names[code] for code in label.codes]

    def news(self, word: str) -> tuple[np.datetime64, ...] | None:
        """Times with spaces between them; empty where somebody looked and found none."""
        if not word:
            return None
        times = moments_of([] if word == NO_NEWS else word.split())
        self.fault("news_at_not_a_time", np.isnat(times))
        return tuple(times[~np.isnat(times)])


def _questions(rows: Forecasts) -> tuple[Whole, Whole]:
    """The question of each row, and the first row of each question, questions in time order."""
    last = np.iinfo(np.int64).max
    at = np.where(np.isnat(rows.at), last, rows.at.astype("datetime64[us]").astype(np.int64))
    order = np.argsort(at, kind="stable")
    _, first = np.unique(rows.market.codes[order], return_index=True)
    lead = order[np.sort(first)]
    place = np.empty(len(rows.market.names), np.intp)
    place[rows.market.codes[lead]] = np.arange(len(lead))
    return place[rows.market.codes], lead
