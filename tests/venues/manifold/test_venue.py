"""The adapter over a real socket: what it asks, how often, and what it makes of the answers.

What is read in Manifold's probabilities and bets.
What `config.yaml` may say about Manifold.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import TypeVar

import pytest

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.ports import Clock
from arena.records.market import MarketId, PricePoint, Source, State, Verdict
from arena.records.money import price
from arena.records.settings import VenueSettings
from arena.venues.manifold import ManifoldVenue, from_settings
from arena.venues.manifold.venue import ManifoldOptions, bet_ids, bets, options_of
from arena.venues.reading import unreadable
from tests.http.asking import Drawer
from tests.venues.manifold.rows import DAY, HERE, NOW, ORIGIN, Row, bet, millis, resolved, row
from tests.venues.manifold.server import MISSING, always, manifold
from tests.venues.scripted import Asked, ScriptedServer

RAIN, SNOW, GONE = (MarketId(f"manifold:{own}") for own in ("rain", "snow", "gone"))
MINUTE = timedelta(minutes=1)

_T = TypeVar("_T")


@dataclass
class Place:
    """What a server knows: markets by id, in the order of its list, and bets, newest first."""

    rows: dict[str, Row]
    bets: Sequence[Row] = ()
    headers: tuple[tuple[str, str], ...] = ()
    pages: list[int] = field(default_factory=list)

    def answer(self, asked: Asked) -> object:
        parts, query = asked.path.removeprefix("/v0/").split("/"), dict(asked.query)
        if parts[0] == "search-markets":
            start, limit = int(query["offset"]), int(query["limit"])
            return [*self.rows.values()][start : start + limit]
        if parts[0] == "bets":
            return self._bets(query)
        return self.rows.get(parts[1], MISSING)

    def _bets(self, query: Mapping[str, str]) -> list[Row]:
        found = list(self.bets)
        if "before" in query:
            found = found[[one["id"] for one in found].index(query["before"]) + 1 :]
        return found[: int(query["limit"])]


def place(*rows: Row) -> Place:
    return Place({str(one["id"]): one for one in rows})


def made(
    server: ScriptedServer,
    clock: Clock | None = None,
    drawer: Drawer | None = None,
    /,
    **options: object,
) -> ManifoldVenue:
    given = {"base_url": f"{server.home}/v0", "per_second": 1e6, **options}
    settings = VenueSettings(HERE, "manifold", tuple(given.items()))
    return from_settings(settings, clock or HandClock(NOW), drawer or Drawer())


def played(
    there: Place,
    play: Callable[[ManifoldVenue], Coroutine[None, None, _T]],
    clock: Clock | None = None,
    /,
    **options: object,
) -> tuple[_T, list[Asked]]:
    """Play against a server that knows this; give what came of it, and what was asked."""
    with manifold(there.answer) as server:
        server.headers = there.headers
        return asyncio.run(play(made(server, clock, **options))), server.asked


def test_the_catalogue_asks_only_for_what_is_documented() -> None:
    _, asked = played(place(row()), lambda venue: venue.catalogue())
    assert asked == [
        Asked(
            "/v0/search-markets",
            (
                ("term", ""),
                ("sort", "24-hour-vol"),
                ("filter", "open"),
                ("contractType", "BINARY"),
                ("token", "MANA"),
                ("limit", "1000"),
                ("offset", "0"),
            ),
        )
    ]


def test_the_catalogue_lists_open_markets_with_the_lists_own_prices() -> None:
    found, _ = played(place(row("rain"), row("snow")), lambda venue: venue.catalogue())
    assert [m.id for m in found.markets] == [RAIN, SNOW]
    assert [(q.market, q.source, q.at) for q in found.quotes] == [
        (RAIN, Source.LIST, NOW),
        (SNOW, Source.LIST, NOW),
    ]


def test_the_catalogue_says_what_it_leaves_out() -> None:
    there = place(
        row("rain"),
        row("who", outcomeType="MULTIPLE_CHOICE"),
        row("quiet", uniqueBettorCount=3),
        row("late", closeTime=millis(NOW - DAY)),
    )
    found, _ = played(there, lambda venue: venue.catalogue())
    assert [m.id for m in found.markets] == [RAIN]
    assert [(out.what, out.malformed) for out in found.left_out] == [
        ("who", False),
        ("quiet", False),
        ("manifold:late", False),
    ]


def test_a_second_page_is_read_where_it_is_wanted_and_there() -> None:
    there = place(*(row(f"m{n}") for n in range(1003)))
    found, asked = played(there, lambda venue: venue.catalogue(), pages=2)
    assert len(found.markets) == 1003
    assert [one.one("offset") for one in asked] == ["0", "1000"]


def test_a_short_page_is_the_last() -> None:
    _, asked = played(place(row()), lambda venue: venue.catalogue(), pages=2)
    assert len(asked) == 1


def test_a_market_that_slips_to_the_next_page_is_listed_once() -> None:
    rows = [row(f"m{n}") for n in range(1000)]

    def answer(asked: Asked) -> object:
        return rows if asked.one("offset") == "0" else [rows[-1], row("last")]

    with manifold(answer) as server:
        found = asyncio.run(made(server, pages=2).catalogue())
    assert [len(found.markets), len(found.left_out)] == [1001, 0]


def test_quotes_are_books_with_depth() -> None:
    found, _ = played(place(row("rain")), lambda venue: venue.quotes([RAIN]))
    assert (found[RAIN].source, len(found[RAIN].asks)) == (Source.CURVE, 20)


def test_a_price_is_as_old_as_the_caches_on_its_way_say() -> None:
    there = place(row("rain"))
    there.headers = (("Age", "7"),)
    found, _ = played(there, lambda venue: venue.quotes([RAIN]))
    assert found[RAIN].at == NOW - timedelta(seconds=7)


def test_a_market_that_is_not_there_is_unknown_and_has_no_price() -> None:
    async def play(venue: ManifoldVenue) -> tuple[int, State]:
        return len(await venue.quotes([GONE])), (await venue.statuses([GONE]))[GONE].state

    found, _ = played(place(), play)
    assert found == (0, State.UNKNOWN)


def test_every_state_is_unconfirmed() -> None:
    there = place(row("rain"), resolved("CANCEL", "snow"))
    found, _ = played(there, lambda venue: venue.statuses([RAIN, SNOW, GONE]))
    assert {m: (s.state, s.unconfirmed) for m, s in found.items()} == {
        RAIN: (State.OPEN, True),
        SNOW: (State.RESOLVED, True),
        GONE: (State.UNKNOWN, True),
    }
    outcome = found[SNOW].outcome
    assert outcome is not None
    assert outcome.verdict is Verdict.VOID


def test_within_a_poll_a_market_is_asked_for_once() -> None:
    async def play(venue: ManifoldVenue) -> None:
        listed = (await venue.catalogue()).markets
        await venue.details(listed)
        await venue.quotes([RAIN, RAIN])
        await venue.statuses([RAIN])

    _, asked = played(place(row("rain")), play)
    assert [one.path for one in asked] == ["/v0/search-markets", "/v0/market/rain"]


def test_a_minute_later_it_is_asked_again() -> None:
    clock = HandClock(NOW)

    async def play(venue: ManifoldVenue) -> None:
        await venue.quotes([RAIN])
        clock.at += MINUTE
        await venue.quotes([RAIN])

    _, asked = played(place(row("rain")), play, clock)
    assert len(asked) == 2


def test_an_answer_about_another_market_is_not_taken_for_this_one() -> None:
    with (
        always(row("snow")) as server,
        pytest.raises(ArenaError, match="another market") as caught,
    ):
        asyncio.run(made(server).quotes([RAIN]))
    assert caught.value.code == "venue.format"


@pytest.mark.parametrize("own", ["", "a/b", "..", "a b", "é", "x" * 200, "a?b", "a#b"])
def test_what_cannot_be_an_id_is_never_asked_for(own: str) -> None:
    _, asked = played(place(), lambda venue: venue.statuses([MarketId(f"manifold:{own}")]))
    assert asked == []


def test_details_bring_the_rules_and_leave_out_what_is_not_for_us() -> None:
    there = place(row("rain"), row("snow"), row("mine"))

    async def play(venue: ManifoldVenue) -> list[tuple[MarketId, str, str]]:
        listed = (await venue.catalogue()).markets
        there.rows["rain"] |= {"textDescription": "By the gauge.", "groupSlugs": ["weather"]}
        there.rows["snow"] |= {"isResolved": True, "resolution": "NO"}
        there.rows["mine"] |= {"groupSlugs": ["personal-goals"]}
        return [(m.id, m.rules, m.category) for m in await venue.details(listed)]

    found, _ = played(there, play)
    assert found == [(RAIN, "By the gauge.", "weather")]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row(str(n), volume24Hours=n) for n in range(10)], "not in the order"),
        ([row("rain", pool=...), row("snow", pool=5)], "has a price"),
        ([*(row(str(n), probability=...) for n in range(3)), row()], "probability is missing"),
        ([], "no market at all"),
        ([row(str(n), mechanism="cpmm-2") for n in range(20)], "no market at all"),
    ],
    ids=["another order", "no prices", "a field is gone", "nothing", "another kind"],
)
def test_a_list_that_is_not_what_it_was_is_not_used(rows: list[Row], said: str) -> None:
    with pytest.raises(ArenaError, match=said) as caught:
        played(place(*rows), lambda venue: venue.catalogue())
    assert caught.value.code == "venue.format"


def test_another_order_is_fine_where_another_was_asked_for() -> None:
    there = place(*(row(str(n), volume24Hours=n) for n in range(10)))
    found, _ = played(there, lambda venue: venue.catalogue(), sort="newest")
    assert len(found.markets) == 10


def test_a_list_whose_markets_are_all_too_small_offers_nothing() -> None:
    small = place(row("rain"), row("snow"))
    found, _ = played(small, lambda venue: venue.catalogue(), min_bettors=1000)
    assert (found.markets, len(found.left_out)) == ((), 2)


def test_history_is_the_price_after_each_bet_of_the_span() -> None:
    there = place(row("rain"))
    there.bets = [bet(f"b{n}", n, Decimal(90 - n) / 100) for n in range(30)]
    found, asked = played(
        there, lambda venue: venue.history(RAIN, NOW - 4 * MINUTE, NOW - 2 * MINUTE)
    )
    assert [(NOW - p.at, p.price) for p in found] == [
        (4 * MINUTE, price("0.86")),
        (3 * MINUTE, price("0.87")),
        (2 * MINUTE, price("0.88")),
    ]
    newest = str(millis(NOW - 2 * MINUTE) + 1)
    assert asked == [
        Asked("/v0/bets", (("contractId", "rain"), ("limit", "1000"), ("beforeTime", newest)))
    ]


def test_history_is_paged_by_the_last_bet_until_the_span_begins() -> None:
    there = place(row("rain"))
    there.bets = [bet(f"b{n}", n, Decimal("0.5")) for n in range(5000)]
    found, asked = played(there, lambda venue: venue.history(RAIN, NOW - 1500 * MINUTE, NOW))
    assert len(found) == 1501
    assert [one.one("before") for one in asked] == [None, "b999"]
    assert found[0].at == NOW - 1500 * MINUTE


def test_a_market_that_nobody_knows_has_no_history() -> None:
    with always(MISSING) as server:
        found = asyncio.run(made(server).history(GONE, NOW - DAY, NOW))
    assert found == ()


def test_bets_are_the_prices_they_left_oldest_first() -> None:
    read = bets([bet("b", 1, Decimal("0.6")), bet("a", 9, Decimal("0.4"))], ORIGIN)
    assert read.rows == (
        PricePoint(NOW - timedelta(minutes=9), price("0.4")),
        PricePoint(NOW - timedelta(minutes=1), price("0.6")),
    )


def test_of_two_bets_in_one_millisecond_the_later_stays_later() -> None:
    read = bets([bet("b", 1, Decimal("0.6")), bet("a", 1, Decimal("0.4"))], ORIGIN)
    assert [point.price for point in read.rows] == [price("0.4"), price("0.6")]


@pytest.mark.parametrize(
    "why", [{"isRedemption": True}, {"isFilled": False}, {"answerId": "x"}]
)
def test_what_moved_no_price_is_left_out_as_sound(why: Row) -> None:
    read = bets([bet("a", 1, Decimal("0.4"), **why)], ORIGIN)
    assert read.rows == ()
    assert not read.left_out[0].malformed


def test_an_old_bet_that_does_not_say_it_was_filled_was() -> None:
    old = bet("a", 1, Decimal("0.4"))
    del old["isFilled"]
    assert len(bets([old], ORIGIN).rows) == 1


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"id": 3}, "id"),
        ({"createdTime": "now"}, "createdTime"),
        ({"probAfter": 2}, "probAfter"),
    ],
)
def test_a_bet_without_what_is_needed_is_malformed(changes: Row, name: str) -> None:
    found = bets([bet("a", 1, Decimal("0.4")) | changes], ORIGIN).left_out[0]
    assert found.malformed
    assert found.why.startswith(f"{name} ")


def test_of_a_bet_listed_twice_the_first_counts() -> None:
    read = bets([bet("a", 1, Decimal("0.4")), bet("a", 1, Decimal("0.5"))], ORIGIN)
    assert [point.price for point in read.rows] == [price("0.4")]
    assert read.left_out == (unreadable("a", "it comes twice"),)


def test_bets_are_named_in_the_order_of_the_payload() -> None:
    assert bet_ids([bet("b", 1, 0), 3, {"id": 4}, bet("a", 2, 0)]) == ("b", "a")


def read(**options: object) -> ManifoldOptions:
    return options_of(VenueSettings(HERE, "manifold", tuple(options.items())))


def test_without_options_it_is_read_slowly_and_from_its_own_server() -> None:
    found = read()
    assert found.base_url == "https://api.manifold.markets/v0"
    assert found.sort == "24-hour-vol"
    assert found.pages == 1
    assert found.min_bettors == 15
    assert found.per_second == 2.0


def test_every_option_is_taken() -> None:
    given = {
        "base_url": "http://127.0.0.1:1/v0",
        "sort": "score",
        "pages": 2,
        "min_bettors": 0,
        "per_second": 8,
    }
    assert read(**given) == ManifoldOptions(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "x"},
        {"base_url": "ftp://manifold"},
        {"sort": "volume"},
        {"sort": ["score"]},
        {"pages": 0},
        {"pages": 3},
        {"min_bettors": -1},
        {"per_second": 0},
    ],
)
def test_a_wrong_option_is_named(wrong: dict[str, object]) -> None:
    with pytest.raises(ArenaError, match=next(iter(wrong))) as caught:
        read(**wrong)
    assert (caught.value.code, caught.value.status) == ("venue.option", 2)
