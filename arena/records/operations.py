"""Running an arena: what is wrong, how large it grows, who is told, and its backups."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Severity(StrEnum):
    """How bad a condition is: an alarm stops something, or soon will."""

    WARNING = "warning"
    ALARM = "alarm"


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is not as it should be, in the arena's own words and names alone.

    `key` names the same thing as long as it lasts; no outside text stands in a condition.
    """

    key: str
    severity: Severity
    what: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Growth:
    """How large the files are, and when they reach a limit at the pace of the arena's life.

    Sizes are in bytes; `daily` is how many a day are added. A date is None where there is no
    such limit, no pace yet, or none within ten years.
    """

    database: int
    site: int
    daily: float | None
    free: int
    disk_full_on: datetime | None
    site_limit: int
    site_full_on: datetime | None


@dataclass(frozen=True, slots=True)
class Health:
    """How an arena is, as of `at`; it is `ok` while no condition is an alarm.

    `price_age` is that of the oldest price in use, `day_spent` the share of the day's budget
    that is used up, None where there is no such budget.
    """

    at: datetime
    ok: bool
    last_tick: datetime | None
    next_tick: datetime | None
    due: int
    stuck: int
    price_age: timedelta | None
    day_spent: float | None
    newest_backup: datetime | None
    growth: Growth | None
    conditions: tuple[Condition, ...]


class ChannelKind(StrEnum):
    """What an alarm is sent as."""

    WEBHOOK = "webhook"
    NTFY = "ntfy"
    SLACK = "slack"
    DISCORD = "discord"
    EMAIL = "email"


class SmtpSecurity(StrEnum):
    """How a mail server is reached."""

    NONE = "none"
    STARTTLS = "starttls"
    TLS = "tls"


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """Where alarms go. Addresses of servers, keys and passwords stand in the environment."""

    kind: ChannelKind
    url_env: str = ""
    token_env: str = ""
    host: str = ""
    port: int = 25
    security: SmtpSecurity = SmtpSecurity.NONE
    sender: str = ""
    to: str = ""
    user: str = ""
    password_env: str = ""

    @property
    def name(self) -> str:
        """What the channel is called where it is said who was told."""
        return f"{self.kind} {self.url_env or self.to}"

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the environment that it needs."""
        return tuple(n for n in (self.url_env, self.token_env, self.password_env) if n)


@dataclass(frozen=True, slots=True)
class LogSettings:
    """Where the log goes: to a file that is turned over, or with none to standard error."""

    file: str = ""
    megabytes: int = 10
    keep: int = 5


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """Who is told of what goes wrong.

    `ping_env` names the variable with the address that is asked after each tick, so that a
    server elsewhere notices when nothing ticks. `site_limit` is what the site's host takes, in
    megabytes.
    """

    alarms: tuple[ChannelSettings, ...] = ()
    ping_env: str = ""
    site_limit: int = 1000
    log: LogSettings | None = None


UNWATCHED = WatchSettings()


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup as it is described beside its file.

    `at` is when it was made, `moment` that of its newest entry, `head` that entry's digest.
    `size` is that of the database, `packed` that of the file, and `digest` the file's SHA-256.
    `volumes` are the files of moved texts that go with it, which other backups may share.
    """

    name: str
    at: datetime
    moment: datetime | None
    entries: int
    head: str
    schema: int
    size: int
    packed: int
    digest: str
    version: str
    volumes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewound:
    """What was taken out of books that were put back to an entry: entries, and answers."""

    entries: int
    answers: int


@dataclass(frozen=True, slots=True)
class Drill:
    """A backup that was restored in a folder of its own: what was checked, and what is wrong.

    `lost_entries` and `lost_moments` are what the arena's own file has beyond the backup:
    how many entries, and the moments of their ticks.
    """

    backup: Backup
    laws: int
    turns: int
    findings: tuple[str, ...]
    lost_entries: int
    lost_moments: tuple[datetime, ...]

    @property
    def ok(self) -> bool:
        """Whether the books of the backup are sound."""
        return not self.findings
