"""Answers as no sound server gives them: what is wrong with each, and where.

Every mutant is the text of an answer: what it means is decided where live answers are read.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

Json = Any  # a payload is taken apart and put together without a look at what it is
Way = tuple[str | int, ...]

DEEP = 10_000
LONG = 1_000_000
SAME = 4  # rows of a list whose fields are worth a look each

_RAW = (
    *("1e400", "-1e400", "1e-400", "1e999999", "-1e999999", "1e99999999999999999999"),
    *("[9e999999, 9e999999]", "[-1, 1000001]"),
    *("NaN", "Infinity", "-Infinity", "-0", "-0.0", "1E+2", "0.5000000000000000000000001"),
    *("9" * 400, "-" + "9" * 400, "9" * 5000, "0." + "9" * 5000, '"\\u0000"', '"\\ud800"'),
    # what is no JSON
    *("01", "+1", ".5", "0x1", "1_0", "nan", "None", "undefined", "'0.5'", '"\x01"', '"\n"'),
    *("", "[", "}", "[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP),
)
_RAW_MARK, _TWIN_MARK = re.compile(r'"@raw:(\d+)@"'), re.compile(r'"@twin:(.*?)@"')

_VALUES: tuple[Json, ...] = (
    *(None, True, False, [], {}, "", [[]], [None], [{}], {"a": None}),
    # numbers, and texts that say them
    *(0, 1, -1, 2, 50, 0.5, -0.01, 1.01, 1e15, 1e16, 1e300, 10**400, -(10**400)),
    *("0", "1", "-1", "0.5", "0.5000", "1.0000", "0.0000", "-0.01", "1.01", "50", "1e16"),
    *("NaN", "sNaN", "Infinity", "-inf", "1e400", "1e9999999", "-1e9999999", "1e-9999999"),
    *("0,5", "50%", "$0.50", "1_0", "0_5", "\u0660.\u0665", "\uff10.\uff15", " 0.5 ", "0x1"),
    *("+0.5", ".5", "5.", "5e-1", "½", "9" * 400, "0." + "3" * 400, "9" * 5000),
    # dates
    *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59-05:00", "10000-01-01T00:00:00Z"),
    *("2026-13-45", "today", "2026", "20261105", "12:30", "2026-11-05T25:00:00Z"),
    *("-62135596800", "253402300800", 253402300800000, -1e18, "1e400000000", 1772366400),
    *("2026-03-01T12:00:00+99:99", "2026-W10-1", "0000-00-00", "1970-01-01T00:00:00Z"),
    # words that mean something to one venue or another
    *("YES", "yes", "NO", "no", "MKT", "CANCEL", "scalar", "resolved", "settled", "proposed"),
    *("disputed", "finalized", "determined", "active", "closed", "binary", "quadratic", "v2"),
    *('["Yes", "No"]', '["No", "Yes"]', '["1", "0"]', '["0", "1"]', '["0.5", "0.5"]', "[]"),
    *([1, 0], ["0", "1"], ["Yes", "No"], [500000, 500000], [1000000, 0], '["disputed"]'),
    # texts
    *("a\0b", "\0", "\x1b[2J", "\ud800", "\udfff\ud800", "\u202egnineve", "\ufeff", "\u2028"),
    *("<script>alert(1)</script>", '=HYPERLINK("http://x")', "'; DROP TABLE x; --"),
    *("../../etc/passwd", "a b", "kalshi:x", "x" * 200, "😀" * 50, "\u0130", "[" * 3000),
)


_SIDES = frozenset({"bids", "asks", "yes_dollars", "no_dollars"})  # of books

# what no value can be taken out of
_LOST: tuple[Json, ...] = (
    *(None, [], {}, "", [None], {"a": None}, "n/a", "today", "\0", "\ud800", "\x1b[2J", "-"),
    *("NaN", "Infinity", "0001-01-01T00:00:00Z", "x" * 200, "<b>", "=1+1", "\u202e"),
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One answer that is not as it should be.

    `way` leads to the one place that was changed, None where it was more than one place or
    the text itself. `row` tells a change of rows from one inside of a row. `alike` is an
    answer that has to mean the same, if there is one.
    """

    body: bytes = field(repr=False)
    how: str
    way: Way | None = None
    rows: bool = False
    alike: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Mutator:
    """Spoils one payload, again and again.

    Args:
        payload: What is sound, as JSON gives it.
        telling: Names of fields in which half of all changes happen.
        lossy: Only takes away from what is said, and never says anything else.
    """

    payload: Json
    telling: AbstractSet[str] = frozenset()
    lossy: bool = False
    ways: list[Way] = field(init=False)
    _told: list[Way] = field(init=False)

    def __post_init__(self) -> None:
        found = [way for way in _places(self.payload) if way]
        if self.lossy:  # of a level that is gone from a book nothing is missing
            found = [way for way in found if not _is_in_a_side(way)]
        told = [way for way in found if self.telling & set(way)]
        object.__setattr__(self, "ways", found)
        object.__setattr__(self, "_told", told or found)

    def one(self, rng: np.random.Generator) -> Mutant:
        """Spoil it in some way."""
        chance = rng.random() if self.ways else 1.0
        if chance < 0.78:
            return self._in_one_place(rng)
        if chance < 0.9:
            return self._in_some_places(rng)
        return self._text(rng)

    def _odd(
        self, old: Json, rng: np.random.Generator, *, raw: bool = True
    ) -> tuple[Json, str]:
        if not self.lossy:
            return _odd(old, rng, raw=raw)
        value = _LOST[int(rng.integers(len(_LOST)))]
        return value, f"lost in {value!r:.40}"

    def _way(self, rng: np.random.Generator) -> Way:
        ways = self._told if rng.random() < 1 / 2 else self.ways
        return ways[int(rng.integers(len(ways)))]

    def _in_one_place(self, rng: np.random.Generator) -> Mutant:
        way = self._way(rng)
        if isinstance(way[-1], int) and rng.random() < 1 / 2:
            return self._rows(way, rng)
        match int(rng.integers(20)):
            case 0 | 1:
                return Mutant(write(dropped(self.payload, way)), "dropped", way)
            case 2 if isinstance(way[-1], str):
                return Mutant(write(_renamed(self.payload, way, rng)), "renamed", way)
            case 3 | 4 if isinstance(way[-1], str):
                return self._twin(way, rng)
            case 5 | 6:
                other = None if self.lossy else held(self.payload, self._way(rng))
                return Mutant(write(put(self.payload, way, other)), "another's", way)
        value, how = self._odd(held(self.payload, way), rng)
        return Mutant(write(put(self.payload, way, value)), how, way)

    def _twin(self, way: Way, rng: np.random.Generator) -> Mutant:
        """Name a field twice: with one value it says that, with two it says nothing."""
        old = held(self.payload, way)
        if rng.random() < 1 / 3:
            return Mutant(_twice(self.payload, way, old), "twice", way, alike=self._sound)
        other, _ = self._odd(old, rng, raw=False)
        if other == old:
            return Mutant(_twice(self.payload, way, old), "twice", way, alike=self._sound)
        first = write(dropped(self.payload, way))
        return Mutant(_twice(self.payload, way, other), "contradicted", way, alike=first)

    def _rows(self, way: Way, rng: np.random.Generator) -> Mutant:
        """Change the rows of a list: one comes twice, in another's place, or they are mixed."""
        where = way[:-1]
        rows = list(held(self.payload, where))
        n, m = (int(rng.integers(len(rows))) for _ in "nm")
        match int(rng.integers(4)):
            case 0:
                rows.insert(m, rows[n])
                how = "a row twice"
            case 1:
                rows[m] = rows[n]
                how = "a row in another's place"
            case 2:
                rows = [rows[i] for i in rng.permutation(len(rows))]
                how = "rows shuffled"
            case _:
                rows[n], how = self._odd(rows[n], rng)
        return Mutant(write(put(self.payload, where, rows)), how, (*where, n), rows=True)

    def _in_some_places(self, rng: np.random.Generator) -> Mutant:
        payload = self.payload
        for _ in range(int(rng.integers(2, 5))):
            way = self._way(rng)
            try:
                value, _ = self._odd(held(payload, way), rng)
                payload = (dropped if rng.random() < 1 / 4 else put)(payload, way, value)
            except (
                LookupError,
                TypeError,
                AttributeError,
            ):  # an earlier change took this place away
                continue
        return Mutant(write(payload), "several")

    def _text(self, rng: np.random.Generator) -> Mutant:
        """Spoil the text, or what stands around it."""
        texts = _texts(self.payload, rng)
        known = [how for how, text in texts.items() if not (self.lossy and text.lies)]
        how = known[int(rng.integers(len(known)))]
        return Mutant(texts[how].body, f"text: {how}", alike=texts[how].alike)

    @property
    def _sound(self) -> bytes:
        return write(self.payload)


