import csv
import re
from dataclasses import replace
from datetime import date
from io import StringIO

import pytest

from arena.metrics.claims.board_claims import board_claims
from arena.metrics.claims.questions import Claim, Contest
from arena.metrics.claims.rules import look_words
from arena.metrics.pair_test import duel
from arena.metrics.rank_sets import League
from arena.metrics.rank_sets import Place as LeaguePlace
from arena.records.claim import ClaimBasis, Guarantee, Minimum
from arena.records.cohort import ContestantId
from arena.records.estimate import Interval, State, Test
from arena.records.market import MarketId
from arena.records.money import usd
from arena.records.settings import Edition, Entrant
from arena.render import environment, render
from arena.scoring.table import Forecasts
from arena.site import Document, Page
from arena.site.estimates import Versus, claims_of, p_words
from arena.site.overview.records import ContestantProfile, Flip, Overview, RankPlace
from arena.site.pages.compare import compare
from arena.site.pages.compare.pairs import ComparePage, PairPage, pair_page
from arena.store.scores.evidence import SqliteEvidence
from tests.present import present
from tests.site.conftest import Site
from tests.site.folders import TEMPLATES, drawn
from tests.site.fronts import ALDER, BIRCH, CEDAR, reading_of

MINUS = "\N{MINUS SIGN}"


@pytest.fixture(scope="module")
def forecasts(simulated: Site) -> Forecasts:
    return SqliteEvidence(simulated.store.db).forecasts()


def claim(first: str, second: str, better: str | None = None) -> Claim:
    test = Test("t", 40, 20, 0.0123, se=0.004, p=0.001)
    p = 0.01 if better else 0.6
    return Claim(first, second, test, Interval(0.004, 0.0206, 0.95, "t"), p, better)


def overview_of(*claims: Claim) -> Overview:
    names = list(dict.fromkeys(n for one in claims for n in (one.first, one.second)))
    order = tuple(map(ContestantId, names))
    profiles = {name: ContestantProfile(name, RankPlace(1, 1, len(order))) for name in order}
    ranks = {str(name): (1, len(order)) for name in order}
    return Overview(
        headline="alpha",
        order=order,
        profiles=profiles,
        contest=Contest("alpha", 0.95, claims, ranks) if claims else None,
    )


def made(site: Site, overview: Overview, edition: Edition) -> list[Page | Document]:
    return list(compare.pages(reading_of(site.store, overview, edition)))


def front(site: Site, overview: Overview, edition: Edition = Edition()) -> ComparePage:  # noqa: B008  frozen
    pages = (page for page in made(site, overview, edition) if isinstance(page, Page))
    view = next(page.view for page in pages if page.path == "compare.html")
    assert isinstance(view, ComparePage)
    return view


def everybody(count: int) -> Overview:
    names = [f"c{n:02}" for n in range(count)]
    return overview_of(*(claim(a, b) for n, a in enumerate(names) for b in names[n + 1 :]))


def test_a_square_is_the_row_less_the_column_with_its_interval(simulated: Site) -> None:
    view = front(simulated, overview_of(claim("alder", "birch")))
    assert view.matrix[0].differences[1].text == "+0.012"
    assert view.matrix[0].differences[1].note == "+0.004 to\n+0.021"
    assert view.matrix[1].differences[0].text == f"{MINUS}0.012"
    assert view.matrix[1].differences[0].note == f"{MINUS}0.021 to\n{MINUS}0.004"
    assert view.matrix[0].differences[0].text == ""


def test_a_verdict_is_told_by_its_mark_and_its_colour(simulated: Site) -> None:
    told = overview_of(claim("alder", "birch", better="birch"), claim("alder", "cedar"))
    root = drawn(front(simulated, told), "compare")
    assert "1 of 2 pairs differ significantly." in root.text
    single = front(simulated, overview_of(claim("alder", "birch", better="birch")))
    assert "1 of 1 pair differs significantly." in drawn(single, "compare").text
    marks = {
        (e.text, e.attributes.get("class"), e.all("a")[0].attributes["aria-label"])
        for e in root.all("td")
        if e.all("a") and e.text in {"\u25b2", "\u25bc", "\u25cb"}
    }
    assert marks == {
        ("\u25b2", "up", "better"),
        ("\u25bc", "down", "worse"),
        ("\u25cb", None, "not significantly different"),
    }


