"""Anthropic's batch interface: all questions in one request, all answers in one reply.

Source: https://platform.claude.com/docs/en/build-with-claude/batch-processing
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from arena.llms.batches.batch_wire import (
    BatchError,
    BatchLimits,
    BatchResult,
    BatchState,
    BatchStatus,
    Talk,
    address_of,
    answers_in,
    error_of,
    get,
    name_in,
    post,
    result_of,
    unanswered,
    understood,
)
from arena.llms.client import WireClient
from arena.llms.wires.lenient import count, mapping
from arena.records.answer import Trouble

ENDED = "ended"
ANTHROPIC_LIMITS = BatchLimits(questions=100_000, bytes=256_000_000)
COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")
NEVER_ASKED = {
    "canceled": "the batch was cancelled before this was answered",
    "expired": "the batch expired before this was answered",
}


@dataclass(frozen=True, slots=True)
class AnthropicBatches:
    """Speaks Anthropic's batch interface."""

    limits: BatchLimits = ANTHROPIC_LIMITS

    def line(self, client: WireClient, name: str, body: Mapping[str, object]) -> bytes:  # noqa: ARG002  the port's
        """Write one question down as an item of the request."""
        return json.dumps({"custom_id": name, "params": body}).encode()

    def prepare(self, client: WireClient, lines: Sequence[bytes]) -> Talk[bytes]:  # noqa: ARG002  the port's
        """Put the questions into one request."""
        yield from ()
        return b"".join([b'{"requests":[', b",".join(lines), b"]}"])

    def make(self, client: WireClient, body: bytes) -> Talk[str]:
        """Make a batch of the questions."""
        reply = yield post(client, _batches(client), body)
        return name_in(understood(client, reply), "id")

    def poll(self, client: WireClient, batch: str) -> Talk[BatchState]:
        """Ask how far a batch is."""
        return _state((yield from _batch(client, batch)))

    def results(self, client: WireClient, batch: str) -> Talk[Mapping[str, BatchResult]]:
        """Fetch the answers, from this account's own server and no other."""
        batch_body = yield from _batch(client, batch)
        if not _state(batch_body).over:
            raise BatchError("the batch is not over yet", Trouble.PENDING, again=True)
        results_url = batch_body.get("results_url")
        url = f"{_batches(client)}/{batch}/results"
        if isinstance(results_url, str) and _same_server(results_url, address_of(client)):
            url = results_url
        reply = yield get(client, url)
        if reply.status != HTTPStatus.OK:
            raise error_of(client, reply)
        answers = answers_in(reply.body)
        return {
            name: _result(client, mapping(line.get("result"))) for name, line in answers.items()
        }


def _batch(client: WireClient, batch: str) -> Talk[Mapping[str, object]]:
    reply = yield get(client, f"{_batches(client)}/{batch}")
    return understood(client, reply)


def _batches(client: WireClient) -> str:
    return f"{client.wire.url(client.settings)}/batches"


def _same_server(url: str, address: str) -> bool:
    """Tell whether a URL is of the account's own server, which may have the key."""
    try:
        named, trusted = urlsplit(url), urlsplit(address)
    except ValueError:
        return False
    return url.isprintable() and (named.scheme, named.netloc) == (
        trusted.scheme,
        trusted.netloc,
    )


def _state(batch_body: Mapping[str, object]) -> BatchState:
    request_counts = mapping(batch_body.get("request_counts"))
    counts = {name: count(request_counts.get(name)) for name in COUNTS}
    known_counts = [number for number in counts.values() if number is not None]
    failed = [counts[name] for name in COUNTS[2:]]
    ended = batch_body.get("processing_status") == ENDED
    return BatchState(
        status=BatchStatus.ENDED if ended else BatchStatus.RUNNING,
        total=sum(known_counts) if len(known_counts) == len(COUNTS) else None,
        answered=counts["succeeded"],
        failed=None if None in failed else sum(filter(None, failed)),
    )


def _result(client: WireClient, result: Mapping[str, object]) -> BatchResult:
    match result.get("type"):
        case "succeeded":
            return result_of(client, result.get("message"))
        case ("canceled" | "expired") as end:
            return unanswered(NEVER_ASKED[end])
        case _:
            error = mapping(result.get("error"))
            inner = error if error.get("type") == "error" else {"error": error}
            return result_of(client, {**inner, "type": "error"}, charged=False)
