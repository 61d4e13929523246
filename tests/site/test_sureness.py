"""How sure the front page says it is, what changed, and that other pages say the same."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from arena.metrics.claims.rules import basis_sentences
from arena.records.claim import ClaimBasis, Minimum
from arena.site.overview.records import Flip, Overview, RankPlace, RanksAt
from arena.site.pages.leaderboard.leaderboard import front_of
from arena.site.pages.leaderboard.sureness import changed, flip, sure
from tests.site.conftest import Site
from tests.site.folders import START
from tests.site.fronts import ALDER, BIRCH, PLAYING, SEASON, claimed, page_of, reading_of, told
from tests.site.truth.twins import said_by


def said(site: Site, claims: ClaimBasis) -> str:
    return " ".join(sure(reading_of(site.store, claimed(claims=claims))))


def test_what_the_claims_stand_on_is_said_sentence_by_sentence(simulated: Site) -> None:
    sentences = sure(reading_of(simulated.store, claimed()))
    assert set(basis_sentences(SEASON)) <= set(sentences)


def test_nothing_is_said_of_claims_that_nobody_made(simulated: Site) -> None:
    bare = " ".join(sure(reading_of(simulated.store, told())))
    assert "look" not in bare
    assert "design effect" not in bare


def test_with_too_little_evidence_ranks_are_not_explained(simulated: Site) -> None:
    assert "Possible ranks" not in said(simulated, replace(SEASON, minimum=Minimum(6, 3)))


def test_nobody_says_of_events_that_they_are_independent(simulated: Site) -> None:
    assert "independent" not in (simulated.out / "index.html").read_text().lower()


def test_the_cost_is_the_one_that_the_page_of_costs_begins_with(
    simulated: Site, lively: Site
) -> None:
    for site in (simulated, lively):
        costs = said_by(site.out / "costs.html")
        whole = " ".join(sure(reading_of(site.store, claimed())))
        first = costs["facts"][0]
        assert first["text"] in whole or first["note"] in whole


def test_forecasts_without_a_price_are_not_called_evidence(simulated: Site) -> None:
    known = claimed()
    few = replace(known, basis=replace(known.basis, markets=20, events=15, forecasts=380))
    view = page_of(simulated.store, few)
    assert view.evidence.startswith("15 events, 20 markets, ")
    assert (
        "The score uses 380 resolved forecasts. It leaves out 20 without a price." in view.sure
    )


def test_it_is_said_what_would_put_somebody_else_first(simulated: Site) -> None:
    known = claimed()

    def words(found: Flip | None) -> str:
        return flip(reading_of(simulated.store, replace(known, flip=found)))

    assert words(Flip(ALDER, BIRCH, ("one", "two"))) == (
        "Without 2 events of 18, birch would have the best value instead of Alder the First."
    )
    assert words(Flip(ALDER, BIRCH, ())) == "Alder the First and birch have the same value."
    assert words(Flip(ALDER, None, ())) == (
        "No 25 events were found without which somebody other than Alder the First had the "
        "best value."
    )
    assert words(None) == ""


def moved(low: int) -> Overview:
    """Birch, who was from 2 on, is from `low` on since the newest settlement."""
    known = claimed()
    now = {name: known.profiles[name].place for name in PLAYING}
    before = {**now, BIRCH: RankPlace(2, 2, 4)}
    return replace(
        known,
        ranks=(
            RanksAt(START, before),
            RanksAt(START + timedelta(days=1), before),
            RanksAt(START + timedelta(days=2), {**now, BIRCH: RankPlace(2, low, 4)}),
        ),
    )


def test_it_is_said_whose_ranks_moved_since_the_settlement_before(simulated: Site) -> None:
    assert changed(reading_of(simulated.store, moved(1))) == (
        "Since 2026-01-06 00:00 UTC, possible ranks: birch 1\u20134 (was 2\u20134).",
    )
    assert changed(reading_of(simulated.store, moved(2))) == (
        "Since 2026-01-06 00:00 UTC: no possible ranks have changed.",
    )


def test_before_a_second_settlement_nothing_has_changed(simulated: Site) -> None:
    once = replace(claimed(), ranks=moved(1).ranks[:1])
    assert changed(reading_of(simulated.store, once)) == ()


def test_the_figure_of_equity_tells_of_dashes_only_where_something_is_open(
    simulated: Site,
) -> None:
    reading = reading_of(simulated.store, claimed())
    board = simulated.store.boards.overall()
    closed = replace(board, standings=tuple(replace(s, open=0) for s in board.standings))
    some, none = front_of(board, reading).equity, front_of(closed, reading).equity
    assert some is not None
    assert none is not None
    assert "dashed" in some.caption
    assert "dashed" not in none.caption
    assert "Realised: no position is open." in none.caption


def returns(site: Site) -> tuple[dict[str, Any], list[str]]:
    """The ranking by returns as its twin says it, and the keys of its columns."""
    view = said_by(site.out / "leaderboard/returns.html")["ranking"]
    return view, [column["key"] for column in view["columns"]]


def test_a_share_of_bets_is_never_said_to_be_below_none_or_above_all(simulated: Site) -> None:
    view, keys = returns(simulated)
    cells = [row["cells"][keys.index("win_rate")] for row in view["rows"]]
    rooms = [cell["between"] for cell in cells if cell.get("between")]
    assert rooms
    assert all(0 <= room["low"] <= room["high"] <= 1 for room in rooms)


def test_what_is_said_to_be_less_fees_is_and_what_is_not_is_not(simulated: Site) -> None:
    view, keys = returns(simulated)
    assert "before fees" in " ".join(view["notes"])
    for row in view["rows"]:
        if row["kind"]:
            continue
        books = {
            key: Decimal(cell["value"])
            for key, cell in zip(keys, row["cells"], strict=True)
            if key in {"pnl", "realised", "unrealised", "fees"}
        }
        assert books["pnl"] == books["realised"] + books["unrealised"] - books["fees"]


def test_contestants_stand_in_one_order_wherever_they_are_listed(simulated: Site) -> None:
    front = said_by(simulated.out / "index.html")["ranking"]
    first = [row["contestant"]["text"] for row in front["rows"] if not row["kind"]]
    everybody = said_by(simulated.out / "contestants/index.html")
    listed = [row[0]["text"] for row in everybody["table"]["rows"]]
    assert listed[: len(first)] == first
    assert len(listed) > len(first) > len(PLAYING) - 1
