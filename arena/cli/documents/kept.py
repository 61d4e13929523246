"""What commands that look after an arena print with --json."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Required, TypedDict

from arena.cli.examine import Finding
from arena.config import Problem
from arena.records.audit import Audit, Rebuilt
from arena.records.seal import Seal, Sealing
from arena.site.budget import Line
from arena.site.check import Finding as SiteFinding
from arena.site.compared import Difference
from arena.site.datafiles import DataFile
from arena.steps.verify import Check
from arena.store.export import Written
from arena.store.payloads import Kept
from arena.store.prune import Pruned
from arena.store.sizes import Sizes as TapeSizes


class AuditSaid(TypedDict):
    """Whether every law holds."""

    ok: bool
    journal: str
    audit: Audit


class RebuildSaid(TypedDict):
    """What was made anew."""

    rebuilt: Rebuilt


class TapeSizeSaid(TypedDict):
    """How much the tape holds."""

    tape: TapeSizes


class TapeExportSaid(TypedDict):
    """The files that were written."""

    files: Sequence[Written]


class TapePruneSaid(TypedDict):
    """What was deleted, or would be; `given_back` are bytes, null without --vacuum."""

    dry_run: bool
    before: datetime
    pruned: Pruned
    given_back: int | None


class TapeListSaid(TypedDict):
    """A venue's last answers."""

    payloads: Sequence[Kept]


class ExportSaid(TypedDict):
    """The files that were written into a folder."""

    folder: str
    files: Sequence[DataFile]


class InitSaid(TypedDict):
    """The files of a new arena, and the commands that come next."""

    folder: str
    written: Sequence[str]
    kept: Sequence[str]
    next: Sequence[str]


class ConfigCheckSaid(TypedDict):
    """Everything that is wrong with the configuration, and what could not be looked into."""

    ok: bool
    problems: Sequence[Problem]
    refused: Sequence[str]
    unchecked: Sequence[str]


class Setting(TypedDict):
    """A key, its value, and where that is from: a file and line, flag, variable, default."""

    key: str
    value: Any
    origin: str


class ConfigShowSaid(TypedDict):
    """Every setting in force; a key of a service is named, never shown."""

    settings: Sequence[Setting]


class JournalPlace(TypedDict, total=False):
    """The entry of the journal that a seal is."""

    entry: int
    id: str
    at: str
    digest: str


class SealStanding(TypedDict):
    """How one seal stands."""

    of: str
    seal: Sealing


class SealSaid(TypedDict, total=False):
    """A seal that was made, or with --check how seals stand (`ok`, `seals`)."""

    made: bool
    begun: Sequence[str]
    document: str
    digest: str
    seal: Seal
    journal: JournalPlace
    ok: bool
    seals: Sequence[SealStanding]


class VerifySaid(TypedDict):
    """Whether a turn is what its words come to, check by check."""

    ok: bool
    checks: Sequence[Check]


class DoctorSaid(TypedDict):
    """What was looked into; `ok` is false where a finding is `fail`."""

    ok: bool
    findings: Sequence[Finding]


class SiteBuildSaid(TypedDict, total=False):
    """What was built; `site` is null where another process does it, which `busy` says."""

    site: Required[str | None]
    busy: str
    changed: Sequence[str]
    removed: Sequence[str]
    pages: int
    files: int
    frozen: int
    notes: Sequence[str]
    budget: Sequence[Line]


class SiteCheckSaid(TypedDict):
    """What was found in the files of a site."""

    ok: bool
    pages: int
    files: int
    findings: Sequence[SiteFinding]
    budget: Sequence[Line]


class SiteBudgetSaid(TypedDict):
    """What a site weighs, against what it may."""

    folder: str
    budget: Sequence[Line]


class SiteDiffSaid(TypedDict):
    """What makes one site another than a second."""

    difference: Difference
