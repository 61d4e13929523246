"""Worked examples of source C, the evaluation of "The 45 Percent Problem"."""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from arena.metrics.sources import Formula, Given, Values, alike
from arena.metrics.sources.betting_guide import diebold_mariano_values
from arena.odds.devig import DevigMethod, OddsVenue, devig, host, knockout_draw, power_source_c
from arena.odds.edge import edges, exceeds_source_c
from arena.odds.staking import Mode, size_bet
from arena.records.estimate import Interval
from arena.scoring.bets.clv import (
    clv,
    clv_log_ratio,
    clv_log_source_c,
    clv_t,
    clv_z_source_c,
    cumulative,
    ev_clv,
    fair_odds_stake,
    pseudo_stake_source_c,
    z_critical,
)
from arena.scoring.logarithmic import Clip, log_option_terms, log_terms
from arena.scoring.proper import brier_option_terms, rps_terms
from arena.scoring.published import two_legs_underpriced
from arena.stats.comparisons.difference import hln_factor
from arena.stats.comparisons.kill import (
    any_of,
    fails_to_beat_by,
    false_alarm,
    fold_gap,
    implied_se,
    promotion_gate,
    stop_rule,
    worse_by,
)
from arena.stats.comparisons.multiple import implied_number, level_of_each, pairs_of
from arena.stats.diebold_mariano import FLOOR, dm_bandwidth_as_horizon
from arena.stats.longrun import cube_root, cube_root_in_floats
from arena.stats.mean_intervals import p_value
from arena.stats.reflected import (
    DOCSTRINGS,
    ReflectedSharpe,
    block_length,
    float_block_length,
    reflected_from_rows,
    reflected_sharpe,
    seed_from_sha,
)
from arena.stats.regression.efficiency import market_efficiency
from arena.stats.regression.wald import chi2_critical, chi2_level
from arena.stats.sharpe import sharpe_ratio

ORDER = ("H", "D", "A")
CLIP = Clip.FORTY_FIVE_PERCENT


def _three_way(given: Given) -> tuple[Values, Values]:
    p, y = given["p"], given["y"]
    order = ORDER if len(p[0]) == len(ORDER) else ("YES", "NO")
    brier, rps = brier_option_terms(p, y), rps_terms(p, y, order=order)
    loss = log_option_terms(p, y, clip=CLIP)
    return alike(
        {
            "brier_mean": brier.mean(),
            "rps_mean": rps.mean(),
            "log_loss_mean": loss.mean(),
            "brier": brier,
            "rps": rps,
            "log_loss": loss,
            "log_loss_eps1e6": loss,
        }
    )


def _two_options(given: Given) -> tuple[Values, Values]:
    p, y = given["p"], given["y"]
    rps, brier = rps_terms(p, y, order=("YES", "NO")), brier_option_terms(p, y)
    return alike({"rps": rps.item(), "brier_sum": brier.item()})


def _losses(given: Given) -> tuple[Values, Values]:
    return alike({"loss": log_terms(given["p"], [1] * len(given["p"]))})


def _without_spread(given: Given) -> tuple[Values, Values]:
    """Losses that always differ by as much: the source divides by a floor."""
    d = np.asarray(given["loss_a"], np.float64) - np.asarray(given["loss_b"], np.float64)
    theirs = dm_bandwidth_as_horizon(d, floor=FLOOR).test
    ours = dm_bandwidth_as_horizon(d).test
    return {"dm": theirs.statistic, "p": theirs.p}, {
        "dm": ours.statistic,
        "p": ours.p,
        "mean_diff": ours.estimate,
        "state": str(ours.state),
    }


def _hln(given: Given) -> tuple[Values, Values]:
    return alike({"factor": [hln_factor(n, h) for n, h in given["n_h"]]})


def _bandwidth(given: Given) -> tuple[Values, Values]:
    return {"python_float": [cube_root_in_floats(n) for n in given["n"]]}, {
        "exact": [cube_root(n) for n in given["n"]]
    }


