"""The first two sentences, wherever they stand: who beats the market's price, and who leads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date
from enum import StrEnum

from arena.metrics import figures
from arena.records.claim import Caveat, ClaimBasis, Source
from arena.records.cohort import ContestantId
from arena.site.dates import day_words, stretch_words
from arena.site.pages.leaderboard.evidence import look_words, may_rank, missing_words
from arena.site.reading import Reading

MOST_NAMES = 3  # that are named; more are counted
LONGEST = 60  # letters of names that a first sentence has room for
GROUPS = {
    Source.FLOOR: ("question", "questions"),
    Source.EVENT: ("event", "events"),
    Source.DAY: ("day", "days"),
    Source.WEEK: ("week", "weeks"),
    Source.COHORT: ("cohort", "cohorts"),
    Source.CATEGORY: ("category", "categories"),
}


class HeadlineState(StrEnum):
    """What may be said first; each value is its template."""

    NOBODY_PLAYED = "Nothing has been played yet."
    NONE_RESOLVED = "No forecast has resolved yet: nobody is ranked."
    ONE_WEEK = (
        "All {questions} were asked in one week and hang on the same news: "
        "no ranking before {weeks} weeks."
    )
    TOO_LITTLE = "Too little evidence to rank anyone: {present}.{ready}"
    BEFORE_LOOK = "Nothing is claimed before the first look, on {day}."
    ALONE = "{who} is the only contestant with resolved forecasts."
    LEADER_BEATS = "{who} leads and is shown to beat the market's price."
    LEADERS_BEAT = "{who} are shown to beat the market's price; {which} is best is not known."
    MARKET_NOBODY = "Nobody is shown to beat the market's price."
    MARKET_ONE = "{who} is shown to beat the market's price."
    MARKET_SEVERAL = "{who} are shown to beat the market's price."
    NO_PRICE = "No price is known: contestants are ranked by Brier score."
    LEADER = "{who} leads: significantly better than {others}."
    LEADERS = "{who} lead; their order is not known."
    ALL_OPEN = "The order of all {many} is not known."


@dataclass(frozen=True, slots=True)
class Headline:
    """The claims in one sentence or two, and their evidence.

    `states` are those that the sentences are the templates of.
    """

    states: tuple[HeadlineState, ...]
    claims: tuple[str, ...]
    evidence: str

    @property
    def whole(self) -> str:
        """All of it, as a line of text."""
        return " ".join(filter(None, (*self.claims, self.evidence)))


def headline(reading: Reading) -> Headline:
    """Say who is shown to beat the market's price, who leads, and from how much evidence.

    Baselines and the market are in no count.
    """
    statements = _state_templates(reading)
    states, claims = (
        tuple(state for state, _ in statements),
        tuple(text for _, text in statements),
    )
    return Headline(states, claims, _evidence(reading))


def ranked(reading: Reading) -> tuple[ContestantId, ...]:
    """The contestants that have a value of the headline, best first; no baseline is one."""
    overview = reading.overview
    return tuple(
        name
        for name in overview.order
        if not reading.entrant(name).reference
        and (estimate := overview.profiles[name].scores.get(overview.headline))
        and estimate.value is not None
    )


def leaders(reading: Reading) -> tuple[ContestantId, ...]:
    """Contestants that nobody is significantly better than, best first; none if unranked."""
    if not may_rank(reading.overview):
        return ()
    return tuple(name for name in ranked(reading) if name in reading.overview.tied)


def verdicts(reading: Reading) -> dict[ContestantId, str]:
    """Who is shown to be `better` or `worse` than the market's price."""
    against = reading.overview.against
    if against is None or not may_rank(reading.overview):
        return {}
    return {
        ContestantId(test.contestant): test.verdict for test in against.tests if test.verdict
    }


def _state_templates(reading: Reading) -> list[tuple[HeadlineState, str]]:
    """Each sentence with the state that it is the template of."""
    overview = reading.overview
    if not overview.headline:
        state = (
            HeadlineState.NONE_RESOLVED if overview.profiles else HeadlineState.NOBODY_PLAYED
        )
        return [(state, state)]
    if not may_rank(overview):
        return [_unranked(overview.claims)]
    among, first, shown = ranked(reading), leaders(reading), verdicts(reading)
    beaters = tuple(name for name in among if shown.get(name) == "better")
    if beaters and beaters == first and len(among) > 1:
        return [_both(beaters, reading)]
    return [_market(beaters, reading), *_order(first, among, reading)]


