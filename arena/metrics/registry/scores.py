"""The numbers that are computed from forecasts and outcomes, whoever made the forecasts."""

from functools import partial

from arena.metrics.metric import BetterDirection, Metric, MetricUnit

_LARGEST = "t, with the largest of six variances"

_score = partial(Metric, unit=MetricUnit.LOSS, decimals=4)
_p_value = partial(Metric, unit=MetricUnit.PROBABILITY, decimals=4)

COMPARISONS = (
    _score(
        "difference",
        "Difference of two contestants",
        "Difference",
        "The first contestant's mean of the headline metric less the second's, over the "
        "questions that both answered. Its interval takes the largest of six variances: "
        "between events, days, weeks, weeks of asking and categories, and what the chance in "
        "the outcomes must contribute.",
        symbol="delta",
        formulas=("delta = Σ(x_1 - x_2) / n",),
        signed=True,
        interval=_LARGEST,
        source="Liang and Zeger (1986), Biometrika 73",
    ),
    _p_value(
        "holm_p",
        "p-value of one look",
        "p, one look",
        "How often a difference as large would be seen if the two were equally good, at a "
        "single look at what has resolved, corrected for all pairs. It is no claim: a board "
        "that is read again and again needs the p-value over all looks.",
        source="Shaffer (1986), Journal of the American Statistical Association 81",
    ),
    _p_value(
        "anytime_p",
        "p-value over all looks",
        "p, all looks",
        "The p-value that claims go by: it allows for every look of the season, or for any "
        "number of looks where the board has no end, and for all pairs. Open questions count "
        "at the market's price. arena score --json has it as p_anytime.",
        source="Kim and DeMets (1987), Biometrika 74; Robbins (1970), Annals of Mathematical "
        "Statistics 41",
    ),
    Metric(
        "common",
        "Common questions",
        "Common",
        "Resolved questions that both contestants answered, and the events they belong to. "
        "The events are the sample size.",
        unit=MetricUnit.COUNT,
        source="count",
    ),
    Metric(
        "needed",
        "Events needed",
        "Events needed",
        "How many such events would show a difference as large as the one that was seen, in a "
        "two-sided test with a power of 80%, were it the true one.",
        unit=MetricUnit.COUNT,
        source="Cohen (1988), Statistical Power Analysis for the Behavioral Sciences",
        caveat="What was seen is not what is true: after a lucky start it is too small.",
    ),
    Metric(
        "rank_range",
        "Possible ranks",
        "Possible ranks",
        "From the best to the worst rank that the tests leave open: one more than how many "
        "are shown to be better, and as many as are not shown to be worse. If a range starts "
        "at 1, no contestant is shown to be better. Overlapping ranges do not mean that two "
        "contestants are equal. All ranges hold together with the level's probability.",
        source="counts of the claims of all pairs",
    ),
    Metric(
        "first",
        "Share of resamples in first place",
        "P(first)",
        "How often a contestant was first when events were resampled. It says how the order "
        "depends on these events, and is not the probability that it is the best. It is taken "
        "over the questions that all answered, as the means beside it are.",
        unit=MetricUnit.PERCENT,
        decimals=1,
        source="events resampled",
    ),
    _p_value(
        "in_set",
        "Model confidence set",
        "In the confidence set",
        "Whether a contestant is among those that hold the best one with the level's "
        "probability, and the p-value at which it would drop out. n/a for fewer than 50 "
        "events.",
        source="Hansen, Lunde and Nason (2011), Econometrica 79",
    ),
    Metric(
        "strength",
        "Bradley-Terry strength",
        "Strength",
        "A contestant's log strength in a model in which the better forecast of a question "
        "wins. It says how often one was better than another, not by how much. n/a where "
        "somebody never lost.",
        better=BetterDirection.HIGHER,
        decimals=2,
        signed=True,
        interval="sandwich by event, t",
        source="Bradley and Terry (1952), Biometrika 39",
    ),
)


