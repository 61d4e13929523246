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
from arena.site.overview import ContestantProfile
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
    profile: ContestantProfile
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
    """Every contestant that ever had a seat, in the order of the headline."""
    models = {
        line.contestant: Model(
            line,
            reading.entrant(line.contestant),
            reading.profile(line.contestant),
            reading.show.conduct_of(line.contestant),
        )
        for line in reading.store.boards.overall().standings
    }
    return tuple(models[name] for name in reading.in_order(models))


def by_provider(models: Sequence[Model]) -> Mapping[str, tuple[Model, ...]]:
    """The models of each provider, by its name."""
    models_by_provider: dict[str, list[Model]] = {}
    for model in models:
        if model.entrant.provider:
            models_by_provider.setdefault(model.entrant.provider, []).append(model)
    return {name: tuple(models_by_provider[name]) for name in sorted(models_by_provider)}


def sums_of(models: Sequence[Model]) -> Sums:
    """The total profit, cost and turns of a provider's contestants."""
    lines = [model.standing for model in models]
    capital = sum(line.capital for line in lines)
    made = [line.pnl for line in lines]
    costs = [line.cost for line in lines]
    known_gains = [gain for gain in made if gain is not None]
    known_costs = [cost for cost in costs if cost is not None]
    return Sums(
        float(sum(known_gains) / capital)
        if capital and len(known_gains) == len(made)
        else None,
        sum(known_costs, Decimal(0)) if len(known_costs) == len(costs) else None,
        sum((line.cost_known for line in lines), Decimal(0)),
        sum(line.turns_ok for line in lines),
        sum(line.turns_failed for line in lines),
    )


def model_figure(models: Sequence[Model], reading: Reading, root: str) -> Figure | None:
    """The headline of each with its interval; None for fewer than two."""
    rows = [_span(model, reading.label(model.id), reading, root) for model in models]
    return _span_figure("models", "One by one", rows, reading.overview.headline)


def releases(models: Sequence[Model], reading: Reading, root: str) -> Figure | None:
    """Scores in the order of release, family by family; none for fewer than two releases."""
    dated = sorted(
        (model for model in models if model.entrant.release),
        key=lambda model: (model.entrant.family, model.entrant.release, model.id),
    )
    if len({model.entrant.release for model in dated}) < 2:  # noqa: PLR2004  # nothing to compare
        return None
    rows = [_span(model, _dated(model, reading), reading, root) for model in dated]
    return _span_figure("releases", "In the order of release", rows, reading.overview.headline)


def _dated(model: Model, reading: Reading) -> str:
    release = " ".join(part for part in (model.entrant.family, model.entrant.release) if part)
    return one_line(f"{release}: {reading.label(model.id)}", LABEL)


def _span_figure(key: str, title: str, rows: Sequence[Span], headline: str) -> Figure | None:
    if sum(span.value is not None for span in rows) < 2:  # noqa: PLR2004  # nothing to compare
        return None
    metric = METRICS[headline]
    words = Words(key, title, f"{metric.name}, {metric.better}, with intervals over events.")
    base = 0.0 if metric.signed else None
    return spans(words, rows, Scale(metric.short, metric.shown, base=base))


def _span(model: Model, name: str, reading: Reading, root: str) -> Span:
    estimate = model.profile.scores.get(reading.overview.headline)
    interval = estimate.interval if estimate else None
    return Span(
        name,
        estimate.value if estimate else None,
        interval.low if interval else None,
        interval.high if interval else None,
        estimate.n if estimate else 0,
        href=root + places.contestant(model.id),
    )


def scores(models: Sequence[Model], reading: Reading, root: str) -> Table:
    """The scores and the cost of each."""
    headline = reading.overview.headline
    keys = [
        key
        for key in dict.fromkeys((headline, *SCORES))
        if key in METRICS and any(key in model.profile.scores for model in models)
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
        tuple(_score_row(model, keys, reading, root) for model in models),
    )


def _score_row(
    model: Model, keys: Sequence[str], reading: Reading, root: str
) -> tuple[Cell, ...]:
    place = model.profile.place
    return (
        linked(reading.contestant(model.id, root)),
        Cell(one_line(model.entrant.model, LABEL) if model.entrant.model else "not said"),
        Cell(one_line(model.entrant.release, LABEL) if model.entrant.release else "not said"),
        rank_range_cell(place, reading.overview),
        *(_score_cell(model, key) for key in keys),
        Cell(cost_text(model.standing), value=model.standing.cost),
    )


def _score_cell(model: Model, key: str) -> Cell:
    estimate = model.profile.scores.get(key)
    if key == "realised_return":
        return realised(key, model.standing, estimate, counted=True)
    return estimated(key, estimate, counted=True)


def replies(models: Sequence[Model], reading: Reading, root: str) -> Table:
    """Counts of turns, calls and repairs of each."""
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
        tuple(_reply_row(model, reading, root) for model in models),
        "Re-asked: a reply could not be read. Repaired: in syntax, never in meaning.",
    )


def _reply_row(model: Model, reading: Reading, root: str) -> tuple[Cell, ...]:
    line, conduct = model.standing, model.conduct
    turns = f"{figures.count(line.turns_ok)} / {figures.count(line.turns_failed)}"
    counts = (
        (conduct.calls, conduct.reasks, conduct.repaired, conduct.dropped, conduct.against)
        if conduct
        else (0, 0, 0, 0, 0)
    )
    return (
        linked(reading.contestant(model.id, root)),
        Cell(turns, value=line.turns_ok),
        *(Cell(figures.count(n), value=n) for n in counts),
    )


def cost_text(totals: Standing | Sums) -> str:
    """The cost in dollars, or its lower bound, or `unknown`."""
    return figures.spent(totals.cost, totals.cost_known, METRICS["cost"].shown)
