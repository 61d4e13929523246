"""A cohort's rules and its seal, both from before its first bet."""

from dataclasses import fields
from datetime import timedelta
from decimal import Decimal

from arena.errors import ArenaError
from arena.metrics import figures
from arena.records.cohort import CohortSpec, Counts, Rules, Universe
from arena.records.seal import Family
from arena.site.estimates import table_of
from arena.site.pages.cohorts.seats import SealView
from arena.site.pages.parts import Cell, Fact, Table
from arena.site.reading import LABEL, Reading
from arena.site.sanitize import one_line
from arena.store.journal.entries import SqliteSeals, StoredSeal
from arena.store.pages.cards import CohortCard

_DOLLARS = {"capital", "min_bet"}  # volumes are in the unit of the venue
_NONE = {"exclude", "quotas"}  # of these an empty list is none; of the others all
_NO_WAIT = "answer_within"  # of which nothing is no wait


def agreement(spec: CohortSpec) -> tuple[Fact, ...]:
    """Every key of a cohort's agreement as it was frozen; its own rules stand first."""
    changed, unchanged = own_rules(spec)
    return changed + unchanged


def own_rules(spec: CohortSpec) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """The keys of a cohort's agreement as it was frozen: those that differ from the default.

    Those that have no default are among them; the second are the others.
    """
    changed = [
        Fact("venue", one_line(spec.venue, LABEL)),
        Fact("decide_every", figures.span(spec.decide_every)),
        Fact("decide_for", figures.span(spec.decide_for)),
    ]
    unchanged: list[Fact] = []
    groups = (("universe", spec.universe, Universe()), ("rules", spec.rules, Rules()))
    for group, agreed, default in groups:
        for f in fields(agreed):
            value = getattr(agreed, f.name)
            kept = unchanged if value == getattr(default, f.name) else changed
            kept.append(_fact(group, f.name, value))
    if spec.context is not None:
        terms = spec.context
        changed += [_fact("context", f.name, getattr(terms, f.name)) for f in fields(terms)]
    if spec.honeypot:
        changed.append(Fact("honeypot", "yes", "each round shows one made-up market"))
    if spec.counts is not Counts.ALWAYS:
        changed.append(Fact("counts", spec.counts, "where providers are compared"))
    return tuple(changed), tuple(unchanged)


def seal_of(card: CohortCard, reading: Reading) -> SealView:
    """What was sealed before the cohort's first round; what came later is not on its page."""
    seals = SqliteSeals(reading.show.db)
    check = f"arena seal {one_line(card.spec.name, LABEL)} --check"
    try:
        first = seals.first_round(card.id)
        kept_seals = [
            kept for kept in seals.of(card.spec.name) if first is None or kept.number < first
        ]
    except ArenaError as error:
        words = f"Its seal does not hold: {one_line(error.message, 300)}."
        return SealView(words, check, (), None)
    if not kept_seals:
        words = "Nothing was sealed before its first forecast: all its results are exploratory."
        return SealView(words, check, (), None)
    return _sealed(kept_seals, card, check)


def _sealed(kept_seals: list[StoredSeal], card: CohortCard, check: str) -> SealView:
    governing = kept_seals[-1]
    agreed = governing.seal.spec_digest == card.digest
    words = (
        "This was written down, with a digest, before its first forecast."
        if agreed
        else "A seal was made before its first forecast, but of another agreement."
    )
    versions = tuple(
        Fact(f"Version {kept.seal.version}", kept.digest, one_line(kept.seal.reason, 200))
        for kept in kept_seals
    )
    return SealView(words, check, versions, _tests(governing))


def _tests(kept: StoredSeal) -> Table | None:
    registration = kept.seal.grading.registration
    families = {family.name: family for family in registration.families}
    return table_of(
        "Registered tests",
        registration.tests,
        (
            ("Test", "one", "", lambda test: Cell(one_line(test.name, LABEL))),
            ("Metric", "one", "", lambda test: Cell(one_line(test.metric, LABEL))),
            ("Null hypothesis", "words", "", lambda test: Cell(one_line(test.hypothesis, 300))),
            ("Direction", "one", "", lambda test: Cell(test.direction.value)),
            ("Error", "words", "", lambda test: Cell(one_line(test.error, 300))),
            ("Family", "one", "", lambda test: _family(families[test.family])),
        ),
        "",
    )


def _family(family: Family) -> Cell:
    return Cell(one_line(family.name, LABEL), f"{family.correction}, alpha {family.alpha:g}")


def _fact(group: str, name: str, value: object) -> Fact:
    return Fact(f"{group}.{name}", _value(name, value))


def _value(name: str, value: object) -> str:
    if value is None:
        return "no limit"
    if name == _NO_WAIT and not value:
        return "no wait"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, timedelta):
        return figures.span(value)
    if isinstance(value, Decimal):
        return figures.dollars(value) if name in _DOLLARS else f"{value.normalize():f}"
    if isinstance(value, tuple):
        empty = "none" if name in _NONE else "all"
        return one_line(", ".join(str(v) for v in value), 1000) if value else empty
    return one_line(str(value), LABEL)
