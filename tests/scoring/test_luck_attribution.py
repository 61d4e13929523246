import numpy as np
import pytest

from arena.scoring.bets.luck import Attribution, SettledBets, attribute

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
