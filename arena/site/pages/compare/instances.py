"""Resolved markets, by contestants: who was right, who was wrong, who did not bet."""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Final

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.market import MarketId, Side
from arena.site import places
from arena.site.pages.parts.parts import Cell
from arena.site.pages.parts.tables import Field, Table
from arena.site.reading import Reading
from arena.store.pages.market_views import SqliteOpinions
from arena.store.tape.sqlite_tape import SqliteMarketLists

MARKETS: Final = 20
LOOKED_AT: Final = 60  # of the newest resolved, for those that resolved YES or NO
MOST_SAID: Final = 2000  # forecasts, and bets, that are read of a market
_RIGHT, _WRONG = "\N{CHECK MARK}", "\N{BALLOT X}"


def instances(names: Sequence[ContestantId], reading: Reading) -> Table | None:
    """The newest markets that resolved YES or NO, each by the contestants named.

    None where nobody is named, or no market resolved so.
    """
    newest = [card.id for card in SqliteMarketLists(reading.show.db).resolved(LOOKED_AT)]
    reading.learn(newest)
    truths = ((market, _truth(market, reading)) for market in newest)
    decided = list(islice(((m, t) for m, t in truths if t is not None), MARKETS))
    if not names or not decided:
        return None
    heads = (Field(reading.label(who), "n", places.contestant(who)) for who in names)
    return Table(
        "Market by market",
        (Field("Market", "words"), Field("Resolved", "one"), *heads),
        tuple(_row(market, truth, names, reading) for market, truth in decided),
        f"The newest {figures.many(len(decided), 'market')} that resolved YES or NO, and the "
        f"first {figures.many(len(names), 'contestant')}, without the baselines. Above: the "
        f"last forecast of YES, {_RIGHT} where it gave what happened more than 50%, {_WRONG} "
        "where less. Below: whether the side that was bought, in any cohort, won.",
    )


def _truth(market: MarketId, reading: Reading) -> int | None:
    outcome = reading.outcome(market)
    return outcome.truth if outcome else None


def _row(
    market: MarketId, truth: int, names: Sequence[ContestantId], reading: Reading
) -> tuple[Cell, ...]:
    opinions = SqliteOpinions(reading.show.db)
    forecasts, bought = (
        opinions.last_stated(market, MOST_SAID),
        opinions.bought(market, MOST_SAID),
    )
    link, won = reading.market(market, ""), Side.YES if truth else Side.NO
    return (
        Cell(link.text, href=link.href),
        Cell(won.value, value=truth),
        *(_square(forecasts.get(who), bought.get(who, frozenset()), won) for who in names),
    )


def _square(forecast: float | None, bought: Collection[Side], won: Side) -> Cell:
    bet = "no bet"
    if bought:
        bet = "bet both sides" if len(bought) > 1 else _bet(won in bought)
    if forecast is None:
        return Cell("no forecast", bet)
    given = forecast if won is Side.YES else 1 - forecast
    sign = "" if given == 1 / 2 else _RIGHT if given > 1 / 2 else _WRONG
    return Cell(f"{sign} {METRICS['stated_p'].shown(forecast)}".strip(), bet, forecast)


def _bet(right: bool) -> str:  # noqa: FBT001  the only thing that it says
    return f"{_RIGHT} bet right" if right else f"{_WRONG} bet wrong"
