"""Two rules on the loss of a challenger against that of a reference, and what a gap is worth.

Both look at d = loss of the challenger - loss of the reference and ask for two standard
errors, in opposite directions. `stop_rule` fires when the challenger is clearly worse: an
alarm. `promotion_gate` fires when it is not clearly better: a burden of proof, which two
equally good models fail in 97.7 per cent of cases. The standard error is the plain one of
paired differences, sd with n - 1 over the root of n: no autocorrelation, no small-sample
quantile, no correction for several looks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Final

from arena.records.estimate import Sided, State
from arena.stats.columns import Floats, finite, no_spread
from arena.stats.mean_intervals import p_value

PAIRED_SE: Final = "sd of paired differences (n - 1) / sqrt(n)"
TWO_SE: Final = 2.0


@dataclass(frozen=True, slots=True)
class KillVerdict:
    """What a rule says.

    `gap_in_se` is `mean_difference` over `se`, None where there is no spread. `fired` is
    None where fewer than two differences leave nothing to say. `direction` and `error` say
    what the rule fires on and how its standard error was made.
    """

    rule: str
    direction: str
    error: str
    n: int
    mean_challenger: float | None
    mean_reference: float | None
    mean_difference: float | None
    se: float | None
    gap_in_se: float | None
    threshold: float
    fired: bool | None
    state: State = State.OK


def stop_rule(
    challenger: Floats, reference: Floats, *, threshold: float = TWO_SE
) -> KillVerdict:
    """Fires when the challenger loses more, by over `threshold` standard errors.

    With no spread at all it fires on any loss that is larger.

    Raises:
        ValueError: The losses differ in number or are not finite, or the threshold is
            negative.

    Source:
        The 45 Percent Problem (2026), the rule as its code has it.

    >>> stop_rule([1.2, 0.9, 1.1], [1.0, 0.8, 0.8]).fired
    True
    """
    return _judge(
        "stop rule",
        "fires when the challenger is worse",
        (challenger, reference),
        threshold,
        lambda d, se, times: worse_by(-d, se, times),
    )


def promotion_gate(
    challenger: Floats, reference: Floats, *, threshold: float = TWO_SE
) -> KillVerdict:
    """Fires when the challenger fails to lose less by `threshold` standard errors.

    With no spread at all it fires unless every loss is smaller.

    Raises:
        ValueError: The losses differ in number or are not finite, or the threshold is
            negative.

    Source:
        The 45 Percent Problem (2026), the rule as its page has it.

    >>> promotion_gate([1.0, 0.9], [1.0, 0.9]).fired
    True
    """
    return _judge(
        "promotion gate",
        "fires unless the challenger is better",
        (challenger, reference),
        threshold,
        lambda d, se, times: fails_to_beat_by(-d, se, times),
    )


def false_alarm(threshold: float = TWO_SE, df: float | None = None) -> float:
    """How often a true mean of 0 is exceeded by this many standard errors.

    With the sd of few differences give `df`, one fewer than they are.

    >>> round(false_alarm(2), 6), round(false_alarm(2, df=4), 6)
    (0.02275, 0.058058)
    """
    return p_value(threshold, Sided.GREATER, df)


def any_of(chance: float, looks: int) -> float:
    """How often at least one of several independent looks is a false alarm.

    Raises:
        ValueError: The chance is outside [0, 1], or there are fewer than no looks.

    >>> round(any_of(0.02275013, 4), 6)
    0.087942
    """
    if not 0 <= chance <= 1 or looks < 0:
        raise ValueError(f"no chance of {chance} in {looks} looks")
    return float(1 - (1 - chance) ** looks)


def implied_se(mean_difference: float, gap_in_se: float) -> float | None:
    """The standard error behind a published gap; None for a gap of 0.

    >>> round(implied_se(-0.044859, -1.47), 6)
    0.030516
    """
    return mean_difference / gap_in_se if gap_in_se else None


@dataclass(frozen=True, slots=True)
class FoldGap:
    """A gap between two models over cross-validation folds, in four units.

    `gap` is the reference's mean loss less the champion's: positive when the champion is
    better. A ratio is None where its unit is 0. Only the paired and the Nadeau-Bengio
    figures are standard errors of the gap; the first two leave out that both models met the
    same folds, and the first is no standard error at all. p-values are one-sided, of no gap
    against a better champion, by t with one degree of freedom fewer than folds.
    """

    folds: int
    mean_reference: float
    mean_champion: float
    gap: float
    between_fold_sd: float
    gap_over_between_fold_sd: float | None
    champion_mean_se: float
    gap_over_champion_mean_se: float | None
    paired_sd: float
    paired_se: float
    gap_over_paired_se: float | None
    p_paired: float | None
    nadeau_bengio_se: float
    nadeau_bengio_t: float | None
    nadeau_bengio_p: float | None
    state: State = State.OK


def fold_gap(
    champion: Floats, reference: Floats, *, test_over_train: float | None = None
) -> FoldGap:
    """What a gap over folds is worth in each of the units that were published.

    Folds share their training data, so that the paired standard error is too small; Nadeau
    and Bengio take (1/k + n_test/n_train) in place of 1/k.

    Args:
        champion: (k,) mean losses, one a fold.
        reference: (k,) mean losses on the same folds.
        test_over_train: Ratio of test to training questions; 1/(k - 1) if left out.

    Raises:
        ValueError: There are fewer than two folds, they differ in number, or a loss is not
            finite.

    Source:
        Nadeau and Bengio (2003), Machine Learning 52; The 45 Percent Problem (2026).
    """
    ours, theirs = _paired(champion, reference)
    k = ours.size
    if k < 2:  # noqa: PLR2004
        raise ValueError(f"a spread between folds needs two, not {k}")
    better = theirs - ours
    gap = float(better.mean())
    between, paired = _sd(ours), _sd(better)
    ratio = 1 / (k - 1) if test_over_train is None else test_over_train
    if not ratio >= 0:
        raise ValueError(f"a ratio of test to training data is not {ratio}")
    corrected = paired * sqrt(1 / k + ratio)
    t, nb = _over(gap, paired / sqrt(k)), _over(gap, corrected)
    return FoldGap(
        folds=k,
        mean_reference=float(theirs.mean()),
        mean_champion=float(ours.mean()),
        gap=gap,
        between_fold_sd=between,
        gap_over_between_fold_sd=_over(gap, between),
        champion_mean_se=between / sqrt(k),
        gap_over_champion_mean_se=_over(gap, between / sqrt(k)),
        paired_sd=paired,
        paired_se=paired / sqrt(k),
        gap_over_paired_se=t,
        p_paired=None if t is None else p_value(t, Sided.GREATER, k - 1),
        nadeau_bengio_se=corrected,
        nadeau_bengio_t=nb,
        nadeau_bengio_p=None if nb is None else p_value(nb, Sided.GREATER, k - 1),
        state=State.OK if paired else State.DEGENERATE,
    )


def worse_by(gap: float, error: float, threshold: float = TWO_SE) -> bool:
    """Whether a champion's gap (positive is better) is clearly negative."""
    return -gap > threshold * error


