"""A provider's contestants: their scores, their releases, and how they answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.entrant import Entrant
from arena.records.grade import Standing
from arena.site import places
from arena.site.charts.spans import spans
from arena.site.charts.subjects import Scale, Span, Words
from arena.site.estimates import estimated, formula
from arena.site.overview import Profile
from arena.site.pages.contestants.holdings import linked
from arena.site.pages.leaderboard.evidence import rank_range_cell
from arena.site.pages.leaderboard.standings import realised
from arena.site.pages.parts.parts import Cell, Figure
from arena.site.pages.parts.tables import Field, Table
from arena.site.reading import LABEL, Reading
from arena.site.sanitize import one_line
from arena.store.pages.reply_quality import ConductTotals

SCORES: Final = ("brier", "realised_return", "cost_per_forecast", "latency")


@dataclass(frozen=True, slots=True)
class Model:
    """A contestant with all that its provider's page says of it."""

    standing: Standing
    entrant: Entrant
    profile: Profile
    conduct: ConductTotals | None

    @property
    def id(self) -> ContestantId:
        """Whose line it is."""
        return self.standing.contestant


@dataclass(frozen=True, slots=True)
class Sums:
    """What a provider's contestants add up to; `cost` is None where a part is not known."""

    returned: float | None
    cost: Decimal | None
    cost_known: Decimal
    ok: int
    failed: int


def models_of(reading: Reading) -> tuple[Model, ...]:
    """Everybody who ever had a seat, in the order of the headline."""
    found = {
        line.contestant: Model(
            line,
            reading.entrant(line.contestant),
            reading.profile(line.contestant),
            reading.show.conduct_of(line.contestant),
        )
        for line in reading.store.boards.overall().standings
    }
    return tuple(found[name] for name in reading.in_order(found))


def by_provider(models: Sequence[Model]) -> Mapping[str, tuple[Model, ...]]:
    """The models of each provider, by its name."""
    found: dict[str, list[Model]] = {}
    for one in models:
        if one.entrant.provider:
            found.setdefault(one.entrant.provider, []).append(one)
    return {name: tuple(found[name]) for name in sorted(found)}


def sums_of(models: Sequence[Model]) -> Sums:
    """Add up what a provider's contestants made and took."""
    lines = [one.standing for one in models]
    capital = sum(line.capital for line in lines)
    made = [line.pnl for line in lines]
    costs = [line.cost for line in lines]
    known = [one for one in made if one is not None]
    priced = [one for one in costs if one is not None]
    return Sums(
        float(sum(known) / capital) if capital and len(known) == len(made) else None,
        sum(priced, Decimal(0)) if len(priced) == len(costs) else None,
        sum((line.cost_known for line in lines), Decimal(0)),
        sum(line.turns_ok for line in lines),
        sum(line.turns_failed for line in lines),
    )


def model_figure(models: Sequence[Model], reading: Reading, root: str) -> Figure | None:
    """The headline of each, with its interval; nothing to see for fewer than two."""
    rows = [_span(one, reading.label(one.id), reading, root) for one in models]
    return _drawn("models", "One by one", rows, reading.overview.headline)


def releases(models: Sequence[Model], reading: Reading, root: str) -> Figure | None:
    """Scores in the order of release, family by family; none for fewer than two releases."""
    told = sorted(
        (one for one in models if one.entrant.release),
        key=lambda one: (one.entrant.family, one.entrant.release, one.id),
    )
    if len({one.entrant.release for one in told}) < 2:  # noqa: PLR2004  # nothing to compare
        return None
    rows = [_span(one, _dated(one, reading), reading, root) for one in told]
    return _drawn("releases", "In the order of release", rows, reading.overview.headline)


def _dated(one: Model, reading: Reading) -> str:
    said = " ".join(part for part in (one.entrant.family, one.entrant.release) if part)
    return one_line(f"{said}: {reading.label(one.id)}", LABEL)


def _drawn(key: str, title: str, rows: Sequence[Span], headline: str) -> Figure | None:
    if sum(one.value is not None for one in rows) < 2:  # noqa: PLR2004  # nothing to compare
        return None
    metric = METRICS[headline]
    words = Words(key, title, f"{metric.name}, {metric.better}, with intervals over events.")
    base = 0.0 if metric.signed else None
    return spans(words, rows, Scale(metric.short, metric.shown, base=base))


def _span(one: Model, name: str, reading: Reading, root: str) -> Span:
    found = one.profile.scores.get(reading.overview.headline)
    interval = found.interval if found else None
    return Span(
        name,
        found.value if found else None,
        interval.low if interval else None,
        interval.high if interval else None,
        found.n if found else 0,
        href=root + places.contestant(one.id),
    )


def scores(models: Sequence[Model], reading: Reading, root: str) -> Table:
    """How each did, and what it took."""
    headline = reading.overview.headline
    keys = [
        key
        for key in dict.fromkeys((headline, *SCORES))
        if key in METRICS and any(key in one.profile.scores for one in models)
    ]
    return Table(
        "Its contestants",
        (
            Field("Contestant", "words"),
            Field("Model", "words"),
            Field("Release", "one"),
            Field("Possible ranks", "n", formula("rank_range", root)),
            *(Field(METRICS[key].short, "n", formula(key, root)) for key in keys),
            Field("Cost", "n", formula("cost", root)),
        ),
        tuple(_score_row(one, keys, reading, root) for one in models),
    )


def _score_row(
    one: Model, keys: Sequence[str], reading: Reading, root: str
) -> tuple[Cell, ...]:
    place = one.profile.place
    return (
        linked(reading.contestant(one.id, root)),
        Cell(one_line(one.entrant.model, LABEL) if one.entrant.model else "not said"),
        Cell(one_line(one.entrant.release, LABEL) if one.entrant.release else "not said"),
        rank_range_cell(place, reading.overview),
        *(_score_cell(one, key) for key in keys),
        Cell(cost_text(one.standing), value=one.standing.cost),
    )


def _score_cell(one: Model, key: str) -> Cell:
    found = one.profile.scores.get(key)
    if key == "realised_return":
        return realised(key, one.standing, found, counted=True)
    return estimated(key, found, counted=True)


def replies(models: Sequence[Model], reading: Reading, root: str) -> Table:
    """How each answered."""
    return Table(
        "How they answer",
        (
            Field("Contestant", "words"),
            Field("Turns ok / failed", "n", formula("turns", root)),
            Field("Calls", "n", formula("calls", root)),
            Field("Re-asked"),
            Field("Repaired"),
            Field("Orders left out"),
            Field("Bets against itself"),
        ),
        tuple(_reply_row(one, reading, root) for one in models),
        "Re-asked: a reply could not be read. Repaired: in syntax, never in meaning.",
    )


def _reply_row(one: Model, reading: Reading, root: str) -> tuple[Cell, ...]:
    line, said = one.standing, one.conduct
    turns = f"{figures.count(line.turns_ok)} / {figures.count(line.turns_failed)}"
    counts = (
        (said.calls, said.reasks, said.repaired, said.dropped, said.against)
        if said
        else (0, 0, 0, 0, 0)
    )
    return (
        linked(reading.contestant(one.id, root)),
        Cell(turns, value=line.turns_ok),
        *(Cell(figures.count(n), value=n) for n in counts),
    )


def cost_text(one: Standing | Sums) -> str:
    """Dollars, or at least how many, or that nobody said."""
    return figures.spent(one.cost, one.cost_known, METRICS["cost"].shown)
