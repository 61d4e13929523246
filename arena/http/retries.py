"""Judges requests to a venue's server that brought no answer, or no usable one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import urlsplit

from arena.errors import LONGEST_LINE, ArenaError, one_line
from arena.http.door import Fault, HttpError, HttpReply, HttpRequest, host_and_port
from arena.http.limits import Manners, wait_asked_for, wait_in_body
from arena.ports import Clock
from arena.records.market import VenueId

NESTED = 4

_FIELDS = ("error", "message", "detail")


def named(request: HttpRequest) -> str:
    """Name a request in short: its method, its path and the beginning of its query."""
    try:
        parts = urlsplit(request.url)
    except ValueError:
        return one_line(f"{request.method} {request.url}")
    query = f"?{parts.query}" if parts.query else ""
    return one_line(f"{request.method} {parts.path or '/'}{query}")


def payload_of(reply: HttpReply) -> object:
    """Give a body as JSON has it; None where it is not JSON."""
    try:
        return reply.json()
    except HttpError:
        return None


def words_of(reply: HttpReply, payload: object) -> str:
    """Say in one short line what an error's body says; empty where that is nothing.

    Args:
        reply: The whole answer.
        payload: Its body as JSON gave it, or None.
    """
    raw = reply.body[: 4 * LONGEST_LINE].decode("utf-8", "replace")
    return one_line(_words(payload, NESTED) or raw)


def _words(payload: object, left: int) -> str:
    """Find the words of an error in a text, an object that holds one, or a list of such."""
    if isinstance(payload, str):
        return payload.strip()
    if left and isinstance(payload, list):
        return _words(payload[0], left - 1) if payload else ""
    if left and isinstance(payload, Mapping):
        texts = (_words(payload.get(name), left - 1) for name in _FIELDS)
        return next((words for words in texts if words), "")
    return ""


AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, *range(520, 525)})  # 52x: Cloudflare's
ELSEWHERE = frozenset({302, 303})  # as a guard does; the others say that the interface moved
STAYS_CLOSED = 5  # times `after_block`
LONGEST_CLOSED = 3600.0
CHANGED = (
    "nothing of this poll was used; `arena venue check` compares what it sends with what "
    "it used to send"
)


def changed(whose: str, what: str) -> ArenaError:
    """Make the error of a server whose answers are not as they used to be."""
    return ArenaError("venue.format", f"{whose}: {what}", hint=CHANGED)


_LATER = "nothing of this poll was used; a later one asks again"
_UNREACHED = (
    "is this machine online? the address is among the venue's options, a proxy is that of the "
    "environment; a later poll asks again"
)
_TURNED_AWAY = (
    "what guards the server turns this machine away: wait, ask less often (`per_second` "
    "among the venue's options), or ask from another network"
)
_REFUSED = "its interface may have changed: `arena venue check` shows what it answers"
_ADDRESS = "check the addresses among the venue's options, and a proxy of the environment"


@dataclass(frozen=True, slots=True)
class AttemptFailure:
    """The failure of an attempt: its error if it was the last, and whether to try again.

    `asked` is for how many seconds the server wants to be left alone; 0 where it said
    nothing. `shared` is whether a wait before another try is for everybody who asks the host,
    and `closes` for how many seconds nobody asks it where there is no other try.
    """

    code: str
    message: str
    hint: str
    again: bool = False
    asked: float = 0.0
    shared: bool = False
    closes: float = 0.0

    @property
    def blocked(self) -> bool:
        """Whether this machine was turned away."""
        return self.code == "venue.blocked"

    def error(self, tries: int) -> ArenaError:
        """Make the error of a request that was sent so often."""
        message = self.message if tries == 1 else f"{self.message} (asked {tries} times)"
        status = 2 if self.code == "venue.option" else 1
        return ArenaError(self.code, message, hint=self.hint, status=status)


@dataclass(frozen=True, slots=True)
class Judge:
    """Says what failures mean, for one venue."""

    venue: VenueId
    manners: Manners
    clock: Clock

    def fault(self, request: HttpRequest, error: HttpError) -> AttemptFailure:
        """Judge that no reply came, or one that cannot be read."""
        message = f"{self.venue}: {one_line(error.message)}, asked {named(request)}"
        match error.fault:
            case Fault.REQUEST:
                return AttemptFailure("venue.option", message, _ADDRESS)
            case Fault.CONNECT:
                return AttemptFailure("venue.silent", message, _UNREACHED, again=True)
            case Fault.TIMEOUT | Fault.DROPPED:
                return AttemptFailure("venue.silent", message, _LATER, again=True)
            case Fault.TOO_LARGE | Fault.GARBLED | Fault.NOT_JSON:
                return AttemptFailure("venue.format", message, CHANGED)

    def reply(self, request: HttpRequest, reply: HttpReply) -> AttemptFailure:
        """Judge a reply whose status is not success, or a page where JSON was asked for."""
        payload = payload_of(reply)
        words = words_of(reply, payload)
        points = one_line(reply.header("location") or "")
        detail = (f", which points to {points}" if points else "") + (
            f": {words}" if words else ""
        )
        where = host_and_port(request.url)
        message = f"{self.venue}: {where} answered {reply.status} to {named(request)}{detail}"
        wait = wait_asked_for(reply, self.clock) or wait_in_body(payload, words) or 0.0
        is_guard = reply.status == HTTPStatus.FORBIDDEN and not reply.is_json
        if is_guard or reply.status in ELSEWHERE or (reply.is_success and reply.is_page):
            blocked = AttemptFailure(
                "venue.blocked",
                message,
                _TURNED_AWAY,
                again=True,
                asked=wait,
                shared=True,
                closes=STAYS_CLOSED * self.manners.after_block,
            )
            longest = max(self.manners.longest_wait, self.manners.after_block)
            return _unless_longer(blocked, longest)
        if reply.status not in AGAIN:
            return AttemptFailure("venue.refused", message, _REFUSED)
        shared = wait > 0 or reply.status == HTTPStatus.TOO_MANY_REQUESTS
        silent = AttemptFailure(
            "venue.silent", message, _LATER, again=True, asked=wait, shared=shared
        )
        return _unless_longer(silent, self.manners.longest_wait)


def _unless_longer(failure: AttemptFailure, longest: float) -> AttemptFailure:
    if failure.asked <= longest:
        return failure
    asks = (
        f"it asks to be left alone for {failure.asked:.6g} s, and {longest:.6g} s is the most"
    )
    return replace(
        failure,
        message=f"{failure.message}; {asks}",
        again=False,
        closes=min(max(failure.asked, failure.closes), LONGEST_CLOSED),
    )
