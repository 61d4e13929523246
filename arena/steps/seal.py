"""Laying down how a cohort will be graded, and seeing whether that still holds.

What would grade now is the registration, the code and the libraries.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from platform import python_version

import arena
from arena.errors import ArenaError
from arena.records.claim import Season
from arena.records.cohort import Cadence, Cohort, CohortId, CohortSpec
from arena.records.market import MarketId
from arena.records.report import Failure
from arena.records.seal import (
    UNSEALED,
    Evidence,
    Grading,
    Named,
    Registration,
    Seal,
    Sealing,
    SealState,
    Weight,
)
from arena.records.trade import Entry, Opened, Sealed
from arena.store import Store
from arena.store.codec import digest_of
from arena.store.journal.entries import SqliteSeals, StoredSeal, seal_id

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


Now = Callable[[], Grading]
MEND = (
    "`arena seal {name} --check` says more; put back what was sealed, or make a new version "
    "with --late; the next tick settles what this one did not"
)
RESTORE = "restore a backup of the database; `arena audit` tells what else does not hold"


@dataclass(frozen=True, slots=True)
class NewSeal:
    """The newest version of a seal, whether it was made just now, and who began before it.

    `begun` are the running cohorts whose first round was laid out before this version: for
    them its tests are exploratory.
    """

    kept: StoredSeal
    begun: tuple[CohortId, ...]
    is_new: bool


def make_seal(  # noqa: PLR0913  what is sealed, when, and three things that may be left out
    store: Store,
    spec: CohortSpec,
    at: datetime,
    *,
    reason: str = "",
    late: bool = False,
    now: Now = grading_now,
) -> NewSeal:
    """Lay down how the cohorts of a file are graded, unless that is what is sealed already.

    Args:
        store: Where the seal is kept: the next entry of the journal.
        spec: The agreement of the file's next cohort.
        at: The moment to write down.
        reason: Why this version is made.
        late: Whether a cohort that plays once may be sealed though it has begun.
        now: What grades now.

    Raises:
        ArenaError: The file's one cohort has begun (`seal.late`), or an earlier version is
            not what was written (`seal.damaged`).
    """
    seals, grading, agreement = SqliteSeals(store.db), now(), digest_of(spec)
    with store.write():
        before = seals.of(spec.name)
        newest = before[-1] if before else None
        if newest and _says(newest.seal, agreement, grading):
            return NewSeal(newest, _begun(store, newest), is_new=False)
        if spec.start.cadence is Cadence.ONCE and not late:
            _refuse_late(seals, CohortId(spec.name))
        seal = Seal(
            spec.name,
            len(before) + 1,
            agreement,
            grading,
            newest.digest if newest else "",
            reason,
        )
        name = seal_id(seal.name, seal.version)
        store.journal.append([Entry(name, at, Sealed(seal, digest_of(seal)))])
        made = seals.of(spec.name)[-1]
        return NewSeal(made, _begun(store, made), is_new=True)


def _says(seal: Seal, agreement: str, grading: Grading) -> bool:
    return seal.spec_digest == agreement and not differences(seal.grading, grading)


def _begun(store: Store, version: StoredSeal) -> tuple[CohortId, ...]:
    """Running cohorts of a file whose first round was laid out before a version of its seal."""
    seals = SqliteSeals(store.db)
    running = (c.id for c in store.books.running() if c.spec.name == version.seal.name)
    firsts = ((cohort, seals.first_round(cohort)) for cohort in running)
    return tuple(c for c, first in firsts if first is not None and first < version.number)


def _refuse_late(seals: SqliteSeals, cohort: CohortId) -> None:
    if seals.first_round(cohort) is not None:
        raise ArenaError(
            "seal.late",
            f"cohort {cohort} has begun: a seal made now does not come before its forecasts",
            hint="seal it all the same with --late; its tests are exploratory then",
            status=2,
        )


def state_of(store: Store, cohort: CohortId, now: Now = grading_now) -> Sealing:
    """Say how the seal that a cohort stands under stands: it is looked at anew each time.

    Raises:
        KeyError: There is no such cohort.
    """
    ((_, sealing),) = states_of(store, [cohort], now)
    return sealing


def states_of(
    store: Store, cohorts: Iterable[CohortId], now: Now = grading_now
) -> Iterator[tuple[CohortId, Sealing]]:
    """Say of several cohorts how their seals stand.

    Raises:
        KeyError: There is no such cohort.
    """
    seals, versions_by_name = (
        SqliteSeals(store.db),
        dict[str, Sequence[StoredSeal] | ArenaError](),
    )
    sealed = seals.any()
    for cohort in cohorts:
        opened = store.journal.entry(f"open:{cohort}")
        if opened is None or not isinstance(opened.event, Opened):
            raise KeyError(f"there is no cohort {cohort}")
        name = opened.event.spec.name
        if sealed and name not in versions_by_name:
            versions_by_name[name] = _versions(seals, name)
        versions = versions_by_name.get(name)
        first = seals.first_round(cohort) if name in versions_by_name else None
        yield cohort, _standing(versions, opened.event.digest, first, now)


def outlook(store: Store, spec: CohortSpec, now: Now = grading_now) -> Sealing:
    """Say how the seal of a file's next cohort would stand if it began now."""
    versions = _versions(SqliteSeals(store.db), spec.name)
    return _standing(versions, digest_of(spec), None, now)