def test_a_mark_leads_to_the_page_of_its_pair(simulated: Site) -> None:
    view = front(simulated, overview_of(claim("alder", "birch"), claim("alder", "cedar")))
    assert view.matrix[0].verdicts[1].href == "compare/alder--birch.html"
    assert view.matrix[1].verdicts[0].href == "compare/alder--birch.html"


def test_before_there_is_enough_nothing_is_claimed(simulated: Site) -> None:
    least = Minimum(events=6, weeks=3, ready_on=date(2026, 2, 16))
    overview = replace(
        overview_of(claim("alder", "birch", better="birch")),
        claims=ClaimBasis(minimum=least, events=6),
    )
    pages = [page for page in made(simulated, overview, Edition()) if isinstance(page, Page)]
    views = {page.path: page.view for page in pages}
    front_page, pair = views["compare.html"], views["compare/alder--birch.html"]
    assert isinstance(front_page, ComparePage)
    assert isinstance(pair, PairPage)
    assert front_page.sentence == (
        "Too little evidence to rank anyone: 6 of 10 events and 3 of 6 weeks. "
        "Enough by 16 February 2026 at the earliest."
    )
    assert front_page.matrix[0].verdicts[1].text == "?"
    assert pair.verdict.startswith("Too little evidence yet")


@pytest.mark.parametrize(
    ("basis", "words"),
    [
        (ClaimBasis(), ""),
        (ClaimBasis(Guarantee.SEASON, next_look=date(2026, 3, 4)), "Next look: 4 March 2026."),
        (ClaimBasis(Guarantee.SEASON), "The season is over: claims are final."),
        (ClaimBasis(Guarantee.ENDLESS), "Claims hold on any day (anytime-valid)."),
        (ClaimBasis(events=40), "Claims hold for one look only."),
    ],
)
def test_a_claim_says_how_long_it_holds(basis: ClaimBasis, words: str) -> None:
    assert look_words(basis) == words


def test_without_pairs_the_page_says_why(simulated: Site) -> None:
    root = drawn(front(simulated, Overview()), "compare")
    assert "A comparison needs two contestants" in root.text
    assert root.all("table") == []


def test_the_matrix_has_the_first_twenty_and_the_table_all_pairs(simulated: Site) -> None:
    overview = everybody(32)
    view = front(simulated, overview)
    assert len(view.matrix) == 20
    assert "first 20 of 32" in drawn(view, "compare").text
    assert len(view.pairs) == 32 * 31 // 2
    [table] = [p for p in made(simulated, overview, Edition()) if isinstance(p, Document)]
    lines = list(csv.DictReader(StringIO(table.text)))
    assert table.path == view.csv == "compare.pairs.csv"
    assert len(lines) == len(view.pairs)
    assert lines[0]["difference"] == "0.0123"


def test_a_matrix_of_twenty_fits_in_a_page(simulated: Site) -> None:
    html = render(
        environment(TEMPLATES), "site/compare.html", page=front(simulated, everybody(40))
    )
    assert len(html.encode()) < 150_000


def test_the_first_sixteen_have_pages_in_pairs_and_ten_are_listed(simulated: Site) -> None:
    overview = everybody(18)
    reference = ContestantId("c03")
    edition = Edition({reference: Entrant(reference, reference=True)})
    paths = [p.path for p in made(simulated, overview, edition) if "/" in p.path]
    assert len(paths) == 16 * 15 // 2
    view = front(simulated, overview, edition)
    assert len(view.leads) == 10 * 9 // 2
    assert not any("c03" in row.pair.href for row in view.leads)
    assert all(row.pair.href in paths for row in view.leads)


def test_a_pair_page_sets_both_beside_each_other(simulated: Site) -> None:
    overview = overview_of(claim("alder", "birch", better="birch"))
    [page] = [p for p in made(simulated, overview, Edition()) if p.path.startswith("compare/")]
    assert isinstance(page, Page)
    assert isinstance(page.view, PairPage)
    assert page.view.verdict == "birch is significantly better than alder."
    assert page.view.command == "arena compare alder birch --metric alpha"
    root = drawn(page.view, "pair")
    assert "+0.0123" in root.text
    assert "+0.0040 to +0.0206" in root.text
    assert "Profit or loss" in root.text
    assert "../contestants/alder/index.html" in {a.attributes["href"] for a in root.all("a")}


