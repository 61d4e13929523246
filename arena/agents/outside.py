"""Contestants that the arena does not run: a person, or a system at an address.

An address is posted a contestant's briefing, and answers with its reply. The others submit
theirs: `arena forecast`, `arena submit` and `arena mcp` take it.
"""

import asyncio
import base64
import hmac
import json
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from arena.agents.briefing_data import decision_data, turn_document
from arena.agents.prompt import decision_schema
from arena.agents.reply import MAX_BYTES
from arena.errors import ArenaError, one_line
from arena.http import (
    HttpDoor,
    HttpError,
    HttpReply,
    HttpRequest,
    host_and_port,
    is_loopback,
    spread,
    wait_asked_for,
)
from arena.http.retries import payload_of, words_of
from arena.llms.retries import (
    AttemptVerdict,
    Retries,
    Tried,
    ask_until_answered,
    failed,
    is_final,
    judge_fault,
    judge_status,
    milliseconds,
)
from arena.plugins import PluginOptions
from arena.ports import Agent, Archive, Backstage, Llm
from arena.records.answer import (
    Answer,
    Attempt,
    Briefing,
    Call,
    Caller,
    Completion,
    Question,
    Task,
    Trouble,
)
from arena.records.settings import ContestantSettings, ModelSettings

SUBMITTED: Final = "submitted"  # the agent's name, as configurations write it
TOKEN_ENV: Final = "token_env"  # noqa: S105  the name of an option

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class SubmittedAgent:
    """Answers with the reply that was handed in for it; its cost is unknown."""

    archive: Archive

    async def answer(self, briefing: Briefing) -> Answer:
        """Give the words for this turn; wait while there are none."""
        words = self.archive.submitted(briefing.cohort, briefing.round, briefing.contestant)
        if words is None:
            waits = "nothing has been handed in"
            return Answer(Completion(None, trouble=Trouble.PENDING, detail=waits))
        return Answer(replace(words, model=SUBMITTED))