def _chi2(given: Given) -> tuple[Values, Values]:
    return {"critical_at_0_0125": 8.668}, {
        "critical": [chi2_critical(level) for level in given["alpha"]],
        "alpha_of_8_668": chi2_level(8.668),
    }


def _bonferroni(given: Given) -> tuple[Values, Values]:
    alpha, printed = given["alpha"], given["alpha_printed"]
    return {"bonferroni_4": printed}, {
        "bonferroni_4": level_of_each(alpha, given["m_printed"]),
        "m_implied_by_0_005": implied_number(alpha, printed),
        "pairs_of_6_models": pairs_of(6),
        "minus_two_primary": pairs_of(6) - 2,
    }


def _z_critical(given: Given) -> tuple[Values, Values]:
    return alike({"z": z_critical(given["alpha_one_sided"])})


def _false_alarms(given: Given) -> tuple[Values, Values]:
    return {}, {
        "fwer4_1se": any_of(false_alarm(1), given["k"]),
        "fwer4_2se": any_of(false_alarm(2), given["k"]),
        "p_1se": false_alarm(1),
        "p_2se": false_alarm(2),
        "p_2se_t4": false_alarm(2, df=given["k"]),
    }


def _folds(given: Given) -> tuple[Values, Values]:
    gap = fold_gap(np.array(given["fold_ll_mstar"]), np.array(given["fold_ll_m0"]))
    mean_se = gap.champion_mean_se
    published: dict[str, object] = {
        "gap_over_champion_mean_se": gap.gap_over_champion_mean_se,
        "gap_over_between_fold_sd": gap.gap_over_between_fold_sd,
    }
    return published, {
        "gap_over_paired_se": gap.gap_over_paired_se,
        "p_one_sided_t4": gap.p_paired,
        **asdict(gap),
        "mean_m0": gap.mean_reference,
        "mean_mstar": gap.mean_champion,
        "se_of_champion_mean": mean_se,
        "gap_over_mean_se": gap.gap_over_champion_mean_se,
        "worse_by_2se": worse_by(gap.gap, gap.paired_se),
        "fails_to_beat_by_2se_paired": fails_to_beat_by(gap.gap, gap.paired_se),
        "fails_to_beat_by_2se_printed_convention": fails_to_beat_by(gap.gap, mean_se),
    }


def _kill(given: Given) -> tuple[Values, Values]:
    pair = np.array(given["ll_mstar"]), np.array(given["ll_m0"])
    stop = stop_rule(*pair, threshold=given["threshold_se"])
    return alike(
        {
            "gap_in_se": stop.gap_in_se,
            "tripped_worse": stop.fired,
            "tripped": stop.fired,
            "gate_fails_to_beat": promotion_gate(*pair).fired,
            "mean_diff": stop.mean_difference,
            "se": stop.se,
            "threshold": None if stop.se is None else stop.threshold * stop.se,
        }
    )


def _checkpoint(given: Given) -> tuple[Values, Values]:
    """The losses were not published: what was printed is quoted, and checked for agreement."""
    difference = given["mean_ll_mstar"] - given["mean_ll_m0"]
    error = implied_se(given["mean_diff"], given["gap_in_se"])
    return given, {
        "implied_se": error,
        "mean_diff": difference,
        "gap_in_se": None if error is None else difference / error,
        "p_dm": p_value(given["dm_star_brier"], df=given["n"] - 1),
        "tripped": None if error is None else worse_by(-difference, error),
    }


def _devig(given: Given) -> tuple[Values, Values]:
    odds = given["odds"]
    power, scaled = devig(odds), devig(odds, DevigMethod.MULTIPLICATIVE)
    short = float(power.overround) < 0
    theirs = power_source_c(odds, OddsVenue.EXCHANGE if short else OddsVenue.BOOKMAKER)
    right = {
        "q": power.q,
        "z": power.parameter,
        "overround": power.overround,
        "proportional": scaled.q,
    }
    if not short:  # Shin's model asks for a margin
        shin = devig(odds, DevigMethod.SHIN)
        right |= {"shin_q": shin.q, "shin_z": shin.parameter}
    return {"q": theirs.q, "z": theirs.z}, right


