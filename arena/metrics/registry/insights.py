"""What forecasts know beyond the price, how near they stay to it, and how they err together."""

from functools import partial

from arena.metrics.metric import BetterDirection, Metric, MetricUnit

_EVENTS = "t over events (CR1; CR2 where they are few or uneven)"
_FAIR = (
    "Fair and Shiller (1990), American Economic Review 80; Clemen (1989), International "
    "Journal of Forecasting 5"
)

_PALEKA = "Paleka et al. (2025), arXiv 2412.18544"

_gain = partial(
    Metric,
    unit=MetricUnit.LOSS,
    better=BetterDirection.HIGHER,
    decimals=4,
    signed=True,
    interval=_EVENTS,
)
_share = partial(Metric, unit=MetricUnit.PERCENT, decimals=0, interval=_EVENTS)


def _arbitrage(key: str, name: str, short: str, checks: str) -> Metric:
    """The mean profit of one kind of checks."""
    return Metric(
        key,
        name,
        short,
        f"What the contestant's own probabilities let an arbitrageur surely earn, {checks} "
        "It is paid by a market maker that quotes these probabilities and settles by the "
        "logarithmic score. Zero: they do not contradict each other.",
        unit=MetricUnit.LOSS,
        better=BetterDirection.LOWER,
        decimals=4,
        interval=_EVENTS,
        reference="0, no contradiction",
        source=_PALEKA,
        caveat="In nats: dollars where the market maker's liquidity is 1. Only forecasts of "
        "one moment are set beside each other. No value where no such markets were forecast.",
    )


INSIGHTS = (
    Metric(
        "information_weight",
        "Weight beside the price",
        "w",
        "How far the log odds of an outcome move with what a forecast says beyond the price. "
        "At 0 the forecast adds nothing to the price. At 1 the outcomes lie as far from the "
        "price as the forecast does. The fit has its own level and slope for the price, so "
        "that a constant forecast or a tilted price earns no weight.",
        better=BetterDirection.HIGHER,
        decimals=2,
        interval="t over events (CR1)",
        reference="0, the price alone",
        source=_FAIR,
        caveat="d is the forecast's log odds less the price's; a copy of the price has none.",
    ),
    _gain(
        "information_gain",
        "Gain beside the price",
        "gain",
        "The mean log score of the price and the forecast together, less that of the price "
        "alone, each fitted without the events that it is tested on. It is below 0 where a "
        "forecast adds nothing.",
        reference="a fit of the price alone",
        source=_FAIR,
    ),
    _share(
        "within_one_point",
        "Within 1 point of the price",
        "within 1",
        "The share of forecasts that differ from the price by at most 0.01.",
        source="definition",
    ),
    _share(
        "within_two_points",
        "Within 2 points of the price",
        "within 2",
        "The share of forecasts that differ from the price by at most 0.02.",
        source="definition",
    ),
    Metric(
        "price_correlation",
        "Correlation with the price",
        "r price",
        "Pearson's correlation of the log odds of forecasts and of prices.",
        decimals=2,
        interval=_EVENTS,
        source="definition",
    ),
    _gain(
        "value_of_updating",
        "Value of updating",
        "updating",
        "The mean Brier score that a contestant's first forecast of each market would have had "
        "at every later round, less that of what it said then. Above zero: it was right to "
        "change its mind. It is zero for one that never does.",
        reference="its own first forecast of the market",
        source="definition",
        caveat="News comes with time: a copy of the price gains by it too.",
    ),
    _arbitrage(
        "arbitrage_exclusive",
        "Arbitrage of exclusive markets",
        "arb excl",
        "as a mean over events of which at most one market can be YES: their probabilities may "
        "not add up to more than 1.",
    ),
    _arbitrage(
        "arbitrage_thresholds",
        "Arbitrage of thresholds",
        "arb thr",
        "as a mean over questions of one event that differ in a threshold alone: the more it "
        "asks for, the less likely.",
    ),
    _arbitrage(
        "arbitrage_deadlines",
        "Arbitrage of deadlines",
        "arb dead",
        "as a mean over questions of one event that differ in a deadline alone: the later, the "
        "more likely.",
    ),
    _share(
        "broken_checks",
        "Contradictions",
        "contradicts",
        "The share of these checks, of all three kinds, in which the certain profit is above "
        "0.01: that of 0.5 and 0.6 for two markets that exclude each other.",
        better=BetterDirection.LOWER,
        reference="0, no contradiction",
        source=_PALEKA,
    ),
    _gain(
        "close_gain",
        "Brier gain over the closing price",
        "gain close",
        "The mean Brier score of the last price before the close, less that of the forecasts. "
        "Above zero: the forecasts were nearer to what came.",
        reference="the last price before the close",
        source="definition",
        caveat="The closing price knows what happened after the forecast.",
    ),
    Metric(
        "copy_agreement",
        "Agreement of copies",
        "ICC",
        "The share of the variance within questions that lies between models, and not between "
        "copies of one model with one prompt and the same settings. 1: copies say the same.",
        symbol="ICC",
        decimals=2,
        interval="jackknife over groups of events",
        reference="1, copies that all say the same",
        source="Shrout and Fleiss (1979), Psychological Bulletin 86",
        caveat="The share is of these models: it is larger where they differ more.",
    ),
    Metric(
        "copies_needed",
        "Copies needed",
        "copies",
        "The number of copies of each model from which on at most a tenth of the events that "
        "a comparison of Brier scores needs are due to the chance of samples, at any power.",
        unit=MetricUnit.COUNT,
        interval="from that of the agreement of copies in Brier scores",
        source="definition",
    ),
    Metric(
        "forecast_distance",
        "Distance of forecasts",
        "distance",
        "The mean absolute difference of two contestants' forecasts of the same market at the "
        "same moment.",
        unit=MetricUnit.PROBABILITY,
        decimals=3,
        interval=_EVENTS,
        source="definition",
    ),
    Metric(
        "drift",
        "Distance from the first answers",
        "drift",
        "The mean absolute difference of log odds between what is answered now to a fixed set "
        "of questions, and the mean of the first day's answers.",
        better=BetterDirection.LOWER,
        decimals=3,
        reference="the distance of two first answers to one question",
        source="definition",
        caveat="Answers at once differ too: the next number says whether it is more than that.",
    ),
    Metric(
        "drift_e",
        "Evidence of a change",
        "e",
        "Wealth from 1 by bets that new answers are farther from the first ones than the first "
        "ones are from each other. If the model does not change, the chance that it reaches 20 "
        "within 52 looks is at most 1 in 20.",
        symbol="e",
        decimals=2,
        reference="1, no evidence",
        source="Vovk, Nouretdinov and Gammerman (2003), ICML; Ville (1939)",
        caveat="Each question is asked by itself, and several times on the first day.",
    ),
    Metric(
        "error_correlation",
        "Correlation of errors",
        "r errors",
        "The mean over pairs of contestants of the correlation of forecast less outcome, over "
        "the questions that both answered. The outcome's own chance is in every error, so that "
        "even perfect forecasts err together.",
        symbol="r",
        decimals=2,
        interval="jackknife over groups of events",
        source="definition",
    ),
    Metric(
        "effective_number",
        "Effective number of forecasters",
        "k eff",
        "How many forecasters with unrelated errors would be as good an average as these are.",
        decimals=1,
        interval="from that of the correlation of errors",
        source="Kish (1965), Survey Sampling",
    ),
)
