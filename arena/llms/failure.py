"""What an error in OpenAI's shape says, or in one of the many that are like it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from arena.http import HttpReply
from arena.llms.retries import AttemptVerdict, judge_status, judge_words
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
from arena.records.answer import Trouble, Usage

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