def test_a_pair_without_common_questions_is_not_compared(simulated: Site) -> None:
    overview = replace(overview_of(claim("alder", "birch")), contest=None)
    line = simulated.store.boards.overall().standings[0]
    lines = {ALDER: replace(line, cost=None, cost_known=usd("0.25"))}
    view = pair_page((ALDER, BIRCH), reading_of(simulated.store, overview), {}, lines)
    text = drawn(view, "pair").text
    assert "no resolved question in common" in text
    assert "at least $0.25" in text


def test_the_events_needed_are_those_of_a_duel(forecasts: Forecasts) -> None:
    found = present(board_claims(forecasts, "brier", by_moment=True).contest)
    one = claims_of(found.claims)[frozenset((ALDER, BIRCH))]
    fought = duel(forecasts, (ALDER, BIRCH), "brier", by_moment=True)
    assert Versus(ALDER, BIRCH, one, 0.95).needed == fought.needed


def test_what_first_place_hangs_on_is_named(simulated: Site) -> None:
    market = simulated.store.db.value("SELECT market FROM watched LIMIT 1")
    flip = Flip(ALDER, BIRCH, ("rain", "flood"), ((market,), ("gone",)))
    view = front(simulated, replace(overview_of(claim("alder", "birch")), flip=flip))
    assert "birch would have the best value instead of alder" in view.flip
    [known], [unknown] = view.flip_events
    assert re.fullmatch(r"markets/../.*\.html", known.href)
    assert known == reading_of(simulated.store, Overview()).market(MarketId(market), "")
    assert (unknown.text, unknown.href) == ("flood", "")


def test_of_an_event_of_many_markets_the_first_are_named(simulated: Site) -> None:
    rows = simulated.store.db.rows("SELECT market FROM watched ORDER BY market LIMIT 4")
    flip = Flip(ALDER, BIRCH, ("rain",), (tuple(row["market"] for row in rows),))
    view = front(simulated, replace(overview_of(claim("alder", "birch")), flip=flip))
    assert [bool(link.href) for link in view.flip_events[0]] == [True, True, True, False]
    assert "and more" in drawn(view, "compare").text


def test_a_first_place_that_hangs_on_no_few_events_says_so(simulated: Site) -> None:
    overview = replace(overview_of(claim("alder", "birch")), flip=Flip(ALDER, None, ()))
    assert front(simulated, overview).flip.startswith("No 25 events were found")


def test_a_column_that_nobody_has_a_value_in_is_left_out(simulated: Site) -> None:
    plain = claim("alder", "birch")
    assert front(simulated, overview_of(plain)).anytime is None
    looked = replace(plain, p_anytime=0.2)
    assert front(simulated, overview_of(looked)).anytime is not None


def test_a_claim_reads_the_same_from_either_side() -> None:
    one = claim(ALDER, CEDAR)
    there, back = Versus(ALDER, CEDAR, one, 0.95), Versus(CEDAR, ALDER, one, 0.95)
    assert there.difference == 0.0123
    assert back.difference == -0.0123
    assert there.needed == back.needed


@pytest.mark.parametrize(
    ("p", "words"), [(None, "n/a"), (0.0, "<0.0001"), (0.00005, "<0.0001"), (0.2, "0.2000")]
)
def test_a_p_value_is_never_written_as_nothing(p: float | None, words: str) -> None:
    assert p_words(p) == words


def test_the_confidence_set_is_said_to_be_exploratory(simulated: Site) -> None:
    places = (place_of("alder", inside=True), place_of("birch", inside=False))
    found = replace(
        overview_of(claim("alder", "birch")),
        league=League("alpha", 0.95, 40, 20, places, State.OK, 100),
    )
    view = front(simulated, found)
    assert view.league_set.startswith("Exploratory: the 95% confidence set of one look")
    assert " contains alder. It uses" in view.league_set
    assert "Elo" not in drawn(view, "compare").text


def place_of(name: str, *, inside: bool) -> LeaguePlace:
    return LeaguePlace(name, 0.01, 1, 1, 2, 0.5, 0.2, inside, 0.1, None, 1500.0)
