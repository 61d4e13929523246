"""Anthropic's batch interface: all questions in one request, all answers in one reply.

Source: https://platform.claude.com/docs/en/build-with-claude/batch-processing
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import urlsplit

from arena.llms.batch_wire import (
    Account,
    BatchError,
    BatchLimits,
    BatchResult,
    BatchState,
    BatchStatus,
    Talk,
    in_path,
    objects_in,
    unanswered,
)
from arena.llms.lenient import count, mapping
from arena.records.answer import Trouble

ENDED = "ended"
LIMITS = BatchLimits(questions=100_000, bytes=256_000_000)
COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")
NEVER_ASKED = {
    "canceled": "the batch was cancelled before this was answered",
    "expired": "the batch expired before this was answered",
}


@dataclass(frozen=True, slots=True)
class AnthropicBatches:
    """Speaks Anthropic's batch interface."""

    limits: BatchLimits = LIMITS

    def line(self, account: Account, name: str, body: Mapping[str, object]) -> bytes:  # noqa: ARG002  the port's
        """Write one question down as an item of the request."""
        return json.dumps({"custom_id": name, "params": body}).encode()

    def submit(self, account: Account, lines: Sequence[bytes]) -> Talk[str]:
        """Make a batch of the questions."""
        body = b"".join([b'{"requests":[', b",".join(lines), b"]}"])
        made = yield account.post(_batches(account), body)
        return in_path(account.understand(made).get("id"))

    def poll(self, account: Account, batch: str) -> Talk[BatchState]:
        """Ask how far a batch is."""
        return _state((yield from self._batch(account, batch)))

    def results(self, account: Account, batch: str) -> Talk[Mapping[str, BatchResult]]:
        """Fetch the answers, from this account's own server and no other."""
        said = yield from self._batch(account, batch)
        if not _state(said).over:
            raise BatchError("the batch is not over yet", Trouble.PENDING, again=True)
        told = said.get("results_url")
        own = isinstance(told, str) and _same_server(told, account.address)
        here = f"{_batches(account)}/{in_path(batch)}/results"
        reply = yield account.get(str(told) if own else here)
        if reply.status != HTTPStatus.OK:
            raise account.error(reply)
        found: dict[str, BatchResult] = {}
        for line in objects_in(reply.body):
            name = line.get("custom_id")
            if isinstance(name, str):
                found.setdefault(name, _result(account, mapping(line.get("result"))))
        return found

    def _batch(self, account: Account, batch: str) -> Talk[Mapping[str, object]]:
        reply = yield account.get(f"{_batches(account)}/{in_path(batch)}")
        return account.understand(reply)


def _batches(account: Account) -> str:
    return f"{account.wire.url(account.settings)}/batches"


def _same_server(url: str, address: str) -> bool:
    """Tell whether the key may go to a URL that somebody named."""
    try:
        told, known = urlsplit(url), urlsplit(address)
    except ValueError:
        return False
    return url.isprintable() and (told.scheme, told.netloc) == (known.scheme, known.netloc)


def _state(said: Mapping[str, object]) -> BatchState:
    told = mapping(said.get("request_counts"))
    counts = {name: count(told.get(name)) for name in COUNTS}
    known = [number for number in counts.values() if number is not None]
    failed = [counts[name] for name in COUNTS[2:]]
    ended = said.get("processing_status") == ENDED
    return BatchState(
        status=BatchStatus.ENDED if ended else BatchStatus.RUNNING,
        total=sum(known) if len(known) == len(COUNTS) else None,
        answered=counts["succeeded"],
        failed=None if None in failed else sum(filter(None, failed)),
    )


def _result(account: Account, result: Mapping[str, object]) -> BatchResult:
    match result.get("type"):
        case "succeeded":
            return account.result(result.get("message"))
        case ("canceled" | "expired") as end:
            return unanswered(NEVER_ASKED[end])
        case _:
            error = mapping(result.get("error"))
            inner = error if error.get("type") == "error" else {"error": error}
            found = account.result({**inner, "type": "error"})
            return replace(found, reply=replace(found.reply, billed=False))
