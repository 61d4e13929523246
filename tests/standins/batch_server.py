"""A model's server that takes batches too: OpenAI's and Anthropic's interfaces.

Source: https://platform.openai.com/docs/guides/batch and
https://platform.claude.com/docs/en/build-with-claude/batch-processing
"""

import asyncio
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from tests.standins.asked import Recorded, mapping
from tests.standins.bettors import small_bettor
from tests.standins.misbehaviour import Misbehaviour
from tests.standins.model_server import ModelServer
from tests.standins.scripts import Reply as Says

_CUSTOM_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_ROUTE = re.compile(r"/v1(?P<home>/messages)?/(?P<path>(files|batches)[^?]*)")

Answered = tuple[str, Misbehaviour, Any]
"""A question's id, how it was answered, and the JSON of the answer."""

Reply = tuple[Misbehaviour, bytes]


@dataclass(slots=True)
class _Batch:
    name: str
    answers: Sequence[Answered]
    polls: int
    error: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


class BatchServer(ModelServer):
    """Answers single questions as `ModelServer` does, and batches of them.

    A batch's questions are put to `reply` one by one, when it is made. One that "hangs" has
    expired, and one that "drops" was cancelled, before it was answered.

    Args:
        reply: Gives the model's words, or what to do instead of answering well.
        polls: How often a batch is asked after before it is over.
        end: The status that OpenAI's batches have then.
        results_host: Where Anthropic's results are said to be, if not here; may be changed.
        latency: Seconds before every answer.
        key: Whoever comes without it is turned away; None lets everybody in.
    """

    def __init__(  # noqa: PLR0913  what may differ from one provider's day to the next
        self,
        reply: Says = small_bettor,
        *,
        polls: int = 1,
        end: str = "completed",
        results_host: str = "",
        latency: float = 0.0,
        key: str | None = None,
    ) -> None:
        super().__init__(reply, latency=latency, key=key)
        self._polls = polls
        self._end = end
        self.results_host = results_host
        self._secret = key
        self._batches: dict[str, _Batch] = {}
        self._files: dict[str, bytes] = {}

    async def _answer(self, recorded: Recorded, number: int) -> Reply:
        route = _ROUTE.fullmatch(recorded.path)
        if route is None:
            return await super()._answer(recorded, number)
        held = recorded.headers.get("authorization", "").removeprefix("Bearer ")
        if self._secret not in {None, held, recorded.headers.get("x-api-key")}:
            return _failure(401, "there is no key, or a wrong one", "authentication_error")
        path = [recorded.method, *route["path"].strip("/").split("/")]
        answered = await (self._messages if route["home"] else self._chat)(path, recorded)
        nothing = f"there is nothing at {recorded.path}"
        return answered or _failure(404, nothing, "not_found_error")

    async def _chat(self, path: list[str], recorded: Recorded) -> Reply | None:
        match path:
            case "POST", "files":
                return self._upload(recorded)
            case "GET", "files", name, "content" if name in self._files:
                told = Misbehaviour(content_type="application/octet-stream")
                return told, self._files[name]
            case "POST", "batches":
                return await self._make_of_file(recorded)
            case "GET", "batches", name if name in self._batches:
                return _said(self._openai(self._asked_after(name)))
        return None

    async def _messages(self, path: list[str], recorded: Recorded) -> Reply | None:
        match path:
            case "POST", "batches":
                return await self._make(recorded)
            case "GET", "batches", name if name in self._batches:
                return _said(self._anthropic(self._asked_after(name)))
            case "GET", "batches", name, "results" if name in self._batches:
                told = Misbehaviour(content_type="application/x-jsonl")
                return told, _lines(map(_anthropic_line, self._batches[name].answers))
        return None

    def _upload(self, recorded: Recorded) -> Reply:
        edge = recorded.headers.get("content-type", "").partition("boundary=")[2].encode()
        parts = recorded.raw.split(b"--" + edge)[1:-1] if edge else []
        held = [part.strip(b"\r\n").partition(b"\r\n\r\n") for part in parts]
        purpose = [body for head, _, body in held if b'name="purpose"' in head]
        files = [body for head, _, body in held if b'name="file"; filename=' in head]
        if purpose != [b"batch"] or len(files) != 1:
            return _failure(400, "the form lacks a file or its purpose", "invalid_request")
        name = f"file-{len(self._files) + 1}"
        self._files[name] = files[0]
        return _said({"id": name, "object": "file", "purpose": "batch", "bytes": len(files[0])})

    async def _make_of_file(self, recorded: Recorded) -> Reply:
        said = recorded.body
        if (
            said.get("completion_window") != "24h"
            or said.get("input_file_id") not in self._files
        ):
            return _failure(400, "there is no such file or window", "invalid_request")
        lines = [json.loads(line) for line in self._files[said["input_file_id"]].splitlines()]
        known = {(line["method"], line["url"]) for line in lines} == {
            ("POST", said["endpoint"])
        }
        error = "" if known else "url_mismatch"
        items = [(line["custom_id"], line["body"]) for line in lines]
        batch = await self._begun(recorded, said["endpoint"], items, error)
        good = [a for a in batch.answers if a[1].status == HTTPStatus.OK and _was_asked(a)]
        bad = [a for a in batch.answers if a not in good]
        for kind, answers in (("output", good), ("error", bad)):
            if answers and not batch.error:
                name = f"file-{len(self._files) + 1}"
                self._files[name] = _lines(map(_openai_line, answers))
                batch.files = {**batch.files, f"{kind}_file_id": name}
        return _said(self._openai(batch))

    async def _make(self, recorded: Recorded) -> Reply:
        listed = recorded.body.get("requests")
        asked = [mapping(one) for one in listed] if isinstance(listed, list) else []
        items = [(one.get("custom_id"), one.get("params")) for one in asked]
        batch = await self._begun(recorded, "/v1/messages", items, "")
        if batch.error:
            return _failure(400, batch.error, "invalid_request_error")
        return _said(self._anthropic(batch))

    async def _begun(
        self, recorded: Recorded, path: str, items: Sequence[tuple[Any, Any]], error: str
    ) -> _Batch:
        names = [name for name, _ in items]
        if not names or not all(isinstance(n, str) and _CUSTOM_ID.fullmatch(n) for n in names):
            error = "invalid_custom_id"
        elif len(set(names)) < len(names):
            error = "duplicate_custom_id"
        each = [] if error else [replace(recorded, path=path, body=body) for _, body in items]
        told = await asyncio.gather(
            *(super(BatchServer, self)._answer(one, n) for n, one in enumerate(each))
        )
        answers = [
            (name, said, json.loads(body))
            for (name, _), (said, body) in zip(items, told, strict=False)
        ]
        batch = _Batch(f"batch_{len(self._batches) + 1}", answers, self._polls, error)
        self._batches[batch.name] = batch
        return batch

    def _asked_after(self, name: str) -> _Batch:
        batch = self._batches[name]
        batch.polls -= 1
        return batch

    def _openai(self, batch: _Batch) -> object:
        over = batch.polls < 0
        ended = ("failed" if batch.error else self._end) if over else "in_progress"
        good = sum(a[1].status == HTTPStatus.OK and _was_asked(a) for a in batch.answers)
        said: dict[str, object] = {"id": batch.name, "object": "batch", "status": ended}
        said["request_counts"] = {
            "total": len(batch.answers),
            "completed": good if over else 0,
            "failed": len(batch.answers) - good if over else 0,
        }
        files = batch.files if over else {}
        said["output_file_id"] = files.get("output_file_id")
        said["error_file_id"] = files.get("error_file_id", "")
        if batch.error and over:
            told = {"code": batch.error, "message": "The file cannot be used.", "line": 1}
            said["errors"] = {"object": "list", "data": [told]}
        return said

    def _anthropic(self, batch: _Batch) -> object:
        over = batch.polls < 0
        kinds = [_anthropic_line(answer)["result"]["type"] for answer in batch.answers]
        counts = {"processing": 0 if over else len(kinds)} | {
            kind: kinds.count(kind) if over else 0
            for kind in ("succeeded", "errored", "canceled", "expired")
        }
        home = self.results_host or self.base_url
        url = f"{home}/messages/batches/{batch.name}/results"
        return {
            "id": batch.name,
            "type": "message_batch",
            "processing_status": "ended" if over else "in_progress",
            "request_counts": counts,
            "results_url": url if over else None,
        }


