"""OpenAI's batch interface: a file of questions is uploaded, and files of answers come back.

Source: https://platform.openai.com/docs/guides/batch
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus

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
from arena.llms.wires.lenient import LONGEST_DETAIL, Liner, count, first, mapping
from arena.records.answer import Trouble

WINDOW = "24h"
LIMITS = BatchLimits(questions=50_000, bytes=200_000_000)
STATUSES = {
    "completed": BatchStatus.ENDED,
    "failed": BatchStatus.FAILED,
    "expired": BatchStatus.EXPIRED,
    "cancelled": BatchStatus.CANCELLED,
}
NEVER_ASKED = {
    "batch_expired": "the batch expired before this was answered",
    "batch_cancelled": "the batch was cancelled before this was answered",
}


@dataclass(frozen=True, slots=True)
class OpenAiBatches:
    """Speaks OpenAI's batch interface, in either of its formats for one question."""

    limits: BatchLimits = LIMITS

    def line(self, client: WireClient, name: str, body: Mapping[str, object]) -> bytes:
        """Write one question down as a line of the file, without the line's end."""
        request = {"custom_id": name, "method": "POST", "url": _endpoint(client), "body": body}
        return json.dumps(request).encode()

    def prepare(self, client: WireClient, lines: Sequence[bytes]) -> Talk[bytes]:
        """Upload the questions as a file."""
        kind, form = _form(b"\n".join(lines))
        reply = yield post(client, f"{address_of(client)}/files", form, kind=kind)
        order = {
            "input_file_id": name_in(understood(client, reply), "id"),
            "endpoint": _endpoint(client),
            "completion_window": WINDOW,
        }
        return json.dumps(order).encode()

    def make(self, client: WireClient, body: bytes) -> Talk[str]:
        """Make a batch of the file."""
        reply = yield post(client, f"{address_of(client)}/batches", body)
        return name_in(understood(client, reply), "id")

    def poll(self, client: WireClient, batch: str) -> Talk[BatchState]:
        """Ask how far a batch is."""
        return _state(client, (yield from _batch(client, batch)))

    def results(self, client: WireClient, batch: str) -> Talk[Mapping[str, BatchResult]]:
        """Fetch the file of answers and the file of errors, whichever there are."""
        batch_body = yield from _batch(client, batch)
        if not _state(client, batch_body).over:
            raise BatchError("the batch is not over yet", Trouble.PENDING, again=True)
        results: dict[str, BatchResult] = {}
        for file in ("output_file_id", "error_file_id"):
            if not batch_body.get(file):
                continue
            url = f"{address_of(client)}/files/{name_in(batch_body, file)}/content"
            reply = yield get(client, url)
            if reply.status != HTTPStatus.OK:
                raise error_of(client, reply)
            for name, line in answers_in(reply.body).items():
                if name not in results:
                    results[name] = _result(client, line)
        return results


def _batch(client: WireClient, batch: str) -> Talk[Mapping[str, object]]:
    reply = yield get(client, f"{address_of(client)}/batches/{batch}")
    return understood(client, reply)


def _endpoint(client: WireClient) -> str:
    return f"/v1{client.wire.url(client.settings).removeprefix(address_of(client))}"


def _form(file: bytes) -> tuple[str, bytes]:
    """Build a form that uploads a file, and give its media type."""
    edge = f"arena-{sha256(file).hexdigest()}"  # what is in the file cannot hold its digest
    purpose = 'Content-Disposition: form-data; name="purpose"\r\n\r\nbatch'
    holds = 'Content-Disposition: form-data; name="file"; filename="batch.jsonl"'
    head = f"--{edge}\r\n{purpose}\r\n--{edge}\r\n{holds}\r\n"
    head += "Content-Type: application/jsonl\r\n\r\n"
    form = b"".join([head.encode(), file, f"\r\n--{edge}--\r\n".encode()])
    return f"multipart/form-data; boundary={edge}", form


def _state(client: WireClient, batch_body: Mapping[str, object]) -> BatchState:
    counts = mapping(batch_body.get("request_counts"))
    line = Liner(client.redact).line
    error = first(mapping(batch_body.get("errors")).get("data"))
    error_lines = [line(error.get("message"), LONGEST_DETAIL), line(error.get("code"))]
    status = line(batch_body.get("status"))
    return BatchState(
        status=STATUSES.get(status, BatchStatus.RUNNING),
        total=count(counts.get("total")),
        answered=count(counts.get("completed")),
        failed=count(counts.get("failed")),
        detail=": ".join(filter(None, error_lines)),
    )


def _result(client: WireClient, line: Mapping[str, object]) -> BatchResult:
    response, error = mapping(line.get("response")), mapping(line.get("error"))
    code = error.get("code")
    if isinstance(code, str) and code in NEVER_ASKED:
        return unanswered(NEVER_ASKED[code])
    if not response:
        failure = error or {"message": "there is no answer in it"}
        return result_of(client, {"error": failure}, charged=False)
    status = count(response.get("status_code")) or 0
    is_http_status = 200 <= status < 600  # noqa: PLR2004  statuses of HTTP
    status = status if is_http_status else HTTPStatus.INTERNAL_SERVER_ERROR
    return result_of(client, response.get("body"), status=status)
