"""How an answer goes out: as it is, hindered on the way, or an error in its place."""

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import format_datetime

from tests.standins.misbehaviour import Delivery, Misbehaviour
from tests.standins.venues.dialect import JSON, Answer
from tests.standins.venues.faults import Fault

HTML = "text/html; charset=UTF-8"
OVERSIZE = 30_000_000  # blanks
DRIP = 0.01  # seconds before each piece of a slow body

STATUSES = {
    Fault.RESTARTING: (425, "service is restarting"),
    Fault.LIMITED: (429, "too many requests"),
    Fault.LIMITED_SECONDS: (429, "too many requests"),
    Fault.LIMITED_DATE: (429, "too many requests"),
    Fault.BROKEN: (500, "internal error"),
    Fault.UNAVAILABLE: (503, "service unavailable"),
}
BLOCKED = b"<!DOCTYPE html><html><body><h1>Sorry, you have been blocked</h1></body></html>"
GATEWAY = b"<html><head><title>502 Bad Gateway</title></head><body></body></html>"
NOT_JSON = b"upstream connect error or disconnect/reset before headers"


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent, how, and which fault it met."""

    said: Misbehaviour
    body: bytes
    fault: Fault | None = None


def sent(answer: Answer, fault: Fault | None = None) -> Reply:
    """Send an answer as it is; a number that is none becomes NaN, as careless servers write."""
    payload = answer.payload
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    plain = answer.content_type == JSON
    kind = f"{JSON}; charset=utf-8" if plain else answer.content_type
    said = Misbehaviour(answer.status, headers=answer.headers, content_type=kind)
    return Reply(said, body, fault)


def hindered(answer: Answer, fault: Fault) -> Reply:
    """Send an answer with one of the faults `ON_THE_WAY`."""
    reply = sent(answer, fault)
    said = reply.said
    match fault:
        case Fault.SLOW:
            said = replace(said, drip=DRIP)
        case Fault.TRUNCATED:
            said = replace(said, delivery=Delivery(cut=len(reply.body) // 2))
        case Fault.OVERSIZED:
            said = replace(said, delivery=Delivery(blank=OVERSIZE))
        case _:
            said = replace(said, content_type=HTML)
    return replace(reply, said=said)


def refused(fault: Fault, now: datetime, wait: int) -> Reply:
    """Send one of the faults `INSTEAD` of an answer.

    Args:
        fault: Which.
        now: The server's time.
        wait: Seconds that a limit asks to be left alone.
    """
    headers: tuple[tuple[str, str], ...] = ()
    match fault:
        case Fault.CUT:
            return Reply(Misbehaviour(drops=True), b"", fault)
        case Fault.BLOCKED:
            return Reply(Misbehaviour(403, content_type=HTML), BLOCKED, fault)
        case Fault.GATEWAY:
            return Reply(Misbehaviour(502, content_type=HTML), GATEWAY, fault)
        case Fault.NOT_JSON:
            return Reply(Misbehaviour(), NOT_JSON, fault)
        case Fault.LIMITED_SECONDS:
            headers = (("Retry-After", str(wait)),)
        case Fault.LIMITED_DATE:
            until = (now + timedelta(seconds=wait)).replace(microsecond=0)
            headers = (("Retry-After", format_datetime(until, usegmt=True)),)
    status, message = STATUSES[fault]
    return sent(Answer(status, {"error": message}, headers), fault)
