"""Worked examples of source A, a guide to scoring rules for betting agents."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arena.metrics.sources import Formula, Given, Values, alike, known
from arena.scoring.bins import BinningRule, murphy, put_in_bins
from arena.scoring.corp import corp
from arena.scoring.leaderboard import skill_score
from arena.scoring.logarithmic import Clip, log_option_terms, log_terms
from arena.scoring.proper import brier_terms, expected_brier, expected_log_curvature
from arena.scoring.published import expected_log_curvature_as_printed, skill_score_or_zero
from arena.scoring.skill import brier_skill, log_skill, sample_rate
from arena.stats.comparisons.difference import events_needed
from arena.stats.diebold_mariano import dm_bandwidth_as_horizon, dm_textbook
from arena.stats.mean_intervals import interval, mean_test

GUIDE = Clip.BETTING_GUIDE


def _brier(given: Given) -> tuple[Values, Values]:
    terms = brier_terms(given["f"], given["o"])
    return alike({"mean": terms.mean(), "sum": terms.sum(), "terms": terms})


def _skill(given: Given) -> tuple[Values, Values]:
    f, o, reference = given["f"], given["o"], given["reference"]
    skill = brier_skill(f, o, reference).value
    rounded = [round(float(brier_terms(p, o).mean()), 4) for p in (f, reference)]
    right = {"bss": skill, "bss_percent": None if skill is None else 100 * skill}
    return {"bss": skill_score_or_zero(*rounded)}, right


def _skill_of_means(given: Given) -> tuple[Values, Values]:
    return alike({"value": skill_score(given["num"], given["den"])})


def _skill_of_rate(given: Given) -> tuple[Values, Values]:
    """The market's forecasts are those of the first example: the ten markets are the same."""
    f, o, market = given["f"], given["o"], given["market"]
    rate = known(sample_rate(o))
    reference = [rate] * len(o)

    def skill(p: list[float]) -> float | None:
        return brier_skill(p, o, reference).value

    return alike(
        {
            "base_rate": rate,
            "bs_ref": brier_terms(reference, o).mean(),
            "bss_agent": skill(f),
            "bss_market": skill(market),
        }
    )


def _log(given: Given) -> tuple[Values, Values]:
    terms = log_terms(given["f"], given["o"], clip=GUIDE)
    published = {"mean": terms.mean(), "sum": terms.sum(), "terms": terms}
    again = log_terms(given["f"], given["o"])
    return published, {"mean": again.mean(), "sum": again.sum(), "terms": again}


def _log_skill(given: Given) -> tuple[Values, Values]:
    return alike({"lss": log_skill(given["f"], given["o"], given["reference"]).value})


def _penalties(given: Given) -> tuple[Values, Values]:
    f = given["f"]
    outcome = [given["o"]] * len(f)
    brier, log = brier_terms(f, outcome), log_terms(f, outcome, clip=GUIDE)
    return alike(
        {
            "brier_ratio_last_first": brier[-1] / brier[0],
            "log_ratio_last_first": log[-1] / log[0],
            "brier": brier,
            "log": log,
        }
    )


def _counterfactual(given: Given) -> tuple[Values, Values]:
    terms = log_terms(given["f"], given["o"], clip=GUIDE)
    before = log_terms([0.55], [0], clip=GUIDE)[0]
    other = log_terms(given["other"], given["o"], clip=GUIDE).mean()
    return {"ratio_to_0_55": 4}, {
        "ratio_to_0_55": terms[-1] / before,
        "last_term": terms[-1],
        "sum": terms.sum(),
        "mean": terms.mean(),
        "beats_A": bool(terms.mean() < other),
    }


def _listed(given: Given) -> tuple[Values, Values]:
    def total(likelihoods: list[float]) -> float:
        return float(log_terms(likelihoods, [1] * len(likelihoods), clip=GUIDE).sum())

    listed, right = given["printed_logs"], given["correct_args"]
    return {"value": total(listed), "n_terms": len(listed)}, {
        "correct_value": total(right),
        "correct_args": right,
    }


def _options(given: Given) -> tuple[Values, Values]:
    terms = log_option_terms(given["p"], given["y"])
    return alike({"mean": terms.mean(), "terms": terms})


RULES = {
    "numpy.linspace": BinningRule.FLOAT_EDGES,
    "one bin per": BinningRule.UNIQUE,
    "[k/10": BinningRule.DECIMAL,
}


def _murphy(given: Given) -> tuple[Values, Values]:
    words = given.get("binning", "[k/10")
    rule = next(rule for start, rule in RULES.items() if words.startswith(start))
    found = murphy(given["f"], given["o"], put_in_bins(given["f"], rule))
    terms, table = known(found.terms), found.table
    right = {
        "reliability": terms.reliability,
        "resolution": terms.resolution,
        "uncertainty": terms.uncertainty,
        "within_bin_variance": terms.within_bin_variance,
        "within_bin_covariance": terms.within_bin_covariance,
        "rel_minus_res_plus_unc": terms.rel_minus_res_plus_unc,
        "brier": terms.brier,
        "identity_gap": terms.three_component_gap,
        "bins": [
            {"bin": int(bin_), "n": int(n), "mean_forecast": mean, "observed_frequency": came}
            for bin_, n, mean, came in zip(
                table.index, table.number, table.mean_forecast, table.frequency, strict=True
            )
        ],
    }
    return {"brier_score": terms.rel_minus_res_plus_unc}, right


