"""How what a venue says is printed: records field by field, and what a check has found."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import click

from arena.cli.say import MISSING, as_plain, one_line
from arena.cli.venue_check import Call, Checked
from arena.records.market import LeftOut
from arena.venues.rows import Read

MOST_REASONS = 8
LONGEST = 400
OF_A_POLL = "nothing of this poll"  # how hints begin that are for a tick


def say_read(read: Read[Any]) -> None:
    """Print records, one block each, and what was left out."""
    for row in read.rows:
        click.echo(type(row).__name__)
        for name, value in fields_of(row):
            click.echo(f"  {name:24} {one_line(value)}")
    for left in read.left_out:
        word = "MALFORMED" if left.malformed else "left out"
        click.echo(one_line(f"{word}: {left.what}: {left.why}"))
    bad = sum(left.malformed for left in read.left_out)
    click.echo(f"{len(read.rows)} read, {len(read.left_out)} left out, {bad} malformed.")


def fields_of(row: object) -> Iterator[tuple[str, str]]:
    """Name every field of a record, those of records inside it with dots, and its value."""
    yield from _fields("", as_plain(row))


def _fields(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _fields(f"{name}.{key}" if name else str(key), inner)
    elif isinstance(value, list) and value and all(_is_level(one) for one in value):
        yield name, ", ".join(f"{one['shares']} at {one['price']}" for one in value)
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for n, inner in enumerate(value):
            yield from _fields(f"{name}[{n}]", inner)
    else:
        yield name, _shown(value)


def _is_level(value: object) -> bool:
    return isinstance(value, dict) and set(value) == {"price", "shares"}


def _shown(value: object) -> str:
    if value is None or value == "":
        return MISSING
    if isinstance(value, list):
        return ", ".join(_shown(one) for one in value) or MISSING
    return str(value)


def say_check(one: Checked) -> None:
    """Print what is known of a venue after a check."""
    click.echo(one_line(f"{one.settings.id}: {_verdict(one)}"))
    for name, words in _lines(one):
        click.echo(f"  {name:10} {one_line(words)[:LONGEST]}")


def _verdict(one: Checked) -> str:
    if one.cannot_be_read:
        return "CANNOT BE READ"
    if one.is_partly_broken:
        return "ANSWERS IN PART"
    return "FINDINGS" if one.has_findings else "well"


def _lines(one: Checked) -> Iterator[tuple[str, str]]:
    yield from ((call.name, _told(call)) for call in one.calls)
    for malformed in (True, False):
        some = [left for left in one.left_out if left.malformed is malformed]
        yield from _reasons("MALFORMED" if malformed else "left out", some)
    for drift in one.drifts:
        gone, new = ", ".join(drift.gone), ", ".join(drift.new)
        if gone:
            yield "GONE", f"{drift.kind}: none of {drift.objects} has {gone}"
        if new:
            yield "new", f"{drift.kind}: {new}"
    yield from (("hint", hint) for hint in dict.fromkeys(_hints(one)))
    if not one.answers:
        return
    many = f"{len(one.drifts)} kinds of object"
    yield "fields", f"{many} compared with what such answers used to hold"
    yield "answers", f"{one.answers} of its server in all"


def _hints(one: Checked) -> Iterator[str]:
    for call in one.calls:
        hint = call.broken.hint if call.broken is not None else None
        if hint and not hint.startswith(OF_A_POLL):
            yield hint


def _told(call: Call) -> str:
    if call.broken is not None:
        return f"FAILED: {call.gave}"
    word = "LOOK AT THIS: " if call.wrong else ""
    return f"{word}{call.gave} ({call.answers} answer{'' if call.answers == 1 else 's'})"


def _reasons(name: str, left_out: list[LeftOut]) -> Iterator[tuple[str, str]]:
    counted = Counter(left.why for left in left_out)
    for why, many in counted.most_common(MOST_REASONS):
        yield name, f"{many}: {why}"
    others = len(counted) - MOST_REASONS
    if others > 0:
        yield name, f"and {others} more reasons"


def plain_check(one: Checked) -> Mapping[str, object]:
    """Say it all as JSON has words for."""
    reasons = Counter((left.why, left.malformed) for left in one.left_out)
    return {
        "venue": one.settings.id,
        "adapter": one.settings.adapter,
        "readable": not one.cannot_be_read,
        "findings": one.has_findings,
        "answers": one.answers,
        "calls": [
            {
                "name": call.name,
                "gave": call.gave,
                "answers": call.answers,
                "wrong": call.wrong,
                "error": None if call.broken is None else call.broken.code,
            }
            for call in one.calls
        ],
        "left_out": [
            {"why": why, "malformed": malformed, "rows": many}
            for (why, malformed), many in reasons.most_common()
        ],
        "fields": one.drifts,
    }
