"""What `config.yaml` may say about Manifold."""

import pytest

from arena.errors import ArenaError
from arena.records.settings import VenueSettings
from arena.venues.manifold.venue import ManifoldOptions, options_of
from tests.venues.manifold.rows import HERE


def read(**options: object) -> ManifoldOptions:
    return options_of(VenueSettings(HERE, "manifold", tuple(options.items())))


def test_without_options_it_is_read_slowly_and_from_its_own_server() -> None:
    found = read()
    assert found.base_url == "https://api.manifold.markets/v0"
    assert (found.sort, found.pages, found.min_bettors, found.per_second) == (
        "24-hour-vol",
        1,
        15,
        2.0,
    )


def test_every_option_is_taken() -> None:
    given = {
        "base_url": "http://127.0.0.1:1/v0",
        "sort": "score",
        "pages": 2,
        "min_bettors": 0,
        "per_second": 8,
    }
    assert read(**given) == ManifoldOptions(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "x"},
        {"base_url": "ftp://manifold"},
        {"base_url": 3},
        {"sort": "volume"},
        {"sort": ["score"]},
        {"pages": 0},
        {"pages": 3},
        {"pages": True},
        {"min_bettors": -1},
        {"min_bettors": "15"},
        {"per_second": 0},
        {"per_second": float("nan")},
        {"per_second": True},
        {"per_second": "2"},
    ],
)
def test_a_wrong_option_is_named(wrong: dict[str, object]) -> None:
    with pytest.raises(ArenaError, match=next(iter(wrong))) as caught:
        read(**wrong)
    assert (caught.value.code, caught.value.status) == ("venue.option", 2)