def submitted_from_settings(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Build a contestant whose answers are handed in.

    Option: `token_env`, the name of the environment variable that holds its token, where its
    answers may be handed in over HTTP.

    Raises:
        ArenaError: An option is unknown or has a wrong value; or nothing can be handed in here.
    """
    token_env(settings)
    if backstage.archive is None:
        raise ArenaError(
            "agent.archive", f"{settings.id}: nothing can be handed in here", status=2
        )
    return SubmittedAgent(backstage.archive)


def token_env(settings: ContestantSettings, others: tuple[str, ...] = ()) -> str | None:
    """Name the variable that holds a contestant's token; None where it has none.

    `others` are the options that its agent knows besides.

    Raises:
        ArenaError: An option is unknown, or it names no variable. What was written instead
            may be the token itself, and is not shown.
    """
    options = PluginOptions(settings, names=(TOKEN_ENV, *others))
    if TOKEN_ENV not in options:
        return None
    name = dict(settings.options)[TOKEN_ENV]
    if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
        raise options.wrong(
            "token_env is the name of an environment variable, such as MY_TOKEN"
        )
    return name


HTTP: Final = "http"  # the agent's name, as configurations write it
SECONDS: Final = 300.0
MOST_SECONDS: Final = 1500.0  # less than the longest turn
URL: Final = "url"
_ENCODED: Final = "whsec_"  # what a key begins with that is in base64
_HEADERS: Final = (("Content-Type", "application/json"), ("Accept", "application/json"))
_ID_DIGITS: Final = 32
_PATH = re.compile(r"[\x21-\x7e]+")


def model_name(contestant: ContestantSettings) -> str:
    """Name the model that a contestant asks; empty where it asks none.

    Who is asked at an address is a model by itself, whose name no configuration can give.
    """
    return f"{HTTP}:{contestant.id}" if contestant.agent == HTTP else contestant.model or ""


def model_of(contestant: ContestantSettings) -> ModelSettings:
    """Give the model as which the exchange asks an address, so that its reply is kept first.

    Options: `url`, an address of https, or of http on this machine; `token_env`, the variable
    with the key that requests are signed with, none without it; `seconds`, the time for all
    attempts at a reply.

    Raises:
        ArenaError: An option is missing, unknown or has a wrong value.
    """
    options = PluginOptions(contestant, names=(URL, TOKEN_ENV, "seconds"))
    url = dict(contestant.options).get(URL)
    if not isinstance(url, str) or not _may_be_asked(url):
        raise options.wrong(
            "url is an address of https, or of http on this machine, without a password"
        )
    return ModelSettings(
        name=model_name(contestant),
        adapter=HTTP,
        base_url=url,
        model=HTTP,
        key_env=token_env(contestant, (URL, "seconds")),
        deadline=timedelta(
            seconds=options.number("seconds", SECONDS, least=1, most=MOST_SECONDS)
        ),
        price_in=Decimal(0),
        price_out=Decimal(0),
    )


def _may_be_asked(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(url))
        return bool(
            is_safe and parts.hostname and parts.port != 0 and "@" not in parts.netloc
        ) and bool(_PATH.fullmatch(url))
    except ValueError:
        return False


def from_settings(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Build a contestant that is asked at the address among its options (`model_of`).

    Raises:
        ArenaError: An option is wrong, or nobody has built what asks the address.
    """
    llm = backstage.llms.get(model_of(settings).name)
    if llm is None:
        raise ArenaError("agent.model", f"{settings.id}: it cannot be asked here", status=2)
    return WebhookAgent(llm)


@dataclass(frozen=True, slots=True)
class WebhookAgent:
    """Puts a turn to an address once; what comes back is never asked for again."""

    llm: Llm

    async def answer(self, briefing: Briefing) -> Answer:
        """Give the reply as it came."""
        block = decision_data(briefing, prices=True)
        call = Task.DECIDE.value
        question = Question(
            system="",
            user=block.text,
            shared=len(block.shared),
            schema=decision_schema([offer.alias for offer in briefing.offers]),
            caller=Caller(briefing.cohort, briefing.round, briefing.contestant, call),
        )
        completion = await self.llm.complete(question)
        return Answer(completion, question, (Call(call, question, completion),))


@dataclass(frozen=True, slots=True)
class WebhookLlm:
    """Posts questions to an address, signed as the Standard Webhooks have it.

    A turn has one `webhook-id`, also when it is asked again after the arena was killed: a
    server that has seen it can give the same reply. Redirects are not followed.
    """

    settings: ModelSettings
    key: str | None = field(repr=False)
    door: HttpDoor
    retries: Retries

    @classmethod
    def of(cls, settings: ModelSettings, key: str | None) -> "WebhookLlm":
        """Build it with a door of its own, and the patience that models are asked with."""
        return cls(settings, key, HttpDoor(), Retries(jitter=spread(settings.name)))

    async def complete(self, question: Question) -> Completion:
        """Ask as often as the retry rules allow (`arena.llms.retries`)."""
        if question.caller is None:
            raise ValueError("a question without a turn has no webhook-id")
        deadline = self.retries.clock.now() + self.settings.deadline
        message = _message_id(question.caller, question)
        body = _body(question.caller, question, deadline)

        async def ask_once(seconds: float) -> Tried:
            clock = asyncio.get_running_loop().time
            start = clock()
            request = HttpRequest(
                "POST", self.settings.base_url, (*_HEADERS, *self._signed(message, body)), body
            )
            try:
                reply = await self.door.send(request, seconds=seconds, most=MAX_BYTES)
            except HttpError as error:
                attempt = Attempt(milliseconds(clock() - start), billed=False)
                detail = one_line(error.message)
                return failed(attempt, judge_fault(error), detail, model=HTTP)
            return self._judge(reply, milliseconds(clock() - start))

        return await ask_until_answered(
            ask_once, deadline=self.settings.deadline, retries=self.retries
        )

    def _signed(self, message: str, body: bytes) -> tuple[tuple[str, str], ...]:
        stamp = str(int(self.retries.clock.now().timestamp()))
        headers = (("webhook-id", message), ("webhook-timestamp", stamp))
        if self.key is None:
            return headers
        return (*headers, ("webhook-signature", signature(self.key, message, stamp, body)))

    def _judge(self, reply: HttpReply, spent: int) -> Tried:
        where = f"{host_and_port(self.settings.base_url)} answered"
        attempt = Attempt(spent, reply.status, billed=False)
        if not reply.is_success:
            verdict = judge_status(reply.status)
            payload = payload_of(reply)
            words = words_of(reply, payload) if payload is not None else ""
            if reply.status // 100 == HTTPStatus.MULTIPLE_CHOICES // 100:
                words = "redirects are not followed"
            detail = one_line(f"{where} {reply.status}" + (f": {words}" if words else ""))
            verdict = replace(verdict, again=verdict.again and not is_final(reply))
            wait = wait_asked_for(reply, self.retries.clock) if verdict.again else None
            return failed(attempt, verdict, detail, model=HTTP, wait=wait)
        unreadable = AttemptVerdict(Trouble.UNREADABLE)
        if reply.is_page:
            return failed(attempt, unreadable, f"{where} a web page", model=HTTP)
        try:
            text = reply.body.decode("utf-8-sig")
        except UnicodeDecodeError:
            what = f"{where} what is not text in UTF-8"
            return failed(attempt, unreadable, what, model=HTTP)
        if not text.strip():
            nothing = AttemptVerdict(Trouble.EMPTY)
            return failed(attempt, nothing, f"{where} nothing", model=HTTP)
        return Tried(attempt, Completion(text, raw=reply.body, model=HTTP))


def signature(key: str, message: str, stamp: str, body: bytes) -> str:
    """Sign a request: HMAC-SHA256 over its id, its seconds since 1970 and its body.

    Args:
        key: The key; one that begins with "whsec_" has its bytes in base64 after that.
        message: The `webhook-id`.
        stamp: The `webhook-timestamp`.
        body: The bytes that are sent.

    Source: https://www.standardwebhooks.com, "Signature scheme", version v1.
    """
    secret = key.encode()
    if key.startswith(_ENCODED):
        with suppress(ValueError):  # it only looks like one
            secret = base64.b64decode(key.removeprefix(_ENCODED), validate=True)
    signed = f"{message}.{stamp}.".encode() + body
    return f"v1,{base64.b64encode(hmac.digest(secret, signed, 'sha256')).decode()}"


def _message_id(caller: Caller, question: Question) -> str:
    """Name a turn; the shared beginning keeps arenas apart that name their cohorts alike."""
    shared = question.user[: question.shared]
    named = json.dumps([caller.cohort, caller.round, caller.contestant, shared])
    return f"turn_{sha256(named.encode()).hexdigest()[:_ID_DIGITS]}"


def _body(caller: Caller, question: Question, deadline: datetime) -> bytes:
    turn = (caller.cohort, caller.round)
    document = turn_document(turn, deadline, question.user, question.schema)
    return json.dumps({"contestant": caller.contestant, **document}).encode()
