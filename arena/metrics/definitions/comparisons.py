"""The numbers that say who differs significantly, and who may be the best."""

from arena.metrics.metric import BetterDirection, Metric, MetricUnit

_LARGEST = "t, with the largest of six variances"

COMPARISONS = (
    Metric(
        "difference",
        "Difference of two contestants",
        "Difference",
        "The first contestant's mean of the headline metric less the second's, over the "
        "questions that both answered. Its interval takes the largest of six variances: "
        "between events, days, weeks, weeks of asking and categories, and what the chance in "
        "the outcomes must contribute.",
        symbol="delta",
        formulas=("delta = Σ(x_1 - x_2) / n",),
        unit=MetricUnit.LOSS,
        decimals=4,
        signed=True,
        interval=_LARGEST,
        source="Liang and Zeger (1986), Biometrika 73",
    ),
    Metric(
        "holm_p",
        "p-value of one look",
        "p, one look",
        "How often a difference as large would be seen if the two were equally good, at a "
        "single look at what has resolved, corrected for all pairs. It is no claim: a board "
        "that is read again and again needs the p-value over all looks.",
        unit=MetricUnit.PROBABILITY,
        decimals=4,
        source="Shaffer (1986), Journal of the American Statistical Association 81",
    ),
    Metric(
        "anytime_p",
        "p-value over all looks",
        "p, all looks",
        "The p-value that claims go by: it allows for every look of the season, or for any "
        "number of looks where the board has no end, and for all pairs. Open questions count "
        "at the market's price. `arena score --json` has it as p_anytime.",
        unit=MetricUnit.PROBABILITY,
        decimals=4,
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
        "are shown to be better, and as many as are not shown to be worse. A range that starts "
        "at 1 means that nobody is shown to be better; ranges that overlap are no tie. All "
        "ranges hold together with the level's probability.",
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
    Metric(
        "in_set",
        "Model confidence set",
        "In the confidence set",
        "Whether a contestant is among those that hold the best one with the level's "
        "probability, and the p-value at which it would drop out. n/a for fewer than 50 "
        "events.",
        unit=MetricUnit.PROBABILITY,
        decimals=4,
        source="Hansen, Lunde and Nason (2011), Econometrica 79",
    ),
    Metric(
        "strength",
        "Bradley-Terry strength",
        "Strength",
        "A contestant's log strength in a model in which the better forecast of a question "
        "wins. It says how often one was better than another, not by how much. n/a where "
        "somebody never lost.",
        unit=MetricUnit.NONE,
        better=BetterDirection.HIGHER,
        decimals=2,
        signed=True,
        interval="sandwich by event, t",
        source="Bradley and Terry (1952), Biometrika 39",
    ),
)
