"""The worked examples of four published sources, computed by the arena's own functions.

An example gives values by name, as its source has them and as they are right.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")
Given = Mapping[str, Any]
"""The input of a worked example, as its source gives it."""
Values = Mapping[str, object]
"""Values by name; the first are those to print where there is room for few."""
Formula = Callable[[Given], tuple[Values, Values]]
"""From an input, the values by the source's own rule, and the right ones."""


def alike(values: Values) -> tuple[Values, Values]:
    """The values of a source that is right."""
    return values, values


def known(value: T | None) -> T:
    """A value that every worked example has.

    Raises:
        ValueError: It is missing.
    """
    if value is None:
        raise ValueError("a worked example lacks a value")
    return value
