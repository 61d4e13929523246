"""What a check of the books found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A law of the ledger that does not hold somewhere."""

    law: str
    where: str
    detail: str


@dataclass(frozen=True, slots=True)
class Audit:
    """Every law that was checked, with how many things it was checked on, and what broke.

    The number is None where these things cannot be read. `left_out` are laws about texts, which
    a copy for the public does not have.
    """

    checked: tuple[tuple[str, int | None], ...]
    findings: tuple[Finding, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Caches made anew: which of them differ from what was there, and what was replayed."""

    entries: int
    changed: tuple[str, ...]
    digest: str
