"""What claims stand on, in the sentences that commands and pages share."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from arena.metrics import figures
from arena.records.claim import Caveat, ClaimBasis, Guarantee, Minimum, Source, Valuation

CLUSTERS: Final[Mapping[Source, tuple[str, str]]] = {
    Source.FLOOR: ("question", "questions"),
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
            f"{figures.many(basis.questions, 'question')} of "
            f"{figures.many(basis.markets, 'market')} in "
            f"{figures.many(basis.events, 'event')}, due in "
            f"{figures.many(basis.minimum.weeks, 'week')}."
        )
        rule = (_dates(basis), _VALUED[basis.valuation], counted)
    caveats = dict.fromkeys(_caveat(basis, caveat) for caveat in basis.caveats)
    return tuple(filter(None, (_guarantee(basis), *rule, _spread(basis), *caveats)))


def basis_words(basis: ClaimBasis) -> str:
    """The sentences of `basis_sentences`, in one paragraph."""
    return " ".join(basis_sentences(basis))


def _guarantee(basis: ClaimBasis) -> str:
    """Until when, and how often, a reader may look."""
    chance = figures.percent(basis.alpha, 0)
    if basis.guarantee is Guarantee.SEASON and basis.season:
        season = basis.season
        return (
            f"Claims are made every {season.look_every // _DAY} days from "
            f"{figures.day(season.start)} to {figures.day(season.end)} "
            f"({figures.many(len(season.looks()), 'look')}), and stand until the next look. "
            f"The chance of a false one in the whole season is at most {chance}."
        )
    if basis.guarantee is Guarantee.ENDLESS:
        return (
            "These claims hold on any day (anytime-valid, asymptotically): the chance that a "
            f"false one is ever made is at most {chance}. The board is looked at every second "
            "week."
        )
    return (
        f"These claims hold for one look at this many questions: a false one is made in at "
        f"most {chance} of boards that are read once, and in more of those that are read again "
        "and again."
    )


def _dates(basis: ClaimBasis) -> str:
    """When the board was looked at last and will be next."""
    last, following = basis.last_look, basis.next_look
    before = f"Last look {figures.day(last)}." if last else "No look so far."
    after = f"Next look {figures.day(following)}." if following else "It was the last."
    return f"{before} {after}"


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
    least = basis.minimum
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
            f"All {figures.many(basis.questions, 'question')} were asked in one week and hang "
            "on the same news."
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
    }[caveat]
