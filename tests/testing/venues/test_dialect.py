from datetime import UTC, datetime, timedelta

from tests.standins.venues.dialect import (
    Asked,
    Quirks,
    draw,
    hex_id,
    iso,
    millis,
    page_of,
    seconds,
    whole,
)

AT = datetime(2026, 6, 15, 6, 4, 30, 123456, tzinfo=UTC)


def test_a_key_of_a_query_may_be_given_more_than_once() -> None:
    asked = Asked("GET", "/markets/12/", (("id", "1"), ("id", "2")))
    assert (asked.one("id"), asked.all("id"), asked.one("no")) == ("1", ("1", "2"), None)
    assert asked.parts == ("markets", "12")


def test_a_draw_follows_from_what_it_is_for() -> None:
    drawn = [draw("a", n) for n in range(2000)]
    assert drawn == [draw("a", n) for n in range(2000)]
    assert 0 <= min(drawn) < 0.01
    assert 0.99 < max(drawn) < 1
    assert 0.45 < sum(drawn) / 2000 < 0.55


def test_an_id_has_as_many_digits_as_are_wanted() -> None:
    assert [len(hex_id(n, "x")) for n in (1, 40, 64)] == [1, 40, 64]


def test_the_last_page_has_no_next_one() -> None:
    assert page_of("abcde", 0, 2) == (["a", "b"], 2)
    assert page_of("abcde", 4, 2) == (["e"], None)
    assert page_of("ab", 0, 2) == (["a", "b"], None)


def test_a_limit_is_capped_and_nonsense_is_none() -> None:
    assert [whole(said, 20, 100) for said in (None, "7", "500")] == [20, 7, 100]
    assert [whole(said, 20, 100) for said in ("", "-1", "x", "1.5", "²")] == [None] * 5


def test_moments_are_written_as_venues_do() -> None:
    assert iso(AT) == "2026-06-15T06:04:30Z"
    assert iso(AT, digits=3) == "2026-06-15T06:04:30.123Z"
    assert (seconds(AT), millis(AT)) == (1781503470, 1781503470123)


def test_a_young_market_is_hidden_for_as_long_as_the_quirk_says() -> None:
    quirks = Quirks(hydration=timedelta(minutes=10))
    ages = [timedelta(minutes=n) for n in (0, 9, 10)]
    assert [quirks.hidden(AT, AT + age) for age in ages] == [True, True, False]
    assert not Quirks().hidden(AT, AT)
