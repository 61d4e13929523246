"""What holds of every choice of markets."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.cohort import Quota, Ranking, Universe
from arena.records.market import Market, MarketId, Quote
from arena.records.money import usd
from arena.steps.rounds.universe import Chosen, are_alike, choose, pick, words_of
from tests.build import DAY, T0, market, quote

T = TypeVar("T")


Listing = tuple[list[Market], Mapping[MarketId, Quote]]


def one_of(rng: np.random.Generator, *values: T) -> T:
    return values[int(rng.integers(len(values)))]


def listing(seed: int) -> Listing:
    """Twelve markets that have much in common; most of what is known of them is there."""
    rng = np.random.default_rng(seed)
    names = [MarketId(f"m{n:02}") for n in range(12)]
    quotes = {name: some_quote(name, rng) for name in names if rng.random() < 0.9}
    return [some_market(name, rng) for name in names], quotes


def some_market(name: MarketId, rng: np.random.Generator) -> Market:
    hint, age = (one_of(rng, None, *range(-1, 9)) for _ in range(2))
    return replace(
        market(name, event=one_of(rng, "", "", "e", "f")),
        question=" ".join(one_of(rng, "rain", "snow", "sun", "2026") for _ in range(3)),
        category=one_of(rng, "", "wet", "wet", "Dry"),
        closes_at=None if hint is None else T0 + hint * DAY,
        opens_at=None if age is None else T0 - age * DAY,
    )


def some_quote(name: MarketId, rng: np.random.Generator) -> Quote:
    volume, volume_24h, liquidity = (
        None if size is None else usd(size)
        for size in (one_of(rng, None, 0, 1, 5, 5, 9) for _ in range(3))
    )
    return replace(
        quote(one_of(rng, None, "0.1", "0.5"), one_of(rng, None, "0.5", "0.9"), name=name),
        volume=volume,
        volume_24h=volume_24h,
        liquidity=liquidity,
    )


QUOTAS = st.builds(Quota, st.sampled_from(["wet", "dry"]), st.integers(1, 2))
# Where places are few, a market that is refused for one thing could wrongly fill another.
PLACES = st.builds(
    Universe,
    top=st.sampled_from([3, 5, 7, 9]),
    by=st.sampled_from(Ranking),
    quotas=st.lists(QUOTAS, max_size=2).map(tuple),
    per_event=st.sampled_from([None, 1, 2]),
    distinct=st.booleans(),
)
# Each filter is mostly off: all of them together would leave nothing to choose from.
DOLLARS = st.sampled_from([usd(n) for n in (0, 0, 0, 0, 1, 5)])
SPANS = st.sampled_from([None, None, None, None, DAY, 4 * DAY, 9 * DAY])
PATTERNS = st.sampled_from([(), (), (), ("rain",), ("sn*", "hail"), ("*",)])
FILTERS = st.builds(
    Universe,
    top=st.integers(1, 9),
    min_volume=DOLLARS,
    closes_within=SPANS,
    categories=st.sampled_from([(), (), ("wet",), ("wet", "dry")]),
    by=st.sampled_from(Ranking),
    closes_after=SPANS,
    min_volume_24h=DOLLARS,
    min_liquidity=DOLLARS,
    min_age=SPANS,
    max_age=SPANS,
    include=PATTERNS,
    exclude=PATTERNS,
    per_event=st.sampled_from([None, 1, 2]),
    price_from=st.sampled_from([Decimal(0), Decimal("0.2")]),
    price_to=st.sampled_from([Decimal(1), Decimal("0.8")]),
)
EITHER = PLACES | FILTERS
LISTINGS = st.integers(0, 10**9).map(listing)


def chosen_from(universe: Universe, found: Listing) -> Chosen:
    return choose(universe, *found, T0)


@given(universe=EITHER, found=LISTINGS, data=st.data())
def test_the_order_of_the_listing_changes_nothing(
    universe: Universe, found: Listing, data: st.DataObject
) -> None:
    listed, quotes = found
    shuffled = data.draw(st.permutations(listed))
    assert choose(universe, shuffled, quotes, T0) == chosen_from(universe, found)


@given(universe=EITHER, found=LISTINGS)
def test_every_market_is_either_chosen_or_left_out_once(
    universe: Universe, found: Listing
) -> None:
    chosen = chosen_from(universe, found)
    seen = [*chosen.markets, *(market for market, _ in chosen.left_out)]
    assert sorted(m.id for m in seen) == sorted(m.id for m in found[0])


@given(universe=EITHER, found=LISTINGS)
def test_what_is_picked_without_reasons_is_what_is_chosen_with_them(
    universe: Universe, found: Listing
) -> None:
    assert pick(universe, *found, T0) == chosen_from(universe, found).markets


@given(universe=EITHER, found=LISTINGS, data=st.data())
def test_what_was_not_chosen_had_no_part_in_what_was(
    universe: Universe, found: Listing, data: st.DataObject
) -> None:
    chosen = chosen_from(universe, found)
    left_out = [market.id for market, _ in chosen.left_out]
    gone = data.draw(st.sets(st.sampled_from(left_out)) if left_out else st.just(set()))
    fewer = [m for m in found[0] if m.id not in gone]
    assert choose(universe, fewer, found[1], T0).markets == chosen.markets


GRID = [
    Universe(top=9, quotas=(Quota("wet", most),), per_event=places, distinct=distinct)
    for most in (1, 2)
    for places in (None, 1, 2)
    for distinct in (False, True)
]


@pytest.mark.parametrize("universe", GRID, ids=range(len(GRID)))
def test_a_market_that_is_refused_takes_nobodys_place(universe: Universe) -> None:
    for seed in range(40):
        listed, quotes = found = listing(seed)
        chosen = chosen_from(universe, found)
        for refused, _ in chosen.left_out:
            others = [market for market in listed if market.id != refused.id]
            assert choose(universe, others, quotes, T0).markets == chosen.markets


@given(universe=EITHER, found=LISTINGS)
def test_from_those_that_were_chosen_the_same_are_chosen(
    universe: Universe, found: Listing
) -> None:
    chosen = chosen_from(universe, found)
    quotes = {m.id: found[1][m.id] for m in chosen.markets}
    assert choose(universe, chosen.markets, quotes, T0) == Chosen(chosen.markets, ())


@given(universe=EITHER, found=LISTINGS, more=st.integers(1, 9))
def test_a_larger_top_only_adds_at_the_end(
    universe: Universe, found: Listing, more: int
) -> None:
    few = chosen_from(universe, found).markets
    larger = replace(universe, top=universe.top + more)
    assert chosen_from(larger, found).markets[: universe.top] == few


@given(universe=EITHER, found=LISTINGS)
def test_no_limit_is_ever_passed(universe: Universe, found: Listing) -> None:
    markets = chosen_from(universe, found).markets
    assert len(markets) <= universe.top
    events = Counter(m.event for m in markets)
    assert universe.per_event is None or max(events.values(), default=0) <= universe.per_event
    kinds = Counter(m.category.casefold() for m in markets)
    assert all(kinds[quota.category] <= quota.most for quota in universe.quotas)
    if universe.distinct:
        pairs = combinations([words_of(m.question) for m in markets], 2)
        assert not any(are_alike(one, other) for one, other in pairs)
