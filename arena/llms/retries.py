"""When to ask a server again: the one retry loop, for every wire format.

Asked again are: no connection, one that broke off, 408, 429 that is about the rate, 5xx, an
error that claims success, and an empty body. Never asked again are: any other 4xx, a quota,
a refusal, and silence after the request went out, since the provider may be at work on it
and charge for that. A connection that broke off may be charged for too; it is asked again,
and the attempt's `billed` stays None, so that a budget counts its worst case.

What an error means is read here too, of servers in OpenAI's shape or in one that is like it.
"""

import asyncio
import json
import math
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from http import HTTPStatus

from arena.clock import SystemClock
from arena.http import Fault, HttpError, HttpReply, backoff
from arena.llms.wires.lenient import (
    LONGEST_DETAIL,
    LONGEST_READ,
    NO_REASON,
    Liner,
    first,
    mapping,
)
from arena.llms.wires.unsupported_fields import refused_field
from arena.llms.wires.wire import WireReply
from arena.metrics.figures import span
from arena.ports import Clock
from arena.records.answer import Attempt, Completion, Trouble, Usage, taken_by

MOST = 4
MOST_AT_ONCE = 4
IN_LINE = 1200.0

_TOO_LONG = re.compile(
    r"maximum (?:context|prompt|model) length|(?:prompt|input) is too long"
    r"|(?:exceeds?|longer than|too large for)\b.{0,60}\bcontext"
    r"|context (?:window|length|size|limit) exceeded"
    r"|input tokens? .{0,30}exceeds?\b|exceeds the maximum number of tokens",
    re.IGNORECASE,
)
_COUNTRY = re.compile(
    r"user location is not supported|country[^.]{0,40} not supported|unsupported countr"
    r"|not (?:supported|available) in your (?:country|location|region|territory)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt: what it would mean as the last one, and whether another may help.

    `wait` is how many seconds the server asked to be left alone. `at_once` says that the next
    request will be another one, without what this server would not have: it is asked without
    a wait, and this attempt is not one of the `most`. `queued` are seconds spent in line
    before the request went out: our own limits do not shorten the server's time.
    """

    attempt: Attempt
    completion: Completion
    again: bool = False
    wait: float | None = None
    at_once: bool = False
    queued: float = 0.0


@dataclass(frozen=True, slots=True)
class AttemptVerdict:
    """What a failed reply means, and whether asking again may help."""

    trouble: Trouble
    again: bool = False


@dataclass(frozen=True, slots=True)
class Retries:
    """How often to ask, and what waiting is made of.

    `jitter` gives numbers in [0.5, 1], so that many who failed together do not return
    together; `clock` reads a `Retry-After` that is a date. `in_line` is for how many seconds
    an attempt may wait for its turn, which is no part of a model's deadline; it may for what
    is left of the deadline where that is longer.
    """

    jitter: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Clock = field(default_factory=SystemClock)
    most: int = MOST
    in_line: float = IN_LINE


async def ask_until_answered(
    ask_once: Callable[[float], Awaitable[Tried]], *, deadline: timedelta, retries: Retries
) -> Completion:
    """Ask until an attempt is final, the attempts are used up or the time is.

    A request may be changed and asked again `at_once` four times; a fifth wish to is final.

    Args:
        ask_once: Makes one attempt within the seconds it is given.
        deadline: The time for all attempts and the waits between them, without the time that
            attempts were `queued`.
        retries: How often, and how to wait.

    Returns:
        The last attempt's completion, with all attempts, their usage added up, and the
        time of everything but the queues.
    """
    loop = asyncio.get_running_loop()
    start = loop.time()
    end = start + deadline.total_seconds()
    tries: list[Tried] = []
    while True:
        last = await ask_once(end - loop.time())
        tries.append(last)
        end += last.queued
        wait = _wait_after(tries, retries)
        if wait is None:
            break
        if loop.time() + wait >= end:
            tries[-1] = _gave_up(last, wait)
            break
        if wait:
            await retries.sleep(wait)
    return replace(
        tries[-1].completion,
        attempts=tuple(t.attempt for t in tries),
        usage=taken_by(replace(t.completion, attempts=(t.attempt,)) for t in tries),
        latency_ms=milliseconds(loop.time() - start - sum(t.queued for t in tries)),
    )


def _wait_after(tries: Sequence[Tried], retries: Retries) -> float | None:
    """Say how many seconds to wait before the next attempt; None is: make none."""
    last = tries[-1]
    changes = sum(tried.at_once for tried in tries)
    if last.at_once:
        return 0.0 if changes <= MOST_AT_ONCE else None
    failures = len(tries) - changes
    if not last.again or failures >= retries.most:
        return None
    return last.wait or backoff(failures - 1, retries.jitter())


def judge_status(status: int) -> AttemptVerdict:
    """Say what an HTTP status other than success means."""
    named = {
        401: AttemptVerdict(Trouble.CREDENTIALS),
        402: AttemptVerdict(Trouble.QUOTA),
        403: AttemptVerdict(Trouble.CREDENTIALS),
        408: AttemptVerdict(Trouble.TIMEOUT, again=True),
        413: AttemptVerdict(Trouble.TOO_LONG),
        429: AttemptVerdict(Trouble.RATE_LIMITED, again=True),
    }
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return AttemptVerdict(Trouble.SERVER, again=True)
    return named.get(status, AttemptVerdict(Trouble.REQUEST))


def judge_words(verdict: AttemptVerdict, message: str) -> AttemptVerdict:
    """Say more of a request that was refused, where no code but the server's words do."""
    refused = verdict.trouble is Trouble.REQUEST
    if refused and _TOO_LONG.search(message):
        return AttemptVerdict(Trouble.TOO_LONG)
    if (refused or verdict.trouble is Trouble.CREDENTIALS) and _COUNTRY.search(message):
        return AttemptVerdict(Trouble.COUNTRY)
    return verdict


def judge_fault(error: HttpError) -> AttemptVerdict:
    """Say what it means that no reply came, or none that can be used."""
    return {
        Fault.REQUEST: AttemptVerdict(Trouble.REQUEST),
        Fault.CONNECT: AttemptVerdict(Trouble.UNREACHABLE, again=True),
        Fault.TIMEOUT: AttemptVerdict(Trouble.TIMEOUT),
        Fault.DROPPED: AttemptVerdict(Trouble.UNREACHABLE, again=True),
        Fault.TOO_LARGE: AttemptVerdict(Trouble.UNREADABLE),
        Fault.GARBLED: AttemptVerdict(Trouble.UNREADABLE),
        Fault.NOT_JSON: AttemptVerdict(Trouble.UNREADABLE),
    }[error.fault]


def failed(
    attempt: Attempt,
    verdict: AttemptVerdict,
    detail: str,
    *,
    model: str = "",
    wait: float | None = None,
) -> Tried:
    """Tell of an attempt that brought no answer.

    Args:
        attempt: How long it took, its status, and whether it was billed.
        verdict: What its failure means.
        detail: Why it failed, in a line.
        model: The model that its completion names.
        wait: For how many seconds the server asked to be left alone.
    """
    made = replace(attempt, trouble=verdict.trouble, detail=detail)
    completion = Completion(None, model=model, trouble=verdict.trouble, detail=detail)
    return Tried(made, completion, again=verdict.again, wait=wait)


def is_final(reply: HttpReply) -> bool:
    """Say whether a server forbids to ask again, as OpenAI's does by `x-should-retry: false`.

    The opposite word counts for nothing: what is never asked again is not asked again.
    """
    return (reply.header("x-should-retry") or "").strip().lower() == "false"


def milliseconds(seconds: float) -> int:
    """Round seconds to whole milliseconds."""
    return round(seconds * 1000)


def _gave_up(tried: Tried, wait: float) -> Tried:
    wait_text = span(timedelta(seconds=math.ceil(wait)))
    why = f"waiting {wait_text} would pass the deadline" if wait else "the time is used up"
    detail = f"{tried.completion.detail}; {why}"
    return replace(tried, completion=replace(tried.completion, detail=detail))


QUOTA_CODES = (
    "billing_hard_limit_reached",
    "credit_balance_exhausted",
    "insufficient_quota",
    "organization_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "project_spend_limit_exceeded",
)

# A server's own code that says more than the status it comes with,
SHARPER: Mapping[str, AttemptVerdict] = {
    **dict.fromkeys(QUOTA_CODES, AttemptVerdict(Trouble.QUOTA)),
    "authentication_error": AttemptVerdict(Trouble.CREDENTIALS),
    "invalid_api_key": AttemptVerdict(Trouble.CREDENTIALS),
    "content_filter": AttemptVerdict(Trouble.REFUSAL),
    "content_policy_violation": AttemptVerdict(Trouble.REFUSAL),
    "invalid_prompt": AttemptVerdict(Trouble.REFUSAL),
    "context_length_exceeded": AttemptVerdict(Trouble.TOO_LONG),
    "exceed_context_size_error": AttemptVerdict(Trouble.TOO_LONG),
    "string_above_max_length": AttemptVerdict(Trouble.TOO_LONG),
    "unsupported_country_region_territory": AttemptVerdict(Trouble.COUNTRY),
}
# and one that counts only where the status says nothing, because it claims success.
INSTEAD: Mapping[str, AttemptVerdict] = {
    "invalid_request_error": AttemptVerdict(Trouble.REQUEST),
    "model_not_found": AttemptVerdict(Trouble.REQUEST),
    "rate_limit_exceeded": AttemptVerdict(Trouble.RATE_LIMITED, again=True),
}
# The server, or one on the way, gave up waiting: somebody may have been at work, and charge.
UNDECIDED = (
    HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, 499, HTTPStatus.GATEWAY_TIMEOUT, 522, 524,
)  # fmt: skip
# What an error is that may be about money, where only its words tell.
VAGUE = frozenset({Trouble.CREDENTIALS, Trouble.RATE_LIMITED, Trouble.REQUEST})
INNERMOST = 4  # an error of an error of an error

_STATUS = re.compile("[45][0-9][0-9]", re.ASCII)
# of an account, and not of a minute: xAI, Mistral and many proxies have no code for it
_SPENT = re.compile(
    r"spend(ing)? (limit|cap)|all available credits|any credits|credit balance is"
    r"|insufficient (balance|credits?|funds)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Said:
    """One error object: its message, its names for what happened, the field it is about."""

    message: object
    names: tuple[str, ...]
    param: str
    flagged: bool


def read_failure(
    reply: HttpReply, body: Mapping[str, object] | None, liner: Liner, usage: Usage
) -> WireReply:
    """Understand an error, whether its status says so or claims success.

    A router's error that holds its host's error is read through to that one.

    Args:
        reply: What came.
        body: Its JSON; None where there is none, and then the page's first line is told.
        liner: Makes lines without the key.
        usage: What was reported of tokens all the same.
    """
    layers = list(_layers(body or {}))
    messages = [line for layer in layers if (line := liner.line(layer.message, LONGEST_DETAIL))]
    if body is None:
        messages.append(liner.page(reply.body))
    words = ": ".join(dict.fromkeys(filter(None, messages)))[:LONGEST_DETAIL]
    names = [liner.line(name) for layer in layers for name in layer.names]
    name = next(filter(None, names), "")
    words = words or NO_REASON
    verdict = _verdict_on(reply.status, names, flagged=any(layer.flagged for layer in layers))
    if verdict.trouble in VAGUE and _SPENT.search(words):
        verdict = AttemptVerdict(Trouble.QUOTA)
    verdict = judge_words(verdict, words)
    refused = _refused(layers) if verdict.trouble is Trouble.REQUEST else ""
    return WireReply(
        model=liner.line(mapping(body).get("model")),
        usage=usage,
        trouble=verdict.trouble,
        detail=f"{words} ({name})" if name else words,
        again=verdict.again,
        billed=billed_for(reply.status, usage),
        refused=liner.line(refused),
    )


def billed_for(status: int, usage: Usage) -> bool | None:
    """Say whether a failed attempt was charged for; None where nobody knows.

    Tokens or dollars that are reported were charged. Errors were not, a client's or a
    server's, and neither was a redirect, which is not followed. Unknown is what a server may
    have been at work on when somebody's patience ended, and an error that claims success.
    """
    if usage.tokens_out or usage.cost:
        return True
    is_error = status >= 300 and status not in UNDECIDED  # noqa: PLR2004  a range of HTTP
    return False if is_error else None


def _layers(body: Mapping[str, object]) -> Iterable[_Said]:
    """Give the error of a body, then the error that it repeats, and so on."""
    source: object = body.get("error") or first(body.get("errors")) or body
    for _ in range(INNERMOST):
        error = mapping(source)
        message = error.get("message") or error.get("detail") or error.get("msg")
        if not isinstance(message, str):
            inner = mapping(message).get("detail") or message
            message, source = (
                _validation(inner) or (source if isinstance(source, str) else ""),
                "",
            )
        metadata = mapping(error.get("metadata"))
        yield _Said(
            message=message,
            names=tuple(str(error[n]) for n in ("code", "type") if _is_name(error.get(n))),
            param=_text(error.get("param")),
            flagged=bool(metadata.get("reasons")),
        )
        source = _inside(metadata.get("raw")) or _inside(error.get("cause")) or _inside(message)
        if not source:
            return


def _validation(items: object) -> str:
    """Say in words what a validator lists: `[{"loc": ["body", "x"], "msg": "..."}]`."""
    if isinstance(items, str):
        return items
    item = first(items)
    where = item.get("loc")
    names = [n for n in where if isinstance(n, str)] if isinstance(where, list) else []
    message = _text(item.get("msg"))
    return f"{'.'.join(n for n in names if n != 'body')}: {message}" if message else ""


def _inside(text: object) -> object:
    """Give the error that a text holds as JSON, or the text of what is no JSON but an error."""
    if isinstance(text, Mapping):
        return text.get("error") or text
    if not isinstance(text, str) or "{" not in text[:LONGEST_READ]:
        return None
    try:
        parsed = json.loads(text[text.index("{") : LONGEST_READ])
    except (ValueError, RecursionError):
        return None
    return mapping(parsed).get("error") or parsed


def _verdict_on(status: int, names: Sequence[str], *, flagged: bool) -> AttemptVerdict:
    sharper = next((SHARPER[name] for name in names if name in SHARPER), None)
    if sharper is not None:
        return sharper
    own = next((int(name) for name in names if _STATUS.fullmatch(name)), None)
    if status // 100 == HTTPStatus.OK // 100:
        instead = next((INSTEAD[name] for name in names if name in INSTEAD), None)
        status = own or HTTPStatus.INTERNAL_SERVER_ERROR
        verdict = instead or judge_status(status)
    else:
        verdict = judge_status(status)
    if flagged and status == HTTPStatus.FORBIDDEN:
        return AttemptVerdict(Trouble.REFUSAL)  # a moderator's no, not bad credentials
    return verdict


def _refused(layers: Sequence[_Said]) -> str:
    """Name the refused field, by the innermost error that names one."""
    for layer in reversed(layers):
        message = _text(layer.message)
        field = refused_field(message, param=layer.param, code=next(iter(layer.names), ""))
        if field:
            return field
    return ""


def _is_name(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
