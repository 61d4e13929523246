"""The one way to a claim: who is better than whom, and than the market's price.

Every sentence, rank, range, colour and verdict of pages and commands comes from here, and so
do the sentences that say what a claim stands on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import numpy as np

from arena.metrics import figures
from arena.records.claim import (
    Caveat,
    ClaimBasis,
    Guarantee,
    Minimum,
    Season,
    Source,
    Valuation,
)
from arena.scoring.table import Floats, Whole
from arena.stats.comparisons.multiple import holm, shaffer
from arena.stats.comparisons.paired_gains import Readings
from arena.stats.comparisons.sequential import sequential_anytime_p, sequential_p, spent

CLUSTERS: Final[Mapping[Source, tuple[str, str]]] = {
    Source.FLOOR: ("event", "events"),
    Source.EVENT: ("event", "events"),
    Source.DAY: ("day", "days"),
    Source.WEEK: ("week", "weeks"),
    Source.COHORT: ("week of asking", "weeks of asking"),
    Source.CATEGORY: ("category", "categories"),
}
_VALUED: Final = {
    Valuation.MARKET: (
        "Until a question resolves it counts at the market's price, day by day "
        "(mark-to-market)."
    ),
    Valuation.SETTLED: (
        "A question counts on its due day; one that is overdue counts with the outcome that "
        "is worse for the claim."
    ),
}
_FAMILIES: Final = (
    "in each family (pairs of contestants, tests against the price, tests of baselines)"
)
_DAY: Final = timedelta(days=1)


def missing_words(minimum: Minimum) -> str:
    """Progress towards the minimum evidence: `6 of 10 events and 3 of 6 weeks`."""
    parts = (
        (minimum.events, minimum.events_needed, Source.EVENT),
        (minimum.weeks, minimum.weeks_needed, Source.WEEK),
        (minimum.cohorts, minimum.cohorts_needed, Source.COHORT),
    )
    return " and ".join(
        f"{n} of {figures.many(needed, *CLUSTERS[source])}"
        for n, needed, source in parts
        if n < needed
    )


def waiting_words(basis: ClaimBasis) -> str:
    """Why there are no claims yet, and the day from which there may be."""
    reason = Caveat.BEFORE_FIRST_LOOK if basis.minimum.met else Caveat.TOO_FEW_EVENTS
    alike = [Caveat.ONE_WEEK] if Caveat.ONE_WEEK in basis.caveats else []
    return " ".join(_caveat(basis, caveat) for caveat in (*alike, reason))


def look_words(basis: ClaimBasis) -> str:
    """Until when claims hold, in a few words; nothing where there are none."""
    if basis == ClaimBasis():
        return ""
    if basis.guarantee is Guarantee.ENDLESS:
        return "Claims hold on any day (anytime-valid)."
    if basis.guarantee is Guarantee.FIXED:
        return "Claims hold for one look only."
    if basis.next_look:
        return f"Next look: {figures.day(basis.next_look)}."
    return "The season is over: claims are final."


def warning_words(basis: ClaimBasis) -> str:
    """The caveat that a reader of the claims must know first; empty without one."""
    if Caveat.FEW_CLUSTERS in basis.caveats and basis.largest:
        groups = figures.many(basis.clusters, *CLUSTERS[basis.largest])
        return f"With only {groups} the claims are less certain."
    if Caveat.STALE_PRICES in basis.caveats:
        return "Open questions had no fresh price."
    return ""


def basis_sentences(basis: ClaimBasis) -> tuple[str, ...]:
    """Everything that the claims of a board stand on, sentence by sentence."""
    rule: tuple[str, ...] = ()
    if basis.guarantee is not Guarantee.FIXED:
        counted = (
            f"The claims include {figures.many(basis.questions, 'due question')} of "
            f"{figures.many(basis.markets, 'market')} in "
            f"{figures.many(basis.events, 'event')}. The due dates fall in "
            f"{figures.many(basis.minimum.weeks, 'week')}."
        )
        rule = (_dates(basis), _VALUED[basis.valuation], counted)
    caveats = dict.fromkeys(_caveat(basis, caveat) for caveat in basis.caveats)
    return tuple(filter(None, (_guarantee(basis), *rule, _spread(basis), *caveats)))


def basis_words(basis: ClaimBasis) -> str:
    """The sentences of `basis_sentences`, in one paragraph."""
    return " ".join(basis_sentences(basis))


def _guarantee(basis: ClaimBasis) -> str:
    """Until when, and how often, a reader may look; nothing of a file that allows no claim."""
    if basis.guarantee is Guarantee.FIXED and not basis.minimum.met:
        return ""
    chance = figures.percent(basis.alpha, 0)
    if basis.guarantee is Guarantee.SEASON and basis.season:
        season = basis.season
        return (
            f"Claims are made every {season.look_every // _DAY} days from "
            f"{figures.day(season.start)} to {figures.day(season.end)} "
            f"({figures.many(len(season.looks()), 'look')}), and stand until the next look. "
            f"The chance of a false one in the whole season is at most {chance} {_FAMILIES}."
        )
    if basis.guarantee is Guarantee.ENDLESS:
        return (
            "These claims hold on any day (anytime-valid, asymptotically): the chance that a "
            f"false one is ever made is at most {chance} {_FAMILIES}. The board is looked at "
            "every second week."
        )
    return (
        "These claims hold for one look at this many questions. On a board that is read once "
        f"the chance of a false one is at most {chance} {_FAMILIES}; on one that is read again "
        "and again it is larger."
    )


def _dates(basis: ClaimBasis) -> str:
    """When the board was looked at last and will be next."""
    last, following = basis.last_look, basis.next_look
    kind = "last" if following else "final"
    before = (
        f"The {kind} look was on {figures.day(last)}." if last else "There was no look yet."
    )
    after = f" The next look is on {figures.day(following)}." if following else ""
    return f"{before}{after}"


def _spread(basis: ClaimBasis) -> str:
    """The largest source of variance, and the design effect; nothing where nobody knows."""
    if basis.largest is None:
        return ""
    groups = figures.many(basis.clusters, *CLUSTERS[basis.largest])
    where = (
        "the outcomes' own chance"
        if basis.largest is Source.FLOOR
        else f"between {CLUSTERS[basis.largest][1]}"
    )
    of = f" ({groups})" if basis.clusters else ""
    effect = (
        ""
        if basis.design_effect is None
        else f": the variance is {figures.number(basis.design_effect, 1)} times that by event "
        "(design effect)"
    )
    return f"The largest source of spread is {where}{of}{effect}."


def _caveat(basis: ClaimBasis, caveat: Caveat) -> str:
    """What a reader must know before a claim, in one sentence."""
    least, asked = basis.minimum, basis.questions
    look = f", on {figures.day(basis.next_look)}" if basis.next_look else ""
    ready = (
        f" Enough by {figures.day(least.ready_on)} at the earliest." if least.ready_on else ""
    )
    too_little = f"Too little evidence to rank anyone: {missing_words(least)}.{ready}"
    return {
        Caveat.NOTHING_RESOLVED: "No forecast has resolved yet.",
        Caveat.TOO_FEW_EVENTS: too_little,
        Caveat.TOO_FEW_WEEKS: too_little,
        Caveat.TOO_FEW_COHORTS: too_little,
        Caveat.ONE_WEEK: (
            f"{'All ' * (asked != 1)}{figures.many(asked, 'question was', 'questions were')} "
            f"asked in one week{' and hang on the same news' * (asked != 1)}."
        ),
        Caveat.BEFORE_FIRST_LOOK: f"Nothing is claimed before the first look{look}.",
        Caveat.STALE_PRICES: (
            "Open questions had no fresh price: they count when they are due, and overdue ones "
            "with the outcome that is worst for a claim."
        ),
        Caveat.FEW_CLUSTERS: (
            "The largest source of spread has fewer than six groups: a false claim is more "
            "likely than stated."
        ),
        Caveat.UNDATED: "Forecasts without a date are left out of claims.",
    }[caveat]


Adjust = Callable[[Floats], Floats]

ALPHA: Final = 0.05
EVENTS: Final = 10
WEEKS: Final = 6
ASKING_WEEKS: Final = 6  # where no prices say what has happened to open questions
ENDLESS_EVERY: Final = 14  # days between the looks of an endless board
BEST_AT: Final = 80.0  # days after which an endless board's boundary is lowest


@dataclass(frozen=True, slots=True, eq=False)
class ClaimFamily:
    """Pairs that share one alpha: (P, 2) numbers of forecasters, and how they share it."""

    pairs: Whole
    adjust: Adjust


def every_pair(contestants: Sequence[int]) -> ClaimFamily:
    """All pairs of some forecasters, by Shaffer's steps."""
    numbers = np.array(contestants, dtype=np.intp)
    first, second = np.triu_indices(numbers.size, 1)
    pairs = np.stack([numbers[first], numbers[second]], axis=1)
    return ClaimFamily(pairs, lambda p: shaffer(p, numbers.size))


