"""Weeks of three venues that behave as badly as they can, and what stands in the books."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from arena.records.market import MarketId, Outcome, Quote, State
from arena.records.trade import Entry, Resolved
from arena.store.audit import audit
from tests.engine.soak import PACES, Soak, every_fault, soak
from tests.present import present
from tests.sizes import size
from tests.standins.venues import DIALECTS, KALSHI, MANIFOLD, POLYMARKET, Asked, Fault, Quirks

DAYS = size(24, 60)
SETTLED_BY = timedelta(days=3)
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Soak:
    return soak(tmp_path_factory.mktemp("soak"), days=DAYS, faults=every_fault(0.003))


def number(market: MarketId) -> tuple[str, int]:
    """Whose market it is, and its number in the world."""
    venue, _, own = market.partition(":")
    found = present(DIALECTS[venue].number(own))
    return venue, found


def words(played: Soak, market: MarketId) -> list[tuple[datetime, Outcome]]:
    """What its venue truly said of a market's outcome, and from when on."""
    venue, n = number(market)
    return [
        (stage.at, DIALECTS[venue].truth(stage.outcome))
        for stage in played.world.course(n)
        if stage.state is State.RESOLVED and stage.outcome is not None
    ]


def rulings(played: Soak) -> Iterator[tuple[Entry, Resolved]]:
    with played.open() as store:
        for _, _, entry in store.journal.entries():
            if isinstance(entry.event, Resolved):
                yield entry, entry.event


def offered(played: Soak) -> list[MarketId]:
    with played.open() as store:
        rows = store.db.rows("SELECT market FROM watched ORDER BY market")
        return [MarketId(row["market"]) for row in rows]


@pytest.mark.soak
def test_every_fault_that_can_has_befallen_some_answer(played: Soak) -> None:
    of_longer_lists = {Fault.SAME_PAGE, Fault.HYDRATION}  # tried by the adapters' own tests
    assert set(Fault) - set(played.faults) <= of_longer_lists


def test_no_settlement_is_another_than_the_venue_truly_gave(played: Soak) -> None:
    wrong = []
    for entry, event in rulings(played):
        true = [outcome for at, outcome in words(played, event.market) if at <= entry.at]
        if event.outcome is None or not true or true[-1] != event.outcome:
            wrong.append((event.market, entry.at, event.outcome, true))
    assert wrong == []


def test_no_market_is_lost(played: Soak) -> None:
    last = {event.market: event.outcome for _, event in rulings(played)}
    due = [
        market
        for market in offered(played)
        if words(played, market)[-1][0] < played.ended_at - SETTLED_BY
    ]
    assert len(due) > size(30, 200)
    assert {m: last.get(m) for m in due} == {m: words(played, m)[-1][1] for m in due}


@pytest.mark.soak
def test_venues_that_changed_their_mind_were_followed(played: Soak) -> None:
    changed = {m for m in offered(played) if len(words(played, m)) > 1}
    revised = {event.market for _, event in rulings(played) if event.revision > 1}
    assert revised
    assert revised <= changed


def is_true(played: Soak, quote: Quote) -> bool:
    """Whether a quote is what its venue's book, or its curve, was at the quote's moment."""
    venue, n = number(quote.market)
    if venue == MANIFOLD:
        asked = Asked("GET", f"/market/{DIALECTS[venue].own_id(n)}", (), b"")
        said = DIALECTS[venue].answer(asked, played.world.view(quote.at), Quirks()).payload
        assert isinstance(said, dict)
        return quote.mid is not None and abs(float(quote.mid) - said["probability"]) < 0.001
    true = present(played.world.market(n, quote.at))
    crossed = (true.asks[:1], true.bids[:1]) == (quote.bids[:1], quote.asks[:1])
    return crossed or (quote.bid in {true.bid, None} and quote.ask in {true.ask, None})


def quotes(played: Soak) -> Iterator[Quote]:
    with played.open() as store:
        rows = store.db.rows("SELECT DISTINCT seen_at FROM tape_quotes")
        markets = offered(played)
        for row in rows:
            at = datetime.fromisoformat(row["seen_at"])
            found = store.tape.quotes(markets, at).values()
            yield from (quote for quote in found if quote.at <= at)


def test_no_price_is_invented(played: Soak) -> None:
    seen = sorted(set(quotes(played)), key=lambda quote: quote.at)
    assert len(seen) > size(200, 1500)
    assert [quote for quote in seen if not is_true(played, quote)] == []


@pytest.mark.parametrize("name", [POLYMARKET, KALSHI, MANIFOLD])
def test_requests_keep_to_the_pace(played: Soak, name: str) -> None:
    starts, window = played.counted[name].starts, 10.0
    most = max(
        sum(start <= later < start + window for later in starts[n : n + 200])
        for n, start in enumerate(starts)
    )
    assert len(starts) > size(200, 1000)
    assert most <= PACES[name] * window + 1


def test_memory_stays_as_it_is(played: Soak) -> None:
    half = len(played.memory) // 2
    assert played.memory[-1] - played.memory[half] < 20 * MEGABYTE


def test_the_books_pass_the_audit(played: Soak) -> None:
    with played.open() as store:
        assert audit(store.db).findings == ()


def test_what_went_wrong_was_said(played: Soak) -> None:
    where = {failure.where for failure in played.failures}
    assert where == {f"venue {name}" for name in DIALECTS}
