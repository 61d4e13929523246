"""What a reply in the OpenAI chat format says, read leniently: servers differ."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from http import HTTPStatus

from arena.http import HttpError, HttpReply
from arena.llms.attempts import Verdict, judge_fault, judge_status
from arena.llms.redact import Redactor
from arena.records.answer import Trouble, Usage
from arena.records.money import Usd, usd

LONGEST_DETAIL = 300
LONGEST_NAME = 200
MOST_TOKENS = 10**12
MOST_DOLLARS = Decimal(10**9)
PER_MILLION = Decimal(10**6)

SPOKEN = ("text", "output_text")  # a tuple, since a server may put there what has no hash
CUT = frozenset({"length", "max_tokens", "model_length"})
QUOTA_CODES = (
    "billing_hard_limit_reached",
    "credit_balance_exhausted",
    "insufficient_quota",
    "organization_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "project_spend_limit_exceeded",
)

# A server's own code that says more than the status it comes with,
SHARPER: Mapping[str, Verdict] = {
    **dict.fromkeys(QUOTA_CODES, Verdict(Trouble.QUOTA)),
    "content_filter": Verdict(Trouble.REFUSAL),
    "content_policy_violation": Verdict(Trouble.REFUSAL),
    "context_length_exceeded": Verdict(Trouble.REQUEST),
}
# and one that counts only where the status says nothing, because it claims success.
INSTEAD: Mapping[str, Verdict] = {
    "authentication_error": Verdict(Trouble.CREDENTIALS),
    "invalid_api_key": Verdict(Trouble.CREDENTIALS),
    "invalid_request_error": Verdict(Trouble.REQUEST),
    "model_not_found": Verdict(Trouble.REQUEST),
    "rate_limit_exceeded": Verdict(Trouble.RATE_LIMITED, again=True),
}

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_STATUS = re.compile("[45][0-9][0-9]")


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars a million tokens of the question and of the answer; None is unknown."""

    into: Decimal | None
    out: Decimal | None


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A reply understood: words, or the trouble with it and whether to ask again."""

    text: str | None = None
    model: str = ""
    finish: str = ""
    usage: Usage = field(default_factory=Usage)
    trouble: Trouble | None = None
    detail: str = ""
    again: bool = False
    billed: bool | None = None


def read_chat(reply: HttpReply, prices: Prices, redact: Redactor) -> ChatReply:
    """Understand one HTTP reply; nothing that a server says makes this raise.

    Args:
        reply: What came, its body already without the key.
        prices: What tokens cost where the server does not say what it charged.
        redact: Takes the key out of every word that is kept.
    """
    reader = _Reader(redact, prices)
    success = reply.status // 100 == HTTPStatus.OK // 100
    try:
        body = _mapping(reply.json())
    except HttpError as error:
        if not success:
            return reader.failure(reply.status, {})
        if not reply.body.strip():
            return ChatReply(trouble=Trouble.EMPTY, detail="an empty body", again=True)
        detail = reader.line(error.message, LONGEST_DETAIL)
        return ChatReply(trouble=judge_fault(error).trouble, detail=detail)
    if not success or body.get("error"):
        return reader.failure(reply.status, body)
    return reader.success(body)


@dataclass(frozen=True, slots=True)
class _Reader:
    redact: Redactor
    prices: Prices

    def success(self, body: Mapping[str, object]) -> ChatReply:
        choices = body.get("choices")
        choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
        message = _mapping(choice.get("message"))
        finish = self.line(choice.get("finish_reason"), LONGEST_NAME)
        if not message or finish == "error" or choice.get("error"):
            told = choice.get("error") or "there is no message in it"
            return self.failure(HTTPStatus.OK, {**body, "error": told})
        text = self.redact.text(_words(message.get("content")))
        trouble, detail = _trouble_with(finish, text, _words(message.get("refusal")))
        return ChatReply(
            text=text or None,
            model=self.line(body.get("model"), LONGEST_NAME),
            finish=finish,
            usage=_usage(body, self.prices),
            trouble=trouble,
            detail=self.line(detail, LONGEST_DETAIL),
            billed=True,
        )

    def failure(self, status: int, body: Mapping[str, object]) -> ChatReply:
        """Read an error, whether its status says so or claims success."""
        told = body.get("error")
        error = _mapping(told)
        names = [str(error.get(name) or "") for name in ("code", "type")]
        message = error.get("message") or told or body.get("message") or body.get("detail")
        words = self.line(message, LONGEST_DETAIL) or "no reason given"
        name = self.line(next(filter(None, names), ""), LONGEST_NAME)
        billed = False if 400 <= status < 500 else None  # noqa: PLR2004  the client errors
        verdict = _verdict_on(status, names)
        if status == HTTPStatus.FORBIDDEN and _mapping(error.get("metadata")).get("reasons"):
            verdict = Verdict(Trouble.REFUSAL)  # a moderator's no, not bad credentials
        return ChatReply(
            model=self.line(body.get("model"), LONGEST_NAME),
            usage=_usage(body, self.prices),
            trouble=verdict.trouble,
            detail=f"{words} ({name})" if name else words,
            again=verdict.again,
            billed=billed,
        )

    def line(self, value: object, longest: int) -> str:
        """Make one short, harmless line of what a server said."""
        if not isinstance(value, str):
            return ""
        words = " ".join(self.redact.text(value).split())
        return "".join(c for c in words if c.isprintable())[:longest]


def _verdict_on(status: int, names: Iterable[str]) -> Verdict:
    sharper = next((SHARPER[name] for name in names if name in SHARPER), None)
    if sharper is not None:
        return sharper
    if status // 100 != HTTPStatus.OK // 100:
        return judge_status(status)
    own = next((int(name) for name in names if _STATUS.fullmatch(name)), None)
    instead = next((INSTEAD[name] for name in names if name in INSTEAD), None)
    return instead or judge_status(own or HTTPStatus.INTERNAL_SERVER_ERROR)


def _trouble_with(finish: str, text: str, refusal: str) -> tuple[Trouble | None, str]:
    if refusal or finish == "content_filter":
        return Trouble.REFUSAL, refusal or "the provider's filter stopped it"
    if finish.lower() in CUT:
        return Trouble.TRUNCATED, "the answer was cut off at the longest that was asked for"
    if not text.strip():
        return Trouble.EMPTY, "an answer without words"
    return None, ""


def _words(content: object) -> str:
    """Join the text of a message, which may come in parts; thoughts are left out."""
    if isinstance(content, str):
        return _UNSTORABLE.sub("\ufffd", content)
    if not isinstance(content, list):
        return ""
    parts = [part if isinstance(part, Mapping) else {"text": part} for part in content]
    spoken = [p.get("text") for p in parts if p.get("type", "text") in SPOKEN]
    return "".join(_words(words) for words in spoken if isinstance(words, str))


def _usage(body: Mapping[str, object], prices: Prices) -> Usage:
    said = _mapping(body.get("usage"))
    tokens_in, tokens_out = _count(said, "prompt_tokens"), _count(said, "completion_tokens")
    cost = _dollars(said.get("cost"))
    if cost is None:
        cost = _priced(tokens_in, tokens_out, prices)
    return Usage(tokens_in, tokens_out, cost)


def _count(said: Mapping[str, object], name: str) -> int | None:
    count = said.get(name)
    if isinstance(count, bool) or not isinstance(count, int):
        return None
    return count if 0 <= count <= MOST_TOKENS else None


def _dollars(cost: object) -> Usd | None:
    if isinstance(cost, bool) or not isinstance(cost, int | Decimal):
        return None
    return usd(cost) if 0 <= cost <= MOST_DOLLARS else None


def _priced(tokens_in: int | None, tokens_out: int | None, prices: Prices) -> Usd | None:
    if tokens_in is None or tokens_out is None or prices.into is None or prices.out is None:
        return None
    return usd((tokens_in * prices.into + tokens_out * prices.out) / PER_MILLION)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
