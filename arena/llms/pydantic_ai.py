"""Models that the library pydantic-ai reaches, such as Bedrock's and Vertex': an extra.

The library puts the question and understands the reply. When to ask again, how long to wait,
what may be written down and what it costs is decided here, as for every other model.
Source: https://pydantic.dev/docs/ai/ (version 2.68).
"""

import asyncio
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from arena.errors import ArenaError
from arena.http import HttpReply, spread
from arena.llms.retries import (
    SHARPER,
    AttemptVerdict,
    Retries,
    Tried,
    ask_until_answered,
    billed_for,
    failed,
    is_final,
    judge_status,
    judge_words,
    milliseconds,
)
from arena.llms.tariff import priced, tokens_guessed
from arena.llms.throttle import Throttle, ThrottleError, throttle_for
from arena.llms.wires.lenient import (
    CUT_OFF,
    LONGEST_DETAIL,
    LONGEST_READ,
    NO_WORDS,
    Liner,
    mapping_option,
    words,
    wrong_option,
)
from arena.llms.wires.wire import Output
from arena.ports import Llm
from arena.records.answer import Attempt, Completion, Question, Trouble, Usage
from arena.records.settings import ModelSettings
from arena.secrets import Redactor

try:
    from pydantic_ai import direct, exceptions, messages, models, output, providers
except ModuleNotFoundError:
    models = None

OPTIONS = ("output", "provider", "settings")
NOWHERE = ".invalid"  # the end of an address that is none: the library has its own
UNSENT = frozenset({"connect", "pool"})
BEDROCK = "bedrock-runtime"
# what the library raises where a server's reply is not what it takes for granted,
UNREAD = (AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError)
# and what it lets through of the libraries below it, where they are in use
OTHERS = (
    ("botocore.exceptions", "BotoCoreError"),
    ("google.auth.exceptions", "GoogleAuthError"),
)

_ABOUT_KEYS = re.compile("Auth|Credential|Token")  # in the name of an error


def from_settings(settings: ModelSettings, key: str | None) -> Llm:
    """Build a model by the library's own name for it, such as `bedrock:amazon.nova-pro-v1:0`.

    A `base_url` that ends in `.invalid` stands for the provider's own address. Options:
    `provider` are arguments of the library's provider, such as `{region_name: eu-west-1}`,
    `settings` are its model settings, such as `{thinking: high}`, and `output` is `schema` or
    `prompt`; without it, a schema is enforced where the library says that the model can.

    Args:
        settings: The model, its prices and options.
        key: The provider's key; None lets the library look where the provider's tools do.

    Raises:
        ArenaError: The library or a part of it is not installed, or it knows no such model.
    """
    if models is None:
        raise _missing(settings, "the library pydantic-ai")
    unknown = sorted({name for name, _ in settings.options} - set(OPTIONS))
    if unknown:
        raise wrong_option(settings, f"there is no option {unknown[0]}", ", ".join(OPTIONS))
    redact = Redactor((key or "").strip() or None)
    try:
        model = models.infer_model(settings.model, lambda name: _provider(settings, name, key))
    except ImportError as error:
        raise _missing(settings, redact.text(f"{error}".splitlines()[0])) from error
    except (exceptions.UserError, TypeError, ValueError) as error:
        what = f"model {settings.name}: {Liner(redact).line(f'{error}', LONGEST_DETAIL)}"
        raise ArenaError(
            "llm.option", what, hint="look at model and options", status=2
        ) from error
    return pydantic_ai_client(model, settings, key, Retries(jitter=spread(settings.name)))


def pydantic_ai_client(
    model: Any,  # noqa: ANN401  the library's, which need not be installed
    settings: ModelSettings,
    key: str | None,
    retries: Retries,
) -> "PydanticAi":
    """Build the client as `from_settings` does, around a model, with patience of one's own."""
    wanted = dict(settings.options).get("output", "")
    if wanted not in {"", Output.SCHEMA, Output.PROMPT}:
        raise wrong_option(settings, "output is wrong", "one of schema, prompt")
    can = model.profile.get("supports_json_schema_output", False)
    held = wanted == Output.SCHEMA or (not wanted and can)
    where = settings.base_url if _address(settings) else f"https://{model.system}{NOWHERE}"
    throttle = throttle_for(replace(settings, base_url=where), key)
    redact = Redactor((key or "").strip() or None)
    own = mapping_option(settings, "settings")
    return PydanticAi(model, settings, own, held, retries, throttle, redact)


