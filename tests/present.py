"""What a test compares must be there: a missing value never stands in as a number."""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def present(value: T | None) -> T:
    """The value, which is not None."""
    assert value is not None
    return value


def some(values: Iterable[T]) -> list[T]:
    """The values, of which there is one at least: a loop over none of them tests nothing."""
    found = list(values)
    assert found
    return found
