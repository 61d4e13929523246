"""Where alarms go: HTTP servers in the shapes that they know, and mail."""

import json
import os
import smtplib
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from enum import StrEnum
from html import escape
from typing import Final

from arena.errors import ArenaError
from arena.http.door import HttpDoor, HttpError, HttpRequest
from arena.records.operations import (
    ChannelKind,
    ChannelSettings,
    Condition,
    Severity,
    SmtpSecurity,
)

SECONDS: Final = 15.0  # that a server is waited for
LONGEST: Final = 1500  # characters of a message


class AlarmEvent(StrEnum):
    """What became of a condition."""

    BEGAN = "began"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Alarm:
    """A condition that began or ended, in the arena of this title."""

    arena: str
    event: AlarmEvent
    condition: Condition
    at: datetime

    @property
    def title(self) -> str:
        """One line: which arena, and what."""
        mark = "OK" if self.event is AlarmEvent.ENDED else self.condition.severity.upper()
        return f"[{mark}] {self.arena}: {self.condition.what}"[:LONGEST]

    @property
    def text(self) -> str:
        """The title, when that was, and what to do while it lasts."""
        hint = self.condition.hint if self.event is AlarmEvent.BEGAN else ""
        lines = (self.title, f"{self.event} {self.at:%Y-%m-%d %H:%M} UTC", hint)
        return "\n".join(line for line in lines if line)


async def send_alarm(channel: ChannelSettings, alarm: Alarm, door: HttpDoor) -> None:
    """Tell one channel of an alarm.

    Raises:
        ArenaError: A variable of the channel is not set, or its server did not take it; the
            words name no address and no key.
    """
    if channel.kind is ChannelKind.EMAIL:
        _mail(channel, alarm)
        return
    url = _variable(channel, channel.url_env)
    headers, body = _request(channel, alarm)
    await _post(door, HttpRequest("POST", url, tuple(headers.items()), body), channel.name)


async def ping(variable: str, door: HttpDoor, *, ok: bool) -> None:
    """Tell a dead man's switch of healthchecks.io's shape that a tick went well, or failed.

    Raises:
        ArenaError: The variable is not set, or its server did not answer well.
    """
    address = os.environ.get(variable, "")
    if not address:
        raise _unset(variable, "the ping")
    url = address.rstrip("/") + ("" if ok else "/fail")
    await _post(door, HttpRequest("GET", url), "the ping")


def _request(channel: ChannelSettings, alarm: Alarm) -> tuple[Mapping[str, str], bytes]:
    """Headers and body in the shape that a kind of server knows."""
    headers = {"Content-Type": "application/json"}
    if channel.token_env:
        headers["Authorization"] = f"Bearer {_variable(channel, channel.token_env)}"
    if channel.kind is ChannelKind.NTFY:
        urgent = alarm.condition.severity is Severity.ALARM and alarm.event is AlarmEvent.BEGAN
        more = {"Content-Type": "text/plain; charset=utf-8", "Title": "Paper Arena"}
        return {**headers, **more, "Priority": "4" if urgent else "3"}, alarm.text.encode()
    if channel.kind is ChannelKind.SLACK:
        return headers, _json({"text": escape(alarm.text, quote=False)})
    if channel.kind is ChannelKind.DISCORD:
        return headers, _json({"content": alarm.text, "allowed_mentions": {"parse": []}})
    return headers, _json(
        {
            "arena": alarm.arena,
            "event": alarm.event,
            "key": alarm.condition.key,
            "severity": alarm.condition.severity,
            "what": alarm.condition.what,
            "hint": alarm.condition.hint,
            "at": f"{alarm.at:%Y-%m-%dT%H:%M:%SZ}",
        }
    )


def _json(document: Mapping[str, object]) -> bytes:
    return json.dumps(document).encode()


async def _post(door: HttpDoor, request: HttpRequest, name: str) -> None:
    try:
        reply = await door.send(request, seconds=SECONDS)
    except HttpError as error:
        raise _refused(name, f"its server {error.fault}") from error
    if not reply.is_success:
        raise _refused(name, f"its server answered {reply.status}")


def _mail(channel: ChannelSettings, alarm: Alarm) -> None:
    message = EmailMessage()
    try:
        message["Subject"] = " ".join(alarm.title.split())
        message["From"], message["To"] = channel.sender, channel.to
        message.set_content(alarm.text)
        with _mail_server(channel) as server:
            if channel.password_env:
                password = _variable(channel, channel.password_env)
                server.login(channel.user or channel.sender, password)
            server.send_message(message)
    except (OSError, ValueError, smtplib.SMTPException) as error:  # of an address or a password
        raise _refused(channel.name, f"its mail server: {type(error).__name__}") from error


def _mail_server(channel: ChannelSettings) -> smtplib.SMTP:
    if channel.security is SmtpSecurity.TLS:
        context = ssl.create_default_context()
        return smtplib.SMTP_SSL(channel.host, channel.port, timeout=SECONDS, context=context)
    server = smtplib.SMTP(channel.host, channel.port, timeout=SECONDS)
    if channel.security is SmtpSecurity.STARTTLS:
        server.starttls(context=ssl.create_default_context())
    return server


def _variable(channel: ChannelSettings, name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise _unset(name, channel.name)
    return value


def _unset(name: str, of: str) -> ArenaError:
    return ArenaError(
        "watch.unset",
        f"{name} is not set, which {of} needs",
        hint="put it into the environment or .env; the next tick tells it again",
    )


def _refused(name: str, why: str) -> ArenaError:
    hint = "the next tick tells it again; `arena health --test` sends a test alarm"
    return ArenaError("watch.refused", f"{name} was not told: {why}", hint=hint)
