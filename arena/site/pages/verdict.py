"""What the front page says in sentences: who leads, whether that is real, how to check it."""

from collections.abc import Collection, Sequence
from shlex import quote

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.grade import Board
from arena.records.money import usd
from arena.site import places
from arena.site.hostile import visible
from arena.site.pages.glances import Line, score
from arena.site.pages.standings import order_words
from arena.site.reading import Reading
from arena.site.versus import compare_command
from arena.site.views.parts import Between, Cell, Fact, Kpi
from arena.store.spending import SqliteSpending

_LONGEST_COMMAND = 120
_SIMULATED = (
    "The contestants are simulated: no language model was asked, and nothing here tells of one."
)
_GLOSSES = {
    "alpha": "Alpha is how much better a contestant's forecasts were than the market's own "
    "price, which has 0.",
    "brier": "The Brier score is how far forecasts were from what happened: 0 is perfect, and "
    "always saying one half has 0.25.",
}


def ranked(lines: Sequence[Line]) -> list[Line]:
    """Those who have a rank by the headline, best first."""
    return [line for line in lines if line.profile.place.rank is not None]


def news(board: Board, lines: Sequence[Line], reading: Reading) -> str:
    """Say first how many are tied for first, and from how much; or why nobody can say it."""
    overview, many = reading.overview, figures.many
    if len(lines) == 1:
        return "One contestant has played, so there is nobody to compare it with."
    if not overview.headline:
        return (
            "No forecast has come out yet, so nobody can be said to lead: the "
            f"{many(len(lines), 'contestant')} stand in order of {order_words(board)}."
        )
    among = ranked(lines)
    name = METRICS[overview.headline].spoken
    stand_on = (
        f"from {many(overview.basis.markets, 'resolved market')} "
        f"of {many(overview.basis.events, 'independent event')}"
    )
    if len(among) == 1:
        who = reading.label(among[0].standing.contestant)
        return f"Only {who} has forecasts that came out, {stand_on}: nobody compares with it."
    tied = len(overview.tied)
    if tied > 1:
        share = "Both" if tied == 2 else f"All {figures.count(tied)}"  # noqa: PLR2004  grammar
        if tied < len(among):
            share = f"{figures.count(tied)} of {figures.count(len(among))}"
        return f"{share} contestants are statistically tied for first by {name}, {stand_on}."
    who = reading.label(among[0].standing.contestant)
    return (
        f"{who} is first of {many(len(among), 'contestant')} by {name} and tied with nobody, "
        f"{stand_on}."
    )


def more(lines: Sequence[Line], reading: Reading) -> tuple[str, ...]:
    """What follows from the first sentence: what ranks go by, what the first is worth.

    Where nobody but simulated contestants plays, that is said before anything else.
    """
    agents = {
        entrant.agent
        for entrant in (reading.entrant(line.standing.contestant) for line in lines)
        if not entrant.reference
    }
    invented = (_SIMULATED,) if agents == {"simulated"} else ()
    return (*invented, *_of_the_first(lines, reading))


def _of_the_first(lines: Sequence[Line], reading: Reading) -> tuple[str, ...]:
    overview, among = reading.overview, ranked(lines)
    if not overview.headline or len(among) < 2:  # noqa: PLR2004  # it takes two to compare
        return ()
    first = among[0]
    who = reading.label(first.standing.contestant)
    equals = _equals(among)
    said = [_GLOSSES[overview.headline]]
    if len(overview.tied) > 1:
        on_top = (
            f"{who} stands on top, but" if not equals else f"{who} {equals} stand equal, and"
        )
        said.append(
            f"{on_top} the order within the tied group may be luck: below each "
            "rank stand the ranks that tests of all pairs leave open."
        )
    priced = any(reading.entrant(name).agent == "market" for name in overview.tied)
    if priced and len(overview.tied) > 1:
        said.append(
            "The market's own price is in that group: with all pairs considered, nobody was "
            "shown to beat it."
        )
    if overview.headline == "alpha" and len(overview.tied) > 1:
        said += _against_the_price(among, overview.tied, reading)
    cell = score(overview.headline, first)
    if cell.between and overview.headline == "alpha":
        said.append(
            f"{who} has {cell.text}, {figures.percent(overview.level, 0)} interval "
            f"{cell.between.text}: {_beside_the_price(cell.between, priced=priced)}"
        )
    return tuple(said)


def _against_the_price(
    among: Sequence[Line], tied: Collection[ContestantId], reading: Reading
) -> tuple[str, ...]:
    """How those on top stand against the price, where no contestant forecasts it."""
    names = [line.standing.contestant for line in among]
    if any(reading.entrant(name).agent == "market" for name in names):
        return ()
    found = [score("alpha", line).between for line in among if line.standing.contestant in tied]
    above = sum(between is not None and between.low > 0 for between in found)
    said = (
        "No contestant forecasts the market's own price. Each taken alone, "
        f"{figures.count(above)} of the {figures.count(len(found))} tied have an interval of "
        "alpha that is wholly above it."
    )
    return (said,)