def each_of(pairs: Sequence[tuple[int, int]]) -> ClaimFamily:
    """Some pairs, by Holm's steps."""
    return ClaimFamily(np.array(pairs, dtype=np.intp).reshape(-1, 2), holm)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimRule:
    """When a board is looked at, and what that leaves of alpha.

    `days` are the numbers of the days at whose end it was looked at so far, `fractions` the
    shares of a season at all of its looks, empty where it has no end. `next_day` is the day of
    the next look, None after the last. Weeks are counted from the day `origin` on.
    """

    guarantee: Guarantee
    valuation: Valuation
    days: tuple[int, ...]
    fractions: tuple[float, ...]
    origin: int
    minimum: Minimum
    next_day: int | None = None
    season: Season | None = None
    alpha: float = ALPHA


@dataclass(frozen=True, slots=True, eq=False)
class FamilyJudgement:
    """What a family's pairs may be said to be by the last look: arrays of (P,).

    `p` is what all looks and the whole family leave; `sign` 1 where the first of the pair is
    better at that level, -1 where the second is.
    """

    p: Floats
    sign: Whole
    readings: Readings


def judge(readings: Readings, family: ClaimFamily, rule: ClaimRule) -> FamilyJudgement:
    """Judge a family of pairs by what its looks read.

    A claim that was made stands: its direction is that of the look at which p was least. A
    pair with less than the least number of events and weeks is not looked at.
    """
    pairs = len(family.pairs)
    if not rule.days or not pairs:
        return FamilyJudgement(np.ones(pairs), np.zeros(pairs, np.intp), readings)
    need = rule.minimum
    enough = (
        (readings.events >= need.events_needed)
        & (readings.weeks >= need.weeks_needed)
        & (readings.asking_weeks >= need.cohorts_needed)
    )
    z = np.where(enough, readings.z, 0.0)
    p = _p_of(z, rule)
    at = np.argmin(p, axis=0)  # the first of the least
    sign = np.sign(z[at, np.arange(pairs)]).astype(np.intp)
    return FamilyJudgement(family.adjust(np.minimum(p[-1], 1.0)), sign, readings)


