"""The numbers of shadow books: the value of bets at the close, and what made their P/L."""

from functools import partial

from arena.metrics.metric import BetterDirection, Metric, MetricUnit

_EVENTS = "t over events (CR1; CR2 where they are few or uneven)"
_GROWTH = "t over events (CR3), on the scale of logarithms"
_C = "The 45 Percent Problem"
_CLOSE = "the market's last price before it closed"
_SPLIT = (
    "closing line value; forecast and sizing as in Brinson, Hood and Beebower (1986), "
    "Financial Analysts Journal 42"
)

_closing_value = partial(
    Metric,
    better=BetterDirection.HIGHER,
    decimals=4,
    signed=True,
    interval=_EVENTS,
    reference=_CLOSE,
)
_part_of_pnl = partial(Metric, unit=MetricUnit.DOLLARS, decimals=0, signed=True, source=_SPLIT)

AGAINST = (
    Metric(
        "ev_clv",
        "Expected value at the close",
        "EV-CLV",
        "The value of a dollar staked at the market's last middle price before it closed, "
        "after the price paid and the fee, less that dollar. It needs no outcome, so it shows "
        "an edge long before profit does. With prices that are right it is below zero by what "
        "trading cost.",
        symbol="EV",
        formulas=("EV = (q_c - a - u) / a",),
        unit=MetricUnit.PERCENT,
        better=BetterDirection.HIGHER,
        decimals=1,
        signed=True,
        interval=_GROWTH,
        reference=_CLOSE,
        source="expected value at closing odds; definition",
        caveat="It measures agreement with later prices: whoever moves them has it unearned.",
    ),
    Metric(
        "clv",
        "Closing line value",
        "CLV",
        "The market's probability of the side that was backed at the close, over the same when "
        "the bet was made, less one. What trading cost is not in it. With prices that are "
        "right its mean is zero.",
        symbol="CLV",
        formulas=("CLV = q_c / q_m - 1",),
        unit=MetricUnit.PERCENT,
        better=BetterDirection.HIGHER,
        decimals=1,
        signed=True,
        interval=_GROWTH,
        reference=_CLOSE,
        source=_C,
        caveat="A ratio: a few long shots can outweigh everything else.",
    ),
    _closing_value(
        "clv_difference",
        "Closing line value in points",
        "CLV, points",
        "The same as a difference of probabilities, which no long shot can dominate.",
        symbol="CLV_d",
        formulas=("CLV_d = q_c - q_m",),
        unit=MetricUnit.PROBABILITY,
        source="definition",
    ),
    _closing_value(
        "clv_log",
        "Closing line value, logarithm",
        "CLV, log",
        "The natural logarithm of the ratio of the two probabilities.",
        symbol="CLV_l",
        formulas=("CLV_l = ln(q_c / q_m)",),
        source="definition",
        caveat="Below zero on average even where prices are right, so zero is no fair test.",
    ),
    _closing_value(
        "clv_log_source_c",
        "Closing line value, logarithm of odds",
        "CLV, log odds",
        "The logarithm of the decimal odds that were taken, over those of the same side at the "
        "close, with the spread in both.",
        symbol="CLV_o",
        formulas=("CLV_o = ln(d_a) - ln(d_c)",),
        source=_C,
        caveat="A spread that narrows by the close reads as a loss.",
    ),
    Metric(
        "sharpe_clv",
        "Sharpe ratio of closing line value",
        "Sharpe",
        "The mean of the events' closing line values over their standard deviation. It "
        "describes how steady the value is; whether there is any is tested on the mean.",
        symbol="SR",
        formulas=("SR = mean / spread",),
        better=BetterDirection.HIGHER,
        decimals=3,
        signed=True,
        interval="Mertens, over events",
        source="Sharpe (1994), Journal of Portfolio Management 21",
    ),
    Metric(
        "betting_e",
        "Evidence from price moves",
        "e",
        "Wealth that starts at one and bets, from each round to the next, that prices move the "
        "way of the contestant's open bets. While prices hold no pattern that it knows, this "
        "ever reaches twenty with a chance of at most one in twenty: it is anytime-valid, and "
        "bets may depend on each other in any way.",
        symbol="E",
        formulas=("ln(E) = Σln(1 + share * gain)",),
        better=BetterDirection.HIGHER,
        decimals=2,
        source="Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86",
    ),
    _part_of_pnl(
        "pnl_forecast",
        "P/L from forecasting",
        "Forecast",
        "What the market moved the bettor's way by the close, had every bet been of the same "
        "size.",
        symbol="P_f",
        formulas=("P_f = Σs / n * Σ((q_c - q_m) / a)", "P = P_f + P_s + P_l + P_c"),
        better=BetterDirection.HIGHER,
        reference=_CLOSE,
    ),
    _part_of_pnl(
        "pnl_sizing",
        "P/L from sizing",
        "Sizing",
        "What was gained on top by staking more where the market moved further the bettor's "
        "way.",
        symbol="P_s",
        formulas=("P_s = Σ((s - Σs / n) * (q_c - q_m) / a)",),
        better=BetterDirection.HIGHER,
        reference=_CLOSE,
    ),
    _part_of_pnl(
        "pnl_luck",
        "P/L from luck",
        "Luck",
        "What outcomes gave beyond the close. A part that was sold counts the price of its "
        "sale as its outcome.",
        symbol="P_l",
        formulas=("P_l = Σ(N * (o - q_c))",),
        reference=_CLOSE,
    ),
    _part_of_pnl(
        "pnl_costs",
        "P/L from costs",
        "Costs",
        "What was paid above the middle price, and the fees.",
        symbol="P_c",
        formulas=("P_c = -Σ(N * (a - q_m)) - F",),
        better=BetterDirection.HIGHER,
    ),
    Metric(
        "luck_p",
        "Luck test",
        "luck p",
        "The probability of a P/L at least as large, had every price been right when the bets "
        "were made and every bet been held to the end. It is exact where the outcomes can be "
        "enumerated or fit a grid of cents, and drawn by chance where they are too many. "
        "Outcomes of different events are drawn separately, and one market at most of an "
        "exclusive event resolves YES.",
        unit=MetricUnit.PROBABILITY,
        better=BetterDirection.LOWER,
        decimals=4,
        source="Davison and Hinkley (1997), Bootstrap Methods, section 4.2, where it is drawn",
        caveat="Of twenty bettors without skill one has a p below 0.05. Bets that are still "
        "open are not in it.",
    ),
)