@dataclass(frozen=True, slots=True)
class PydanticAi:
    """Asks one model through the library, one request at a time and without its retries."""

    model: Any
    settings: ModelSettings
    own: Mapping[str, object]
    held_to_schema: bool
    retries: Retries
    throttle: Throttle = field(repr=False)
    redact: Redactor = field(repr=False)

    async def complete(self, question: Question) -> Completion:
        """Ask once, as often as the retry rules allow, and tell everything that happened."""

        async def ask_once(seconds: float) -> Tried:
            return await self._try(question, seconds)

        return await ask_until_answered(
            ask_once, deadline=self.settings.deadline, retries=self.retries
        )

    async def _try(self, question: Question, seconds: float) -> Tried:
        clock = asyncio.get_running_loop().time
        tokens = tokens_guessed(question) + self.settings.max_tokens
        joined = start = clock()
        try:
            patience = max(seconds, self.retries.in_line)
            async with self.throttle.turn(tokens, patience, self.settings.name):
                start = clock()
                tried = await self._ask(question, seconds)
        except ThrottleError as error:
            start = clock()
            unsent = Attempt(0, billed=False)
            tried = failed(unsent, AttemptVerdict(error.trouble), error.message)
        attempt = replace(tried.attempt, latency_ms=milliseconds(clock() - start))
        return replace(tried, attempt=attempt, queued=start - joined)

    async def _ask(self, question: Question, seconds: float) -> Tried:
        try:
            async with self.model:
                response = await direct.model_request(
                    self.model,
                    [_model_request(question)],
                    model_settings=self._request_settings(seconds),
                    model_request_parameters=self._parameters(question),
                )
        except (exceptions.AgentRunError, exceptions.UserError, *UNREAD, *_others()) as error:
            return self._judged(error)
        self.throttle.heard(HttpReply(200, (), b""), self.settings.name)
        return self._read(response)

    def _request_settings(self, seconds: float) -> dict[str, object]:
        alone = {} if "max_retries" in self.model.unsupported_settings else {"max_retries": 0}
        ours = {"max_tokens": self.settings.max_tokens, "request_timeout": seconds}
        return {**self.own, **alone, **ours}

    def _parameters(self, question: Question) -> Any:  # noqa: ANN401  the library's
        if not question.schema or not self.held_to_schema:
            return models.ModelRequestParameters()
        schema = output.OutputObjectDefinition(
            json.loads(question.schema), name="decision", strict=True
        )
        return models.ModelRequestParameters(output_mode="native", output_object=schema)

    def _read(self, response: Any) -> Tried:  # noqa: ANN401  the library's
        liner, text = Liner(self.redact), self.redact.text(words(response.text))
        today, served = self.retries.clock.now().date(), response.model_name or ""
        usage = priced(_usage(response.usage), self.settings, today, served=served)
        finish = liner.line(response.finish_reason or "")
        trouble, detail = _trouble_with(finish, text)
        completion = Completion(
            text=text or None,
            raw=self.redact.data(messages.ModelMessagesTypeAdapter.dump_json([response])),
            model=liner.line(response.model_name or ""),
            finish=finish,
            usage=usage,
            trouble=trouble,
            detail=detail,
            route=liner.line(response.provider_name or ""),
        )
        attempt = Attempt(0, 200, trouble, detail, billed=True)
        return Tried(attempt, completion, again=trouble is Trouble.SERVER)

    def _judged(self, error: Exception) -> Tried:
        status, headers = getattr(error, "status_code", None), getattr(error, "headers", None)
        reply = (
            None if status is None else HttpReply(status, tuple((headers or {}).items()), b"")
        )
        if reply is not None or isinstance(error, exceptions.ModelConnectionError):
            self.throttle.heard(reply, self.settings.name)
        verdict = _verdict_on(error)
        if reply is not None and is_final(reply):
            verdict = replace(verdict, again=False)
        name = "" if isinstance(error, exceptions.AgentRunError) else type(error).__name__
        detail = Liner(self.redact).line(f"{name} {error}".strip(), LONGEST_DETAIL)
        attempt = Attempt(0, status, billed=_billed(error, status))
        return failed(attempt, verdict, detail, wait=getattr(error, "retry_after", None))


