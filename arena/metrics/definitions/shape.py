"""The numbers that a forecaster's bins tell besides its scores."""

from arena.metrics.metric import Metric, MetricUnit

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
        "What forecasts of at least 0.8 said on average, and how often they resolved YES. Too "
        "sure is said only where the frequency is below what a calibrated contestant would "
        "get by chance, at the level of the page.",
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
    Metric(
        "miscalibration_p",
        "Test of calibration",
        "p, calibrated",
        "How often a contestant whose every probability is right would look as badly "
        "calibrated as this one: its forecasts are kept and outcomes are drawn from them, "
        "with whole events drawn together. Small values say that it is not calibrated.",
        unit=MetricUnit.PROBABILITY,
        decimals=4,
        source="consistency resampling of MCB, as in Dimitriadis, Gneiting and Jordan (2021)",
    ),
)
