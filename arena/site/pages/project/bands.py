"""Published bands of good scores, and the effect of the rules on prices."""

from arena.metrics import figures
from arena.metrics.bands import BANDS, MetricBand, MetricBands
from arena.metrics.calibration import Reliability
from arena.metrics.metric import Metric, MetricUnit
from arena.metrics.registry import METRICS
from arena.records.cohort import FillRule, MarkRule, Rules
from arena.site.estimates import formula
from arena.site.pages.parts.parts import Link
from arena.site.pages.project.methodology_view import BandRow, BandTable


def bands(market: Reliability | None) -> tuple[BandTable, ...]:
    """Published bands of good scores, with the market's own score on the same questions."""
    return tuple(_bands(metric_bands, market) for metric_bands in BANDS)


def limit_of(rules: Rules) -> str:
    """What the rules in force make of prices."""
    return (
        f"{_fills(rules)} {_marks(rules)} Bets need a price that is at most "
        f"{figures.span(rules.max_quote_age)} old."
    )


def _bands(metric_bands: MetricBands, market: Reliability | None) -> BandTable:
    metric = METRICS[metric_bands.metric]
    return BandTable(
        Link(metric.name, formula(metric.key, "")),
        metric_bands.source,
        tuple(BandRow(_span(band, metric), band.words) for band in metric_bands.bands),
        metric_bands.caveat,
        _reference_band(metric, market),
    )


def _reference_band(metric: Metric, market: Reliability | None) -> str:
    """What costs no skill on the questions of this arena."""
    if metric.key != "forecast" or market is None or "unc" not in market.scores:
        return ""
    shown = metric.shown
    return (
        "On the questions of this arena always saying the base rate scores "
        f"{shown(market.scores['unc'].value)}, and the market's price "
        f"{shown(market.scores['brier'].value)}."
    )


def _span(band: MetricBand, metric: Metric) -> str:
    if band.when:
        return band.when
    low, high = (None if end is None else _end(end, metric) for end in (band.low, band.high))
    if low == high:
        return str(low)
    if low is None:
        return f"below {high}"
    return f"{low} and above" if high is None else f"{low} to {high}"


def _end(value: float, metric: Metric) -> str:
    """A limit of a band in as few figures as its source writes, percentages as such."""
    if metric.unit is MetricUnit.PERCENT:
        return figures.percent(value, 0)
    return f"{round(value, 4):g}"


def _fills(rules: Rules) -> str:
    if rules.fill is FillRule.MID:
        return "Bets trade at the middle of the book, which nobody gets in earnest."
    if rules.fill is FillRule.ASK:
        return "Bets trade at the best offer, whatever their size."
    return "Bets trade against the book as it was shown."


def _marks(rules: Rules) -> str:
    if rules.mark is MarkRule.MID:
        return "Open positions are worth the middle of the book, more than they would bring."
    return "Open positions are worth the bid: what they would bring, were they small."