def _unranked(claims: ClaimBasis) -> tuple[HeadlineState, str]:
    least = claims.minimum
    if Caveat.ONE_WEEK in claims.caveats:
        questions = figures.many(claims.questions, "question")
        words = HeadlineState.ONE_WEEK.format(questions=questions, weeks=least.weeks_needed)
        return HeadlineState.ONE_WEEK, words
    if least.met and claims.next_look:
        day = day_words(claims.next_look)
        return HeadlineState.BEFORE_LOOK, HeadlineState.BEFORE_LOOK.format(day=day)
    ready = f" Enough by {day_words(least.ready_on)} at the earliest." if least.ready_on else ""
    words = HeadlineState.TOO_LITTLE.format(present=missing_words(least), ready=ready)
    return HeadlineState.TOO_LITTLE, words


def _both(beaters: Sequence[ContestantId], reading: Reading) -> tuple[HeadlineState, str]:
    """One sentence where those who lead are those who beat the market."""
    who = _names(beaters, reading)
    if len(beaters) == 1:
        return HeadlineState.LEADER_BEATS, HeadlineState.LEADER_BEATS.format(who=who)
    which = "which of them" if len(beaters) > 2 else "which of the two"  # noqa: PLR2004
    return HeadlineState.LEADERS_BEAT, HeadlineState.LEADERS_BEAT.format(who=who, which=which)


def _market(beaters: Sequence[ContestantId], reading: Reading) -> tuple[HeadlineState, str]:
    if reading.overview.headline != "alpha":
        return HeadlineState.NO_PRICE, HeadlineState.NO_PRICE
    if not beaters:
        return HeadlineState.MARKET_NOBODY, HeadlineState.MARKET_NOBODY
    state = HeadlineState.MARKET_ONE if len(beaters) == 1 else HeadlineState.MARKET_SEVERAL
    return state, state.format(who=_names(beaters, reading))


def _order(
    first: Sequence[ContestantId], among: Sequence[ContestantId], reading: Reading
) -> list[tuple[HeadlineState, str]]:
    """The sentence of who leads; none if nobody has a value."""
    if len(among) == 1:
        return [(HeadlineState.ALONE, HeadlineState.ALONE.format(who=_names(among, reading)))]
    if not first:
        return []
    if len(first) == 1:
        others = "the other one" if len(among) == 2 else f"the other {len(among) - 1}"  # noqa: PLR2004
        words = HeadlineState.LEADER.format(who=_names(first, reading), others=others)
        return [(HeadlineState.LEADER, words)]
    if len(first) == len(among) > MOST_NAMES:
        many = figures.many(len(among), "contestant")
        return [(HeadlineState.ALL_OPEN, HeadlineState.ALL_OPEN.format(many=many))]
    return [(HeadlineState.LEADERS, HeadlineState.LEADERS.format(who=_names(first, reading)))]


def _names(names: Sequence[ContestantId], reading: Reading) -> str:
    """A few by name, more by their number."""
    labels = [reading.label(name) for name in names]
    if len(labels) > 1 and (len(labels) > MOST_NAMES or sum(map(len, labels)) > LONGEST):
        return figures.many(len(labels), "contestant")
    return _listed(labels)


def _listed(parts: Sequence[str]) -> str:
    """Join with commas and a last `and`."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else ""


def _evidence(reading: Reading) -> str:
    """The amount of evidence, its dates, and until when the claims hold."""
    overview = reading.overview
    if not overview.headline:
        return ""
    counts = [
        figures.many(overview.basis.events, "event"),
        figures.many(overview.basis.markets, "market"),
    ]
    first, last = first_day(reading), overview.as_of
    if first and last:
        counts.append(stretch_words(first, last.astimezone(UTC).date()))
    held = look_words(overview.claims) if may_rank(overview) else ""
    return " ".join(filter(None, (f"{', '.join(counts)}.", held, _warning(overview.claims))))


def first_day(reading: Reading) -> date | None:
    """The day on which the first cohort started."""
    cards = reading.show.cohorts(1, 1)
    return cards[0].started_at.astimezone(UTC).date() if cards else None


def _warning(claims: ClaimBasis) -> str:
    """The caveat that a reader of the claims must know; the others stand further down."""
    if Caveat.FEW_CLUSTERS in claims.caveats and claims.largest:
        singular, plural = GROUPS[claims.largest]
        groups = figures.many(claims.clusters, singular, plural)
        return f"With only {groups} the claims are less certain."
    if Caveat.STALE_PRICES in claims.caveats:
        return "Open questions had no fresh price."
    return ""
