from math import comb

import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.bets.book import Stakes, stakes_of
from arena.scoring.bets.luck import (
    QUANTILES,
    Attribution,
    LuckMethod,
    SettledBets,
    attribute,
    luck,
)
from tests.present import present

RNG = np.random.default_rng(5)


def stakes(
    q: list[float],
    yes: list[int],
    *,
    win: float = 1.0,
    lose: float = -1.0,
    one_event: bool = False,
) -> Stakes:
    n = len(q)
    return Stakes(
        np.array(q),
        np.full(n, win),
        np.full(n, lose),
        np.zeros(n, np.intp) if one_event else np.arange(n),
        np.array(yes, np.bool_),
    )


def test_ten_coins_are_binomial() -> None:
    found = luck(stakes([0.5] * 10, [1] * 8 + [0] * 2), RNG)
    assert (found.pnl, found.how) == (6, LuckMethod.EXACT)
    assert found.upper == pytest.approx(sum(comb(10, k) for k in (8, 9, 10)) / 1024)
    assert found.lower == pytest.approx(1 - sum(comb(10, k) for k in (9, 10)) / 1024)
    assert [found.mean, found.sd] == pytest.approx([0, 10**0.5])
    assert found.quantiles[QUANTILES.index(0.5)] == 0


def test_the_grid_gives_what_enumeration_gives() -> None:
    q = np.random.default_rng(1).uniform(0.1, 0.9, 12)
    win = np.random.default_rng(2).integers(1, 5000, 12) / 100
    short = Stakes(q, win, -win / 2, np.arange(12), q > 0.5)
    exact = luck(short, RNG)
    idle = Stakes(
        np.append(q, np.full(30, 0.5)),
        np.append(win, np.zeros(30)),
        np.append(-win / 2, np.zeros(30)),
        np.arange(42),
        np.append(q > 0.5, np.zeros(30, np.bool_)),
    )
    grid = luck(idle, RNG, grid=0.005)
    assert (exact.how, grid.how) == (LuckMethod.EXACT, LuckMethod.GRID)
    assert grid.upper == pytest.approx(exact.upper, abs=1e-10)
    assert grid.lower == pytest.approx(exact.lower, abs=1e-10)
    assert grid.quantiles == pytest.approx(exact.quantiles, abs=1e-9)
    assert grid.rounding == pytest.approx(42 * 0.0025)


def test_many_coins_off_the_grid_are_simulated_with_one_more() -> None:
    found = luck(stakes([0.5] * 60, [1] * 60), np.random.default_rng(3), grid=0.0, draws=199)
    assert (found.how, found.draws) == (LuckMethod.SIMULATED, 199)
    assert found.upper == 1 / 200
    assert found.sd == pytest.approx(60**0.5)


def test_simulation_agrees_with_the_grid() -> None:
    many = stakes([0.3] * 40, [1] * 16 + [0] * 24, win=0.7, lose=-0.3)
    grid = luck(many, RNG)
    drawn = luck(many, np.random.default_rng(8), grid=0.0, draws=20_000)
    assert (grid.how, drawn.how) == (LuckMethod.GRID, LuckMethod.SIMULATED)
    assert drawn.upper == pytest.approx(grid.upper, abs=0.01)
    assert drawn.mean == grid.mean