def _knockout(given: Given) -> tuple[Values, Values]:
    return alike({"q": knockout_draw(devig(given["odds"]).q, 1)})


def _host(given: Given) -> tuple[Values, Values]:
    return alike({"q": host(devig(given["odds"]).q, 0)})


def _stake(given: Given) -> tuple[Values, Values]:
    sized = size_bet(
        given["edge"], given["q_devigged"], given["decimal_odds"], mode=Mode(given["mode"])
    )
    return alike(
        {
            "f_final": sized.final.item(),
            "f_full": sized.full.item(),
            "f_frac": sized.fractional.item(),
            "f_capped": sized.capped.item(),
        }
    )


def _pseudo_stake(given: Given) -> tuple[Values, Values]:
    edge, q, part = given["edge"], given["q"], given["phi"]
    theirs = pseudo_stake_source_c(edge, q, part).item()
    right = fair_odds_stake(edge, q, part).item()
    return {"pseudo_clv_code_stake": theirs}, {
        "correct_fair_odds_kelly": right,
        "ratio": theirs / right,
    }


def _edge(given: Given) -> tuple[Values, Values]:
    p, q, limit = np.array(given["p"]), np.array(given["q"]), given["threshold"]
    ours = edges(p, q, np.zeros(len(p)), limit=limit)
    return {
        "flagged": exceeds_source_c(p - q, limit),
        "two_legs": bool(two_legs_underpriced(p - q)),
    }, {"flagged": ours.flagged, "two_sided": bool(ours.two_sided), "E": ours.edge}


def _closing_lines(given: Given) -> tuple[Values, Values]:
    ratio = clv(given["q_open"], given["q_close"])
    naive, student = clv_z_source_c(ratio), clv_t(ratio)
    values: dict[str, object] = {
        "mean": naive.mean,
        "sharpe": naive.mean / naive.sd,
        "sd": naive.sd,
        "clv": ratio,
        "log_ratio_q": clv_log_ratio(given["q_open"], given["q_close"]),
        "cum": cumulative(ratio),
        "cum_weighted": cumulative(ratio, given["stake"]),
    }
    log_odds = clv_log_source_c(given["d_open"], given["d_close"])
    return {"z": naive.z, "p_one_sided": naive.p, "clv_log": log_odds}, {
        "t_p_one_sided": student.p,
        "ev_clv": ev_clv(given["d_open"], given["q_close"]),
        **values,
    }


def _martingale(given: Given) -> tuple[Values, Values]:
    opening = [given["q_open"]] * len(given["q_close"])
    weights = np.array(given["prob"])
    log, ratio = clv_log_ratio(opening, given["q_close"]), clv(opening, given["q_close"])
    return {"mean_log_clv": float(log @ weights)}, {"mean_ratio_clv": float(ratio @ weights)}


def _margin(given: Given) -> tuple[Values, Values]:
    q = given["q"]
    odds = ([1 / (q * (1 + given[m]))] for m in ("overround_open", "overround_close"))
    return {"clv_log_raw_odds": clv_log_source_c(*odds).item()}, {
        "clv_ratio": clv([q], [q]).item()
    }


def _z_of_nothing(given: Given) -> tuple[Values, Values]:
    naive, student = clv_z_source_c(given["clv"]), clv_t(given["clv"])
    values = {"z": naive.z, "mean": naive.mean, "sd": naive.sd, "reject": bool(naive.reject)}
    return values, {"t": student.statistic, "state": str(student.state)}


def _constant(given: Given) -> tuple[Values, Values]:
    number, value = given["clv"].split(" x ")
    series = [float(value)] * int(number)
    naive = reflected_sharpe(series, draws=50)
    sd = float(np.std(series, ddof=1))
    return {"naive_sharpe": naive.sharpe, "naive_label": str(naive.label)}, {
        "sharpe": sharpe_ratio(series),
        "numpy_std_ddof1": sd,
    }


