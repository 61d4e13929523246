"""How near each model's forecasts came, and whether they know what the prices do not.

Losses, by stage, and reliability; tests against the price at the open and at the close.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from arena.metrics.calibration import Reliability, reliability
from arena.metrics.study.comparisons import is_below
from arena.metrics.study.protocol import (
    BootstrapPlan,
    StudyForecasts,
    StudyLosses,
    StudyProtocol,
    StudyScore,
    known,
)
from arena.metrics.study.report import (
    EfficiencyReport,
    MarketReport,
    ModelScores,
    NumberPair,
    ScoreSummary,
)
from arena.records.estimate import Interval
from arena.scoring.logarithmic import Clip
from arena.scoring.summaries import top_label
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole
from arena.stats.bootstrap import (
    BootstrapMethod,
    BootstrapOptions,
    cluster_bootstrap,
    generator,
    iid_percentile,
)
from arena.stats.regression.efficiency import (
    efficiency_bootstrap,
    market_efficiency,
)
from arena.stats.regression.encompassing import encompassing, true_odds
from arena.stats.regression.wald import chi2_critical, chi2_level


def efficiency(
    forecasts: StudyForecasts, protocol: StudyProtocol
) -> tuple[EfficiencyReport, ...]:
    """Each model against closing prices, and against opening prices where there are any."""
    return tuple(
        report
        for model in forecasts.models
        if model != protocol.market
        for report in _of_model(forecasts, protocol, model)
    )


def _of_model(
    forecasts: StudyForecasts, protocol: StudyProtocol, model: str
) -> Iterator[EfficiencyReport]:
    plan, reference = protocol.efficiency, protocol.options.index(protocol.reference)
    p = forecasts.p[forecasts.models.index(model)]
    for moment, quotes in _quotes(forecasts):
        there = known(p) & known(quotes)
        if not there.any():
            continue
        columns, event = (
            (p[there], quotes[there], forecasts.outcome[there]),
            forecasts.event[there],
        )
        tested = market_efficiency(*columns, reference=reference, clip=plan.clip, event=event)
        drawn = None
        if moment == plan.prices:
            chance = generator("study efficiency", str(protocol.bootstrap.seed), model)
            drawn = efficiency_bootstrap(
                *columns,
                chance,
                replicates=plan.replicates,
                reference=reference,
                clip=plan.clip,
            ).p
        weight = encompassing(*columns, clip=plan.clip, event=event)
        yield EfficiencyReport(
            model=model,
            prices=moment,
            primary=moment == plan.prices,
            few=tested.few,
            small=tested.small,
            test=tested.test,
            wald=tested.wald,
            bootstrap_p=drawn,
            weight=weight.weight,
            adds_nothing=weight.adds_nothing,
            suffices=weight.suffices,
            rejected=is_below(tested.test.p, plan.level),
            corrected=is_below(tested.test.p, plan.corrected),
            published=is_below(plan.printed_critical, tested.test.statistic),
        )


def _quotes(forecasts: StudyForecasts) -> tuple[tuple[str, Floats], ...]:
    return (("closing", forecasts.closing), ("opening", forecasts.opening))


def prices(forecasts: StudyForecasts, protocol: StudyProtocol) -> tuple[MarketReport, ...]:
    """Nyberg's own test, of the prices themselves."""
    reference = protocol.options.index(protocol.reference)
    return tuple(
        MarketReport(
            moment,
            true_odds(
                quotes[there],
                forecasts.outcome[there],
                reference=reference,
                clip=protocol.efficiency.clip,
            ),
        )
        for moment, quotes in _quotes(forecasts)
        if (there := known(quotes)).any()
    )


def criticals(protocol: StudyProtocol) -> tuple[NumberPair, ...]:
    """The critical value as printed, and what it is; K - 1 degrees of freedom."""
    plan, df = protocol.efficiency, len(protocol.options) - 1
    return (
        NumberPair(
            "critical value at the corrected level",
            plan.printed_critical,
            chi2_critical(plan.corrected, df),
            "C1",
        ),
        NumberPair(
            "level of the printed critical value",
            plan.corrected,
            chi2_level(plan.printed_critical, df),
            "C1",
        ),
    )


