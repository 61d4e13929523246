"""Whether models differ: the tests of pairs, their families, the kill rule, and power."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from arena.metrics.study.protocol import (
    FamilyRates,
    Opponent,
    StudyForecasts,
    StudyLosses,
    StudyProtocol,
    StudyScore,
    known,
)
from arena.metrics.study.report import (
    KillReport,
    NumberPair,
    PairComparison,
    QuotedError,
    StudyPower,
)
from arena.records.estimate import Test
from arena.scoring.table import Floats
from arena.stats.comparisons.difference import cube_root_lags
from arena.stats.comparisons.kill import (
    any_of,
    false_alarm,
    fold_gap,
    implied_se,
    promotion_gate,
    stop_rule,
)
from arena.stats.comparisons.multiple import (
    bh,
    bonferroni,
    holm,
    implied_number,
    level_of_each,
    pairs_of,
)
from arena.stats.comparisons.power import PowerPlan, from_effect, information, study
from arena.stats.diebold_mariano import (
    FLOOR,
    dm_bandwidth_as_horizon,
    dm_newey_west,
    dm_textbook,
)
from arena.stats.longrun import cube_root_in_floats
from arena.stats.mean_intervals import mean_test

PRIMARY, OTHERS = "primary", "others"


def comparisons(
    forecasts: StudyForecasts, losses: StudyLosses, protocol: StudyProtocol
) -> tuple[PairComparison, ...]:
    """Every pair of models on every score, the champion first; corrected within its family."""
    first = {protocol.champion: 0, protocol.baseline: 1, protocol.market: 2}
    names = sorted(losses.models, key=lambda model: first.get(model, len(first)))
    lines = [
        _pair(forecasts, losses, protocol, pair, score)
        for pair in combinations(names, 2)
        for score in losses.terms
    ]
    for family in (PRIMARY, OTHERS):
        own = [n for n, line in enumerate(lines) if line.family == family]
        for n, line in zip(
            own, _corrected([lines[n] for n in own], protocol.families), strict=True
        ):
            lines[n] = line
    return tuple(lines)


def _pair(
    forecasts: StudyForecasts,
    losses: StudyLosses,
    protocol: StudyProtocol,
    pair: tuple[str, str],
    score: StudyScore,
) -> PairComparison:
    both, common = losses.paired(*pair, score)
    level, d = protocol.level_of(*pair), both[0] - both[1]
    n = len(d)
    bandwidth = max(1, cube_root_in_floats(n))
    published = dm_bandwidth_as_horizon(
        d, bandwidth=bandwidth if n > 1 else None, floor=FLOOR
    ).test
    textbook = dm_textbook(d).test
    _, codes = np.unique(forecasts.event[common], return_inverse=True)
    return PairComparison(
        model=pair[0],
        against=pair[1],
        score=score,
        family=PRIMARY if _is_primary(protocol, pair, score) else OTHERS,
        level=level,
        published=published,
        textbook=textbook,
        newey_west=dm_newey_west(d).test,
        by_event=replace(mean_test(d, codes), name="by event"),
        bonferroni=None,
        holm=None,
        bh=None,
        published_rejected=is_below(published.p, level),
        rejected=is_below(textbook.p, level),
        held=False,
        explored=False,
    )


def _is_primary(protocol: StudyProtocol, pair: tuple[str, str], score: StudyScore) -> bool:
    against = {Opponent.BASELINE: protocol.baseline, Opponent.MARKET: protocol.market}
    return any(
        set(pair) == {protocol.champion, against[test.against]} and score is test.score
        for test in protocol.primary
    )


def _corrected(lines: Sequence[PairComparison], rates: FamilyRates) -> list[PairComparison]:
    """Correct the p-values of a family's tests; a test without one takes no part."""
    there = [n for n, line in enumerate(lines) if line.textbook.p is not None]
    p = np.array([lines[n].textbook.p for n in there], np.float64)
    corrected = list(lines)
    for n, *adjusted in zip(there, bonferroni(p), holm(p), bh(p), strict=True):
        of_bonferroni, of_holm, of_bh = map(float, adjusted)
        corrected[n] = replace(
            lines[n],
            bonferroni=of_bonferroni,
            holm=of_holm,
            bh=of_bh,
            held=is_below(of_holm, rates.alpha),
            explored=is_below(of_bh, rates.exploratory),
        )
    return corrected


def is_below(value: float | None, limit: float | None) -> bool:
    """Whether a value is below a limit; never where one of them is missing."""
    return value is not None and limit is not None and value < limit


