"""OpenAI's batch interface: a file of questions is uploaded, and files of answers come back.

Source: https://platform.openai.com/docs/guides/batch
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus

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
from arena.llms.lenient import LONGEST_DETAIL, Liner, count, first, mapping
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

    def line(self, account: Account, name: str, body: Mapping[str, object]) -> bytes:
        """Write one question down as a line of the file, without the line's end."""
        said = {"custom_id": name, "method": "POST", "url": _endpoint(account), "body": body}
        return json.dumps(said).encode()

    def submit(self, account: Account, lines: Sequence[bytes]) -> Talk[str]:
        """Upload the questions, then make a batch of the file."""
        kind, form = _form(b"\n".join(lines))
        uploaded = yield account.post(f"{account.address}/files", form, kind=kind)
        file = in_path(account.understand(uploaded).get("id"))
        said = {
            "input_file_id": file,
            "endpoint": _endpoint(account),
            "completion_window": WINDOW,
        }
        made = yield account.post(f"{account.address}/batches", json.dumps(said).encode())
        return in_path(account.understand(made).get("id"))

    def poll(self, account: Account, batch: str) -> Talk[BatchState]:
        """Ask how far a batch is."""
        return _state(account, (yield from self._batch(account, batch)))

    def results(self, account: Account, batch: str) -> Talk[Mapping[str, BatchResult]]:
        """Fetch the file of answers and the file of errors, whichever there are."""
        said = yield from self._batch(account, batch)
        if not _state(account, said).over:
            raise BatchError("the batch is not over yet", Trouble.PENDING, again=True)
        found: dict[str, BatchResult] = {}
        for file in filter(None, (said.get("output_file_id"), said.get("error_file_id"))):
            url = f"{account.address}/files/{in_path(file)}/content"
            reply = yield account.get(url)
            if reply.status != HTTPStatus.OK:
                raise account.error(reply)
            for line in objects_in(reply.body):
                name = line.get("custom_id")
                if isinstance(name, str):
                    found.setdefault(name, _result(account, line))
        return found

    def _batch(self, account: Account, batch: str) -> Talk[Mapping[str, object]]:
        reply = yield account.get(f"{account.address}/batches/{in_path(batch)}")
        return account.understand(reply)


def _endpoint(account: Account) -> str:
    url = account.wire.url(account.settings)
    return f"/v1{url.removeprefix(account.address)}"


def _form(file: bytes) -> tuple[str, bytes]:
    """Build a form that uploads a file, and give its media type."""
    edge = f"arena-{sha256(file).hexdigest()}"  # what is in the file cannot hold its digest
    purpose = 'Content-Disposition: form-data; name="purpose"\r\n\r\nbatch'
    holds = 'Content-Disposition: form-data; name="file"; filename="batch.jsonl"'
    head = f"--{edge}\r\n{purpose}\r\n--{edge}\r\n{holds}\r\n"
    head += "Content-Type: application/jsonl\r\n\r\n"
    form = b"".join([head.encode(), file, f"\r\n--{edge}--\r\n".encode()])
    return f"multipart/form-data; boundary={edge}", form


def _state(account: Account, said: Mapping[str, object]) -> BatchState:
    counts = mapping(said.get("request_counts"))
    line = Liner(account.redact).line
    error = first(mapping(said.get("errors")).get("data"))
    told = [line(error.get("message"), LONGEST_DETAIL), line(error.get("code"))]
    status = line(said.get("status"))
    return BatchState(
        status=STATUSES.get(status, BatchStatus.RUNNING),
        total=count(counts.get("total")),
        answered=count(counts.get("completed")),
        failed=count(counts.get("failed")),
        detail=": ".join(filter(None, told)),
    )


def _result(account: Account, line: Mapping[str, object]) -> BatchResult:
    response = mapping(line.get("response"))
    error = mapping(line.get("error"))
    code = error.get("code")
    if isinstance(code, str) and code in NEVER_ASKED:
        return unanswered(NEVER_ASKED[code])
    if response:
        status = count(response.get("status_code"))
        known = status is not None and 200 <= status < 600  # noqa: PLR2004  statuses of HTTP
        code = status if known and status is not None else HTTPStatus.INTERNAL_SERVER_ERROR
        return account.result(response.get("body"), status=code)
    return account.result({"error": error or {"message": "there is no answer in it"}})