def write(payload: Json) -> bytes:
    """Write a payload as JSON, with what JSON does not have where it is marked."""
    text = json.dumps(payload)
    text = _RAW_MARK.sub(lambda mark: _RAW[int(mark[1])], text)
    return _TWIN_MARK.sub(r'"\1"', text).encode()


def held(payload: Json, way: Way) -> Json:
    """Give what is at a place."""
    for step in way:
        payload = payload[step]
    return payload


def put(payload: Json, way: Way, value: Json) -> Json:
    """Put a value at a place of a copy; what is elsewhere is shared with the original."""
    if not way:
        return value
    copy = payload.copy()
    copy[way[0]] = put(payload[way[0]], way[1:], value)
    return copy


def dropped(payload: Json, way: Way, _: Json = None) -> Json:
    """Take a place out of a copy."""
    inside = held(payload, way[:-1]).copy()
    del inside[way[-1]]
    return put(payload, way[:-1], inside)


def deep(levels: int = DEEP) -> Json:
    """Nest lists in lists."""
    found: Json = "0.5"
    for _ in range(levels):
        found = [found]
    return found


def _places(payload: Json, way: Way = ()) -> Iterator[Way]:
    yield way
    inner: Sequence[tuple[str | int, Json]] = ()
    if isinstance(payload, Mapping):
        inner = list(payload.items())
    elif isinstance(payload, list):
        inner = list(enumerate(payload))[:SAME]
    for step, value in inner:
        yield from _places(value, (*way, step))