def _p_of(z: Floats, rule: ClaimRule) -> Floats:
    """(looks, P) what each look leaves of p, for a pair by itself."""
    if rule.guarantee is Guarantee.ENDLESS:
        passed = np.array(rule.days, dtype=np.float64) - rule.origin + 1
        level = rule.alpha / z.shape[1]
        return sequential_anytime_p(z, passed[:, None], best_at=BEST_AT, alpha=level)
    return sequential_p(z, rule.fractions)


def looks_of(season: Season | None) -> tuple[tuple[date, float], ...]:
    """The dates of a season's looks, and the alpha that is spent by each; none without end."""
    if season is None:
        return ()
    passed = [(look, (look - season.start) / season.length) for look in season.looks()]
    return tuple((look, spent(share, ALPHA)) for look, share in passed)


def season_rule(season: Season, start: int, today: int, valuation: Valuation) -> ClaimRule:
    """The rule of a season's board at the end of a day; `start` is its first day's number."""
    length = season.length.days
    looks = [(look - season.start).days for look in season.looks()]
    days = [start + look - 1 for look in looks]
    passed = tuple(day for day in days if day <= today)
    to_come = days[len(passed)] if len(passed) < len(days) else None
    fractions = tuple(look / length for look in looks)
    need = least(valuation)
    return ClaimRule(
        Guarantee.SEASON, valuation, passed, fractions, start, need, to_come, season
    )


def endless_rule(start: int, today: int, valuation: Valuation) -> ClaimRule:
    """The rule of a board without an end: a look every second week, valid at any of them."""
    days = tuple(range(start + ENDLESS_EVERY - 1, today + 1, ENDLESS_EVERY))
    to_come = start + ENDLESS_EVERY * (len(days) + 1) - 1
    return ClaimRule(Guarantee.ENDLESS, valuation, days, (), start, least(valuation), to_come)


def fixed_rule(start: int, today: int, *, dated: bool) -> ClaimRule:
    """The rule of one look, at a number of questions that was fixed before it."""
    need = least(Valuation.SETTLED) if dated else Minimum(weeks_needed=0)
    return ClaimRule(Guarantee.FIXED, Valuation.SETTLED, (today,), (1.0,), start, need)


def least(valuation: Valuation) -> Minimum:
    """What there must be before anything is ranked or claimed."""
    cohorts = 0 if valuation is Valuation.MARKET else ASKING_WEEKS
    return Minimum(events_needed=EVENTS, weeks_needed=WEEKS, cohorts_needed=cohorts)
