"""What would grade now: the registration, the code and the libraries."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from platform import python_version

import arena
from arena.records.claim import Season
from arena.records.seal import Grading, Named, Registration

# Every source that has a part in a grade, from the books to the last test.
SOURCES = (
    "ledger",
    "metrics",
    "odds",
    "scoring",
    "stats",
    "store/journal/effects.py",
    "store/scores/evidence.py",
)
LIBRARIES = ("numpy", "scipy")
SHOWN = 16  # digits of a digest that tell two apart for a person


@cache
def grading_now() -> Grading:
    """What this program grades by; read once in the life of a process."""
    from arena.metrics.registration import REGISTRATION  # noqa: PLC0415  brings scipy

    return graded_by(REGISTRATION)


def grading_of(season: Season | None) -> Grading:
    """What this program grades by, with the looks of a board: of a season, or endless."""
    from arena.metrics.claims.rules import looks_of  # noqa: PLC0415  brings scipy

    looks = tuple(Named(str(day), f"{alpha:.9f}") for day, alpha in looks_of(season))
    return replace(grading_now(), looks=looks or (Named("any day", "endless"),))


def graded_by(registration: Registration) -> Grading:
    """What this program would be with another registration."""
    return Grading(registration, code_digest(), libraries())


def libraries() -> tuple[Named, ...]:
    """The versions of what the numbers are computed with."""
    return (
        Named("paper-arena", arena.__version__),
        Named("python", python_version()),
        *(Named(name, version(name)) for name in LIBRARIES),
    )


@cache
def code_digest() -> str:
    """SHA-256 over the sources that grade."""
    return digest_of_sources(files(arena), SOURCES)


def digest_of_sources(root: Traversable, paths: Iterable[str]) -> str:
    """SHA-256 over the modules below some paths: each one's name and its text, by name."""
    digest = sha256()
    for name, text in sorted(
        module for path in paths for module in _modules(root / path, path)
    ):
        digest.update(f"{name} {sha256(text).hexdigest()}\n".encode())
    return digest.hexdigest()


def _modules(place: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    """Every module of a place with its bytes; line ends are alike on every system."""
    if place.is_dir():
        for child in place.iterdir():
            yield from _modules(child, f"{name}/{child.name}")
    elif name.endswith(".py"):
        yield name, place.read_bytes().replace(b"\r\n", b"\n")


def differences(sealed: Grading, current: Grading, *, when: str = "now") -> tuple[str, ...]:
    """List in words each difference from the sealed grading."""
    if not sealed.looks or not current.looks:  # one of them names no looks
        sealed, current = (replace(grading, looks=()) for grading in (sealed, current))
    before, after = dict(_facts(sealed)), dict(_facts(current))
    return tuple(
        f"{name} {_sealed_as(before.get(name))}, {when} {after.get(name, 'gone')}"
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    )


def _sealed_as(value: str | None) -> str:
    return "not sealed" if value is None else f"sealed as {value}"


def _facts(grading: Grading) -> Iterator[tuple[str, str]]:
    """Each part of a grading, under a readable name."""
    registration = grading.registration
    for constant in registration.constants:
        yield f"constant {constant.name}", constant.value
    for family in registration.families:
        yield f"alpha of family {family.name}", f"{family.alpha!r}"
        yield f"correction of family {family.name}", family.correction
    for test in registration.tests:
        yield f"metric of test {test.name}", test.metric
        yield f"hypothesis of test {test.name}", f"{test.hypothesis!r}"
        yield f"direction of test {test.name}", test.direction
        yield f"standard error of test {test.name}", f"{test.error!r}"
        yield f"family of test {test.name}", test.family
    if grading.looks:
        looks = ", ".join(f"{look.name} ({look.value})" for look in grading.looks)
        yield "looks and the alpha spent by then", looks
    yield "code", grading.code[:SHOWN]
    for library in grading.libraries:
        yield f"library {library.name}", library.value
