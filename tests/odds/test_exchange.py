import pytest

from arena.odds.exchange import exchange_fair


def test_one_book_gives_its_mid_and_its_spread() -> None:
    found = exchange_fair([0.40], [0.44])
    assert found.q[0] == pytest.approx(0.42)
    assert (found.low[0], found.high[0]) == (pytest.approx(0.40), pytest.approx(0.44))
    assert found.spread[0] == pytest.approx(0.04)
    assert found.sigma[0] == pytest.approx(0.02)


def test_two_books_are_scaled_to_add_up_to_one() -> None:
    found = exchange_fair(0.50, 0.54, 0.50, 0.54)
    assert found.q.item() == pytest.approx(0.5)
    assert found.low.item() == pytest.approx(0.50 / 1.04)
    assert found.high.item() == pytest.approx(0.54 / 1.04)


def test_a_worthless_yes_is_worth_nothing() -> None:
    found = exchange_fair(0.0, 0.0)
    assert (found.q.item(), found.low.item(), found.high.item()) == (0, 0, 0)


@pytest.mark.parametrize(
    ("quotes", "message"),
    [
        ((0.5, 0.4), "above its ask"),
        ((0.5, 1.2), "lies in"),
        ((0.5, float("nan")), "lies in"),
        ((0.4, 0.5, 0.5), "a bid and an ask"),
        ((0.0, 0.0, 0.0, 0.0), "without a price"),
        (([0.4], [0.5], [0.4, 0.4], [0.5, 0.5]), "unequal"),
    ],
)
def test_quotes_that_say_nothing_are_refused(quotes: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        exchange_fair(*quotes)
