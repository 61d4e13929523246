"""The first two sentences, wherever they stand: who beats the market's price, and who leads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date

from arena.metrics import figures
from arena.metrics.claims.rules import look_words, waiting_words, warning_words
from arena.records.cohort import ContestantId
from arena.site.pages.leaderboard.evidence import may_rank
from arena.site.reading import Reading

MOST_NAMES = 3  # that are named; more are counted
LONGEST = 60  # letters of names that a first sentence has room for
NO_PRICE = "No price is known: contestants are ranked by Brier score."


@dataclass(frozen=True, slots=True)
class Headline:
    """The claims in one sentence or two, and their evidence."""

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
    return Headline(tuple(_claims(reading)), _evidence(reading))


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


def _claims(reading: Reading) -> list[str]:
    """Who beats the market's price and who leads, or why nothing is said of it."""
    overview = reading.overview
    if not overview.headline:
        return [
            "No forecast has resolved yet: nobody is ranked."
            if overview.profiles
            else "Nothing has been played yet."
        ]
    if not may_rank(overview):
        return [waiting_words(overview.claims)]
    among, first, shown = ranked(reading), leaders(reading), verdicts(reading)
    beaters = tuple(name for name in among if shown.get(name) == "better")
    if beaters and beaters == first and len(among) > 1:
        return [_both(beaters, reading)]
    return [_market(beaters, reading), *_order(first, among, reading)]


def _both(beaters: Sequence[ContestantId], reading: Reading) -> str:
    """One sentence where those who lead are those who beat the market."""
    who = _names(beaters, reading)
    if len(beaters) == 1:
        return f"{who} leads and is shown to beat the market's price."
    which = "which of them" if len(beaters) > 2 else "which of the two"  # noqa: PLR2004
    return f"{who} are shown to beat the market's price; {which} is best is not known."


def _market(beaters: Sequence[ContestantId], reading: Reading) -> str:
    if reading.overview.headline != "alpha":
        return NO_PRICE
    if not beaters:
        return "Nobody is shown to beat the market's price."
    verb = "is" if len(beaters) == 1 else "are"
    return f"{_names(beaters, reading)} {verb} shown to beat the market's price."


def _order(
    first: Sequence[ContestantId], among: Sequence[ContestantId], reading: Reading
) -> list[str]:
    """The sentence of who leads; none if nobody has a value."""
    if len(among) == 1:
        return [f"{_names(among, reading)} is the only contestant with resolved forecasts."]
    if not first:
        return []
    if len(first) == 1:
        others = "the other one" if len(among) == 2 else f"the other {len(among) - 1}"  # noqa: PLR2004
        return [f"{_names(first, reading)} leads: significantly better than {others}."]
    if len(first) == len(among) > MOST_NAMES:
        return [f"The order of all {figures.many(len(among), 'contestant')} is not known."]
    return [f"{_names(first, reading)} lead; their order is not known."]


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
        counts.append(figures.stretch_words(first, last.astimezone(UTC).date()))
    claims = overview.claims
    held = look_words(claims) if may_rank(overview) else ""
    return " ".join(filter(None, (f"{', '.join(counts)}.", held, warning_words(claims))))


def first_day(reading: Reading) -> date | None:
    """The day on which the first cohort started."""
    cards = reading.show.cohorts(1, 1)
    return cards[0].started_at.astimezone(UTC).date() if cards else None
