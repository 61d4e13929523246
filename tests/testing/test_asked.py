import pytest

from tests.standins.asked import Asked, Format, Recorded, understand
from tests.testing.bare import ALL, MODEL, SCHEMA, body_of, headers_of, path_of


def asked(kind: Format, body: dict[str, object] | None = None) -> Asked:
    recorded = Recorded(path_of(kind), headers_of(kind), body or body_of(kind))
    found = understand(recorded)
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ALL)
def test_every_format_says_the_same(kind: Format) -> None:
    said = asked(kind)
    assert (said.format, said.model) == (kind, MODEL)
    assert list(said) == [
        {"role": "system", "content": "the rules"},
        {"role": "user", "content": "the facts"},
    ]
    assert (said.system, said.user, said.schema) == ("the rules", "the facts", None)


@pytest.mark.parametrize("kind", ALL)
def test_a_schema_is_found_in_every_format(kind: Format) -> None:
    assert asked(kind, body_of(kind, schema=SCHEMA)).schema == SCHEMA