_BRIER = "Brier (1950), Monthly Weather Review 78"
_GOOD = "Good (1952), Journal of the Royal Statistical Society B 14"
_MURPHY = "Murphy (1973), Journal of Applied Meteorology 12"
_STEPHENSON = "Stephenson, Coelho and Jolliffe (2008), Weather and Forecasting 23"
_CORP = "Dimitriadis, Gneiting and Jordan (2021), PNAS 118"
_GNEITING = "Gneiting and Raftery (2007), JASA 102"
_EVENTS = "t over events (CR1; CR2 where they are few or uneven), or a larger variance"
_SLOPE = "t over events (CR1; CR2 where they are few or uneven)"
_LOSSES = "t over events (CR3), on the scale of logarithms, or a larger variance"
_RESAMPLED = "events resampled (percentile)"
_BASIC = "events resampled (basic)"
_DECISION = "the market's price at the decision"
_CLOSE = "the market's last price before it closed"

_skill = partial(
    Metric,
    unit=MetricUnit.PERCENT,
    better=BetterDirection.HIGHER,
    decimals=2,
    signed=True,
    interval=_RESAMPLED,
    source=_MURPHY,
)

PROPER = (
    _score(
        "brier_sum",
        "Brier score over options",
        "Brier, K",
        "Brier's original form for a question with several options: the squared distances of "
        "all options are added, so it lies between 0 and 2, and is twice the Brier score of a "
        "yes/no question.",
        symbol="B_J",
        formulas=("B_J = Σ(p_j - o_j)^2",),
        better=BetterDirection.LOWER,
        interval=_LOSSES,
        source=_BRIER,
    ),
    _score(
        "log",
        "Log loss",
        "Log loss",
        "Minus the natural logarithm of the probability that was given to what happened. Below "
        "one in a million it is counted as one in a million, and how often that was needed is "
        "published beside it. Saying one half always scores 0.6931.",
        symbol="LL",
        formulas=("LL = -ln(max(y, epsilon))",),
        better=BetterDirection.LOWER,
        interval=_LOSSES,
        source=_GOOD,
    ),
    _score(
        "spherical",
        "Spherical score",
        "Spherical",
        "The probability of what happened, divided by the length of the whole forecast seen as "
        "a vector. It is proper, bounded by 1, and the higher the better.",
        symbol="SPH",
        formulas=("SPH = y / sqrt(Σp_j^2)",),
        better=BetterDirection.HIGHER,
        interval=_EVENTS,
        source=_GNEITING,
    ),
    _score(
        "rps",
        "Ranked probability score",
        "RPS",
        "For options in an order, such as bands of a number: the squared distances of the "
        "cumulated forecast, divided by one less than the number of options. It is computed "
        "only where the options were said to be ordered, or it is asked for by name.",
        symbol="RPS",
        formulas=("RPS = Σ(cum_p - cum_o)^2 / (J - 1)",),
        better=BetterDirection.LOWER,
        interval=_LOSSES,
        source="Epstein (1969) and Murphy (1971), Journal of Applied Meteorology",
        caveat="Not for options without an order: it would depend on how they are listed.",
    ),
)

SKILL = (
    _score(
        "alpha",
        "Brier gain over the market",
        "Gain over market",
        "How much lower the contestant's Brier score is than the market's own, with the price "
        "at the moment of the decision taken as a forecast. Above zero the contestant's "
        "forecasts were better than the price.",
        symbol="G",
        formulas=("G = (m - o)^2 - (p - o)^2",),
        better=BetterDirection.HIGHER,
        signed=True,
        interval=_EVENTS,
        reference=_DECISION,
        source="paired difference of Brier scores; definition",
    ),
    Metric(
        "slope",
        "Market-relative slope",
        "Slope b",
        "How far outcomes move with the contestant's departures from the price. Above zero the "
        "departures hold information, above one half they lower the Brier score, at one they "
        "are of the right size.",
        symbol="beta",
        formulas=("beta = Σ((p - m) * (o - m)) / Σ(p - m)^2",),
        better=BetterDirection.HIGHER,
        decimals=3,
        interval=_SLOPE,
        reference=_DECISION,
        source="least squares through the origin; cluster-robust error",
    ),
    _skill(
        "brier_skill",
        "Brier skill score",
        "Skill",
        "The share of the market's Brier score that the contestant avoids, from the sums over "
        "the forecasts whose price at the decision is known. It has no value where the market "
        "made no error at all.",
        symbol="BSS",
        formulas=("BSS = 1 - ΣB / ΣB_m",),
        reference=_DECISION,
        caveat="A ratio: whether it differs from zero is tested on the Brier gain over the "
        "market, never on the ratio.",
    ),
    _skill(
        "brier_skill_close",
        "Brier skill score against the close",
        "Skill, close",
        "The same against the last price before the market closed, which knew more than "
        "anybody could at the decision.",
        symbol="BSS_c",
        formulas=("BSS_c = 1 - ΣB / ΣB_c",),
        reference=_CLOSE,
    ),
    _skill(
        "brier_skill_half",
        "Brier skill score against one half",
        "Skill, 1/2",
        "The same against saying one half every time, whose Brier score is 0.25.",
        symbol="BSS_h",
        formulas=("BSS_h = 1 - ΣB / (n / 4)",),
        reference="one half",
    ),
    _skill(
        "log_skill",
        "Log skill score",
        "Log skill",
        "The share of the market's log loss that the contestant avoids.",
        symbol="LSS",
        formulas=("LSS = 1 - ΣLL / ΣLL_m",),
        reference=_DECISION,
    ),
    Metric(
        "brier_index",
        "Brier index",
        "Index",
        "The Brier score on a scale where 100 is perfect, 50 is always saying one half, and 0 "
        "is always certain and always wrong.",
        symbol="BI",
        formulas=("BI = 100 * (1 - sqrt(B))",),
        unit=MetricUnit.POINTS,
        better=BetterDirection.HIGHER,
        decimals=1,
        interval=_RESAMPLED,
        source="ForecastBench",
    ),
)

