"""The pages of model providers."""

from collections.abc import Iterator, Mapping, Sequence

from arena.metrics import figures
from arena.metrics.comparisons.groups import GroupBoard, GroupLine
from arena.metrics.registry import METRICS
from arena.site import places
from arena.site.charts.spans import spans
from arena.site.charts.subjects import LineWeight, Scale, Span, Words
from arena.site.estimates import estimated, formula
from arena.site.page import Document, Page
from arena.site.pages.parts.parts import Cell, Figure, Head, Kpi, Link
from arena.site.pages.parts.tables import Field, Table
from arena.site.pages.providers.models import (
    Model,
    by_provider,
    cost_text,
    model_figure,
    models_of,
    releases,
    replies,
    scores,
    sums_of,
)
from arena.site.pages.providers.view import ProviderListPage, ProviderPage
from arena.site.reading import LABEL, Reading
from arena.site.sanitize import one_line
from arena.store.scores.evidence import UNKNOWN


def pages(reading: Reading) -> Iterator[Page | Document]:
    """A page for every provider that somebody named, and the list of them."""
    models = models_of(reading)
    named = by_provider(models)
    for name in named:
        view = provider_page(name, named, reading)
        yield Page(places.provider(name), "provider.html", view)
    yield Page(places.PROVIDERS, "providers.html", provider_front(models, reading))


def provider_front(models: Sequence[Model], reading: Reading) -> ProviderListPage:
    """The comparison of providers, and the contestants without one."""
    root = places.root_of(places.PROVIDERS)
    named, board = by_provider(models), reading.overview.providers
    return ProviderListPage(
        head=Head("Providers", root, "providers"),
        words=board_words(board, named),
        figure=_group_figure(board, named, root),
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
        "contestants, moved towards the mean of all by as much as chance explains. More "
        "contestants make it more certain, not better."
    )


def provider_page(
    name: str, named: Mapping[str, Sequence[Model]], reading: Reading
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


def group_name(name: str, label: str) -> str:
    """What a group is called; those who named none are one, too."""
    return f"no {label} named" if name == UNKNOWN else one_line(name, LABEL)


def _group_figure(
    board: GroupBoard | None, named: Mapping[str, object], root: str
) -> Figure | None:
    if board is None:
        return None
    metric = METRICS[board.metric]
    rows = [
        Span(
            group_name(line.name, board.label),
            line.ability.value,
            line.ability.interval.low if line.ability.interval else None,
            line.ability.interval.high if line.ability.interval else None,
            line.ability.n,
            figures.many(line.entrants, "contestant"),
            LineWeight.MAIN if line.name in named else LineWeight.REFERENCE,
            root + places.provider(line.name) if line.name in named else "",
        )
        for line in board.lines
    ]
    words = Words(
        "providers",
        "Providers",
        f"{metric.name}, {metric.better}, drawn towards the mean of all by what chance "
        "explains, with intervals.",
    )
    base = 0.0 if metric.signed else None
    return spans(words, rows, Scale(metric.short, metric.shown, base=base))


def _group_table(
    named: Mapping[str, Sequence[Model]], board: GroupBoard | None, root: str
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
        "Best by luck: how far the best of so many equals would stand out by errors alone."
        if metric
        else "",
    )


def _group_row(
    name: str, models: Sequence[Model], board: GroupBoard | None, root: str
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
    turns = sums.ok + sums.failed
    failed = sums.failed / turns if turns else None
    return (
        Cell(one_line(name, LABEL), href=root + places.provider(name)),
        *skill,
        Cell(figures.count(len(models)), value=len(models)),
        Cell(METRICS["returned"].shown(sums.returned), value=sums.returned),
        Cell(cost_text(sums), value=sums.cost),
        Cell(figures.percent(failed, 1), value=failed),
    )


def _families(board: GroupBoard | None, root: str) -> Table | None:
    if board is None:
        return None
    metric = METRICS[board.metric]
    return Table(
        "Families of models",
        (
            Field("Family", "one"),
            Field(f"{metric.short}, ability", "n", formula(metric.key, root)),
            Field("Plain mean", "n", formula(metric.key, root)),
            Field("Contestants"),
        ),
        tuple(
            (
                Cell(group_name(line.name, board.label)),
                estimated(board.metric, line.ability, counted=True),
                Cell(metric.shown(line.own), value=line.own),
                Cell(figures.count(line.entrants), value=line.entrants),
            )
            for line in board.lines
        ),
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
        f"Its best contestant has {shown(line.best)}. Of {line.entrants} equally able ones the "
        f"best would stand out by {shown(line.luck)} by errors alone."
    )


def _kpis(
    models: Sequence[Model], line: GroupLine | None, reading: Reading, root: str
) -> tuple[Kpi, ...]:
    sums, board = sums_of(models), reading.overview.providers
    kpis = [Kpi("Contestants", Cell(figures.count(len(models)), value=len(models)))]
    if line and board:
        name = f"{METRICS[board.metric].name}, ability"
        cell = estimated(board.metric, line.ability, counted=True)
        kpis.insert(0, Kpi(name, cell, "drawn towards all", formula(board.metric, root)))
    turns = sums.ok + sums.failed
    failed = sums.failed / turns if turns else None
    returned = Cell(METRICS["returned"].shown(sums.returned), value=sums.returned)
    over = f"of {figures.many(turns, 'turn')}"
    return (
        *kpis,
        Kpi("Return, mark-to-market", returned, "all added up", formula("returned", root)),
        Kpi("Cost", Cell(cost_text(sums), value=sums.cost), "", formula("cost", root)),
        Kpi("Failed turns", Cell(figures.percent(failed, 1), value=failed), over),
    )
