"""Whether models know what the market's prices do not, at the close and at the open."""

from collections.abc import Iterator

from arena.metrics.study.forecasts import StudyForecasts, known
from arena.metrics.study.protocol import StudyProtocol
from arena.metrics.study.report import EfficiencyReport, MarketReport, NumberPair
from arena.scoring.table import Floats
from arena.stats.regression.efficiency import (
    efficiency_bootstrap,
    market_efficiency,
)
from arena.stats.regression.encompassing import encompassing
from arena.stats.regression.true_odds import true_odds
from arena.stats.regression.wald import chi2_critical, chi2_level
from arena.stats.resampling.draws import generator


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
            test=tested.test,
            wald=tested.wald,
            bootstrap_p=drawn,
            weight=weight.weight,
            adds_nothing=weight.adds_nothing,
            suffices=weight.suffices,
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
            ).likelihood_ratio,
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