def _corp(given: Given) -> tuple[Values, Values]:
    found = corp(given["f"], given["o"])
    terms = known(found.terms)
    return alike(
        {
            "score": terms.score,
            "mcb": terms.miscalibration,
            "dsc": terms.discrimination,
            "unc": terms.uncertainty,
            "recalibrated": found.curve.recalibrated(given["f"]),
        }
    )


def _edges(given: Given) -> tuple[Values, Values]:
    f, o = given["f"], given["o"]
    return {"terms": log_terms(f, o, clip=GUIDE)}, {"terms_right": log_terms(f, o)}


def _disaster(given: Given) -> tuple[Values, Values]:
    perfect = [1.0] * given["n_perfect"]
    count = len(perfect) + 1

    def mean(last: float, clip: Clip) -> float:
        return float(log_terms([*perfect, last], [1] * count, clip=clip).mean())

    disaster = mean(0.0, GUIDE)
    coin = float(log_terms([given["mediocre_f"]], [1]).mean())
    mild = mean(1 - 0.999, GUIDE)
    return {"disaster_agent_wins": False}, {
        "disaster_agent_wins": disaster < coin,
        "mean_loss_disaster_agent": disaster,
        "mean_loss_coinflip": coin,
        "mediocre_breakeven_f": np.exp(-disaster),
        "disaster_prob_needed_to_lose_to_coinflip": given["mediocre_f"] ** count,
        "mean_loss_if_disaster_is_0_999": mild,
        "mediocre_breakeven_f_if_0_999": np.exp(-mild),
        "with_eps_1e6": mean(0.0, Clip.FORTY_FIVE_PERCENT),
    }


def _paired(given: Given) -> tuple[Values, Values]:
    o = given["o"]
    return _paired_values(brier_terms(given["agent"], o) - brier_terms(given["market"], o))


def _paired_log(given: Given) -> tuple[Values, Values]:
    o = given["o"]
    return _paired_values(log_terms(given["agent"], o) - log_terms(given["market"], o))


def _paired_values(d: NDArray[np.float64]) -> tuple[Values, Values]:
    events = range(len(d))
    test, between = mean_test(d, events), interval(d, events).interval
    sd = float(d.std(ddof=1))
    return alike(
        {
            "mean": test.estimate,
            "t": test.statistic,
            "p_two_sided": test.p,
            "sd": sd,
            "se": sd / len(d) ** 0.5,
            "ci95": None if between is None else [between.low, between.high],
            "n_for_80pct_power_two_sided_0_05": events_needed(d.mean(), sd),
            "d": d,
        }
    )


def diebold_mariano_values(given: Given) -> tuple[Values, Values]:
    """Both forms of the test for two rows of losses: the bandwidth as horizon, and one step."""
    d = np.asarray(given["loss_a"], np.float64) - np.asarray(given["loss_b"], np.float64)
    theirs, ours = dm_bandwidth_as_horizon(d), dm_textbook(d)
    forms: list[Values] = [
        {
            "dm_star": form.test.statistic,
            "p_two_sided": form.test.p,
            "dm": form.raw,
            "hln_factor": form.factor,
            "mean_diff": form.test.estimate,
            "var_mean": form.variance,
            "bandwidth": form.terms,
            "n": len(d),
        }
        for form in (theirs, ours)
    ]
    return forms[0], forms[1]


def _expected_brier(given: Given) -> tuple[Values, Values]:
    p, f = given["p"], given["f"]
    by_outcome = p * brier_terms([f], [1]) + (1 - p) * brier_terms([f], [0])
    return alike({"expected": by_outcome.item(), "decomp": expected_brier(f, p).item()})


def _curvature(given: Given) -> tuple[Values, Values]:
    p, f = given["p"], given["f"]
    printed = expected_log_curvature_as_printed(f, p).item()
    return {"printed_expression_value": printed}, {
        "second_derivative_of_expected_loss": expected_log_curvature(f, p).item()
    }


FORMULAS: Mapping[str, Formula] = {
    "s000.brier": _brier,
    "s000.bss.vs_market": _skill,
    "s000.bss.wrong_from_rounded": _skill_of_means,
    "s000.bss.vs_climatology_insample": _skill_of_rate,
    "s000.log": _log,
    "s000.log.eps_edges": _edges,
    "s000.log_skill": _log_skill,
    "s000.table": _penalties,
    "s000.ex2": _log,
    "s000.ex2.B_counterfactual": _counterfactual,
    "s000.ex2.A_printed_list": _listed,
    "s000.multiclass_log": _options,
    "s000.murphy": _murphy,
    "s000.corp": _corp,
    "s000.claim": _disaster,
    "s000.paired_brier_diff": _paired,
    "s000.paired_log_diff": _paired_log,
    "s000.dm": diebold_mariano_values,
    "s000.expected_brier_identity": _expected_brier,
    "s000.log_second_derivative": _curvature,
}
