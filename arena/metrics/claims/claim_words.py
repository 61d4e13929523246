"""The basis of claims in sentences, for commands and pages."""

from collections.abc import Mapping
from typing import Final

from arena.metrics.figures import many
from arena.records.claim import Caveat, ClaimBasis, Guarantee, Source, Valuation

SOURCES: Final[Mapping[Source, str]] = {
    Source.FLOOR: "the chance in the outcomes themselves",
    Source.EVENT: "events",
    Source.DAY: "days",
    Source.WEEK: "weeks",
    Source.COHORT: "weeks of asking",
    Source.CATEGORY: "categories",
}


def guarantee_words(basis: ClaimBasis) -> str:
    """How often the board may be read before its claims are no longer safe."""
    rate = f"{100 * basis.alpha:g} %"
    if basis.guarantee is Guarantee.SEASON and basis.season:
        season = basis.season
        return (
            f"Claims hold however often the board is read: a false one is made in {rate} of "
            f"seasons at most. This season lasts from {season.start} to {season.end} and has "
            f"{many(len(season.looks()), 'look')}."
        )
    if basis.guarantee is Guarantee.ENDLESS:
        return (
            "Claims hold on any day (anytime-valid, asymptotically): a false one is ever made "
            f"with a probability of {rate} at most. The board is looked at every second week."
        )
    return (
        f"Claims hold for one look at this many questions: a false one is made in {rate} of "
        "such samples at most. Whoever looks again and again makes more."
    )


def look_words(basis: ClaimBasis) -> str:
    """When the board was looked at last and will be next; nothing for a single look."""
    if basis.guarantee is Guarantee.FIXED:
        return ""
    last_look = f"Last look {basis.last_look}." if basis.last_look else "No look so far."
    return (
        f"{last_look} Next look {basis.next_look}."
        if basis.next_look
        else f"{last_look} It was the last."
    )


def missing_words(basis: ClaimBasis) -> str:
    """What is missing before anything is ranked; nothing where there is enough."""
    need = basis.minimum
    if need.met:
        return ""
    parts = [
        f"{have} of {wanted} {what}"
        for have, wanted, what in (
            (need.events, need.events_needed, "events"),
            (need.weeks, need.weeks_needed, "weeks with something due"),
            (need.cohorts, need.cohorts_needed, "weeks of asking"),
        )
        if have < wanted
    ]
    ready = f"; enough on {need.ready_on} at the earliest" if need.ready_on else ""
    return f"Too little evidence to rank anyone: {', '.join(parts)}{ready}."


def spread_words(basis: ClaimBasis) -> str:
    """Which source of spread is largest, and what it costs; nothing where nobody knows."""
    if basis.largest is None or basis.design_effect is None:
        return ""
    return (
        f"The largest source of spread is {SOURCES[basis.largest]} ({basis.clusters}); the "
        f"design effect over events is {basis.design_effect:.1f}."
    )


def caveat_words(basis: ClaimBasis, caveat: Caveat) -> str:
    """What a reader must know before a claim, in one sentence."""
    questions = many(basis.questions, "question")
    sentences = {
        Caveat.NOTHING_RESOLVED: "No forecast has resolved yet.",
        Caveat.ONE_WEEK: f"All {questions} were asked in one week and hang on the same news.",
        Caveat.BEFORE_FIRST_LOOK: f"The first look is on {basis.next_look}.",
        Caveat.STALE_PRICES: "Open questions have no fresh prices, so that they count when "
        "they are due, and overdue ones with the outcome that is worst for a claim.",
        Caveat.FEW_CLUSTERS: "There are too few "
        f"{SOURCES[basis.largest or Source.EVENT]} ({basis.clusters}) to say how far they "
        "differ.",
    }
    return sentences.get(caveat) or missing_words(basis)


def basis_words(basis: ClaimBasis) -> str:
    """Everything that a claim of a board stands on, in one paragraph."""
    counted = (
        f"{many(basis.questions, 'question')} of {many(basis.markets, 'market')} in "
        f"{many(basis.events, 'event')}, due in {many(basis.minimum.weeks, 'week')}."
        if basis.guarantee is not Guarantee.FIXED
        else ""
    )
    valued = (
        "Open questions count at the market's price."
        if basis.valuation is Valuation.MARKET and basis.guarantee is not Guarantee.FIXED
        else ""
    )
    caveats = dict.fromkeys(caveat_words(basis, caveat) for caveat in basis.caveats)
    parts = (guarantee_words(basis), look_words(basis), counted, valued, spread_words(basis))
    return " ".join(part for part in (*parts, *caveats) if part)
