from arena.records.cohort import ContestantId
from arena.records.market import YES_WINS, Side
from arena.site import places
from arena.site.pages.compare.compare import instances
from arena.site.pages.parts import Cell
from arena.store import Store
from tests.build import ADA, BEN, RAIN, spec
from tests.site.conftest import Site
from tests.site.fronts import unestimated
from tests.stage import buys, playing


def rows(store: Store, *names: ContestantId) -> tuple[tuple[Cell, ...], ...]:
    found = instances(names, unestimated(store))
    return found.rows if found else ()


def test_a_square_says_forecast_and_bet_by_sign_and_word(lively: Site) -> None:
    [(market, outcome, ada, ben)] = rows(lively.store, ADA, BEN)
    assert (market.href, outcome.text) == (places.market(RAIN), "NO")
    assert (ada.text, ada.value, ada.note) == ("✗ 0.7000", 0.7, "✗ bet wrong")
    assert (ben.text, ben.value, ben.note) == ("no forecast", None, "✓ bet right")


def test_the_last_forecast_counts_and_both_sides_are_said() -> None:
    one = {1: buys((RAIN, Side.YES, 100), rain=0.2), 2: buys((RAIN, Side.NO, 50), rain=0.6)}
    other = {1: buys((RAIN, Side.NO, 100), rain=0.5)}
    with playing({ADA: one, BEN: other}, spec("daily", (ADA, BEN), days=3)) as game:
        game.tick(0)
        game.tick(24)
        game.hear(RAIN, YES_WINS, 72)
        [(_, _, ada, ben)] = rows(game.store, ADA, BEN)
    assert (ada.text, ada.note) == ("✓ 0.6000", "bet both sides")
    assert (ben.text, ben.note) == ("0.5000", "✗ bet wrong")


def test_who_did_nothing_has_no_forecast_and_no_bet(lively: Site) -> None:
    [(_, _, nobody)] = rows(lively.store, ContestantId("nobody"))
    assert (nobody.text, nobody.note, nobody.value) == ("no forecast", "no bet", None)


def test_without_an_outcome_there_is_no_table() -> None:
    with playing({ADA: {}}) as game:
        game.tick(0)
        assert rows(game.store, ADA) == ()
