"""The columns of the leaderboard, view by view: what each one's cell says of a contestant."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from arena.metrics import figures
from arena.metrics.claims.adjusted_gain import ADJUSTED_GAIN, GAIN
from arena.metrics.registry import LINEAR_CAVEAT, METRICS
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate
from arena.records.grade import Standing
from arena.records.settings import Entrant
from arena.site.estimates import count_cell, estimated, head_of, metric_cell
from arena.site.overview.records import ContestantProfile
from arena.site.pages.leaderboard.standings import cells
from arena.site.pages.parts import Cell, Column
from arena.store.pages.turns import ConductTotals

HUNDRED = 100
GAINS = (GAIN, ADJUSTED_GAIN)  # over the market's price, which itself has 0


@dataclass(frozen=True, slots=True)
class LeaderboardLine:
    """What the pages know of a contestant; without turns there is no `conduct`."""

    standing: Standing
    entrant: Entrant
    profile: ContestantProfile
    conduct: ConductTotals | None

    @property
    def id(self) -> ContestantId:
        """Whose line it is."""
        return self.standing.contestant


@dataclass(frozen=True, slots=True)
class ColumnView:
    """Some columns that are looked at together; `key` is its word in addresses."""

    key: str
    label: str
    columns: tuple["_Shown", ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A column: its cell, and what it is called where it is not what its metric is called."""

    key: str
    cell: Callable[[str, LeaderboardLine], Cell]
    label: str = ""
    name: str = ""


def score(key: str, line: LeaderboardLine) -> Cell:
    """An estimate with its interval, or with the reason why it has none."""
    return estimated(key, estimate_of(key, line))


def estimate_of(key: str, line: LeaderboardLine) -> Estimate | None:
    """A contestant's estimate of a metric; if there are two, the one with an interval."""
    estimate = line.profile.scores.get(key)
    curve = line.profile.reliability
    if curve and key in curve.scores and not (estimate and estimate.interval):
        return curve.scores[key]
    return estimate


def summary(headline: str) -> ColumnView:
    """The first view: what contestants are ranked by, what it brought, what it took."""
    title = METRICS[headline].name if headline else ""
    first = (_Shown(headline, score, title),) if headline else ()
    return ColumnView("summary", "Summary", (*first, _RETURN, _COST, _evidence(headline)))


def columns_of(view: ColumnView, root: str) -> tuple[Column, ...]:
    """The heads of a view."""
    return tuple(_head(shown, root) for shown in view.columns)


def cells_of(line: LeaderboardLine, view: ColumnView) -> tuple[Cell, ...]:
    """A contestant's cells of a view."""
    return tuple(shown.cell(shown.key, line) for shown in view.columns)


def _book(key: str, line: LeaderboardLine) -> Cell:
    return cells((key,), line.standing)[0]


def _of_bets(key: str, line: LeaderboardLine) -> Cell:
    """A mean over bets with its n: the estimate, or the value from the books."""
    estimate = estimate_of(key, line)
    if estimate is None or estimate.value is None:
        return _book(key, line)
    return estimated(key, estimate, counted=True)


def _with_interval(key: str, line: LeaderboardLine) -> Cell:
    """A return with its interval, or the reason why there is none and nothing else."""
    cell = score(key, line)
    if cell.value is not None and cell.between is None:
        return Cell(figures.MISSING, cell.note or "no interval")
    return cell


def _evidence(headline: str) -> _Shown:
    name = "Events that the headline is the mean over"
    return _Shown("events", partial(_events, headline), "Events", name)


def _events(headline: str, _key: str, line: LeaderboardLine) -> Cell:
    """The number of events behind the headline; below it questions, and forecasts if more."""
    estimate, questions = estimate_of(headline or "forecast", line), line.profile.questions
    if estimate is None:
        return Cell(figures.MISSING)
    notes = [] if not questions else [figures.many(questions, "question")]
    if estimate.n != (questions or 0):
        notes.append(figures.many(estimate.n, "forecast"))
    return count_cell(estimate.events, ", ".join(notes))


