"""How sure the leaderboard is, in plain words, what changed in it, and how to check it."""

from collections.abc import Iterator, Sequence
from shlex import quote

from arena.metrics import figures
from arena.metrics.claims.rules import basis_sentences
from arena.metrics.registry import METRICS
from arena.records.claim import ClaimBasis
from arena.records.cohort import ContestantId
from arena.records.money import usd
from arena.site.estimates import compare_command
from arena.site.overview.records import RankPlace
from arena.site.pages.leaderboard.evidence import may_rank
from arena.site.pages.leaderboard.headline import ranked
from arena.site.pages.parts import Fact
from arena.site.reading import Reading
from arena.site.sanitize import visible
from arena.store.pages.costs import SqliteSpending

_LONGEST_COMMAND = 120
_MOST_MOVES = 4


def sure(reading: Reading) -> tuple[str, ...]:
    """The evidence and assumptions behind the headline claims, sentence by sentence."""
    overview, claims = reading.overview, reading.overview.claims
    if not overview.headline:
        return ()
    sentences = [*_compared(reading)]
    if claims != ClaimBasis():
        sentences += basis_sentences(claims)
    sentences += [*_unpriced(reading), flip(reading), _cost(reading)]
    return tuple(filter(None, sentences))


def _compared(reading: Reading) -> Iterator[str]:
    """What is compared, and what a claim and a rank mean."""
    overview, shown = reading.overview, may_rank(reading.overview)
    if overview.headline == "alpha":
        yield (
            "Brier gain over the market: how much lower a contestant's Brier score is than "
            "that of the market's price at the same moment."
        )
    else:
        yield "Contestants are ranked by Brier score: 0 is perfect."
    if overview.order_by != overview.headline:
        yield (
            "Contestants answered different shares of the questions. Gains and their order are "
            "adjusted as if every contestant had answered the same questions."
        )
    if shown and overview.headline == "alpha":
        yield (
            "Shown to be better than the market: significantly better, with all contestants "
            "taken into account."
        )
    if shown:
        level = figures.percent(overview.level, 0)
        yield f"Possible ranks are a {level} confidence set, from tests of all pairs."


def _unpriced(reading: Reading) -> Iterator[str]:
    overview = reading.overview
    missing = overview.forecasts - overview.basis.forecasts
    resolved = figures.many(overview.basis.forecasts, "resolved forecast")
    without = f" It leaves out {figures.count(missing)} without a price." if missing else ""
    yield f"The score uses {resolved}.{without}"


def flip(reading: Reading) -> str:
    """The fewest events that decide who is first; empty where nobody may be ranked."""
    nearest_flip = reading.overview.flip
    if nearest_flip is None or not may_rank(reading.overview):
        return ""
    first = reading.label(nearest_flip.first)
    if nearest_flip.instead is None:
        return (
            "No 25 events were found without which somebody other than "
            f"{first} had the best value."
        )
    instead, events = reading.label(nearest_flip.instead), len(nearest_flip.events)
    if not events:
        return f"{first} and {instead} have the same value."
    them = figures.many(events, "event")
    every = figures.count(reading.overview.basis.events)
    return f"Without {them} of {every}, {instead} would have the best value instead of {first}."


def _cost(reading: Reading) -> str:
    """The total cost of all answers, as at the top of the page of costs."""
    spent = SqliteSpending(reading.store.db).totals().values()
    known_cost = usd(sum(spend.known for spend in spent))
    unknown = sum(bool(spend.unknown) for spend in spent)
    shown = METRICS["cost"].shown
    if not unknown:
        return f"All answers together cost {shown(known_cost)}."
    some = figures.many(unknown, "contestant")
    at_least = figures.spent(None, known_cost, shown)
    return f"Cost of all answers: {at_least}; the cost of some answers of {some} is unknown."


def changed(reading: Reading) -> tuple[str, ...]:
    """Contestants whose possible ranks changed with the newest resolution."""
    overview = reading.overview
    if not may_rank(overview) or len(overview.ranks) < 2:  # noqa: PLR2004  # before and now
        return ()
    before, now = overview.ranks[-2:]
    moved = [
        f"{reading.label(name)} {_range(now.places[name])} (was {_range(old)})"
        for name in ranked(reading)
        if (old := before.places.get(name))
        and name in now.places
        and _range(old) != _range(now.places[name])
    ]
    since = f"Since {figures.moment(before.at)}"
    if not moved:
        return (f"{since}: no possible ranks have changed.",)
    more = len(moved) - _MOST_MOVES
    moves = ", ".join(moved[:_MOST_MOVES]) + (f", and {more} more" if more > 0 else "")
    return (f"{since}, possible ranks: {moves}.",)


def _range(place: RankPlace) -> str:
    return figures.MISSING if place.rank is None else place.span()


def checks(names: Sequence[ContestantId], reading: Reading) -> tuple[Fact, ...]:
    """Commands by which anybody with the database checks what the page says."""
    quoted = [quote(name) for name in names]
    commands = [("That the books add up, to the cent", "arena audit")]
    headline = reading.overview.headline
    if headline and quoted:
        what = f"Every row behind {METRICS[headline].spoken} of {reading.label(names[0])}"
        what += ", before it is adjusted" * (reading.overview.order_by != headline)
        commands.insert(0, (what, f"arena explain {quoted[0]} {headline}"))
    if headline and len(quoted) > 1:
        commands.insert(1, ("Who is significantly better than whom", compare_command(headline)))
        commands.insert(2, ("The first two", compare_command(headline, *quoted[:2])))
    return tuple(
        Fact(what, visible(command))
        for what, command in commands
        if len(command) < _LONGEST_COMMAND
    )
