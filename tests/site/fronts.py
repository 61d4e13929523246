"""Front pages for tests: of a store of simulated days, with estimates that are made up."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from types import MappingProxyType

from arena.metrics.claims.questions import MarketTest, MarketTests
from arena.records.claim import ClaimBasis, Guarantee, Minimum, Season, Source, Valuation
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, Interval, State, Test
from arena.records.grade import Board
from arena.records.settings import Edition, Entrant
from arena.render import environment, render
from arena.site.overview.records import (
    Basis,
    ContestantProfile,
    Flip,
    Overview,
    RankPlace,
    RanksAt,
    Worth,
)
from arena.site.pages.leaderboard.leaderboard import front_of
from arena.site.pages.leaderboard.standings import IndexPage
from arena.site.reading import Reading
from arena.store import Store
from arena.store.pages.showcase import Showcase
from tests.site.folders import LATER, START, TEMPLATES

ALDER, BIRCH, CEDAR, DAMSON, MARKET, ALWAYS_NO = map(
    ContestantId, ("alder", "birch", "cedar", "damson", "market", "always-no")
)
ALPHAS = {ALDER: 0.02, BIRCH: 0.018, CEDAR: 0.01, MARKET: 0.0, DAMSON: -0.03}
PLAYING = (ALDER, BIRCH, CEDAR, DAMSON)
TIED = (ALDER, BIRCH)
CAST = Edition(
    {
        ALDER: Entrant(ALDER, "Alder the First", provider="Greenwood"),
        CEDAR: Entrant(CEDAR, provider="Riverside"),
        MARKET: Entrant(MARKET, "Market price", agent="market", reference=True),
        ALWAYS_NO: Entrant(ALWAYS_NO, "Always NO", agent="always_no", reference=True),
    }
)
NOBODY = Edition()
SEASON = ClaimBasis(
    Guarantee.SEASON,
    Valuation.MARKET,
    minimum=Minimum(18, 7),
    season=Season(START.date()),
    last_look=date(2026, 2, 4),
    next_look=date(2026, 3, 6),
    questions=400,
    markets=24,
    events=18,
    largest=Source.WEEK,
    clusters=7,
    design_effect=2.4,
)


@dataclass(frozen=True, slots=True)
class Front:
    """A front page as a folder, and what it was filled with."""

    out: Path
    view: IndexPage


def reading_of(store: Store, overview: Overview, edition: Edition = CAST) -> Reading:
    return Reading(store, Showcase(store.db), edition, LATER, overview)


def unestimated(store: Store, edition: Edition = NOBODY) -> Reading:
    """A reading of a store of which nothing was estimated."""
    return reading_of(store, Overview(), edition)


def page_of(store: Store, overview: Overview, edition: Edition = CAST) -> IndexPage:
    reading = reading_of(store, overview, edition)
    return front_of(reading.store.boards.overall(), reading)


def board_of(store: Store, names: Iterable[ContestantId]) -> Board:
    """The board of a store as if these had played alike."""
    board = store.boards.overall()
    lines = (replace(board.standings[0], contestant=name) for name in names)
    return replace(board, standings=tuple(lines))


def crowd(store: Store, many: int) -> IndexPage:
    """The front page of many who played alike; every tenth is a baseline, half are tied."""
    profile = told().profiles[ALDER]
    names = [ContestantId(f"contestant-{n:03}") for n in range(many)]
    profiles = {
        name: replace(
            profile, contestant=name, place=RankPlace(n + 1, 1, many), days=days(1) * 30
        )
        for n, name in enumerate(names)
    }
    ranks = (
        RanksAt(START + timedelta(days=day), {n: profiles[n].place for n in names})
        for day in range(40)
    )
    known = replace(
        told(),
        profiles=profiles,
        order=tuple(names),
        tied=tuple(names[: many // 2]),
        ranks=tuple(ranks),
    )
    entrants = {n: Entrant(n, f"The contestant of number {n}", "A provider") for n in names}
    for name in names[9::10]:
        entrants[name] = replace(entrants[name], reference=True)
    return front_of(board_of(store, names), reading_of(store, known, Edition(entrants)))


def html_of(view: IndexPage) -> str:
    return render(environment(TEMPLATES), "site/index.html", page=view)


def write_front(out: Path, view: IndexPage) -> Front:
    """Write a front page and what it loads, without the pages that it leads to."""
    (out / "a/v1").mkdir(parents=True)
    for kind in ("css", "js"):
        parts = sorted((TEMPLATES / "site" / kind).glob(f"*.{kind}"))
        (out / f"a/v1/site.{kind}").write_bytes(b"".join(part.read_bytes() for part in parts))
    (out / "a/v1/front.css").write_bytes((TEMPLATES / "site/front.css").read_bytes())
    (out / "a/v1/theme.js").write_bytes((TEMPLATES / "site/theme.js").read_bytes())
    (out / "index.html").write_text(html_of(view), encoding="utf-8")
    return Front(out, view)


def told(tied: tuple[ContestantId, ...] = TIED) -> Overview:
    """Four are ranked by alpha, always-no has no forecast; the market stands for itself."""
    order = tuple(sorted(ALPHAS, key=lambda name: -ALPHAS[name]))
    profiles = {
        name: ContestantProfile(name, place(name, tied), scores(name), days=days(n))
        for n, name in enumerate(order)
    }
    nothing = {"alpha": Estimate(None, 0, 0, state=State.EMPTY)}
    profiles[ALWAYS_NO] = ContestantProfile(ALWAYS_NO, RankPlace(None, 1, 4), nothing)
    return Overview(
        headline="alpha",
        as_of=START + timedelta(days=6),
        forecasts=400,
        markets=24,
        events=18,
        basis=Basis(400, 24, 18),
        profiles=profiles,
        order=(*order, ALWAYS_NO),
        tied=tied,
        ranks=tuple(
            RanksAt(START + timedelta(days=n), {name: profiles[name].place for name in order})
            for n in range(3)
        ),
        flip=Flip(ALDER, BIRCH, ("one", "two")),
    )


def claimed(
    tied: tuple[ContestantId, ...] = TIED,
    shown: Mapping[ContestantId, str] = MappingProxyType({}),
    claims: ClaimBasis = SEASON,
) -> Overview:
    """The usual front with what it claims: who is `shown` to be better or worse."""
    tests = tuple(
        MarketTest(name, Test("t", 80, 18), 0.001 if name in shown else 0.5, shown.get(name))
        for name in PLAYING
    )
    return replace(
        told(tied),
        claims=claims,
        against=MarketTests(0.95, tests),
        market_place=RankPlace(4, 2, 4),
    )


def place(name: ContestantId, tied: tuple[ContestantId, ...]) -> RankPlace:
    if name not in PLAYING:
        return RankPlace(None, 1, len(PLAYING))
    rank = PLAYING.index(name) + 1
    return RankPlace(rank, 1 if name in tied else min(rank, 2), max(rank, 4))


def scores(name: ContestantId) -> Mapping[str, Estimate]:
    alpha = ALPHAS[name]
    within = Interval(alpha - 0.015, alpha + 0.015, 0.95, "cluster t, CR2")
    beside = Interval(0.02, 0.04, 0.95, "percentile, 500 draws")
    single = Estimate(0.2, 3, 1, state=State.SINGLE)
    return {
        "alpha": Estimate(alpha, 80, 18, interval=within)
        if name != MARKET
        else Estimate(0.0, 80, 18, state=State.DEGENERATE),
        "brier": single,
        "forecast": single,
        "mcb": Estimate(0.01, 80, 18, interval=beside),
    }


def days(n: int) -> tuple[Worth, ...]:
    return tuple(
        Worth(START + timedelta(days=d), 1000.0, 1000.0 + d * n, 1010.0 + d * n)
        for d in range(1, 5)
    )