def families(protocol: StudyProtocol, models: int, n: int) -> tuple[NumberPair, ...]:
    """What the levels say, and what they are: the corrections, the bandwidth, the looks."""
    levels, alpha = protocol.levels, protocol.families.alpha
    four = protocol.kill.looks
    pairs = pairs_of(models)
    main = len(protocol.primary)
    numbers = [
        NumberPair(
            "level of each of the looks' tests", levels.others, level_of_each(alpha, four), "C5"
        ),
        NumberPair(
            "tests that the level is Bonferroni's for",
            four,
            implied_number(alpha, levels.others),
            "C5",
        ),
        NumberPair(
            "bandwidth of the longest series",
            max(1, cube_root_in_floats(n)),
            cube_root_lags(n),
            "C15",
        ),
    ]
    if main:
        uncorrected = any_of(levels.market, main)
        numbers.append(
            NumberPair("chance of a false primary rejection", levels.market, uncorrected, "C5")
        )
    numbers.append(NumberPair("pairs of models", four, pairs, "C5"))
    return tuple(numbers)


def kill(forecasts: StudyForecasts, losses: StudyLosses, protocol: StudyProtocol) -> KillReport:
    """The stop rule and the promotion gate on log loss, and the gap over folds."""
    both, common = losses.paired(protocol.champion, protocol.baseline, StudyScore.LOG)
    errors, looks = protocol.kill.errors, protocol.kill.looks
    folds = forecasts.fold
    gap = None
    if folds is not None:
        codes = folds.codes[common]
        used = [code for code in np.unique(codes) if folds.names[code]]
        if len(used) > 1:
            means = np.array([both[:, codes == fold].mean(axis=1) for fold in used])
            gap = fold_gap(
                means[:, 0], means[:, 1], test_over_train=protocol.kill.test_over_train
            )
    alarm = false_alarm(errors)
    numbers = [
        NumberPair(
            "chance that the alarm is false",
            alarm,
            false_alarm(errors, max(1, both.shape[1] - 1)),
            "C4",
        ),
        NumberPair(
            "chance of a false alarm in all looks",
            protocol.families.alpha,
            any_of(alarm, looks),
            "C18",
        ),
        NumberPair(
            "the same at one standard error", 0.5, any_of(false_alarm(1.0), looks), "C18"
        ),
        NumberPair("chance that the gate fires between equals", alarm, 1 - alarm, "C3"),
    ]
    if gap is not None:
        of_folds = false_alarm(errors, gap.folds - 1)
        numbers += [
            NumberPair("false alarms with these folds", alarm, of_folds, "C4"),
            NumberPair(
                "gap in standard errors",
                gap.gap_over_champion_mean_se,
                gap.gap_over_paired_se,
                "C2",
            ),
            NumberPair(
                "gap over the spread of folds, and corrected",
                gap.gap_over_between_fold_sd,
                gap.nadeau_bengio_t,
                "C2",
            ),
            NumberPair("one-sided p of the gap", gap.p_paired, gap.nadeau_bengio_p, "C2"),
        ]
    return KillReport(
        stop_rule(both[0], both[1], threshold=errors),
        promotion_gate(both[0], both[1], threshold=errors),
        gap,
        tuple(numbers),
    )


def power(forecasts: StudyForecasts, protocol: StudyProtocol) -> StudyPower:
    """How many events the champion's deviations from the market would need, were they right."""
    ours, theirs = (forecasts.of(name) for name in (protocol.champion, protocol.market))
    if ours is None or theirs is None:
        return StudyPower(None, 0, None, None)
    both = known(ours) & known(theirs)
    events = len(np.unique(forecasts.event[both]))
    deviation = _root_mean_square(ours[both] - theirs[both])
    if deviation is None or not 0 < deviation < 1:
        return StudyPower(deviation, events, None, None)
    plan = PowerPlan(alpha=protocol.levels.market)
    return StudyPower(
        deviation,
        events,
        study(from_effect(deviation**2), plan).events,
        study(information(deviation), plan).events,
    )


def _root_mean_square(gaps: Floats) -> float | None:
    return float(np.sqrt(np.mean(gaps**2))) if gaps.size else None


def quoted(protocol: StudyProtocol) -> tuple[QuotedError, ...]:
    """The standard error behind each gap that was published with its number of errors."""
    return tuple(
        QuotedError(gap.id, implied_se(gap.difference, gap.errors)) for gap in protocol.quoted
    )


def p_of(lines: Sequence[PairComparison], pair: set[str], score: StudyScore) -> Test | None:
    """The test of a pair on a score; None where there is none."""
    return next(
        (x.textbook for x in lines if {x.model, x.against} == pair and x.score is score), None
    )
