"""The page on registration says what is registered, and how a seal can stand."""

from arena.metrics.registration import REGISTRATION
from arena.records.seal import SealState
from tests.docs.pages import bare, page, tables
from tests.present import some

PAGE = page("docs/registration.md")


def rows(section: str) -> list[tuple[str, ...]]:
    """The first table of a section, without its head."""
    table, *_ = tables(PAGE.section(section))
    return [tuple(map(bare, row)) for row in table[1:]]


def test_the_registered_tests_are_those_of_the_page() -> None:
    families = {family.name: family for family in REGISTRATION.families}
    assert rows("What a seal holds") == [
        (
            test.name,
            test.metric,
            test.direction,
            test.family,
            str(families[test.family].alpha),
            families[test.family].correction,
        )
        for test in REGISTRATION.tests
    ]


def test_every_registered_test_is_explained() -> None:
    told = PAGE.section("What a seal holds")
    assert all(f"- **`{test.name}`**: " in told for test in some(REGISTRATION.tests))


def test_the_states_are_those_of_a_seal() -> None:
    assert [row[0] for row in rows("How a seal stands")] == list(SealState)
