"""The client that drives every wire format: send, retry, concede, redact, price, record."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from arena.errors import ArenaError
from arena.http import (
    Fault,
    HttpDoor,
    HttpError,
    HttpReply,
    HttpRequest,
    host_and_port,
    spread,
    wait_asked_for,
)
from arena.llms.profile import Options, options_of, profile_of
from arena.llms.retries import (
    AttemptVerdict,
    Retries,
    Tried,
    ask_until_answered,
    failed,
    is_final,
    judge_fault,
    milliseconds,
)
from arena.llms.tariff import priced, tokens_guessed
from arena.llms.throttle import Throttle, ThrottleError, throttle_for
from arena.llms.wires.lenient import LONGEST_DETAIL, Liner
from arena.llms.wires.request import request_of
from arena.llms.wires.unsupported_fields import Spared, ask_for, concede, fitting, told
from arena.llms.wires.wire import Ask, Output, Profile, Wire, WireReply, with_calls
from arena.records.answer import Attempt, Completion, Question, Trouble, Usage
from arena.records.settings import ModelSettings
from arena.secrets import Redactor

REPORTED = "reported"
UNCONNECTED = frozenset({Fault.CONNECT, Fault.DROPPED})

_HEADER_SAFE = re.compile(r"[\x21-\x7e]+")


def wire_client(
    wire: Wire,
    settings: ModelSettings,
    key: str | None,
    *,
    door: HttpDoor | None = None,
    retries: Retries | None = None,
) -> "WireClient":
    """Build the client of a model.

    Args:
        wire: The format that its server speaks.
        settings: The model, its server, its prices and options.
        key: What the wire sends as the key; None sends none.
        door: What requests go through; None opens one.
        retries: How often to ask again, and how to wait; None is as usual.

    Raises:
        ArenaError: The address, an option or the key cannot be used.
    """
    _refuse_address(settings)
    bare = _sendable(settings, key)
    profile = profile_of(settings)
    return WireClient(
        wire=wire,
        settings=settings,
        profile=profile,
        options=options_of(settings, profile, wire.options),
        door=door or HttpDoor(),
        retries=retries or Retries(jitter=spread(settings.name)),
        throttle=throttle_for(settings, bare),
        key=bare,
        redact=Redactor(bare),
    )


@dataclass(slots=True)
class WireClient:
    """Asks one model over one wire format. The key stays out of whatever it says.

    `spared` is what its server has refused so far: later questions are asked without it.
    """

    wire: Wire
    settings: ModelSettings
    profile: Profile
    options: Options
    door: HttpDoor
    retries: Retries
    throttle: Throttle = field(repr=False)
    key: str | None = field(repr=False)
    redact: Redactor = field(repr=False)
    spared: Spared = field(default_factory=Spared)

    async def complete(self, question: Question) -> Completion:
        """Ask once, as often as the retry rules allow, and tell everything that happened.

        What the server will not have is left out and it is asked again at once; the
        completion's `adapted` says so.
        """
        turn = _Turn(self, question, self.spared)
        completion = await ask_until_answered(
            turn.ask_once, deadline=self.settings.deadline, retries=self.retries
        )
        if completion.text is not None:  # else it may not have been the field that was wrong
            self.spared = self.spared.with_also(turn.spared)
        return with_calls(completion, question)

    def best(self, question: Question) -> Output:
        """Say what the model is held to in a question, where its server refuses nothing."""
        return fitting(self.options.output or self.profile.output, question, self.profile)

    def ask(self, question: Question, spared: Spared | None = None) -> Ask:
        """Give the request of a question, without what the server has refused so far."""
        left_out = self.spared if spared is None else spared
        return ask_for(self.settings, self.profile, question, left_out, self.best(question))

    def body(self, ask: Ask) -> dict[str, object]:
        """Give the JSON of a request, options and all."""
        return request_of(self.wire, ask, self.options)

    def completion_of(self, read: WireReply, raw: bytes) -> Completion:
        """Put a price on a reply that was read, and give it as a completion.

        Args:
            read: What the wire made of the reply.
            raw: Its bytes, without the key already.

        Returns:
            The completion, without attempts.
        """
        return Completion(
            text=read.text,
            raw=raw,
            model=read.model,
            finish=read.finish,
            usage=self._priced(read),
            trouble=read.trouble,
            detail=read.detail + self._hint(read),
            route=read.route,
            tier=read.tier,
            calls=read.calls,
        )

    def answered(self, reply: HttpReply, detail: str) -> str:
        """Say which server answered an error, and where it points if that is elsewhere."""
        where = host_and_port(self.wire.url(self.settings))
        place = reply.header("location") if reply.status // 100 == 3 else None  # noqa: PLR2004
        bare = Liner(self.redact).line((place or "").partition("?")[0].partition("#")[0])
        points = f", which points to {bare}" if bare else ""
        return f"{where} answered {reply.status}{points}: {detail}"

    def _hint(self, read: WireReply) -> str:
        """Say what may help where an answer was cut off; nothing of any other."""
        if read.trouble is not Trouble.TRUNCATED:
            return ""
        named, thought = self.settings, read.usage.tokens_reasoning
        thoughts = f", of which {thought} went into thinking" if thought else ""
        return f"; max_tokens of {named.name} is {named.max_tokens}{thoughts}: raise it"

    def _priced(self, read: WireReply) -> Usage:
        usage = read.usage
        if usage.cost is not None:
            return replace(usage, priced=REPORTED)
        today = self.retries.clock.now().date()
        return priced(usage, self.settings, today, read.tier, served=read.model)


@dataclass(slots=True)
class _Turn:
    """One question under way."""

    client: WireClient
    question: Question
    spared: Spared

    async def ask_once(self, seconds: float) -> Tried:
        """Make one attempt within so many seconds, the time in line apart."""
        client, clock = self.client, asyncio.get_running_loop().time
        ask = client.ask(self.question, self.spared)
        body = client.body(ask)
        headers = client.wire.headers(client.settings, client.key)
        url = client.wire.url(client.settings)
        request = HttpRequest("POST", url, headers, json.dumps(body).encode())
        tokens = tokens_guessed(self.question) + client.settings.max_tokens
        joined = start = clock()
        try:
            patience = max(seconds, client.retries.in_line)
            async with client.throttle.turn(tokens, patience, client.settings.name):
                start = clock()
                reply = await self._send(request, seconds)
        except ThrottleError as error:
            start = clock()
            unsent = Attempt(0, billed=False)  # by our own line: to ask again would not help
            detail = client.redact.text(error.message)
            tried = failed(unsent, AttemptVerdict(error.trouble), detail)
        except HttpError as error:
            spent, billed = milliseconds(clock() - start), None if error.sent else False
            detail = Liner(client.redact).line(error.message, LONGEST_DETAIL)
            tried = failed(Attempt(spent, billed=billed), judge_fault(error), detail)
        else:
            tried = self._judge(reply, ask, body, milliseconds(clock() - start))
        adapted = told(ask, client.profile, client.best(self.question))
        return replace(
            tried, queued=start - joined, completion=replace(tried.completion, adapted=adapted)
        )

    async def _send(self, request: HttpRequest, seconds: float) -> HttpReply:
        """Send a request and tell everybody in line what came of it."""
        throttle, model = self.client.throttle, self.client.settings.name
        try:
            reply = await self.client.door.send(request, seconds=seconds)
        except HttpError as error:
            if error.fault in UNCONNECTED:
                throttle.heard(None, model)
            raise
        throttle.heard(reply, model)
        return reply

    def _judge(
        self, reply: HttpReply, ask: Ask, body: Mapping[str, object], latency_ms: int
    ) -> Tried:
        client = self.client
        clean = replace(reply, body=client.redact.data(reply.body))
        read = client.wire.read(clean, client.redact)
        detail = read.detail
        if read.trouble is not None:
            detail = client.answered(reply, read.detail)
        read = replace(read, detail=detail)
        attempt = Attempt(latency_ms, reply.status, read.trouble, detail, read.billed)
        again = read.again and not is_final(reply)
        wait = wait_asked_for(reply, client.retries.clock) or read.wait if again else None
        if again and read.wait:
            client.throttle.leave_alone(read.wait, client.settings.name)
        conceded = self._conceded(read.refused, ask, body)
        self.spared = conceded or self.spared
        completion = client.completion_of(read, clean.body)
        at_once = conceded is not None
        return Tried(attempt, completion, again=again, wait=wait, at_once=at_once)

    def _conceded(self, refused: str, ask: Ask, body: Mapping[str, object]) -> Spared | None:
        """Spare the server what it refused; None where that would ask the same again."""
        spared = concede(refused, ask, self.spared, body) if refused else None
        if spared is None:
            return None
        other = self.client.body(self.client.ask(self.question, spared))
        return None if other == body else spared


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


def _refuse_address(settings: ModelSettings) -> None:
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
