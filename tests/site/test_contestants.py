"""The pages of contestants.

Bets at the close, by what was paid."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest

from arena.metrics.figures import steady
from arena.metrics.registry import METRICS
from arena.metrics.returns import risks
from arena.records.claim import ClaimBasis
from arena.records.cohort import ContestantId, MarkRule
from arena.records.estimate import Estimate, State
from arena.records.grade import Tally
from arena.records.market import Side
from arena.records.settings import Edition, Entrant
from arena.scoring.leaderboard import standing
from arena.site import places
from arena.site.estimates import counted_n
from arena.site.overview.read import fallen, read_overview, thinned
from arena.site.overview.records import ContestantProfile, Overview, RankPlace, Worth
from arena.site.pages.contestants.contestant import (
    COLUMNS,
    EVERY,
    MOST,
    by_price,
    closes_figure,
    contestant_front,
    contestant_pages,
)
from arena.site.pages.contestants.contestant_charts import (
    FALLS,
    MOMENTS,
    drawdown,
    equity,
    luck_figure,
    luck_words,
    money_facts,
    recent,
)
from arena.site.pages.contestants.contestant_summary import (
    checks,
    identity,
    kpis,
    marked_kpi,
    more_facts,
    reference_words,
)
from arena.site.pages.contestants.holdings import ContestantPage
from arena.site.pages.leaderboard.evidence import claimed
from arena.site.pages.parts import Cell
from arena.site.reading import Reading
from arena.store import Store
from arena.store.scores.evidence import BANDS
from tests.build import ADA, BEN, COHORT, RAIN, SNOW, quote, spec
from tests.present import present, some
from tests.site import fronts
from tests.site.conftest import Site
from tests.site.folders import page, rows, table
from tests.stage import buys, playing

ADAS = places.contestant(ADA)
ALDER = ContestantId("alder")
DAY = datetime(2026, 1, 5, tzinfo=UTC)


def reading_of(store: Store, *cast: Entrant, overview: Overview | None = None) -> Reading:
    known = {one.id: one for one in cast}
    made = overview or read_overview(store, known)
    return fronts.reading_of(store, made, Edition(known))


@pytest.fixture(scope="module")
def estimated(simulated: Site) -> Reading:
    market = Entrant(ContestantId("market"), "Market price", "market", reference=True)
    alder = Entrant(ALDER, "Alder", provider="Acme", model="acme-1", release="2026-01-07")
    return reading_of(simulated.store, market, alder)


@pytest.fixture(scope="module")
def views(estimated: Reading) -> dict[str, ContestantPage]:
    board = estimated.store.boards.overall()
    return {view.id: view for _, view in contestant_pages(board, estimated)}


def days(worths: list[float | None], capital: float = 100.0) -> tuple[Worth, ...]:
    return tuple(
        Worth(DAY + timedelta(days=n), capital, capital, worth)
        for n, worth in enumerate(worths)
    )


def test_numbers_that_stand_out_have_their_interval_and_n(
    views: dict[str, ContestantPage], estimated: Reading
) -> None:
    kpis = {one.name: one for one in views["alder"].standing.kpis}
    scores = estimated.profile(ALDER).scores
    assert len(kpis) == 6
    for key in (estimated.overview.order_by, "brier"):
        name = METRICS[key].name if key != "brier" else "Brier score"
        cell, found = kpis[name].cell, scores[key]
        assert cell.value == steady(found.value)
        assert cell.note.startswith(counted_n(found.n))
        assert cell.between is not None
        assert found.interval is not None
        assert (cell.between.low, cell.between.high) == (
            found.interval.low,
            found.interval.high,
        )


def test_each_number_that_is_there_has_its_command(views: dict[str, ContestantPage]) -> None:
    said = {fact.text.split()[-1] for fact in views["alder"].standing.checks}
    assert {"alpha", "brier", "realised_return", "max_drawdown", "ev_clv", "cost"} <= said
    market = {fact.text.split()[-1] for fact in views["market"].standing.checks}
    assert "brier" in market
    assert not {"ev_clv", "win_rate"} & market
    assert said <= METRICS.keys()


def test_a_name_in_a_command_cannot_run_another_one() -> None:
    line = standing(ContestantId("x; rm -rf /"), Tally(), mark=MarkRule.BID, cohorts=1)
    blank = ContestantProfile(line.contestant, RankPlace(None, 1, 1))
    assert [fact.text for fact in checks(line, blank, "")] == [
        f"arena explain 'x; rm -rf /' {key}" for key in ("returned", "cost", "tokens")
    ]


def test_a_rank_is_a_range(views: dict[str, ContestantPage], estimated: Reading) -> None:
    assert views["alder"].standing.kpis[0].cell.text == "n/a"  # all is of one week
    assert "1 of 6 weeks" in views["alder"].standing.claims[0].words
    told = replace(estimated.overview, claims=ClaimBasis())
    profile = replace(told.profiles[ALDER], place=RankPlace(2, 1, 4))
    line = next(s for s in estimated.store.boards.overall().standings if s.contestant == ALDER)
    first = kpis(line, profile, reading_of(estimated.store, overview=told), "")[0]
    assert (first.name, first.cell) == ("Possible ranks", Cell("1 to 4", value=2))


def test_those_it_does_not_differ_from_significantly_are_named(estimated: Reading) -> None:
    contest = present(estimated.overview.contest)
    alike = {
        name
        for claim in contest.claims
        for name in (claim.first, claim.second)
        if claim.better is None and ALDER in {claim.first, claim.second} and name != ALDER
    }
    ranked = replace(estimated, overview=replace(estimated.overview, claims=ClaimBasis()))
    [found] = [
        one for one in claimed(ALDER, ranked, "") if one.words.startswith("Not significantly")
    ]
    assert {to.text for to in found.links} == {estimated.label(ContestantId(n)) for n in alike}


def test_an_identity_has_what_was_said_and_nothing_else(lively: Site) -> None:
    ada = Entrant(
        ADA,
        "Ada",
        "prompted",
        provider="Acme",
        model="acme-large-2026",
        price_in=Decimal("2.5"),
        retires_on=date(2027, 1, 1),
        copy_of="acme",
    )
    reading = reading_of(lively.store, ada, Entrant(BEN, "Ben", copy_of="acme"))
    said = {fact.name: fact.text for fact in identity(ada, reading)}
    assert said == {
        "Id": "ada",
        "Agent": "prompted",
        "Provider": "Acme",
        "Model": "acme-large-2026",
        "Price in": "$2.50",
        "Retires": "2027-01-01",
        "Copies of it": "Ben",
    }


def test_a_baseline_says_what_it_is_for() -> None:
    assert "forecast must beat it" in reference_words(
        Entrant(ADA, "", "market", reference=True)
    )
    assert reference_words(Entrant(ADA, "", "other", reference=True)) != ""
    assert reference_words(Entrant(ADA, "", "prompted")) == ""


def test_money_is_drawn_mark_to_market_and_as_realised(
    estimated: Reading, views: dict[str, ContestantPage]
) -> None:
    figure, last = views["alder"].equity, estimated.profile(ALDER).days[-1]
    assert figure is not None
    assert figure.grid.head[1:3] == ("Mark-to-market", "Realised")
    shown = [column.values[-1] for column in figure.grid.columns[1:3]]
    assert last.worth is not None
    assert shown == [last.worth - last.capital, last.settled - last.capital]


def test_a_release_is_flagged_on_the_day_it_was(estimated: Reading) -> None:
    known = estimated.profile(ALDER)
    assert "released" in (getattr(equity(known, estimated), "wide", ""))
    unknown = replace(known, contestant=ContestantId("birch"))
    assert "released" not in (getattr(equity(unknown, estimated), "wide", ""))


def test_the_deepest_fall_of_a_year_is_drawn_as_it_was_told(estimated: Reading) -> None:
    path = days([10_000.0 - 700 * (n == 100) + n for n in range(400)])
    told = risks([day.capital for day in path], [day.worth for day in path])["max_drawdown"]
    figure = present(drawdown(replace(estimated.profile(ALDER), days=thinned(fallen(path)))))
    values = [row[1][1] for row in figure.grid.rows]
    drawn = [value for value in values if isinstance(value, float)]
    assert min(drawn) == pytest.approx(told.value)
    assert len(drawn) <= FALLS + 1


def test_a_year_of_which_the_older_half_was_thinned_is_drawn_evenly() -> None:
    path = days([10_000.0] * 365)
    known = [*path[:180:7], *path[180:]]
    told = [day.at for day in recent(known)]
    assert len(told) <= MOMENTS
    assert (told[0], told[-30:]) == (known[0].at, [day.at for day in known[-30:]])
    steps = [after - before for before, after in pairwise(told[:-30])]
    assert max(steps) <= timedelta(days=7)
    assert min(steps) >= timedelta(days=5)


def test_the_parts_of_a_profit_are_drawn_with_their_sum(
    estimated: Reading, views: dict[str, ContestantPage]
) -> None:
    split = present(estimated.profile(ALDER).money).split
    figure = present(views["alder"].betting.split)
    assert {split.luck, split.pnl} <= {
        v for column in figure.grid.columns for v in column.values
    }


def test_luck_is_put_in_words(estimated: Reading, views: dict[str, ContestantPage]) -> None:
    money = present(estimated.profile(ALDER).money)
    assert METRICS["luck_p"].shown(money.luck.upper) in views["alder"].betting.luck
    assert luck_words(None) == "No bet has resolved yet."
    never = replace(money, luck=replace(present(money.luck), upper=0.0))
    assert luck_words(never).endswith("is then less than 0.0001.")


def test_bets_without_a_close_are_said_beside_those_that_have_one(estimated: Reading) -> None:
    money = present(estimated.profile(ALDER).money)
    told = replace(money, bets=money.ev_clv.n + 13)
    notes = [fact.note for fact in money_facts(told, "")]
    assert any("; 13 of these bets have no close" in note for note in notes)
    even = money_facts(replace(money, bets=money.ev_clv.n), "")
    assert not any("no close" in fact.note for fact in even)


def test_luck_is_drawn_beside_what_bets_made(estimated: Reading) -> None:
    money = present(estimated.profile(ALDER).money)
    figure = present(luck_figure(money))
    _, pnl, low, high, *_ = figure.grid.columns
    assert pnl.values == (money.luck.mean, money.luck.pnl)
    assert [end.values[0] for end in (low, high)] == [money.luck.quantiles[n] for n in (0, -1)]
    assert luck_figure(None) is None


def test_numbers_beside_the_six_are_there_where_they_have_a_value(estimated: Reading) -> None:
    line = next(s for s in estimated.store.boards.overall().standings if s.contestant == ALDER)
    one = Estimate(0.5, 1, 1, state=State.SINGLE)
    single = ContestantProfile(ALDER, RankPlace(None, 1, 1), {"win_rate": one})
    told = {fact.name: fact.text for fact in more_facts(line, single, "")}
    assert told == {
        "Win rate": "50.0%",
        METRICS["turns"].name: f"{line.turns_ok} / {line.turns_failed}",
    }


def test_what_it_answered_is_told_where_it_is_known(estimated: Reading) -> None:
    line = next(s for s in estimated.store.boards.overall().standings if s.contestant == ALDER)
    profile = replace(estimated.profile(ALDER), coverage=0.714)
    told = {kpi.name: kpi.cell.text for kpi in kpis(line, profile, estimated, "")}
    assert told["Answered"] == "71%"


def test_every_part_of_the_forecasts_has_its_n(
    estimated: Reading, views: dict[str, ContestantPage]
) -> None:
    shown = present(views["alder"].forecasting.table)
    parts = [part for kind in estimated.profile(ALDER).parts.values() for part in kind]
    assert {row[2].value for row in shown.rows} == {part.n for part in parts}


def test_nobody_without_a_forecast_has_a_rank_or_a_figure(lively: Site) -> None:
    blank = Overview(
        profiles={BEN: ContestantProfile(BEN, RankPlace(None, 1, 2))}, order=(ADA, BEN)
    )
    reading = reading_of(lively.store, overview=blank)
    for _, view in some(contestant_pages(lively.store.boards.overall(), reading)):
        returned = next(kpi for kpi in view.standing.kpis if kpi.name == "Return, realised")
        assert (view.standing.kpis[0].cell.value, returned.cell) == (None, Cell("n/a"))
        assert (view.equity, view.drawdown, view.forecasting.reliability) == (None,) * 3
        assert view.standing.claims[0].words == "It has no resolved forecast."


def test_worths_of_open_positions_add_up_to_the_mark_of_the_books(simulated: Site) -> None:
    who = simulated.store.db.value(
        "SELECT contestant FROM totals WHERE open_positions BETWEEN 2 AND 20 ORDER BY 1"
    )
    marked = simulated.store.db.value("SELECT bid_micro FROM totals WHERE contestant = ?", who)
    shown = rows(table(page(simulated.out, f"contestants/{who}/index.html"), "Open positions"))
    cents = sum(Decimal(row[2].replace("$", "").replace(",", "")) for row in shown)
    assert abs(cents - Decimal(marked).scaleb(-6)) <= Decimal("0.005") * len(shown)
    assert len(shown) > 1


def test_a_page_lists_failures_with_their_reasons(lively: Site) -> None:
    shown = rows(table(page(lively.out, places.contestant(BEN)), "Failed turns"))
    assert [row[1:3] for row in shown] == [["longer", "1"], [COHORT, "1"]]
    assert all(row[3].startswith("unreadable reply: ") for row in shown)


def test_a_page_counts_refused_orders_by_reason(lively: Site) -> None:
    shown = rows(table(page(lively.out, places.contestant(BEN)), "Refused orders"))
    assert shown == [["the stake exceeds the largest bet", "2"]]


def test_a_page_lists_deals_newest_first(lively: Site) -> None:
    shown = rows(table(page(lively.out, ADAS), "Last fills and sales"))
    assert [row[2] for row in shown] == ["sold YES", "bought NO", "bought YES"]


def test_a_page_lists_decisions_newest_first_and_leads_to_them(lively: Site) -> None:
    shown = table(page(lively.out, ADAS), "Decisions")
    assert [row[2] for row in rows(shown)] == ["3", "2", "1"]
    links = [a.attributes["href"] for a in shown.all("a")]
    assert "../../" + places.decision(COHORT, 1, ADA) in links


def test_a_page_leads_to_what_was_done_in_each_cohort(lively: Site) -> None:
    shown = table(page(lively.out, places.contestant(BEN)), "Last cohorts")
    assert [row[0] for row in rows(shown)] == ["longer", COHORT]
    links = {a.attributes["href"] for a in shown.all("a")}
    assert "../../" + places.seat(BEN, COHORT) in links


def test_worst_bets_are_those_that_lost(lively: Site) -> None:
    root = page(lively.out, ADAS)
    assert [row[0] for row in rows(table(root, "Worst bets"))] == ["Will there be rain?"]
    assert "No bet made a profit." in root.text


def test_a_profit_without_a_price_is_bounded_for_certain() -> None:
    """Of $1,000 in two bets at 0.5, the one on snow has lost its bid."""
    bets = buys((RAIN, Side.YES, 500), (SNOW, Side.YES, 500))
    with playing({ADA: {1: bets}}, spec(COHORT, days=5)) as game:
        game.tick(0)
        game.quote(quote("0.3", None, name=SNOW))
        game.tick(100)
        line = game.store.boards.overall().standings[0]
    kpi = marked_kpi(line, "")
    assert kpi.cell.value is None
    assert kpi.over == (
        "1 position without a price: certain bounds; "
        "return at the last known prices 0.00%, oldest price 4 d 4 h old"
    )
    assert kpi.cell.between is not None
    assert (kpi.cell.between.low, kpi.cell.between.high) == (-500.0, 500.0)


def test_the_list_has_everybody_with_provider_and_model(lively: Site) -> None:
    ada = Entrant(ADA, "Ada", provider="Acme", model="acme-1")
    reading = reading_of(lively.store, ada, overview=Overview())
    shown = present(contestant_front(lively.store.boards.overall(), reading).table)
    assert [row[0].text for row in shown.rows] == ["Ada", "ben"]
    assert {("Acme", "acme-1"), ("none", "none")} == {
        (row[3].text, row[4].text) for row in shown.rows
    }


def test_everybody_who_bet_has_a_row_with_the_value_of_all_bets(simulated: Site) -> None:
    """And a column for each band of prices."""
    known = reading_of(simulated.store)
    figure = closes_figure(known)
    assert figure
    names, whole = (
        figure.grid.columns[0].texts,
        figure.grid.columns[figure.grid.head.index(EVERY)],
    )
    found = dict(zip(names, whole.values, strict=True))
    assert len(COLUMNS) == len(BANDS)
    assert set(figure.grid.head[1:]) <= {EVERY, *COLUMNS}
    bet = [one for one in known.overview.profiles.values() if one.closes]
    assert len(found) == len(bet) <= MOST
    for one in bet:
        assert found[known.label(one.contestant)] == one.scores["ev_clv"].value


def test_where_nobody_bet_there_is_nothing_to_draw(simulated: Site) -> None:
    blank = reading_of(simulated.store, overview=Overview())
    assert closes_figure(blank) is None
    assert by_price(blank.profile(ALDER)) is None


def bought(site: Site, nth: int) -> list[str]:
    shown = page(site.out, places.contestant(ADA))
    return rows(table(shown, "Last fills and sales"))[nth]


def test_a_fill_has_its_three_probabilities_and_their_scores(lively: Site) -> None:
    """Ada put $500 of at most $2,500 on rain at 0.5, and said 0.7; it is NO."""
    assert bought(lively, -1)[5:10] == [
        "0.2000",
        "0.7000 Brier 0.4900",
        "0.6000 Brier 0.3600",
        "0.2000 Brier 0.0400",
        "NO",
    ]


def test_what_is_void_has_no_score(lively: Site) -> None:
    assert bought(lively, 1)[6] == "0.2000"
    assert bought(lively, 1)[9] == "void"
