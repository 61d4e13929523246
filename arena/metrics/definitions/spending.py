"""The numbers of what answers took: dollars, tokens and attempts."""

from arena.metrics.metric import BetterDirection, Metric, MetricUnit

SPENDING = (
    Metric(
        "cost_turn",
        "Cost of a turn",
        "A turn",
        "The mean over the newest cohorts of what a turn cost in each. A cohort in which the "
        "cost of a turn is unknown is left out of the mean.",
        unit=MetricUnit.DOLLARS,
        better=BetterDirection.LOWER,
        decimals=4,
        interval="t over cohorts",
        source="definition",
    ),
    Metric(
        "tokens",
        "Tokens",
        "Tokens",
        "Tokens that providers counted: of questions, the part of those that was read from a "
        "provider's cache, and of answers. What nobody told is not in them.",
        unit=MetricUnit.COUNT,
        source="as the provider reports them",
    ),
    Metric(
        "cached_share",
        "Share of the question from the cache",
        "Cached",
        "Tokens of questions that the provider read from its cache, as a share of all tokens "
        "of questions.",
        unit=MetricUnit.PERCENT,
        decimals=1,
        source="definition",
    ),
    Metric(
        "calls",
        "Calls and attempts",
        "Calls",
        "A call is one question to a model. It may take several attempts, of which some fail "
        "and are made again; a re-ask is a call of its own, after an answer that could not be "
        "read. Whoever asks a model by itself counts as one call a turn. Costs also count "
        "calls that were sent and never came back; counts of replies do not.",
        unit=MetricUnit.COUNT,
        source="count",
    ),
    Metric(
        "maybe_billed",
        "Failed and perhaps billed",
        "Perhaps billed",
        "Attempts that failed in a way that does not say whether the provider charges for "
        "them, and calls that were sent and never heard of. Their cost is not in any sum.",
        unit=MetricUnit.COUNT,
        better=BetterDirection.LOWER,
        source="count",
    ),
    Metric(
        "unknown_cost",
        "Of unknown cost",
        "Unknown",
        "How many turns or calls have a cost that nobody stated and no price list knows. "
        "They are missing in the sum, which is then a lower bound.",
        unit=MetricUnit.COUNT,
        better=BetterDirection.LOWER,
        source="count",
    ),
)