def test_what_many_events_decide_is_what_simulation_finds() -> None:
    rng = np.random.default_rng(4)
    q, size = rng.uniform(0.05, 0.95, 90), rng.uniform(1, 500, 90)
    for event in (np.arange(90), np.arange(90) // 2):
        many = Stakes(q, size * (1 - q), -size * q, event, np.arange(90) % 3 == 0)
        found = luck(many, rng)
        yes = rng.random((200_000, 90))[:, event] < q
        drawn = np.where(yes, many.if_yes, many.if_no).sum(axis=1)
        assert found.how is LuckMethod.INVERTED
        assert found.upper == pytest.approx(np.mean(drawn >= found.pnl), abs=0.005)
        assert found.lower == pytest.approx(np.mean(drawn <= found.pnl), abs=0.005)
        assert found.quantiles == pytest.approx(
            np.quantile(drawn, QUANTILES), abs=0.03 * found.sd
        )


def test_nested_markets_turn_yes_together() -> None:
    found = luck(stakes([0.2, 0.6], [0, 1], one_event=True), RNG)
    assert found.upper == pytest.approx(0.6)
    assert found.lower == pytest.approx(0.8)
    assert found.sd > luck(stakes([0.2, 0.6], [0, 1]), RNG).sd


def test_bets_of_one_market_are_added_up() -> None:
    found = stakes_of(
        np.array([7, 7, 3]),
        np.array([1, 1, 2]),
        np.array([True, False, True]),
        np.array([10.0, 4.0, 5.0]),
        np.array([4.0, 2.0, 3.0]),
        q=np.array([0.4, 0.5, 0.6]),
        yes=np.array([True, True, False]),
    )
    assert found.if_yes.tolist() == [2.0, 4.0]
    assert found.if_no.tolist() == [-3.0, -2.0]
    assert found.q.tolist() == [0.6, pytest.approx(1 / 3)]  # each bet is worth what it cost
    assert found.yes.tolist() == [False, True]


def test_the_test_record_says_what_was_found() -> None:
    test = luck(stakes([0.5] * 4, [1] * 4), RNG).test
    assert (test.name, test.p, test.statistic) == ("luck exact", 1 / 16, 2.0)
    assert (test.n, test.events, test.state) == (4, 4, State.OK)


def test_no_bet_and_a_sure_bet_test_nothing() -> None:
    nothing = luck(stakes([], []), RNG)
    assert (nothing.upper, nothing.test.state) == (None, State.EMPTY)
    assert luck(stakes([1.0], [1]), RNG).test.state is State.DEGENERATE


def test_p_is_valid_when_prices_are_right() -> None:
    rng = np.random.default_rng(11)
    q = rng.uniform(0.1, 0.9, 8)
    p = [
        present(luck(Stakes(q, 1 - q, -q, np.arange(8), rng.random(8) < q), rng).upper)
        for _ in range(400)
    ]
    assert np.mean(np.array(p) <= 0.1) < 0.13


@pytest.mark.parametrize(
    ("bets", "message"),
    [
        (stakes([1.2], [1]), "lies in"),
        (stakes([0.5], [1], win=np.inf), "finite"),
        (stakes([0.5], [1, 0]), "one outcome"),
    ],
)
def test_impossible_books_are_refused(bets: Stakes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        luck(bets, RNG)


def test_a_market_has_one_outcome() -> None:
    two, ones = np.array([1, 1]), np.ones(2)
    sides = np.ones(2, np.bool_), np.array([True, False])
    with pytest.raises(ValueError, match="one outcome"):
        stakes_of(two, two, sides[0], ones, ones, q=ones / 2, yes=sides[1])


@pytest.mark.parametrize(("events", "markets"), [(25, 1), (8, 5), (4, 40)])
def test_an_event_is_drawn_by_its_chances_however_many_markets_it_has(
    events: int, markets: int
) -> None:
    n = events * markets
    up = np.zeros(events)
    up[:3] = 1
    event = np.repeat(np.arange(events), markets)
    book = Stakes(np.full(n, 0.5), np.ones(n), -np.ones(n), event, up[event] == 1)
    found = luck(book, np.random.default_rng(3), grid=0)
    expected = sum(comb(events, k) for k in range(3, events + 1)) / 2**events
    assert found.how is LuckMethod.SIMULATED
    assert found.upper == pytest.approx(expected, abs=0.02)


NAMES = ("shares", "price", "fee", "fair", "reference", "payout")


def bought(**columns: list[float]) -> SettledBets:
    return SettledBets(**{name: np.array(column) for name, column in columns.items()})


TWO = bought(
    shares=[100.0, 50.0],
    price=[0.5, 0.4],
    fee=[1.0, 0.5],
    fair=[0.49, 0.39],
    reference=[0.55, 0.36],
    payout=[1.0, 0.0],
)


def test_a_book_worked_by_hand() -> None:
    found = attribute(TWO)
    assert found.pnl == pytest.approx(50 - 20 - 1.5)
    assert found.luck == pytest.approx(100 * 0.45 - 50 * 0.36)
    assert found.spread == pytest.approx(-1 - 0.5)
    assert found.fees == pytest.approx(-1.5)
    assert found.forecast == pytest.approx(35 * (0.06 / 0.5 - 0.03 / 0.4))
    assert found.skill == pytest.approx(100 * 0.06 - 50 * 0.03)
    assert found.sizing == pytest.approx(15 * 0.12 + 15 * 0.075)
    assert found.costs == pytest.approx(-3)


def test_equal_stakes_leave_nothing_to_sizing() -> None:
    found = attribute(
        bought(
            shares=[20.0, 40.0],
            price=[0.5, 0.25],
            fee=[0.0, 0.0],
            fair=[0.5, 0.25],
            reference=[0.6, 0.2],
            payout=[0.0, 1.0],
        )
    )
    assert found.sizing == pytest.approx(0, abs=1e-12)


def test_without_a_close_all_but_costs_is_luck() -> None:
    found = attribute(
        bought(
            shares=[10.0], price=[0.5], fee=[0.1], fair=[0.48], reference=[0.48], payout=[1.0]
        )
    )
    assert found.skill == 0
    assert found.luck + found.costs == pytest.approx(found.pnl)


def test_no_bet_has_nothing_to_split() -> None:
    assert attribute(bought(**{name: [] for name in NAMES})) == Attribution(
        0, 0, 0, 0, 0, 0, 0, 0
    )


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("shares", [0.0], "above 0"),
        ("price", [0.0], "above 0"),
        ("payout", [1.5], "lies in"),
        ("fee", [np.nan], "finite"),
        ("fair", [0.5, 0.5], "unequal"),
    ],
)
def test_bad_columns_are_refused(column: str, value: list[float], message: str) -> None:
    good = {key: [0.5] for key in NAMES}
    with pytest.raises(ValueError, match=message):
        attribute(bought(**(good | {column: value})))
