"""The pages of model providers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from arena.metrics import figures
from arena.metrics.groups import GroupBoard, GroupLine
from arena.metrics.registry import METRICS
from arena.records.estimate import State
from arena.records.grade import Standing
from arena.site import Document, Page, places
from arena.site.charts.spans import spans
from arena.site.charts.subjects import LineWeight, Span, Words
from arena.site.estimates import count_cell, estimated, formula, metric_cell, scale_of, table_of
from arena.site.pages.contestants.contestant_summary import remembered
from arena.site.pages.contestants.holdings import linked
from arena.site.pages.insights.insight_cards import pair_table
from arena.site.pages.leaderboard.evidence import rank_range_cell
from arena.site.pages.leaderboard.leaderboard import lines_of
from arena.site.pages.leaderboard.leaderboard_columns import LeaderboardLine
from arena.site.pages.parts import Cell, Field, Figure, Head, Kpi, Link, Table
from arena.site.reading import LABEL, Reading
from arena.site.sanitize import one_line

SCORES: Final = ("brier", "realised_return", "cost_per_forecast", "latency")


@dataclass(frozen=True, slots=True)
class Sums:
    """What a provider's contestants add up to; `cost` is None where a part is not known."""

    returned: float | None
    cost: Decimal | None
    cost_known: Decimal
    ok: int
    failed: int

    @property
    def failed_share(self) -> Cell:
        """The share of turns that failed."""
        turns = self.ok + self.failed
        share = self.failed / turns if turns else None
        return Cell(figures.percent(share, 1), value=share)


def by_provider(models: Sequence[LeaderboardLine]) -> Mapping[str, tuple[LeaderboardLine, ...]]:
    """The models of each provider, by its name."""
    models_by_provider: dict[str, list[LeaderboardLine]] = {}
    for model in models:
        if model.entrant.provider:
            models_by_provider.setdefault(model.entrant.provider, []).append(model)
    return {name: tuple(models_by_provider[name]) for name in sorted(models_by_provider)}


def sums_of(models: Sequence[LeaderboardLine]) -> Sums:
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


def model_figure(
    models: Sequence[LeaderboardLine], reading: Reading, root: str
) -> Figure | None:
    """The headline of each with its interval; None for fewer than two."""
    rows = [_span(model, reading.label(model.id), reading, root) for model in models]
    return _span_figure("models", "One by one", rows, reading.overview.headline)


def releases(models: Sequence[LeaderboardLine], reading: Reading, root: str) -> Figure | None:
    """Scores in the order of release, family by family; none for fewer than two releases."""
    dated = sorted(
        (model for model in models if model.entrant.release),
        key=lambda model: (model.entrant.family, model.entrant.release, model.id),
    )
    if len({model.entrant.release for model in dated}) < 2:  # noqa: PLR2004  # nothing to compare
        return None
    rows = [_span(model, _dated(model, reading), reading, root) for model in dated]
    return _span_figure("releases", "In the order of release", rows, reading.overview.headline)


def _dated(model: LeaderboardLine, reading: Reading) -> str:
    release = " ".join(part for part in (model.entrant.family, model.entrant.release) if part)
    return one_line(f"{release}: {reading.label(model.id)}", LABEL)


def _span_figure(key: str, title: str, rows: Sequence[Span], headline: str) -> Figure | None:
    if sum(span.value is not None for span in rows) < 2:  # noqa: PLR2004  # nothing to compare
        return None
    metric = METRICS[headline]
    words = Words(key, title, f"{metric.name}, {metric.better}, with intervals over events.")
    return spans(words, rows, scale_of(metric))


def _span(model: LeaderboardLine, name: str, reading: Reading, root: str) -> Span:
    estimate = model.profile.scores.get(reading.overview.headline)
    return Span.of(name, estimate, href=root + places.contestant(model.id))


def scores(models: Sequence[LeaderboardLine], reading: Reading, root: str) -> Table:
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
            Field(METRICS["remembered"].short, "n", formula("remembered", root)),
            Field("Cost", "n", formula("cost", root)),
        ),
        tuple(_score_row(model, keys, reading, root) for model in models),
    )


def _score_row(
    model: LeaderboardLine, keys: Sequence[str], reading: Reading, root: str
) -> tuple[Cell, ...]:
    place = model.profile.place
    return (
        linked(reading.contestant(model.id, root)),
        Cell(one_line(model.entrant.model, LABEL) if model.entrant.model else "not said"),
        Cell(one_line(model.entrant.release, LABEL) if model.entrant.release else "not said"),
        rank_range_cell(place, reading.overview),
        *(estimated(key, model.profile.scores.get(key), counted=True) for key in keys),
        remembered([model.profile.memory] if model.profile.memory else []),
        Cell(cost_text(model.standing), value=model.standing.cost),
    )


