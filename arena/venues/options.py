"""The options of a venue or a source in `config.yaml`: each is looked at before it is used."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from math import isfinite
from typing import TypeVar
from urllib.parse import urlsplit

from arena.errors import ArenaError
from arena.http.limits import FASTEST
from arena.records.settings import ContextSettings, VenueSettings

SLOWEST = 0.001  # requests a second
LONGEST_ADDRESS = 200

_T = TypeVar("_T")


def read_options(
    settings: VenueSettings | ContextSettings,
    make: Callable[..., _T],
    right: Mapping[str, Callable[[object], bool]],
    hint: str,
) -> _T:
    """Make the options of a venue or a source from what its settings say.

    Args:
        settings: What the configuration says.
        make: Takes the options by name; those that are not given have defaults.
        right: Whether a value will do, by the option's name.
        hint: What to say, beside the names, to whom it will not.

    Raises:
        ArenaError: `venue.option`, of a source `context.option`: one is unknown or has a
            wrong value.
    """
    given = dict(settings.options)
    if isinstance(settings, VenueSettings):
        code, whose = "venue.option", f"the venue {settings.id!r}"
    else:
        code, whose = "context.option", f"the source {settings.name!r}"
    for name, value in given.items():
        if name not in right:
            wrong = f"does not know the option {name!r}"
        elif not right[name](value):
            wrong = f"cannot use {value!r} as {name}"
        else:
            continue
        raise ArenaError(
            code,
            f"{whose} {wrong}",
            hint=f"its options are {', '.join(right)}; {hint}",
            status=2,
        )
    return make(**given)


def is_words(value: object) -> bool:
    """Whether it is text with something in it."""
    return isinstance(value, str) and bool(value)


def is_address(value: object) -> bool:
    """Whether it is a short address of a server, without a user, a query or a fragment."""
    if not isinstance(value, str) or not value.startswith(("https://", "http://")):
        return False
    try:
        parts = urlsplit(value)
        is_server = bool(parts.hostname) and parts.port != 0  # a port that is none is an error
    except ValueError:
        return False
    return (
        is_server
        and len(value) <= LONGEST_ADDRESS
        and value.isprintable()
        and not set(value) & set("?#@ ")
    )


def is_number(value: object, least: float, most: float) -> bool:
    """Whether it is a number within two bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return (isinstance(value, int) or isfinite(value)) and least <= value <= most


def is_whole(value: object, least: float, most: float) -> bool:
    """Whether it is a whole number within two bounds."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_pace(value: object) -> bool:
    """Whether it is a number of requests a second."""
    return is_number(value, SLOWEST, FASTEST)
