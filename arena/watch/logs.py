"""A log of JSON lines: to standard error, or to a file that is turned over."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from arena.records.operations import LogSettings
from arena.secrets import Secrets

NAME: Final = "arena"
MEGABYTE: Final = 1_000_000
FIELDS: Final = "fields"


class JsonLines(logging.Formatter):
    """One JSON object a record; what looks like a key is taken out of it."""

    def __init__(self, secrets: Secrets, tick: str) -> None:
        super().__init__()
        self.secrets, self.tick = secrets, tick

    def format(self, record: logging.LogRecord) -> str:
        """Write a record: its moment, level, tick, words, and the fields that it was given."""
        line = {
            "at": f"{datetime.fromtimestamp(record.created, UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
            "level": record.levelname.lower(),
            "tick": self.tick,
            "event": record.getMessage(),
            **getattr(record, FIELDS, {}),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return self.secrets.text(json.dumps(line, default=str))


@contextmanager
def logged(settings: LogSettings | None, secrets: Secrets, tick: str) -> Iterator[None]:
    """Write what the arena logs during a tick, with the tick's name; without settings, nowhere.

    The file is turned over when it is full, and the oldest are deleted.
    """
    if settings is None:
        yield
        return
    log = logging.getLogger(NAME)
    handler = _handler(settings)
    handler.setFormatter(JsonLines(secrets, tick))
    before, inherited = log.level, log.propagate
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)
        log.propagate = inherited
        handler.close()


def _handler(settings: LogSettings) -> logging.Handler:
    if not settings.file:
        return logging.StreamHandler()
    file = Path(settings.file)
    file.parent.mkdir(parents=True, exist_ok=True)
    return RotatingFileHandler(
        file,
        maxBytes=settings.megabytes * MEGABYTE,
        backupCount=settings.keep,
        encoding="utf-8",
    )


def log_event(event: str, *, level: int = logging.INFO, **fields: object) -> None:
    """Log one event with its fields; without a log there is nothing to do."""
    log = logging.getLogger(NAME)
    if log.handlers:
        log.log(level, event, extra={FIELDS: fields})