def arms(models: Sequence[LeaderboardLine], reading: Reading, root: str) -> Table | None:
    """Pairs of one model that differ in at most one setting; None where there are none."""
    names = {model.id for model in models}
    pairs = [pair for pair in reading.overview.insights.arms.pairs if pair.a in names]
    return pair_table("Arms of one model", pairs, reading, root) if pairs else None


def replies(models: Sequence[LeaderboardLine], reading: Reading, root: str) -> Table:
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


def _reply_row(model: LeaderboardLine, reading: Reading, root: str) -> tuple[Cell, ...]:
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
        *(count_cell(n) for n in counts),
    )


def cost_text(totals: Standing | Sums) -> str:
    """The cost in dollars, or its lower bound, or `unknown`."""
    return figures.spent(totals.cost, totals.cost_known, METRICS["cost"].shown)


@dataclass(frozen=True, slots=True)
class ProviderListPage:
    """templates/site/providers.html."""

    head: Head
    words: str
    figure: Figure | None
    table: Table | None
    families: Table | None
    unnamed: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ProviderPage:
    """templates/site/provider.html."""

    head: Head
    name: str
    words: str
    kpis: tuple[Kpi, ...]
    figure: Figure | None
    releases: Figure | None
    scores: Table
    arms: Table | None
    replies: Table
    others: tuple[Link, ...]


def pages(reading: Reading) -> Iterator[Page | Document]:
    """A page for every provider that somebody named, and the list of them."""
    models = lines_of(reading.store.boards.overall(), reading)
    named = by_provider(models)
    for name in named:
        view = provider_page(name, named, reading)
        yield Page(places.provider(name), "provider.html", view)
    yield Page(places.PROVIDERS, "providers.html", provider_front(models, reading))


def provider_front(models: Sequence[LeaderboardLine], reading: Reading) -> ProviderListPage:
    """The comparison of providers, and the contestants without one."""
    root = places.root_of(places.PROVIDERS)
    named, board = by_provider(models), reading.overview.providers
    return ProviderListPage(
        head=Head("Providers", root, "providers"),
        words=board_words(board, named) + _uncounted_words(reading.overview.uncounted),
        figure=_group_figure(board, root),
        table=_group_table(named, board, root),
        families=_families(reading.overview.families, root),
        unnamed=tuple(
            reading.contestant(model.id, root) for model in models if not model.entrant.provider
        ),
    )


def board_words(board: GroupBoard | None, named: Mapping[str, object]) -> str:
    """What was compared, and how, in words."""
    if not named:
        return ""
    if board is None:
        return (
            "Two providers with scored forecasts are needed before they can be compared. Until "
            "then each provider's page has the scores and the latency of its contestants."
        )
    metric = METRICS[board.metric].name
    every = (
        "which all of their contestants forecast"
        if board.common
        else "each contestant on those it forecast itself"
    )
    return (
        f"{metric} on {figures.many(board.questions, 'question')} of "
        f"{figures.many(board.events, 'event')}, {every}. Ability is the mean of a provider's "
        f"contestants, {_pooling(board)}. More contestants make it more precise, not higher."
    )


def _pooling(board: GroupBoard) -> str:
    if board.state is State.OK:
        return "shrunk towards the mean of all by their sampling error"
    return "not shrunk towards the mean of all: there are too few providers"


def _uncounted_words(forecasts: int) -> str:
    if not forecasts:
        return ""
    return (
        f" {figures.many(forecasts, 'forecast is', 'forecasts are')} not counted here: their "
        "cohorts count a model's first year after its release, where that is known."
    )


def provider_page(
    name: str, named: Mapping[str, Sequence[LeaderboardLine]], reading: Reading
) -> ProviderPage:
    """One provider: its skill, its contestants, and what they cost."""
    root = places.root_of(places.provider(name))
    shown, models = one_line(name, LABEL), named[name]
    line = line_of(reading.overview.providers, name)
    return ProviderPage(
        head=Head(f"Provider {shown}", root, "providers"),
        name=shown,
        words=_luck_words(line, reading.overview.providers),
        kpis=_kpis(models, line, reading, root),
        figure=model_figure(models, reading, root),
        releases=releases(models, reading, root),
        scores=scores(models, reading, root),
        arms=arms(models, reading, root),
        replies=replies(models, reading, root),
        others=tuple(
            Link(one_line(other, LABEL), root + places.provider(other))
            for other in named
            if other != name
        ),
    )


def line_of(board: GroupBoard | None, name: str) -> GroupLine | None:
    """The line of one group, by name."""
    return next((line for line in board.lines if line.name == name), None) if board else None