def _equals(among: Sequence[Line]) -> str:
    """How many share the first rank with whom is named first; nothing where nobody does."""
    others = sum(line.profile.place.rank == 1 for line in among) - 1
    return f"and {figures.many(others, 'other')}" if others else ""


def _beside_the_price(between: Between, *, priced: bool) -> str:
    """What an interval of alpha says by itself; `priced` where the price is tied for first."""
    if between.low > 0:
        alone = "taken alone, " if priced else ""
        return f"{alone}better than the price, though the best of many is lucky as a rule."
    if between.high < 0:
        return "worse than the price."
    return "luck alone could explain that."


def kpis(lines: Sequence[Line], reading: Reading) -> tuple[Kpi, ...]:
    """The numbers that a newcomer wants first."""
    overview, among = reading.overview, ranked(lines)
    said = []
    if overview.headline and among:
        first = among[0].standing.contestant
        cell = score(overview.headline, among[0])
        over = f"{METRICS[overview.headline].spoken} {cell.text}"
        if cell.between:
            over += f", {cell.between.text}"
        href = f"{places.METHODOLOGY}#{overview.headline}"
        at_first = Cell(
            reading.label(first), _equals(among), first, href=places.contestant(first)
        )
        said.append(Kpi("Stands first", at_first, over, href))
        if len(among) > 1:
            said.append(_tied_kpi(len(overview.tied), len(among)))
        said.append(_evidence_kpi(reading))
    return (*said, _cost_kpi(reading))


def _tied_kpi(tied: int, among: int) -> Kpi:
    text = f"{figures.count(tied)} of {figures.count(among)}"
    over = "of those who have a rank; nobody was shown to be better"
    return Kpi("Tied for first", Cell(text, value=tied), over, places.COMPARE)


def _evidence_kpi(reading: Reading) -> Kpi:
    basis = reading.overview.basis
    text = figures.many(basis.markets, "resolved market")
    over = f"{figures.many(basis.events, 'event')}, {figures.many(basis.forecasts, 'forecast')}"
    unpriced = reading.overview.forecasts - basis.forecasts
    if unpriced:
        over += f"; {figures.count(unpriced)} more had no price"
    return Kpi("Evidence", Cell(text, value=basis.markets), over, places.MARKETS)


def _cost_kpi(reading: Reading) -> Kpi:
    """The sum that the page of costs begins with."""
    spent = SqliteSpending(reading.store.db).totals().values()
    known = usd(sum(one.known for one in spent))
    unknown = sum(bool(one.unknown) for one in spent)
    shown = METRICS["cost"].shown(known)
    if not unknown:
        cell = Cell(shown, value=known)
        return Kpi("Cost of answers", cell, "all answers of all contestants", places.COSTS)
    over = f"{figures.many(unknown, 'contestant')} with answers of unknown cost"
    cell = Cell(figures.spent(None, known, METRICS["cost"].shown))
    return Kpi("Cost of answers", cell, over, places.COSTS)


def flip(reading: Reading) -> str:
    """Say what would put somebody else first; nothing where nobody is."""
    found = reading.overview.flip
    if found is None:
        return ""
    first = reading.label(found.first)
    led = reading.overview.order and reading.overview.order[0] != found.first
    among = " of those who are no baseline" if led else ""
    if found.instead is None:
        return (
            "No small set of events was found without which anybody but "
            f"{first} would stand first{among}."
        )
    instead, events = reading.label(found.instead), len(found.events)
    if not events:
        return f"{first} and {instead} stand equal: either could be named first{among}."
    them = "this one event" if events == 1 else f"these {figures.count(events)} events"
    every = figures.many(reading.overview.basis.events, "event")
    share = f"{figures.count(events)} of {every}"
    return (
        f"What would flip first place{among}: {share}. Without {them}, {instead} would stand "
        f"first instead of {first}."
    )


def flip_href(reading: Reading) -> str:
    """Where the events are named that first place hangs on; empty for none."""
    found, contest = reading.overview.flip, reading.overview.contest
    return f"{places.COMPARE}#flip" if found and found.events and contest else ""


def checks(lines: Sequence[Line], reading: Reading) -> tuple[Fact, ...]:
    """Commands by which anybody with the database checks what the page says."""
    names = [quote(line.standing.contestant) for line in lines]
    said = [("That the books add up, to the cent", "arena audit")]
    headline = reading.overview.headline
    if headline:
        said.insert(
            0, (_what(lines, reading, headline), f"arena explain {names[0]} {headline}")
        )
    if headline and len(names) > 1:
        said.insert(1, ("Who can be told from whom", compare_command(headline)))
        said.insert(2, ("The two on top", compare_command(headline, *names[:2])))
    return tuple(
        Fact(what, visible(command))
        for what, command in said
        if len(command) < _LONGEST_COMMAND
    )


def _what(lines: Sequence[Line], reading: Reading, headline: str) -> str:
    who = reading.label(lines[0].standing.contestant)
    return f"Every row behind {METRICS[headline].spoken} of {who}"