def _is_in_a_side(way: Way) -> bool:
    return any(step in _SIDES and len(way) > n + 1 for n, step in enumerate(way))


def _renamed(payload: Json, way: Way, rng: np.random.Generator) -> Json:
    old = str(way[-1])
    names = (f"{old}_v2", old.upper(), f" {old}", old[:-1], old.swapcase(), f"{old}\0")
    name = names[int(rng.integers(len(names)))]
    inside = {name if key == old else key: v for key, v in held(payload, way[:-1]).items()}
    return put(payload, way[:-1], inside)


def _twice(payload: Json, way: Way, value: Json) -> bytes:
    inside: dict[str, Json] = {}
    for key, old in held(payload, way[:-1]).items():
        if key == way[-1]:
            inside[f"@twin:{key}@"] = value
        inside[key] = old
    return write(put(payload, way[:-1], inside))


def _odd(old: Json, rng: np.random.Generator, *, raw: bool = True) -> tuple[Json, str]:
    """Give something else than what is there, and its name."""
    chance = rng.random()
    if raw and chance < 0.2:
        n = int(rng.integers(len(_RAW)))
        return f"@raw:{n}@", f"raw {_RAW[n][:12]}"
    if chance < 0.45:
        names = list(_RETYPED)
        name = names[int(rng.integers(len(names)))]
        return _RETYPED[name](old), name
    if chance < 0.455:
        return "x" * LONG, "a million characters"
    value = _VALUES[int(rng.integers(len(_VALUES)))]
    return value, f"value {value!r:.40}"


def _as_number(old: Json) -> Json:
    try:
        return float(old)
    except (TypeError, ValueError, OverflowError):
        return len(str(old))


def _like(old: Json, by: float) -> Json:
    """Move a number, and leave it the type that it has."""
    if isinstance(old, bool) or not isinstance(old, int | float | str):
        return by
    try:
        moved = float(old) * by
    except (ValueError, OverflowError):
        return f"{old}{by}"
    return f"{moved:.4f}" if isinstance(old, str) else moved


_RETYPED: Mapping[str, Callable[[Json], Json]] = {
    "as text": lambda old: old if isinstance(old, str) else json.dumps(old),
    "as text of JSON": json.dumps,
    "as a number": _as_number,
    "in a list": lambda old: [old],
    "in an object": lambda old: {"value": old},
    "three deep": lambda old: [[[old]]],
    "fifty deep": lambda old: [old, deep(50)],
    "turned about": lambda old: old[::-1] if isinstance(old, str | list) else not old,
    "doubled": lambda old: old * 2 if isinstance(old, str | list) else [old, old],
    "negative": lambda old: _like(old, -1),
    "a hundred times": lambda old: _like(old, 100),
    "a little less": lambda old: _like(old, 0.98),
    "a millionth": lambda old: _like(old, 1e-6),
    "not": lambda old: not old,
}


class _Text(NamedTuple):
    body: bytes
    alike: bytes | None = None
    lies: bool = False


def _texts(payload: Json, rng: np.random.Generator) -> Mapping[str, _Text]:
    """Spoil the text of a payload in every way; some give other numbers than it had."""
    sound = write(payload)
    at = int(rng.integers(len(sound)))
    before, after = sound[:at], sound[at:]
    return {
        "truncated": _Text(before),
        "a byte changed": _Text(before + bytes([rng.integers(256)]) + after[1:], lies=True),
        "a byte taken out": _Text(before + after[1:], lies=True),
        "a digit put in": _Text(before + b"7" + after, lies=True),
        "a mark first": _Text(b"\xef\xbb\xbf" + sound, sound),
        "sixteen bits": _Text(sound.decode().encode("utf-16"), sound),
        "with blanks": _Text(b"\r\n \t" + json.dumps(payload, indent=1).encode(), sound),
        "bare characters": _Text(_bare(payload), sound),
        "twice": _Text(sound * 2),
        "words behind": _Text(sound + b" ok"),
        "without a name": _Text(sound.replace(b'":', b":", 1)),
        "a comma too much": _Text(sound[:-1] + b"," + sound[-1:]),
        "no characters": _Text(before + b"\xff\xfe" + after),
        "nothing": _Text(b""),
        "blank": _Text(b" \n"),
        "in a list": _Text(b"[" + sound + b"]"),
        "in an object": _Text(b'{"data": ' + sound + b"}"),
        "deep in lists": _Text(b"[" * DEEP + sound + b"]" * DEEP),
        "as text": _Text(json.dumps(sound.decode()).encode()),
        "a whole other value": _Text(write(_odd(payload, rng)[0]), lies=True),
    }


def _bare(payload: Json) -> bytes:
    """Write characters as they are; halves of one have no such form."""
    return json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass")
