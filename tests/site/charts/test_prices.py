"""A price and the bets on it."""

from dataclasses import replace

from arena.site.charts.prices import MOST_BETS, prices
from arena.site.charts.subjects import BetMark, Curve, Flag, Point
from tests.present import present
from tests.site.charts.reading import parsed, paths, places, sure, texts
from tests.site.charts.samples import DAY, START, words

PRICE = Curve("p", tuple(Point(START + n * DAY, v) for n, v in enumerate((0.5, 0.75, 0.25))))
BET = BetMark(START + DAY, yes=True, price=0.6, stake=100.0, settled=True, who="ada")


def test_nothing_is_drawn_of_no_price() -> None:
    assert prices(words("x"), Curve("p", ()), [BET]) is None
    assert prices(words("x"), Curve("p", (Point(START, None),)), [BET]) is None


def test_a_price_holds_until_the_next() -> None:
    figure = sure(prices(words("x"), PRICE, []))
    left, top, right, bottom = map(int, parsed(figure.wide).attrib["data-b"].split())
    half, high = (right - left) // 2, bottom - top
    low, most = 0.2, 0.8  # the least axis of round ticks that holds them
    levels = [bottom - round(high * (p - low) / (most - low)) for p in (0.5, 0.75, 0.25)]
    (data,) = paths(figure.wide, "ch-l")
    up, down = levels[1] - levels[0], levels[2] - levels[1]
    assert data == f"M{left} {levels[0]}h{half}v{up}h{half}v{down}"


def test_where_there_is_no_price_there_is_a_gap() -> None:
    points = (*PRICE.points, Point(START + 3 * DAY, None), Point(START + 4 * DAY, 0.5))
    figure = sure(prices(words("x"), replace(PRICE, points=points), []))
    assert paths(figure.wide, "ch-l")[0].count("M") == 2


def test_a_bet_points_to_its_side() -> None:
    up, down = (
        list(places(paths(sure(prices(words("x"), PRICE, [bet])).wide, "ch-f")[0]))
        for bet in (BET, replace(BET, yes=False))
    )
    assert up[3][1] < up[1][1]
    assert down[3][1] > down[1][1]


def test_the_area_of_a_triangle_is_the_stake() -> None:
    bets = [replace(BET, stake=400.0), replace(BET, at=START, stake=100.0)]
    data = paths(sure(prices(words("x"), PRICE, bets)).wide, "ch-f")[0]
    wide = [int(part.split("h")[1].split("l")[0]) for part in data.split("z") if part]
    assert wide[0] == 2 * wide[1]


def test_a_bet_that_is_not_settled_is_hollow() -> None:
    figure = sure(prices(words("x"), PRICE, [replace(BET, settled=False)]))
    assert paths(figure.wide, "ch-o")
    assert not paths(figure.wide, "ch-f")
    assert "not settled" in [key.text for key in figure.keys]


def test_the_resolution_is_a_line_with_its_words() -> None:
    figure = sure(prices(words("x"), PRICE, [], Flag(START + 2 * DAY, "Resolved NO")))
    assert len(paths(figure.wide, "ch-v")) == 1
    assert "Resolved NO" in texts(figure.wide)


def test_the_table_has_prices_and_bets_in_the_order_of_time() -> None:
    figure = sure(prices(words("x"), PRICE, [BET], Flag(START + 2 * DAY, "Resolved NO")))
    assert [tuple(text for text, *_ in row[1:]) for row in figure.grid.rows] == [
        ("0.5000", "", "", "", ""),
        ("0.7500", "", "", "", ""),
        ("0.6000", "", "ada", "YES", "$100.00"),
        ("0.2500", "", "", "", ""),
        ("", "", "Resolved NO", "", ""),
    ]


def test_bid_and_ask_are_a_band_of_steps_about_the_price() -> None:
    quoted = tuple(
        replace(p, low=present(p.value) - 0.1, high=present(p.value) + 0.1)
        for p in PRICE.points
    )
    figure = sure(prices(words("x"), replace(PRICE, points=quoted), []))
    (data,) = paths(figure.wide, "ch-a")
    corners = list(places(data))
    assert len(set(corners)) == 2 * (2 * len(quoted) - 1)
    assert "bid to ask" in [key.text for key in figure.keys]
    assert figure.grid.columns[2].texts[0] == "0.4000 to 0.6000"


def test_an_axis_of_prices_fits_and_makes_no_mountain_of_a_cent() -> None:
    points = tuple(Point(START + n * DAY, v) for n, v in enumerate((0.97, 0.975, 0.97)))
    told = texts(sure(prices(words("x"), Curve("p", points), [])).wide)
    ticks = [float(text) for text in told if text.replace(".", "").isdigit()]
    assert min(ticks) >= 0.85
    assert max(ticks) <= 1.0
    assert max(ticks) - min(ticks) >= 0.08


def test_of_very_many_bets_the_largest_are_drawn() -> None:
    bets = [replace(BET, stake=float(n)) for n in range(3 * MOST_BETS)]
    figure = sure(prices(words("x"), PRICE, bets))
    assert paths(figure.wide, "ch-f")[0].count("M") == MOST_BETS
    assert len(figure.grid.columns[0].texts) == MOST_BETS + 3


def test_stakes_of_nothing_are_drawn_small() -> None:
    assert paths(sure(prices(words("x"), PRICE, [replace(BET, stake=0.0)])).wide, "ch-f")
