import pytest

from arena.errors import ArenaError
from arena.records.settings import VenueSettings
from arena.venues.polymarket.asking import PolymarketOptions, options_of
from tests.venues.polymarket.rows import HERE


def options(**given: object) -> PolymarketOptions:
    return options_of(VenueSettings(HERE, "polymarket", tuple(given.items())))


def test_without_options_the_venue_itself_is_asked() -> None:
    assert options() == PolymarketOptions()
    assert options().gamma == "https://gamma-api.polymarket.com"


def test_an_option_that_is_given_counts() -> None:
    assert options(pages=3, order="volumeNum").pages == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gamma", "gamma-api.polymarket.com"),
        ("clob", "https://"),
        ("data", "https://[::1"),
        ("clob", "https://clob.polymarket.com?x=1"),
        ("clob", "https://me:secret@clob.polymarket.com"),
        ("clob", "https://:secret@clob.polymarket.com"),
        ("clob", "https://clob.polymarket.com:99999"),
        ("clob", "https://clob.polymarket.com:port"),
        ("clob", "https://clob.polymarket.com/\x7f"),
        ("clob", f"https://clob.polymarket.com/{'a' * 200}"),
        ("order", "volume"),
        ("order", ["volumeNum"]),
        ("pages", 0),
        ("pages", True),
        ("pages", 2.0),
        ("per_second", 0),
        ("per_second", float("nan")),
        ("per_second", "4"),
        ("volume_num_min", -1),
        ("liquidity_num_min", float("inf")),
        ("closes_within_days", 0),
        ("depth", 0),
        ("seed", 1),
    ],
)
def test_a_wrong_option_is_an_error_of_configuration(name: str, value: object) -> None:
    with pytest.raises(ArenaError) as caught:
        options(**{name: value})
    assert (caught.value.code, caught.value.status) == ("venue.option", 2)
    assert name in caught.value.message
    assert "closes_within_days" in caught.value.hint
