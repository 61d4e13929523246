from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.venues.reading import json_list, moment, number, unit_price

T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)

scalars = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)
jsons = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (1772366400, T0),
        ("1772366400", T0),
        (1772366400000, T0),
        (1772366400000000, T0),
        ("2026-03-01T12:00:00Z", T0),
        ("2026-03-01 12:00:00+00", T0),
        ("2026-03-01T13:00:00.000000+01:00", T0),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", None),
        ("10000-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-05:00", None),
        ("1e400000000", None),
        (177236640, None),
        ("17723664000", None),
        (177236640000, None),
        ("0.5", None),
        (-1772366400, None),
        (-62135596800, None),
        ("20260301", None),
        ("2026-03-01+05:00", None),
        ("2026-03-01-12:00", None),
        ("2026-W09-712", None),
        ("", None),
        ("soon", None),
        (None, None),
        (True, None),
        ([], None),
    ],
)
def test_a_moment_is_read_in_every_way_the_venue_writes_it(
    value: object, read: datetime | None
) -> None:
    assert moment(value) == read


@pytest.mark.parametrize(
    "value",
    [None, "", "NaN", "sNaN", "inf", float("nan"), True, [], "0,5", "0_5", "1_000", "\u0661"],
)
def test_what_is_no_number_is_missing(value: object) -> None:
    assert number(value) is None


@pytest.mark.parametrize("value", ["[1,", '{"a": 1}', "[" * 50_000, "[1e99999999999999999999]"])
def test_what_is_no_list_is_empty(value: str) -> None:
    assert json_list(value) == []


@pytest.mark.parametrize("text", ["1e400000000", "-1e400000000", "1e-400000000"])
def test_an_absurd_number_is_no_absurd_price(text: str) -> None:
    assert unit_price(text) in (None, 0)


@settings(deadline=None)
@given(jsons)
def test_a_price_is_in_range_or_missing(value: object) -> None:
    found = unit_price(value)
    assert found is None or 0 <= found <= 1