def _blocks(given: Given) -> tuple[Values, Values]:
    sizes = given["n"]
    return {
        "python_float_clamp_4_20": [float_block_length(n) for n in sizes],
        "clamp_4_12": [block_length(n, DOCSTRINGS) for n in sizes],
    }, {
        "clamp_4_20": [block_length(n) for n in sizes],
        "raw": [block_length(n, None) for n in sizes],
    }


def _seed(given: Given) -> tuple[Values, Values]:
    return alike({"seed": [seed_from_sha(sha) for sha in given["sha"]]})


def _bounds(interval: Interval) -> list[float]:
    return [interval.low, interval.high]


def _reflected(found: ReflectedSharpe) -> Values:
    return {
        "ci95": _bounds(found.ci_95),
        "ci90": _bounds(found.ci_90),
        "decision": str(found.label),
        "reflected": found.reflected,
        "sharpe_boot": found.replicates,
        "first5": found.reflected[:5],
        "seed": found.seed,
    }


def _rows_given(given: Given) -> tuple[Values, Values]:
    found = reflected_from_rows(given["clv"], given["index_rows"])
    return _reflected(found), {
        "sharpe": found.sharpe,
        "bias_corrected_point": found.bias_corrected,
        "percentile_ci95": _bounds(found.percentile_95),
    }


def _rows_drawn(given: Given) -> tuple[Values, Values]:
    found = reflected_sharpe(
        given["clv"], given["code_sha"], draws=given["B"], length=given["block_length"]
    )
    return _reflected(found), {"sharpe": sharpe_ratio(given["clv"])}


def _efficiency(given: Given) -> tuple[Values, Values]:
    columns = np.array(given["p_model"]), np.array(given["q_close"]), np.array(given["y"])
    fit = market_efficiency(*columns, clip=given["logit_clip"])

    def wald(kind: str) -> Values:
        return {"stat": fit.wald[kind].statistic, "p": fit.wald[kind].p}

    return {"wald_repo_as_coded": wald("hc3 as coded")}, {
        "lr": fit.test.statistic,
        "p": fit.test.p,
        "wald_hc3_block": wald("hc3"),
        "wald_hc0": wald("hc0"),
        "wald_model": wald("model"),
        "ll_full": fit.loglik_full,
        "ll_restricted": fit.loglik_restricted,
        "beta": fit.beta,
    }


def _same_model(given: Given) -> tuple[Values, Values]:
    market = np.array(given["q_close"])
    fit = market_efficiency(market, market, np.array(given["y"]))
    return alike({"lr": fit.test.statistic, "p": fit.test.p, "collinear": bool(fit.collinear)})


FORMULAS: Mapping[str, Formula] = {
    "s002.scores": _three_way,
    "s002.rps_order_matters": _three_way,
    "s002.rps_binary_equals_half_brier2": _two_options,
    "s002.log_examples": _losses,
    "s002.dm": diebold_mariano_values,
    "s002.dm.identical": _without_spread,
    "s002.dm.constant_gap": _without_spread,
    "s002.hln_factor": _hln,
    "s002.bandwidth": _bandwidth,
    "s002.chi2_critical": _chi2,
    "s002.bonferroni": _bonferroni,
    "s002.z_crit": _z_critical,
    "s002.se_rules": _false_alarms,
    "s002.kill": _kill,
    "s002.kill.cv_battery_phase8": _folds,
    "s002.kill.cv_battery_phase4": _folds,
    "s002.r16": _checkpoint,
    "s002.devig": _devig,
    "s002.devig.knockout_draw": _knockout,
    "s002.devig.host": _host,
    "s002.kelly": _stake,
    "s002.pseudo_stake_bug": _pseudo_stake,
    "s002.edge_flag": _edge,
    "s002.clv.series": _closing_lines,
    "s002.clv.martingale": _martingale,
    "s002.clv.overround_shrink": _margin,
    "s002.z.zero": _z_of_nothing,
    "s002.sharpe": _constant,
    "s002.block_length": _blocks,
    "s002.seed_from_sha": _seed,
    "s002.hm.explicit_indices": _rows_given,
    "s002.hm.rng_dependent": _rows_drawn,
    "s002.nyberg.n60": _efficiency,
    "s002.nyberg.identical": _same_model,
}