def _per_hundred(_key: str, line: LeaderboardLine) -> Cell:
    """What a hundred resolved forecasts cost at least, and below it what all answers cost."""
    standing, n = line.standing, line.standing.forecast.n
    total = figures.spent(standing.cost, standing.cost_known, METRICS["cost"].shown)
    if not n or (standing.cost is None and not standing.cost_known):
        return Cell(figures.MISSING, f"{total} in all")
    value = HUNDRED * (float(standing.cost_known) / n)
    text = figures.dollars(value, figures.telling(value, 2))
    if standing.cost is None:
        return Cell(f"\N{GREATER-THAN OR EQUAL TO}{text}", f"{total} in all")
    return Cell(text, f"{total} in all", value)


def _amount(key: str, line: LeaderboardLine) -> Cell:
    value = getattr(line.standing, key)
    return metric_cell(key, value)


def _count(key: str, line: LeaderboardLine) -> Cell:
    value = int(getattr(line.standing, key))
    return count_cell(value)


def _conduct(key: str, line: LeaderboardLine) -> Cell:
    if line.conduct is None:
        return Cell(figures.MISSING)
    value = int(getattr(line.conduct, key))
    return count_cell(value)


_RETURN = _Shown("realised_return", _with_interval)
_COST = _Shown(
    "cost_per_forecast", _per_hundred, "$ per 100 forecasts", "Cost of 100 resolved forecasts"
)
_UNPRICED = "Open positions without a price"
_FEES_NOTE = (
    "Realised and unrealised profit or loss are before fees; the others are less fees. "
    "Mark-to-market: open positions count at what they could be sold for."
)
_LINEAR_NOTE = f"Linear: {LINEAR_CAVEAT}."

VIEWS = (
    ColumnView(
        "returns",
        "Returns",
        (
            _RETURN,
            _Shown("returned", _book, "Return, mark-to-market"),
            _Shown("returned_last", _book, "Return, last known prices"),
            _Shown("pnl", _book, "P/L, mark-to-market"),
            _Shown("realised", _book, "P/L, realised"),
            _Shown("unrealised", _book, "P/L, unrealised"),
            _Shown("fees", _amount),
            _Shown("win_rate", _of_bets),
            _Shown("break_even", _book),
            _Shown("ev_clv", score),
        ),
        _FEES_NOTE,
    ),
    ColumnView(
        "forecasts",
        "Forecasts",
        (
            *(
                _Shown(key, score)
                for key in ("alpha", "brier", "brier_skill", "log", "mcb", "ece", "dsc")
            ),
            _Shown("stated", _of_bets, "Bets, stated"),
            _Shown("kelly", _of_bets, "Bets, Kelly"),
            _Shown("linear", _of_bets, "Bets, linear"),
        ),
        _LINEAR_NOTE,
    ),
    ColumnView(
        "risk",
        "Risk",
        (
            *(_Shown(key, score) for key in ("max_drawdown", "volatility", "worst_day")),
            _Shown("open", _count),
            _Shown("unpriced", _count, "Unpriced", _UNPRICED),
        ),
    ),
    ColumnView(
        "cost",
        "Cost",
        (
            _Shown("cost", _book),
            _COST,
            _Shown("tokens", _count),
            _Shown("latency", score),
        ),
    ),
    ColumnView(
        "replies",
        "Replies",
        (
            _Shown("turns_ok", _count, "Turns ok", "Turns that could be read"),
            _Shown("turns_failed", _count, "Failed", "Turns that failed"),
            _Shown("calls", _conduct),
            _Shown("reasks", _conduct, "Re-asks", "Calls made again for an unreadable reply"),
            _Shown("repaired", _conduct, "Repairs", "Replies whose syntax was mended"),
            _Shown("refused", _count, "Refused", "Orders refused by the rules"),
        ),
    ),
)


def _head(shown: _Shown, root: str) -> Column:
    if shown.key not in METRICS:
        return Column(shown.key, shown.label, shown.name, "")
    made = head_of(shown.key, root, shown.label)
    return replace(made, name=shown.name or made.name)


def window_view(headline: str) -> ColumnView:
    """The columns of a part of the board: what it is ordered by, and the Brier score."""
    keys = dict.fromkeys((headline, "brier"))
    scored = (_Shown(key, score, METRICS[key].name) for key in keys)
    return ColumnView("window", "Window", (*scored, _evidence(headline)))
