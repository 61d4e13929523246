"""The numbers of what was realised, and of how equity moved."""

from arena.metrics.metric import BetterDirection, Metric, MetricUnit

_MADE = "definition"
_DAYS = (
    "A day's return compares equity at its end with equity at the end of the day before and "
    "the capital of cohorts that started since. A day on which a position had no price is "
    "passed over."
)

RISK = (
    Metric(
        "realised_return",
        "Realised return",
        "Realised return",
        "Realised profit or loss less all fees, as a share of the opening capital. What is "
        "open counts with its fees alone, so that no price is needed. n counts what was "
        "settled or sold: a bet that was sold in parts counts once a part.",
        symbol="r_R",
        formulas=("r_R = (R - F) / K",),
        unit=MetricUnit.PERCENT,
        better=BetterDirection.HIGHER,
        decimals=2,
        signed=True,
        interval="t over events (CR1; CR2 where they are few or uneven)",
        source=_MADE,
        caveat="The interval assumes that events share no news and are alike in size. One "
        "large bet can be most of it.",
    ),
    Metric(
        "max_drawdown",
        "Maximum drawdown",
        "Drawdown",
        "The largest fall of compounded daily returns from their peak, as a share of the peak; "
        "0 for a path that never fell. " + _DAYS,
        symbol="M_d",
        formulas=("M_d = min(v_t / max(v_s)) - 1",),
        unit=MetricUnit.PERCENT,
        better=BetterDirection.HIGHER,
        decimals=2,
        signed=True,
        source="Magdon-Ismail and Atiya (2004), Risk 17",
        caveat="A longer path has had more time to fall. Capital that lies idle softens it.",
    ),
    Metric(
        "volatility",
        "Volatility of daily returns",
        "Volatility",
        "The standard deviation of daily returns, of one day and not of a year. " + _DAYS,
        symbol="S_d",
        formulas=("S_d = sqrt(Σ(r_t - mean)^2 / (n - 1))",),
        unit=MetricUnit.PERCENT,
        better=BetterDirection.LOWER,
        decimals=2,
        source=_MADE,
        caveat="Prices that are seldom read move seldom, and make it too small.",
    ),
    Metric(
        "worst_day",
        "Worst day",
        "Worst day",
        "The lowest daily return. " + _DAYS,
        symbol="r_min",
        formulas=("r_min = min(r_t)",),
        unit=MetricUnit.PERCENT,
        better=BetterDirection.HIGHER,
        decimals=2,
        signed=True,
        source=_MADE,
    ),
)

EFFORT = (
    Metric(
        "cost_per_forecast",
        "Cost per resolved forecast",
        "Cost/forecast",
        "What all answers cost, over the number of forecasts that have resolved YES or NO. It "
        "is unknown as soon as the cost of one answer is unknown.",
        symbol="k_f",
        formulas=("k_f = cost / n",),
        unit=MetricUnit.DOLLARS,
        better=BetterDirection.LOWER,
        decimals=6,
        source=_MADE,
        caveat="Answers whose markets have not resolved are paid for already.",
    ),
    Metric(
        "latency",
        "Time of an answer",
        "Latency",
        "The median over turns of the seconds that an answer took, with all its calls. Turns "
        "that failed count as long as they took.",
        symbol="t",
        unit=MetricUnit.SECONDS,
        better=BetterDirection.LOWER,
        decimals=1,
        source="the median; definition",
    ),
)
