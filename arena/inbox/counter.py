"""Authorises requests to the inbox and answers them; connections are in `server`."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import quote, unquote

from arena.errors import ArenaError
from arena.inbox.wire import RefusedError, Reply, RequestHead, length_of, refusal
from arena.ports import Clock
from arena.records.cohort import CohortId, CohortSpec, ContestantId
from arena.records.decision import Status
from arena.steps.submit import (
    AGAIN,
    LATE,
    UNKNOWN,
    Due,
    answer_data,
    coming,
    coming_data,
    submit,
    turn_at,
    turn_data,
    turns_due,
)
from arena.store import Store, open_store

BUSY_SECONDS: Final = 5.0
ROOT: Final = ("v1", "turns")

_TAKEN = frozenset({"application/json", "text/plain"})
_CHARSETS = frozenset({"", "utf-8", "utf8", "us-ascii"})
_DIGITS = 9  # of a round's number
_STATUSES = {
    UNKNOWN: HTTPStatus.NOT_FOUND,
    AGAIN: HTTPStatus.CONFLICT,
    LATE: HTTPStatus.GONE,
}


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A request that may be answered: whose turns, and which of them is replied to."""

    contestant: ContestantId
    turn: tuple[CohortId, int] | None = None
    length: int = 0


@dataclass(frozen=True, slots=True)
class InboxHandler:
    """Tells contestants their turns and takes their answers.

    Each answer opens the database anew, so that it may be called in any thread. `tokens` are
    those of the contestants that are served; nobody else is. `busy` is how many seconds a
    request waits for another process that writes.
    """

    database: PurePath
    clock: Clock
    tokens: Mapping[ContestantId, str] = field(repr=False)
    specs: tuple[CohortSpec, ...] = ()
    busy: float = BUSY_SECONDS

    def admit(self, head: RequestHead) -> TurnRequest:
        """Check a request before its body is read.

        Raises:
            RefusedError: There is no such page, the token is wrong, or the request cannot be
                answered as it was put.
        """
        steps = tuple(unquote(step) for step in head.path.split("/")[1:])
        if steps[:2] != ROOT or len(steps) not in {3, 5} or not all(steps):
            raise _no_page()
        who = ContestantId(steps[2])
        self._check_token(who, head)
        is_reply = len(steps) == len(ROOT) + 3
        allowed = "POST" if is_reply else "GET"
        if head.method != allowed:
            raise refusal(
                HTTPStatus.METHOD_NOT_ALLOWED,
                "request.method",
                f"this page takes {allowed}",
                f"Allow: {allowed}",
            )
        if not is_reply:
            return TurnRequest(who)
        _check_type(head)
        cohort, number = steps[3], steps[4]
        if not (cohort.isascii() and number.isascii() and number.isdigit()):
            raise _no_page()
        if len(number) > _DIGITS:
            raise _no_page()
        return TurnRequest(who, (CohortId(cohort), int(number)), length_of(head))

    def answer(self, wish: TurnRequest, body: bytes) -> Reply:
        """Do what a request asks for: list the turns, or take a reply to one.

        Nothing of the database, its place or its troubles is told.
        """
        try:
            text = body.decode("utf-8")
            return self._answer(wish, text)
        except UnicodeDecodeError:
            return refusal(
                HTTPStatus.BAD_REQUEST, "request.encoding", "a reply is text in UTF-8"
            ).reply
        except RefusedError as refused:
            return refused.reply
        except ArenaError as error:
            return _failed(error)

    def _answer(self, wish: TurnRequest, text: str) -> Reply:
        now = self.clock.now()
        if not Path(self.database).is_file():
            return self._nothing_yet(wish, now)
        with open_store(self.database, busy=self.busy) as store:
            if wish.turn is None:
                return self._turns(store, wish.contestant, now)
            due = turn_at(store, wish.contestant, *wish.turn, now)
            return _accept(store, due, text, now)

    def _turns(self, store: Store, who: ContestantId, now: datetime) -> Reply:
        turns = [
            {**turn_data(due), "answer_to": _page_of(due)} for due in turns_due(store, who, now)
        ]
        ahead = coming_data(coming(store, self.specs, who, now))
        document = {"contestant": who, "at": now.isoformat()}
        return Reply(HTTPStatus.OK, {**document, "turns": turns, "next": ahead})

    def _nothing_yet(self, wish: TurnRequest, now: datetime) -> Reply:
        if wish.turn is not None:
            raise _no_page()
        document = {"contestant": wish.contestant, "at": now.isoformat()}
        return Reply(HTTPStatus.OK, {**document, "turns": [], "next": []})

    def _check_token(self, who: ContestantId, head: RequestHead) -> None:
        """Compare a token in constant time, also where the contestant does not exist."""
        scheme, _, given = head.headers.get("authorization", "").partition(" ")
        wanted = self.tokens.get(who)
        is_right = hmac.compare_digest(_digest(given.strip()), _digest(wanted or ""))
        if not (is_right and wanted and scheme.lower() == "bearer"):
            raise refusal(
                HTTPStatus.UNAUTHORIZED,
                "request.token",
                "give the contestant's token: Authorization: Bearer ...",
                "WWW-Authenticate: Bearer",
            )


def _accept(store: Store, due: Due, text: str, now: datetime) -> Reply:
    reading = submit(store, due, text, now)
    is_kept = reading.status is not Status.REJECT
    status = HTTPStatus.OK if is_kept else HTTPStatus.UNPROCESSABLE_ENTITY
    return Reply(status, answer_data(due, reading))


def _failed(error: ArenaError) -> Reply:
    status = _STATUSES.get(error.code)
    if status is not None:
        return refusal(status, error.code, error.message).reply
    if error.code == "store.locked":
        return refusal(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "inbox.busy",
            "the arena is at work: ask again in a moment",
            "Retry-After: 5",
        ).reply
    return refusal(
        HTTPStatus.INTERNAL_SERVER_ERROR, "inbox.failed", "the arena could not answer"
    ).reply


def _page_of(due: Due) -> str:
    briefing = due.briefing
    steps = (*ROOT, briefing.contestant, briefing.cohort, str(briefing.round))
    return "".join(f"/{quote(step, safe='')}" for step in steps)


def _check_type(head: RequestHead) -> None:
    kind, *parameters = head.headers.get("content-type", "").lower().split(";")
    named = dict(p.strip().partition("=")[::2] for p in parameters)
    if kind.strip() not in _TAKEN or named.get("charset", "").strip('"') not in _CHARSETS:
        raise refusal(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "request.type",
            "send the reply as application/json or as text/plain, in UTF-8",
        )


def _no_page() -> RefusedError:
    return refusal(HTTPStatus.NOT_FOUND, "request.page", "there is no such page")


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
