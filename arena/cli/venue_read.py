"""What the arena reads in an answer that lies in a file."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from arena import plugins
from arena.cli.say import one_line
from arena.errors import ArenaError, nearest
from arena.records.market import VenueId
from arena.venues.rows import Origin, Read

Parser = Callable[[object, Origin], Read[Any]]


def read_file(venue: str, kind: str, file: Path, at: datetime) -> Read[Any]:
    """Read a payload of a venue as its adapter would at a moment.

    Raises:
        ArenaError: There is no such venue or kind (`venue.unknown`, `venue.kind`), or what
            is in the file is not JSON (`venue.format`).
    """
    parse = parser_of(venue, kind)
    with click.open_file(str(file), "rb") as stream:
        body: bytes = stream.read()
    try:
        payload = json.loads(body, parse_float=Decimal, parse_constant=lambda _: None)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise ArenaError(
            "venue.format",
            f"{file} holds no JSON",
            hint="FILE is the body of an answer, as the server sent it",
        ) from error
    return parse(payload, Origin(VenueId(venue), at))


def parser_of(venue: str, kind: str) -> Parser:
    """Find what reads a kind of payload; only the venue's own package is imported.

    Raises:
        ArenaError: There is no such venue or kind; the hint names those that there are.
    """
    known = plugins.names(plugins.VENUES)
    if venue not in known:
        raise _unknown("venue.unknown", f"there is no venue {one_line(venue)!r}", known, venue)
    kinds: Mapping[str, Parser] = plugins.kinds_of(venue)
    if not kinds:
        raise ArenaError(
            "venue.kind",
            f"no payloads of {venue} can be read",
            hint="its package has to hold KINDS beside its factory: docs/venues.md",
            status=2,
        )
    if kind not in kinds:
        raise _unknown(
            "venue.kind", f"{venue} has no payloads of the kind {one_line(kind)!r}", kinds, kind
        )
    return kinds[kind]


def _unknown(
    code: str, message: str, known: Mapping[str, object] | tuple[str, ...], name: str
) -> ArenaError:
    near = nearest(name, known)
    there_are = f"there are: {', '.join(known)}"
    hint = f"did you mean {near}? {there_are}" if near else there_are
    return ArenaError(code, message, hint=hint, status=2)