def _was_asked(answer: Answered) -> bool:
    return not answer[1].hangs and not answer[1].drops


def _openai_line(answer: Answered) -> Mapping[str, Any]:
    name, said, body = answer
    line = {"id": f"batch_req_{name}", "custom_id": name, "response": None, "error": None}
    if not _was_asked(answer):
        code = "batch_expired" if said.hangs else "batch_cancelled"
        return line | {"error": {"code": code, "message": "It was not answered in time."}}
    response = {"status_code": said.status, "request_id": f"req_{name}", "body": body}
    return line | {"response": response}


def _anthropic_line(answer: Answered) -> Mapping[str, Any]:
    name, said, body = answer
    if not _was_asked(answer):
        result: dict[str, Any] = {"type": "expired" if said.hangs else "canceled"}
    elif said.status == HTTPStatus.OK and body.get("type") == "message":
        usage = {**mapping(body.get("usage")), "service_tier": "batch"}
        result = {"type": "succeeded", "message": {**body, "usage": usage}}
    else:
        result = {"type": "errored", "error": body}
    return {"custom_id": name, "result": result}


def _lines(said: Iterable[object]) -> bytes:
    return "".join(f"{json.dumps(line)}\n" for line in said).encode()


def _said(body: object) -> Reply:
    return Misbehaviour(), json.dumps(body).encode()


def _failure(status: int, message: str, kind: str) -> Reply:
    told = {"type": "error", "error": {"type": kind, "message": message, "code": kind}}
    return Misbehaviour(status=status), json.dumps(told).encode()
