"""What holds of every choice of markets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from arena.records.cohort import Quota, Ranking, Universe
from arena.records.market import Market, MarketId, Quote
from arena.records.money import usd
from arena.steps.alike import are_alike, words_of
from arena.steps.universe import Chosen, choose
from tests.build import DAY, T0, market, quote

NOBODY = MarketId("nobody")


def optional(values: Sequence[str]) -> st.SearchStrategy[str | None]:
    return st.none() | st.sampled_from(values)


@st.composite
def listings(draw: st.DrawFn) -> tuple[list[Market], dict[MarketId, Quote]]:
    """Some markets that have much in common, most of them with a quote."""
    listed, quotes = [], {}
    for n in range(draw(st.integers(0, 14))):
        name = MarketId(f"m{n:02}")
        words = draw(st.lists(st.sampled_from(["rain", "snow", "2026", "by"]), max_size=4))
        hint = draw(st.none() | st.integers(-2, 9))
        age = draw(st.none() | st.integers(-1, 9))
        listed.append(
            replace(
                market(name, event=draw(st.sampled_from(["", "e", "f"]))),
                question=" ".join(words),
                category=draw(st.sampled_from(["", "wet", "Dry"])),
                closes_at=None if hint is None else T0 + hint * DAY,
                opens_at=None if age is None else T0 - age * DAY,
            )
        )
        if draw(st.integers(0, 9)):
            sizes = [draw(optional(["0", "1", "5", "1000"])) for _ in range(3)]
            volume, volume_24h, liquidity = (None if s is None else usd(s) for s in sizes)
            quotes[name] = replace(
                quote(*(draw(optional(["0.1", "0.5", "0.9"])) for _ in range(2)), name=name),
                volume=volume,
                volume_24h=volume_24h,
                liquidity=liquidity,
            )
    return listed, quotes


DOLLARS = st.sampled_from([usd(0), usd(1), usd(5)])
SPANS = st.none() | st.integers(1, 9).map(lambda n: n * DAY)
QUOTAS = st.builds(Quota, st.sampled_from(["wet", "dry"]), st.integers(1, 3))
PATTERNS = st.lists(st.sampled_from(["rain", "sn*", "hail", "*"]), max_size=2).map(tuple)
UNIVERSES = st.builds(
    Universe,
    top=st.integers(1, 9),
    min_volume=DOLLARS,
    closes_within=SPANS,
    categories=st.lists(st.sampled_from(["wet", "dry"]), max_size=2).map(tuple),
    by=st.sampled_from(Ranking),
    closes_after=SPANS,
    min_volume_24h=DOLLARS,
    min_liquidity=DOLLARS,
    min_age=SPANS,
    max_age=SPANS,
    quotas=st.lists(QUOTAS, max_size=2).map(tuple),
    include=PATTERNS,
    exclude=PATTERNS,
    per_event=st.none() | st.integers(1, 3),
    distinct=st.booleans(),
    price_from=st.sampled_from([Decimal(0), Decimal("0.2")]),
    price_to=st.sampled_from([Decimal(1), Decimal("0.8")]),
)
# Most universes that are drawn leave nothing; these leave something to choose among.
LOOSE = st.builds(
    Universe,
    top=st.integers(1, 9),
    by=st.sampled_from(Ranking),
    quotas=st.lists(QUOTAS, max_size=2).map(tuple),
    per_event=st.none() | st.integers(1, 3),
    distinct=st.booleans(),
)
EITHER = LOOSE | UNIVERSES
Listing = tuple[list[Market], Mapping[MarketId, Quote]]


def chosen_from(universe: Universe, listing: Listing) -> Chosen:
    return choose(universe, *listing, T0)


@given(universe=EITHER, listing=listings(), data=st.data())
def test_the_order_of_the_listing_changes_nothing(
    universe: Universe, listing: Listing, data: st.DataObject
) -> None:
    listed, quotes = listing
    shuffled = data.draw(st.permutations(listed))
    assert choose(universe, shuffled, quotes, T0) == chosen_from(universe, listing)


@given(universe=EITHER, listing=listings())
def test_every_market_is_either_chosen_or_left_out_once(
    universe: Universe, listing: Listing
) -> None:
    chosen = chosen_from(universe, listing)
    seen = [*chosen.markets, *(market for market, _ in chosen.left_out)]
    assert sorted(m.id for m in seen) == sorted(m.id for m in listing[0])


@given(universe=EITHER, listing=listings(), data=st.data())
def test_what_was_not_chosen_had_no_part_in_what_was(
    universe: Universe, listing: Listing, data: st.DataObject
) -> None:
    chosen = chosen_from(universe, listing)
    gone = data.draw(st.sets(st.sampled_from([m.id for m, _ in chosen.left_out] or [NOBODY])))
    fewer = [m for m in listing[0] if m.id not in gone]
    assert choose(universe, fewer, listing[1], T0).markets == chosen.markets


@given(universe=EITHER, listing=listings())
def test_from_those_that_were_chosen_the_same_are_chosen(
    universe: Universe, listing: Listing
) -> None:
    chosen = chosen_from(universe, listing)
    quotes = {m.id: listing[1][m.id] for m in chosen.markets}
    assert choose(universe, chosen.markets, quotes, T0) == Chosen(chosen.markets, ())


@given(universe=EITHER, listing=listings(), more=st.integers(1, 9))
def test_a_larger_top_only_adds_at_the_end(
    universe: Universe, listing: Listing, more: int
) -> None:
    few = chosen_from(universe, listing).markets
    larger = replace(universe, top=universe.top + more)
    assert chosen_from(larger, listing).markets[: universe.top] == few


@given(universe=EITHER, listing=listings())
def test_no_limit_is_ever_passed(universe: Universe, listing: Listing) -> None:
    markets = chosen_from(universe, listing).markets
    assert len(markets) <= universe.top
    events = Counter(m.event for m in markets)
    assert universe.per_event is None or max(events.values(), default=0) <= universe.per_event
    kinds = Counter(m.category.casefold() for m in markets)
    assert all(kinds[quota.category] <= quota.most for quota in universe.quotas)
    if universe.distinct:
        pairs = combinations([words_of(m.question) for m in markets], 2)
        assert not any(are_alike(one, other) for one, other in pairs)