FEWEST: Final = 2  # questions of a stage
BETTER_DRAWS: Final = 9_999


def accuracy(
    forecasts: StudyForecasts, losses: StudyLosses, protocol: StudyProtocol
) -> tuple[ModelScores, ...]:
    """Each model's losses over all questions that it forecast."""
    whole = np.ones(len(forecasts.outcome), np.bool_)
    return tuple(
        _scores(forecasts, losses, protocol.bootstrap, model, among=whole)
        for model in forecasts.models
    )


def by_stage(
    forecasts: StudyForecasts, losses: StudyLosses, protocol: StudyProtocol, stages: Factor
) -> tuple[ModelScores, ...]:
    """The same of each stage in which a model forecast two questions or more."""
    lines = [
        _scores(
            forecasts,
            losses,
            protocol.bootstrap,
            model,
            among=stages.codes == code,
            stage=stage,
        )
        for code, stage in enumerate(stages.names)
        if stage
        for model in forecasts.models
    ]
    return tuple(line for line in lines if line.n >= FEWEST)


def _scores(  # noqa: PLR0913  what is scored, of whom, and where
    forecasts: StudyForecasts,
    losses: StudyLosses,
    plan: BootstrapPlan,
    model: str,
    *,
    among: Flags,
    stage: str | None = None,
) -> ModelScores:
    place = forecasts.models.index(model)
    p = forecasts.p[place]
    there = known(p) & among
    events = forecasts.event[there]
    given = p[there, forecasts.outcome[there]]
    return ModelScores(
        model=model,
        stage=stage,
        n=int(there.sum()),
        events=len(np.unique(events)),
        clipped=int((given < Clip.FORTY_FIVE_PERCENT.low).sum()),
        scores=tuple(
            _summary(score, table[place, there], events, plan, (model, stage or ""))
            for score, table in losses.terms.items()
        ),
    )


def _summary(
    score: StudyScore, terms: Floats, events: Whole, plan: BootstrapPlan, of: tuple[str, str]
) -> ScoreSummary:
    published = iid_percentile(
        terms, plan.level, draws=plan.draws, rng=np.random.default_rng(plan.seed)
    )
    chance = generator("study", str(plan.seed), score, *of)
    return ScoreSummary(
        score,
        published.value,
        float(np.median(terms)) if terms.size else None,
        published.interval,
        _by_event(terms, events, plan.level, chance),
    )


def _by_event(
    terms: Floats, events: Whole, level: float, chance: np.random.Generator
) -> Interval | None:
    """The bias-corrected and accelerated bootstrap over events."""
    options = BootstrapOptions(BootstrapMethod.BCA, level, BETTER_DRAWS)
    _, codes = np.unique(events, return_inverse=True)
    return cluster_bootstrap(terms, codes, chance, options).interval


def reliabilities(
    forecasts: StudyForecasts, protocol: StudyProtocol
) -> tuple[Reliability, ...]:
    """Reliability of each model: of P(second option) of two, of the likeliest one of more."""
    diagrams = []
    for model, p in zip(forecasts.models, forecasts.p, strict=True):
        there = np.flatnonzero(known(p))
        if not there.size:
            continue
        came = forecasts.outcome[there]
        if len(protocol.options) == 2:  # noqa: PLR2004  options
            stated, hit = p[there, 1], came.astype(np.bool_)
        else:
            stated, hit = top_label(p[there], came)
        name = Factor((model,), np.zeros(len(there), np.intp))
        nothing = np.full(len(there), np.nan)
        own = Forecasts(
            contestant=name,
            market=Factor(forecasts.questions, there),
            event=Factor(
                tuple(map(str, range(forecasts.event.max() + 1))), forecasts.event[there]
            ),
            at=forecasts.gate.at[there],
            p=stated,
            outcome=hit.astype(np.intp),
            market_p=nothing,
            close_p=nothing,
        )
        diagrams.append(reliability(own, model, level=protocol.bootstrap.level))
    return tuple(diagrams)