def _group_figure(board: GroupBoard | None, root: str) -> Figure | None:
    if board is None:
        return None
    metric = METRICS[board.metric]
    rows = [
        Span.of(
            one_line(line.name, LABEL),
            line.ability,
            note=figures.many(line.entrants, "contestant"),
            weight=LineWeight.MAIN,
            href=root + places.provider(line.name),
        )
        for line in board.lines
    ]
    words = Words(
        "providers",
        "Providers",
        f"{metric.name}, {metric.better}, {_pooling(board)}, with intervals.",
    )
    return spans(words, rows, scale_of(metric))


def _group_table(
    named: Mapping[str, Sequence[LeaderboardLine]], board: GroupBoard | None, root: str
) -> Table | None:
    if not named:
        return None
    order = [line.name for line in board.lines if line.name in named] if board else []
    names = [*order, *(name for name in named if name not in order)]
    metric = METRICS[board.metric] if board else None
    skill = (
        (
            Field(f"{metric.short}, ability", "n", formula(metric.key, root)),
            Field("Plain mean", "n", formula(metric.key, root)),
            Field("Best", "n", formula(metric.key, root)),
            Field("Best by luck"),
        )
        if metric
        else ()
    )
    return Table(
        "Providers",
        (
            Field("Provider", "one"),
            *skill,
            Field("Contestants"),
            Field("Return", "n", formula("returned", root)),
            Field("Cost", "n", formula("cost", root)),
            Field("Failed turns", "n", formula("turns", root)),
        ),
        tuple(_group_row(name, named[name], board, root) for name in names),
        "Best by luck: the expected lead of the best of so many equally able contestants, from "
        "sampling error alone."
        if metric
        else "",
    )


def _group_row(
    name: str, models: Sequence[LeaderboardLine], board: GroupBoard | None, root: str
) -> tuple[Cell, ...]:
    sums, line = sums_of(models), line_of(board, name)
    skill: tuple[Cell, ...] = ()
    if board and line:
        shown = METRICS[board.metric].shown
        luck = line.luck if line.entrants > 1 else None
        skill = (
            estimated(board.metric, line.ability, counted=True),
            Cell(shown(line.own), value=line.own),
            Cell(shown(line.best), value=line.best),
            Cell(shown(luck), value=luck),
        )
    elif board:
        skill = (Cell(figures.MISSING),) * 4
    return (
        Cell(one_line(name, LABEL), href=root + places.provider(name)),
        *skill,
        count_cell(len(models)),
        metric_cell("returned", sums.returned),
        Cell(cost_text(sums), value=sums.cost),
        sums.failed_share,
    )


def _families(board: GroupBoard | None, root: str) -> Table | None:
    if board is None:
        return None
    metric = METRICS[board.metric]
    return table_of(
        "Families of models",
        board.lines,
        (
            ("Family", "one", "", lambda line: Cell(one_line(line.name, LABEL))),
            (
                f"{metric.short}, ability",
                "n",
                metric.key,
                lambda line: estimated(metric.key, line.ability, counted=True),
            ),
            ("Plain mean", "n", metric.key, lambda line: metric_cell(metric.key, line.own)),
            ("Contestants", "n", "", lambda line: count_cell(line.entrants)),
        ),
        root,
    )


def _luck_words(line: GroupLine | None, board: GroupBoard | None) -> str:
    if line is None or board is None:
        return "It has not been compared with other providers yet."
    shown = METRICS[board.metric].shown
    if line.entrants == 1:
        return (
            "Only one contestant stands for it: how far models of one provider differ is "
            "judged from the others."
        )
    return (
        f"Its best contestant has {shown(line.best)} on the questions that all forecast. Of "
        f"{line.entrants} equally able ones the best has an expected lead of "
        f"{shown(line.luck)} from sampling error alone."
    )


def _kpis(
    models: Sequence[LeaderboardLine], line: GroupLine | None, reading: Reading, root: str
) -> tuple[Kpi, ...]:
    sums, board = sums_of(models), reading.overview.providers
    kpis = [Kpi("Contestants", count_cell(len(models)))]
    if line and board:
        name = f"{METRICS[board.metric].name}, ability"
        cell = estimated(board.metric, line.ability, counted=True)
        over = "shrunk towards the mean of all" if board.state is State.OK else "the plain mean"
        kpis.insert(0, Kpi(name, cell, over, formula(board.metric, root)))
    returned = metric_cell("returned", sums.returned)
    over = f"of {figures.many(sums.ok + sums.failed, 'turn')}"
    return (
        *kpis,
        Kpi("Return, mark-to-market", returned, "all added up", formula("returned", root)),
        Kpi("Cost", Cell(cost_text(sums), value=sums.cost), "", formula("cost", root)),
        Kpi("Failed turns", sums.failed_share, over),
        Kpi(
            METRICS["remembered"].short,
            remembered(model.profile.memory for model in models if model.profile.memory),
            "resolved forecasts",
            formula("remembered", root),
        ),
    )
