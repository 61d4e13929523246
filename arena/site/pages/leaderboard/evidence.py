"""The claims about a contestant and about a pair, and the evidence behind them."""

from enum import StrEnum
from typing import Final

from arena.metrics import figures
from arena.metrics.claims.rules import look_words, waiting_words
from arena.metrics.registry import METRICS
from arena.records.claim import Caveat, ClaimBasis
from arena.records.cohort import ContestantId
from arena.site.estimates import Versus
from arena.site.overview.records import Overview, RankPlace
from arena.site.pages.contestants.holdings import Claimed
from arena.site.pages.parts import Cell
from arena.site.reading import Reading

MOST_NAMED: Final = 6


class EvidenceVerdict(StrEnum):
    """What is claimed of the first of a pair, as it stands in tables."""

    BETTER = "better"
    WORSE = "worse"
    NEITHER = "not significantly different"
    LITTLE = "too little evidence"


def may_rank(overview: Overview) -> bool:
    """Whether claims may be made: the evidence is enough, and the first look is past.

    Where nothing is said of the claims, the tests stand as they are.
    """
    claims = overview.claims
    return claims == ClaimBasis() or (
        claims.minimum.met and Caveat.BEFORE_FIRST_LOOK not in claims.caveats
    )


def possible_ranks(place: RankPlace, overview: Overview) -> str:
    """The ranks that tests leave open: `2 to 5`; n/a without any."""
    if place.rank is None or not may_rank(overview):
        return figures.MISSING
    return place.span(" to ")


def rank_range_cell(place: RankPlace, overview: Overview) -> Cell:
    """The ranks that tests leave open, by the rank; no number where nobody is ranked."""
    text = possible_ranks(place, overview)
    return Cell(text, value=None if text == figures.MISSING else place.rank)


def ranked(overview: Overview) -> int:
    """How many contestants have a rank by the headline."""
    return sum(profile.place.rank is not None for profile in overview.profiles.values())


def verdict_of(versus: Versus | None, overview: Overview) -> EvidenceVerdict:
    """The claim about two contestants; LITTLE where the evidence is too little."""
    if versus is None or versus.difference is None or not may_rank(overview):
        return EvidenceVerdict.LITTLE
    better = versus.claim.better
    if better is None:
        return (
            EvidenceVerdict.LITTLE
            if versus.claim.p_adjusted is None
            else EvidenceVerdict.NEITHER
        )
    return EvidenceVerdict.BETTER if better == versus.one else EvidenceVerdict.WORSE


def claimed(who: ContestantId, reading: Reading, root: str) -> tuple[Claimed, ...]:
    """The claims about a contestant: against the market, against others, and their evidence."""
    overview = reading.overview
    profile = reading.profile(who)
    estimate = profile.scores.get(overview.headline)
    if estimate is None or estimate.value is None:
        return (Claimed("It has no resolved forecast."),)
    if not may_rank(overview):
        return (Claimed(waiting_words(overview.claims)),)
    market = _against_market(who, reading)
    return (
        *((Claimed(market),) if market else ()),
        *_against_others(who, reading, root),
        Claimed(_stands_on(estimate.n, estimate.events, overview)),
    )


def market_verdict(who: ContestantId, overview: Overview) -> str | None:
    """`better` or `worse` than the market's price, empty for neither; None where untested."""
    tests = overview.against.tests if overview.against else ()
    own_test = next((test for test in tests if test.contestant == who), None)
    return None if own_test is None else own_test.verdict or ""


def _against_market(who: ContestantId, reading: Reading) -> str:
    against = reading.overview.against
    if against is not None and who in against.copies:
        return "It forecasts the market's price itself."
    verdict = market_verdict(who, reading.overview)
    if verdict is None:
        return ""
    return {
        "better": "Shown to beat the market's price.",
        "worse": "Shown to be worse than the market's price.",
        "": "Not shown to beat the market's price, nor to be worse.",
    }[verdict]


def _against_others(who: ContestantId, reading: Reading, root: str) -> list[Claimed]:
    """Which contestants it is significantly better than, worse than, or neither."""
    contest = reading.overview.contest
    names_by_verdict: dict[str, set[str]] = {"better": set(), "worse": set(), "neither": set()}
    for claim in contest.claims if contest else ():
        if who in {claim.first, claim.second}:
            other = claim.second if claim.first == who else claim.first
            how = "neither" if claim.better is None else "worse"
            names_by_verdict["better" if claim.better == who else how].add(other)
    heads = {
        "better": "Significantly better than",
        "worse": "Significantly worse than",
        "neither": "Not significantly different from",
    }
    return [
        _named(heads[how], names, reading, root)
        for how, names in names_by_verdict.items()
        if names
    ]


def _named(head: str, names: set[str], reading: Reading, root: str) -> Claimed:
    ordered = [name for name in reading.overview.order if name in names]
    links = tuple(reading.contestant(name, root) for name in ordered[:MOST_NAMED])
    more = len(ordered) - len(links)
    return Claimed(
        f"{head} {figures.many(len(ordered), 'other')}:",
        links,
        f"and {figures.count(more)} more" if more else "",
    )


def _stands_on(n: int, events: int, overview: Overview) -> str:
    by = METRICS[overview.headline].spoken
    look = look_words(overview.claims)
    of = f"{figures.many(n, 'resolved forecast')} of {figures.many(events, 'event')}"
    return " ".join(filter(None, (f"By {by}, from {of}.", look)))