def fails_to_beat_by(gap: float, error: float, threshold: float = TWO_SE) -> bool:
    """Whether a champion's gap (positive is better) is not clearly positive."""
    return gap < threshold * error or gap == 0


def _paired(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    losses_a, losses_b = finite(a, "losses"), finite(b, "losses")
    if losses_a.size != losses_b.size:
        raise ValueError(f"losses come in pairs, not {losses_a.size} and {losses_b.size}")
    return losses_a, losses_b


def _sd(x: Floats) -> float:
    sd = float(x.std(ddof=1))
    return 0.0 if no_spread(sd, float(x.mean())) else sd


def _over(gap: float, unit: float) -> float | None:
    return gap / unit if unit else None


def _judge(
    rule: str,
    direction: str,
    losses: tuple[Floats, Floats],
    threshold: float,
    fires: Callable[[float, float, float], bool],
) -> KillVerdict:
    """Apply a rule, given as a function of mean difference, standard error and threshold."""
    ours, theirs = _paired(*losses)
    if not threshold >= 0:
        raise ValueError(f"a threshold is not {threshold}")
    n = ours.size
    d = float((ours - theirs).mean()) if n else None
    se = _sd(ours - theirs) / sqrt(n) if n > 1 else None
    return KillVerdict(
        rule=rule,
        direction=direction,
        error=PAIRED_SE,
        n=n,
        mean_challenger=float(ours.mean()) if n else None,
        mean_reference=float(theirs.mean()) if n else None,
        mean_difference=d,
        se=se,
        gap_in_se=d / se if d is not None and se else None,
        threshold=threshold,
        fired=None if d is None or se is None else fires(d, se, threshold),
        state=_state(n, se),
    )


def _state(n: int, se: float | None) -> State:
    if se is None:
        return State.SINGLE if n else State.EMPTY
    return State.OK if se else State.DEGENERATE