CALIBRATION = (
    _score(
        "mcb",
        "Miscalibration (CORP)",
        "MCB",
        "How much of the Brier score would go away if every forecast were replaced by the "
        "frequency that such forecasts had, found by monotone regression without bins.",
        symbol="MCB",
        formulas=("MCB = B - B_r", "B = MCB - DSC + UNC"),
        better=BetterDirection.LOWER,
        interval=_BASIC,
        source=_CORP,
    ),
    _score(
        "dsc",
        "Discrimination (CORP)",
        "DSC",
        "How much better the recalibrated forecasts are than always saying the base rate.",
        symbol="DSC",
        formulas=("DSC = UNC - B_r",),
        better=BetterDirection.HIGHER,
        interval=_BASIC,
        source=_CORP,
    ),
    _score(
        "unc",
        "Uncertainty",
        "UNC",
        "The Brier score of always saying the base rate of these questions: how hard they "
        "were.",
        symbol="UNC",
        formulas=("UNC = z * (1 - z)",),
        interval=_BASIC,
        source=_MURPHY,
    ),
    _score(
        "rel",
        "Reliability (ten bins)",
        "REL",
        "How far the mean forecast of each bin lies from the frequency in it. It is an error: "
        "the lower the better.",
        symbol="REL",
        formulas=("REL = Σ(n_k * (p_k - z_k)^2) / n", "B = REL - RES + UNC + WBV - WBC"),
        better=BetterDirection.LOWER,
        interval=_BASIC,
        source=_MURPHY,
        caveat="Ten bins are a choice; MCB makes none.",
    ),
    _score(
        "res",
        "Resolution (ten bins)",
        "RES",
        "How far the frequencies of the bins lie from the base rate.",
        symbol="RES",
        formulas=("RES = Σ(n_k * (z_k - z)^2) / n",),
        better=BetterDirection.HIGHER,
        interval=_BASIC,
        source=_MURPHY,
    ),
    _score(
        "wbv",
        "Variance within bins",
        "WBV",
        "How much forecasts differ inside their bin. With the covariance below it makes the "
        "decomposition exact.",
        symbol="WBV",
        formulas=("WBV = Σ(p - p_k)^2 / n",),
        interval=_RESAMPLED,
        source=_STEPHENSON,
    ),
    _score(
        "wbc",
        "Covariance within bins",
        "WBC",
        "How much forecasts and outcomes move together inside their bin.",
        symbol="WBC",
        formulas=("WBC = 2 * Σ((p - p_k) * (o - z_k)) / n",),
        interval=_RESAMPLED,
        source=_STEPHENSON,
    ),
    _score(
        "ece",
        "Expected calibration error",
        "ECE",
        "The mean distance between forecast and frequency over ten bins of equal width.",
        symbol="ECE",
        formulas=("ECE = Σ(n_k * abs(p_k - z_k)) / n",),
        better=BetterDirection.LOWER,
        interval=_BASIC,
        source="Guo, Pleiss, Sun and Weinberger (2017), ICML",
        caveat="It grows with the number of bins and shrinks with n; it is no proper score.",
    ),
    Metric(
        "auc",
        "Area under the ROC curve",
        "AUC",
        "The share of pairs of a YES and a NO market in which the YES market got the higher "
        "forecast; ties count half.",
        symbol="AUC",
        formulas=("AUC = T / (n_YES * n_NO)",),
        unit=MetricUnit.PROBABILITY,
        better=BetterDirection.HIGHER,
        decimals=3,
        interval=_RESAMPLED,
        source="Mann and Whitney (1947), Annals of Mathematical Statistics 18",
    ),
    _score(
        "sharpness",
        "Sharpness",
        "Sharpness",
        "The variance of the forecasts: how far they are from their mean. It does not measure "
        "whether they are right.",
        symbol="V_p",
        formulas=("V_p = Σ(p - p_n)^2 / n",),
        interval=_RESAMPLED,
        source="Gneiting, Balabdaoui and Raftery (2007), JRSS B 69",
    ),
)

