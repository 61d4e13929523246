from arena.site import places
from tests.build import ADA
from tests.site.conftest import Site
from tests.site.folders import page, rows, table


def bought(site: Site, nth: int) -> list[str]:
    shown = page(site.out, places.contestant(ADA))
    return rows(table(shown, "Last fills and sales"))[nth]


def test_a_fill_has_its_three_probabilities_and_their_scores(lively: Site) -> None:
    """Ada put $500 of at most $2,500 on rain at 0.5, and said 0.7; it is NO."""
    assert bought(lively, -1)[5:10] == [
        "0.2000",
        "0.7000 Brier 0.4900",
        "0.6000 Brier 0.3600",
        "0.2000 Brier 0.0400",
        "NO",
    ]


def test_what_is_void_has_no_score(lively: Site) -> None:
    assert bought(lively, 1)[6] == "0.2000"
    assert bought(lively, 1)[9] == "void"
