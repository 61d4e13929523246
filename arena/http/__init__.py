"""The network: one door to the HTTP client, and a polite way to read a venue through it."""

from arena.http.door import (
    MAX_REPLY,
    Fault,
    HttpDoor,
    HttpError,
    HttpReply,
    HttpRequest,
    host_and_port,
    is_loopback,
)
from arena.http.limits import Manners, Pauses, backoff, spread, wait_asked_for
from arena.http.reader import JsonReply, ListPage, PoliteReader, VenueKey, walk

__all__ = [
    "MAX_REPLY",
    "Fault",
    "HttpDoor",
    "HttpError",
    "HttpReply",
    "HttpRequest",
    "JsonReply",
    "ListPage",
    "Manners",
    "Pauses",
    "PoliteReader",
    "VenueKey",
    "backoff",
    "host_and_port",
    "is_loopback",
    "spread",
    "wait_asked_for",
    "walk",
]
