"""Bets at the close, by what was paid."""

from arena.records.cohort import ContestantId
from arena.records.settings import Edition
from arena.site.overview import Overview, read_overview
from arena.site.pages.contestants.contestant import (
    COLUMNS,
    EVERY,
    MOST,
    by_price,
    closes_figure,
)
from arena.site.reading import Reading
from arena.store.pages.showcase import Showcase
from arena.store.scores.evidence import BANDS
from tests.site.conftest import Site
from tests.site.folders import LATER

ALDER = ContestantId("alder")


def reading(site: Site, overview: Overview) -> Reading:
    return Reading(site.store, Showcase(site.store.db), Edition(), LATER, overview)


def test_everybody_who_bet_has_a_row_with_the_value_of_all_bets(simulated: Site) -> None:
    known = reading(simulated, read_overview(simulated.store, {}))
    figure = closes_figure(known)
    assert figure
    names, whole = (
        figure.grid.columns[0].texts,
        figure.grid.columns[figure.grid.head.index(EVERY)],
    )
    found = dict(zip(names, whole.values, strict=True))
    bet = [one for one in known.overview.profiles.values() if one.closes]
    assert len(found) == len(bet) <= MOST
    for one in bet:
        assert found[known.label(one.contestant)] == one.scores["ev_clv"].value


def test_every_column_is_a_band_of_prices(simulated: Site) -> None:
    figure = closes_figure(reading(simulated, read_overview(simulated.store, {})))
    assert figure
    assert len(COLUMNS) == len(BANDS)
    assert set(figure.grid.head[1:]) <= {EVERY, *COLUMNS}


def test_where_nobody_bet_there_is_nothing_to_draw(simulated: Site) -> None:
    blank = reading(simulated, Overview())
    assert closes_figure(blank) is None
    assert by_price(blank.profile(ALDER)) is None