def _verdict_on(error: Exception) -> AttemptVerdict:
    """Say what an error means: by its code, then its kind, then its status.

    Any other error is of a reply that the library could not read, or was raised by a library
    below it. The call may have been billed, so it is not repeated.
    """
    names = ("provider_error_code", "provider_error_type")
    codes = [str(getattr(error, name, None)) for name in names]
    sharper = next((SHARPER[code] for code in codes if code in SHARPER), None)
    if sharper is not None:
        return sharper
    kinds = (
        (exceptions.ModelQuotaExceededError, AttemptVerdict(Trouble.QUOTA)),
        (exceptions.ModelAuthenticationError, AttemptVerdict(Trouble.CREDENTIALS)),
        (exceptions.ModelRateLimitError, AttemptVerdict(Trouble.RATE_LIMITED, again=True)),
        (exceptions.ModelRequestTimeout, AttemptVerdict(Trouble.TIMEOUT)),
        (exceptions.ContentFilterError, AttemptVerdict(Trouble.REFUSAL)),
        (exceptions.ModelRequestRejectedError, _rejected(error)),
        (exceptions.ModelHTTPError, judge_status(getattr(error, "status_code", 0))),
        (exceptions.ModelServerError, AttemptVerdict(Trouble.SERVER, again=True)),
        (exceptions.ModelUnavailableError, AttemptVerdict(Trouble.SERVER, again=True)),
        (exceptions.ModelConnectionError, _unconnected(error)),
        (exceptions.UserError, AttemptVerdict(Trouble.REQUEST)),
    )
    verdict_by_kind = next(
        (verdict for kind, verdict in kinds if isinstance(error, kind)), None
    )
    keyless = _ABOUT_KEYS.search(type(error).__name__) is not None
    unknown = AttemptVerdict(Trouble.CREDENTIALS if keyless else Trouble.UNREADABLE)
    return judge_words(verdict_by_kind or unknown, str(error)[:LONGEST_READ])


def _others() -> tuple[type[Exception], ...]:
    loaded = [(sys.modules[module], name) for module, name in OTHERS if module in sys.modules]
    return tuple(getattr(module, name) for module, name in loaded)


def _rejected(error: Exception) -> AttemptVerdict:
    """A 403 that is about no key is a moderator's."""
    moderated = getattr(error, "status_code", None) == HTTPStatus.FORBIDDEN
    return AttemptVerdict(Trouble.REFUSAL if moderated else Trouble.REQUEST)


def _unconnected(error: Exception) -> AttemptVerdict:
    late = isinstance(error, exceptions.ModelTimeoutError) and _billed(error, None) is None
    return (
        AttemptVerdict(Trouble.TIMEOUT)
        if late
        else AttemptVerdict(Trouble.UNREACHABLE, again=True)
    )


def _billed(error: Exception, status: int | None) -> bool | None:
    """Say whether a failure was charged for: certainly not, where nothing was sent."""
    if status is not None:
        return billed_for(status, Usage())
    unsent = isinstance(error, exceptions.UserError) or getattr(error, "phase", "") in UNSENT
    return False if unsent else None


def _trouble_with(finish: str, text: str) -> tuple[Trouble | None, str]:
    if finish == "content_filter":
        return Trouble.REFUSAL, "the provider's filter stopped it"
    if finish == "length":
        return Trouble.TRUNCATED, CUT_OFF
    if finish == "error":
        return Trouble.SERVER, "it ended in an error"
    return (None, "") if text.strip() else (Trouble.EMPTY, NO_WORDS)


def _usage(counted: Any) -> Usage:  # noqa: ANN401  the library's
    """Read its counts, which are totals with their parts; it writes 0 for what is not known."""
    return Usage(
        tokens_in=counted.input_tokens or None,
        tokens_out=counted.output_tokens or None,
        tokens_cached=counted.cache_read_tokens or None,
        tokens_written=counted.cache_write_tokens or None,
        tokens_reasoning=counted.output_reasoning_tokens or None,
    )


def _model_request(question: Question) -> Any:  # noqa: ANN401  the library's
    rules = messages.SystemPromptPart(question.system)
    return messages.ModelRequest([rules, messages.UserPromptPart(question.user)])


def _provider(settings: ModelSettings, name: str, key: str | None) -> Any:  # noqa: ANN401
    own = mapping_option(settings, "provider")
    address = {"base_url": settings.base_url} if _address(settings) else {}
    secret = {"api_key": key} if key else {}
    provider = providers.infer_provider_class(name)(**own, **address, **secret)
    if name == "bedrock":  # its library asks again by itself, also after a timeout
        events = provider.client.meta.events
        events.unregister(f"needs-retry.{BEDROCK}", unique_id=f"retry-config-{BEDROCK}")
    return provider


def _address(settings: ModelSettings) -> bool:
    """Whether a model is to be asked elsewhere than at its provider's own address."""
    return not (urlsplit(settings.base_url).hostname or "").endswith(NOWHERE)


def _missing(settings: ModelSettings, what: str) -> ArenaError:
    return ArenaError(
        "llm.missing",
        f"model {settings.name} is asked through a library that is not installed: {what}",
        hint="pip install 'paper-arena[pydantic-ai]'",
        status=2,
    )