def _standing(
    versions: Sequence[StoredSeal] | ArenaError | None,
    agreement: str,
    first: int | None,
    now: Now,
) -> Sealing:
    if isinstance(versions, ArenaError):
        return Sealing(SealState.BROKEN, versions.message)
    return _judged(versions, agreement, first, now()) if versions else UNSEALED


def _versions(seals: SqliteSeals, name: str) -> Sequence[StoredSeal] | ArenaError:
    try:
        return seals.of(name)
    except ArenaError as error:
        return error


def _judged(
    versions: Sequence[StoredSeal], agreement: str, first: int | None, grading: Grading
) -> Sealing:
    """Compare what was sealed, and when, with what a cohort is played and graded by.

    The version that governs a cohort is the newest one from before its first round. It is
    kept as long as it and all later ones are what grades now; otherwise the newest version
    must be, and the cohort is exploratory.
    """
    newest = versions[-1]
    before = [v for v in versions if first is None or v.number < first]
    since = versions[len(before) :]
    changed = differences(newest.seal.grading, grading)
    if changed:
        return _broken(newest, "; ".join(changed))
    if not any(v.seal.spec_digest == agreement for v in (*before[-1:], *since)):
        return _broken(newest, "the cohort's agreement is not the sealed one")
    if not before:
        return _amended(newest, "it was sealed only after its first forecast")
    governing = before[-1]
    if governing.seal.spec_digest != agreement:
        return _amended(newest, "its agreement was sealed only after its first forecast")
    for later in since:
        changed = differences(governing.seal.grading, later.seal.grading, when="then")
        if changed:
            return _amended(newest, "; ".join(changed))
    words = f"{_named(governing)}: the registered tests are confirmatory"
    return _sealing(SealState.KEPT, words, governing)


def _broken(version: StoredSeal, why: str) -> Sealing:
    words = f"the seal is broken ({_named(version)}): {why}"
    return _sealing(SealState.BROKEN, words, version)


def _amended(version: StoredSeal, why: str) -> Sealing:
    words = (
        f"{_named(version)}, amended after the first forecast: everything here is exploratory"
    )
    return _sealing(SealState.AMENDED, f"{words} ({why})", version)


def _named(version: StoredSeal) -> str:
    return f"sealed as version {version.seal.version} (digest {version.digest[:SHOWN]})"


def _sealing(state: SealState, words: str, version: StoredSeal) -> Sealing:
    tests = tuple(test.name for test in version.seal.grading.registration.tests)
    return Sealing(state, words, version.seal.version, version.digest, tests)


def evidence_of(store: Store, cohort: CohortId | None, now: Now = grading_now) -> Evidence:
    """What a report on one cohort, or on all of them together, may be taken for.

    Raises:
        KeyError: There is no such cohort.
    """
    if cohort is None:
        return _pooled(store, now)
    seal = state_of(store, cohort, now)
    if seal.state is SealState.KEPT:
        return Evidence(Weight.CONFIRMATORY, seal.words, seal.tests, seal)
    return Evidence(Weight.EXPLORATORY, seal.words, (), seal)


def _pooled(store: Store, now: Now) -> Evidence:
    if not SqliteSeals(store.db).any():
        return Evidence(Weight.EXPLORATORY, UNSEALED.words)
    seals = [sealing for _, sealing in states_of(store, store.books.every(), now)]
    states = [sealing.state for sealing in seals]
    kept, broken = states.count(SealState.KEPT), states.count(SealState.BROKEN)
    if seals and kept == len(seals):
        tests = tuple(t for t in seals[-1].tests if all(t in s.tests for s in seals))
        words = "every cohort is sealed: the registered tests are confirmatory"
        return Evidence(Weight.CONFIRMATORY, words, tests)
    words = f"{kept} of {len(seals)} cohorts are under a seal that was kept"
    after = f", {broken} under one that is broken" if broken else ""
    return Evidence(Weight.EXPLORATORY, f"{words}{after}: everything pooled is exploratory")


def stops(
    store: Store, waiting: Sequence[MarketId], now: Now = grading_now
) -> tuple[Failure, ...]:
    """Say which broken seals forbid that these markets are settled and scored.

    Only running cohorts count, and of those only where somebody bet on one of the markets or
    forecast it.
    """
    if not waiting or not SqliteSeals(store.db).any():
        return ()
    running = {cohort.id: cohort for cohort in store.books.running()}
    return tuple(
        stopped(running[cohort], sealing)
        for cohort, sealing in states_of(store, _touched(store, waiting, running), now)
        if sealing.state is SealState.BROKEN
    )


def _touched(
    store: Store, markets: Iterable[MarketId], running: Iterable[CohortId]
) -> list[CohortId]:
    """The running cohorts in which somebody bet on one of the markets or forecast it."""
    playing = {cohort for market in markets for cohort in store.books.playing_on(market)}
    return [cohort for cohort in running if cohort in playing]


def stopped(cohort: Cohort, sealing: Sealing) -> Failure:
    """Report that the grading of a cohort is stopped, and how it goes on."""
    hint = RESTORE if sealing.version is None else MEND.format(name=cohort.spec.name)
    return Failure(f"cohort {cohort.id} is not graded: {sealing.words}", "grading", hint)
