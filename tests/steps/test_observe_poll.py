"""How a venue is read for a round: first its list, then what may be offered, more closely."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from arena.records.cohort import FeeRule, Universe
from arena.records.market import (
    Catalogue,
    FeeKind,
    FeeModel,
    Market,
    MarketId,
    Quote,
    Source,
    Status,
)
from arena.records.money import usd
from arena.steps.markets.observe import MOST_LOOKS, SPARE, VenueView, Wanted, look
from arena.steps.rounds.universe import Chosen, choose
from tests.build import T0, at_price, market

NAMES = [MarketId(f"m{n:03}") for n in range(60)]
TOP = 4
SHORT = TOP + SPARE


@dataclass(slots=True)
class Shelf:
    """A venue with sixty markets, of falling volume; `asked` are the batches it was asked."""

    gone: AbstractSet[MarketId] = frozenset()
    unpriced: AbstractSet[MarketId] = frozenset()
    untold: AbstractSet[MarketId] = frozenset()
    events: Mapping[MarketId, str] = field(default_factory=dict)
    asked: list[list[MarketId]] = field(default_factory=list)

    async def catalogue(self) -> Catalogue:
        listed = tuple(market(name, event=self.events.get(name, "")) for name in NAMES)
        told = (
            replace(at_price("0.5", name), volume=usd(1000 - n), source=Source.LIST)
            for n, name in enumerate(NAMES)
        )
        return Catalogue(listed, tuple(told))

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        fee = FeeModel(FeeKind.UNKNOWN)
        told = (replace(m, fee=fee) if m.id in self.untold else m for m in markets)
        return [m for m in told if m.id not in self.gone]

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        self.asked.append(list(markets))
        return {m: at_price("0.5", m) for m in self.asked[-1] if m not in self.unpriced}

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        assert not list(markets)
        return {}


def looked(shelf: Shelf, wanted: Wanted, held: Sequence[MarketId] = ()) -> VenueView:
    return asyncio.run(look(shelf, [wanted], held=held, at=T0))


def offered(shelf: Shelf, wanted: Wanted) -> list[MarketId]:
    view = looked(shelf, wanted)
    chosen = choose(wanted.universe, view.markets, view.quotes, T0, fees=wanted.fees)
    return [market.id for market in chosen.markets]


TOP_FOUR = Wanted(Universe(top=TOP))


def test_one_short_list_is_asked_about_where_it_is_enough() -> None:
    shelf = Shelf(gone=set(NAMES[:SPARE]))
    assert offered(shelf, TOP_FOUR) == NAMES[SPARE:SHORT]
    assert shelf.asked == [NAMES[:SHORT]]


def test_where_more_is_gone_than_was_to_spare_the_next_ones_are_offered() -> None:
    shelf = Shelf(gone=set(NAMES[:20]))
    assert offered(shelf, TOP_FOUR) == NAMES[20:24]


def test_where_nothing_of_a_short_list_has_a_price_the_next_ones_are_offered() -> None:
    shelf = Shelf(unpriced=set(NAMES[:20]))
    assert offered(shelf, TOP_FOUR) == NAMES[20:24]


def test_markets_whose_fee_is_not_known_make_room_for_others() -> None:
    shelf = Shelf(untold=set(NAMES[:20]))
    assert offered(shelf, TOP_FOUR) == NAMES[20:24]


def test_markets_whose_fee_is_not_known_stay_where_none_is_charged() -> None:
    shelf = Shelf(untold=set(NAMES[:20]))
    assert offered(shelf, replace(TOP_FOUR, fees=FeeRule.NONE)) == NAMES[:TOP]


def test_of_an_event_whose_largest_is_gone_the_next_one_is_offered() -> None:
    shelf = Shelf(gone={NAMES[0]}, events=dict.fromkeys(NAMES, "the only one"))
    assert offered(shelf, Wanted(Universe(top=TOP, per_event=1))) == [NAMES[1]]


def test_no_market_is_asked_about_twice() -> None:
    shelf = Shelf(gone=set(NAMES[:20]))
    looked(shelf, TOP_FOUR, held=[NAMES[1], NAMES[59]])
    asked = [name for batch in shelf.asked for name in batch]
    assert sorted(asked) == [*NAMES[: 2 * SHORT], NAMES[59]]


def test_a_venue_that_has_nothing_left_is_asked_so_often_and_no_more() -> None:
    shelf = Shelf(gone=set(NAMES))
    assert offered(shelf, TOP_FOUR) == []
    assert len(shelf.asked) == MOST_LOOKS


def test_a_list_that_is_shorter_than_a_round_is_asked_about_once() -> None:
    shelf = Shelf(gone={NAMES[0]})
    universe = Universe(top=TOP, min_volume=usd(998))
    assert offered(shelf, Wanted(universe)) == NAMES[1:3]
    assert shelf.asked == [NAMES[:3]]


def test_why_the_rest_of_a_list_is_left_out_is_told_where_it_is_wanted() -> None:
    (first,) = looked(Shelf(), replace(TOP_FOUR, explained=True)).first
    assert [market.id for market in first.markets] == NAMES[:SHORT]
    assert [market.id for market, _ in first.left_out] == NAMES[SHORT:]
    assert looked(Shelf(), TOP_FOUR).first == (Chosen(first.markets, ()),)