FAIR = (
    _score(
        "alpha_adjusted",
        "Brier gain over the market, same questions for all",
        "Gain over market",
        "What the gain over the market would be if everybody had forecast every question that "
        "has a price: contestants and questions each have an effect, found by least squares, "
        "and the market's own gain is 0. The leaderboard goes by it where the shares "
        "of questions that contestants answered differ by more than 5 points.",
        symbol="G_adj",
        formulas=("G_ij = own_i + hard_j + rest_ij",),
        better=BetterDirection.HIGHER,
        signed=True,
        interval="t over events, days, weeks or categories",
        reference=_DECISION,
        source="two-way fixed effects, as ForecastBench ranks",
    ),
    _score(
        "brier_adjusted",
        "Brier score, adjusted for difficulty",
        "Adjusted",
        "What the mean Brier score would be if everybody had forecast every question: "
        "contestants and questions each have an effect, found by least squares. Contestants "
        "without a question in common with the others have no value.",
        symbol="B_adj",
        formulas=("B_ij = own_i + hard_j + rest_ij",),
        better=BetterDirection.LOWER,
        interval=_RESAMPLED,
        source="two-way fixed effects, as ForecastBench ranks",
    ),
)


SHAPE = (
    Metric(
        "mean_yes",
        "Mean forecast of markets that resolved YES",
        "Said of YES",
        "The mean probability that was given to markets that resolved YES. The further it is "
        "above the mean forecast of those that resolved NO, the better the discrimination.",
        symbol="p_YES",
        formulas=(
            "p_YES - p_NO = cov / UNC",
            "cov = Σ(n_k * p_k * (z_k - z)) / n + WBC / 2",
        ),
        unit=MetricUnit.PROBABILITY,
        decimals=3,
        source="definition",
    ),
    Metric(
        "mean_no",
        "Mean forecast of markets that resolved NO",
        "Said of NO",
        "The mean probability of YES that was given to markets that resolved NO.",
        symbol="p_NO",
        unit=MetricUnit.PROBABILITY,
        decimals=3,
        source="definition",
    ),
    Metric(
        "upper",
        "Forecasts of at least 0.8",
        "From 0.8",
        "The mean of the forecasts of at least 0.8, and how often they resolved YES. A "
        "contestant is called overconfident only if the frequency is below what a calibrated "
        "contestant would get by chance, at the level of the page.",
        unit=MetricUnit.PROBABILITY,
        decimals=3,
        interval="binomial band of a calibrated contestant, each forecast an event of its own",
        source="definition",
        caveat="Forecasts of one event share their news, so that the band is too narrow.",
    ),
    Metric(
        "forecasts_n",
        "Resolved forecasts",
        "Forecasts",
        "How many probabilities were stated for markets that have resolved YES or NO, and of "
        "how many events these are. Forecasts of one event share their news, so that the "
        "events count.",
        symbol="n",
        unit=MetricUnit.COUNT,
        source="count",
    ),
    _p_value(
        "miscalibration_p",
        "Test of calibration",
        "p, calibrated",
        "How often a contestant whose every probability is right would look as badly "
        "calibrated as this one: its forecasts are kept and outcomes are drawn from them, "
        "with whole events drawn together. Small values say that it is not calibrated.",
        source="consistency resampling of MCB, as in Dimitriadis, Gneiting and Jordan (2021)",
    ),
)
