"""The OpenAI chat format, which many providers and local servers speak too."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from arena.errors import ArenaError
from arena.http import HttpDoor, HttpError, HttpReply, HttpRequest, host_and_port
from arena.llms.attempts import (
    Retries,
    Tried,
    ask_until_answered,
    judge_fault,
    milliseconds,
    spread,
    wait_asked_for,
)
from arena.llms.chat_reply import Prices, read_chat
from arena.llms.redact import Redactor
from arena.ports import Llm
from arena.records.answer import Attempt, Completion, Question
from arena.records.settings import ModelSettings

TOKEN_FIELDS = ("max_tokens", "max_completion_tokens")
OPTIONS = ("extra", "json_mode", "token_field")
OURS = frozenset({"messages", "model", "n", "stream"})

_HEADER_SAFE = re.compile(r"[\x21-\x7e]+")


def from_settings(settings: ModelSettings, key: str | None) -> Llm:
    """Build the client of a model behind `POST {base_url}/chat/completions`.

    Options: `token_field` names the field for `max_tokens`; `json_mode: true` asks for a
    JSON object; `extra` is merged into the request as it stands. No sampling parameter is
    sent unless `extra` holds it.

    Args:
        settings: The model, its server, its prices and options.
        key: Sent as a bearer token; None sends none.

    Raises:
        ArenaError: The address, an option or the key cannot be used.
    """
    return chat_client(
        settings, key, door=HttpDoor(), retries=Retries(jitter=spread(settings.name))
    )


def chat_client(
    settings: ModelSettings, key: str | None, *, door: HttpDoor, retries: Retries
) -> "OpenAiChat":
    """Build the client as `from_settings` does, with a door and a patience of one's own."""
    return OpenAiChat(
        settings=settings,
        url=_endpoint(settings),
        fields=_fields(settings),
        key=_sendable(settings, key),
        door=door,
        retries=retries,
    )


@dataclass(frozen=True, slots=True)
class OpenAiChat:
    """Asks one model, with our own retries. The key stays out of whatever it says.

    `fields` is what a request holds beside the model and the messages.
    """

    settings: ModelSettings
    url: str
    fields: Mapping[str, object]
    key: str | None = field(repr=False)
    door: HttpDoor
    retries: Retries

    async def complete(self, question: Question) -> Completion:
        """Ask once, as often as the retry rules allow, and tell everything that happened."""
        request = HttpRequest("POST", self.url, self._headers(), self._body(question))

        async def ask_once(seconds: float) -> Tried:
            return await self._ask_once(request, seconds)

        return await ask_until_answered(
            ask_once, deadline=self.settings.deadline, retries=self.retries
        )

    async def _ask_once(self, request: HttpRequest, seconds: float) -> Tried:
        clock = asyncio.get_running_loop().time
        start = clock()
        try:
            reply = await self.door.send(request, seconds=seconds)
        except HttpError as error:
            return _no_reply(error, Redactor(self.key), milliseconds(clock() - start))
        return self._judge(reply, milliseconds(clock() - start))

    def _judge(self, reply: HttpReply, latency_ms: int) -> Tried:
        redact = Redactor(self.key)
        clean = replace(reply, body=redact.data(reply.body))
        prices = Prices(self.settings.price_in, self.settings.price_out)
        read = read_chat(clean, prices, redact)
        detail = read.detail
        if read.trouble is not None:
            detail = f"{host_and_port(self.url)} answered {reply.status}: {read.detail}"
        attempt = Attempt(
            latency_ms=latency_ms,
            status=reply.status,
            trouble=read.trouble,
            detail=detail,
            billed=read.billed,
        )
        completion = Completion(
            text=read.text,
            raw=clean.body,
            model=read.model,
            finish=read.finish,
            usage=read.usage,
            trouble=read.trouble,
            detail=detail,
        )
        wait = wait_asked_for(reply, self.retries.clock) if read.again else None
        return Tried(attempt, completion, again=read.again, wait=wait)

    def _headers(self) -> tuple[tuple[str, str], ...]:
        plain = (("Content-Type", "application/json"), ("Accept", "application/json"))
        return plain if self.key is None else (*plain, ("Authorization", f"Bearer {self.key}"))

    def _body(self, question: Question) -> bytes:
        messages = [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.user},
        ]
        said = {"model": self.settings.model, "messages": messages, **self.fields}
        return json.dumps(said).encode()


def _no_reply(error: HttpError, redact: Redactor, latency_ms: int) -> Tried:
    verdict = judge_fault(error)
    detail = redact.text(error.message)
    return Tried(
        Attempt(
            latency_ms=latency_ms,
            trouble=verdict.trouble,
            detail=detail,
            billed=None if error.sent else False,
        ),
        Completion(text=None, trouble=verdict.trouble, detail=detail),
        again=verdict.again,
    )


def _sendable(settings: ModelSettings, key: str | None) -> str | None:
    bare = (key or "").strip()
    if bare and not _HEADER_SAFE.fullmatch(bare):
        raise ArenaError(
            "llm.key",
            f"model {settings.name}: its key holds characters that no key has",
            hint=f"look at what {settings.key_env or 'the key'} is set to",
            status=4,
        )
    return bare or None


def _endpoint(settings: ModelSettings) -> str:
    try:
        parts = urlsplit(settings.base_url)
        sound = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound or parts.query or parts.fragment or parts.username is not None:
        raise ArenaError(
            "llm.base_url",
            f"model {settings.name}: base_url is not the address of a server",
            hint="write something like https://api.example.com/v1",
            status=2,
        )
    return f"{settings.base_url.rstrip('/')}/chat/completions"


def _fields(settings: ModelSettings) -> dict[str, object]:
    options = dict(settings.options)
    unknown = sorted(options.keys() - set(OPTIONS))
    if unknown:
        raise _wrong(
            settings, f"there is no option {unknown[0]}", f"known: {', '.join(OPTIONS)}"
        )
    token_field = options.get("token_field", TOKEN_FIELDS[0])
    if token_field not in TOKEN_FIELDS:
        raise _wrong(settings, "token_field is wrong", f"one of {', '.join(TOKEN_FIELDS)}")
    json_mode = options.get("json_mode", False)
    if not isinstance(json_mode, bool):
        raise _wrong(settings, "json_mode is wrong", "true or false")
    extra = _thawed(options.get("extra", ()))
    extra = {} if extra == [] else extra
    if not isinstance(extra, dict):
        raise _wrong(settings, "extra is not a mapping", "write fields of the request below it")
    taken = sorted(OURS & extra.keys())
    if taken:
        raise _wrong(settings, f"extra holds {taken[0]}", "that field is not free to choose")
    fields: dict[str, object] = {str(token_field): settings.max_tokens}
    if json_mode:
        fields["response_format"] = {"type": "json_object"}
    return fields | extra


def _thawed(value: object) -> object:
    """Turn frozen options back: a tuple of named pairs is a mapping, another one a list."""
    if isinstance(value, Mapping):
        return {str(name): _thawed(inner) for name, inner in value.items()}
    if not isinstance(value, tuple | list):
        return value
    if value and all(_is_named(pair) for pair in value):
        return {name: _thawed(inner) for name, inner in value}
    return [_thawed(inner) for inner in value]


def _is_named(pair: object) -> bool:
    match pair:
        case (str(), _):
            return isinstance(pair, tuple)
        case _:
            return False


def _wrong(settings: ModelSettings, what: str, hint: str) -> ArenaError:
    return ArenaError("llm.option", f"model {settings.name}: {what}", hint=hint, status=2)
