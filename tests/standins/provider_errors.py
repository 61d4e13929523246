"""How each provider words its errors, and the status it gives them.

Source: the error pages of the OpenAI, Anthropic, Gemini and OpenRouter documentation, and
for the wordings the errors that users of their libraries reported.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from tests.standins.asked import Asked, Format
from tests.standins.misbehaviour import Dialect, Error, Ill, Misbehaviour


class Told(NamedTuple):
    """A status, the name of the error, what it says, and what comes beside it."""

    status: int
    name: str
    message: str
    beside: object = None


def _wrong(message: str, beside: object = None) -> Told:
    """What is wrong with a request, in the words of OpenAI and Anthropic."""
    return Told(400, "invalid_request_error", message, beside)


_OPENAI: Mapping[Ill, Told] = {
    Ill.RATE: Told(429, "requests", "Rate limit reached for {model}.", "rate_limit_exceeded"),
    Ill.QUOTA: Told(
        429, "insufficient_quota", "You exceeded your current quota.", "insufficient_quota"
    ),
    Ill.SPEND: Told(
        429,
        "insufficient_quota",
        "Your project has reached its spend limit.",
        "project_spend_limit_exceeded",
    ),
    Ill.CREDIT: Told(
        429, "insufficient_quota", "You have no credits left.", "credit_balance_exhausted"
    ),
    Ill.OVERLOADED: Told(503, "server_error", "The engine is currently overloaded."),
    Ill.BROKEN: Told(500, "server_error", "The server had an error."),
    Ill.SLOW: Told(504, "server_error", "The request took too long."),
    Ill.KEY: Told(
        401, "invalid_request_error", "Incorrect API key provided.", "invalid_api_key"
    ),
    Ill.FORBIDDEN: Told(
        403, "invalid_request_error", "You have insufficient permissions for this operation."
    ),
    Ill.COUNTRY: Told(
        403,
        "request_forbidden",
        "Country, region, or territory not supported.",
        "unsupported_country_region_territory",
    ),
    Ill.MODEL: Told(
        404,
        "invalid_request_error",
        "The model `{model}` does not exist or you do not have access to it.",
        "model_not_found",
    ),
    Ill.CONTEXT: _wrong(
        "This model's maximum context length is 128000 tokens.", "context_length_exceeded"
    ),
    Ill.LARGE: Told(413, "invalid_request_error", "Request too large."),
    Ill.FIELD: _wrong(
        "Unsupported parameter: '{field}' is not supported with this model.",
        "unsupported_parameter",
    ),
    Ill.SCHEMA: _wrong(
        "Invalid parameter: '{field}' of type 'json_schema' is not supported with this model."
    ),
    Ill.MODERATED: _wrong("Your prompt was flagged.", "invalid_prompt"),
}

_ANTHROPIC: Mapping[Ill, Told] = {
    Ill.RATE: Told(429, "rate_limit_error", "This request would exceed your rate limit."),
    Ill.QUOTA: Told(
        429,
        "rate_limit_error",
        "You have reached your monthly spend limit.",
        {"error_code": "enforced_spend_limit_reached"},
    ),
    Ill.SPEND: _wrong(
        "You have reached your specified API usage limits. You will regain access on "
        "2026-12-01 at 00:00 UTC."
    ),
    Ill.CREDIT: _wrong("Your credit balance is too low to access the Anthropic API."),
    Ill.OVERLOADED: Told(529, "overloaded_error", "Overloaded"),
    Ill.BROKEN: Told(500, "api_error", "Internal server error"),
    Ill.SLOW: Told(504, "timeout_error", "The request took too long."),
    Ill.KEY: Told(401, "authentication_error", "invalid x-api-key"),
    Ill.FORBIDDEN: Told(403, "permission_error", "Your key may not use this resource."),
    Ill.COUNTRY: Told(403, "forbidden", "Request not allowed"),
    Ill.MODEL: Told(404, "not_found_error", "model: {model}"),
    Ill.CONTEXT: _wrong("prompt is too long: 210042 tokens > 200000 maximum"),
    Ill.LARGE: Told(413, "request_too_large", "Request exceeds the maximum allowed size."),
    Ill.FIELD: _wrong("{field}: Extra inputs are not permitted"),
    Ill.SCHEMA: _wrong("'{model}' does not support output_config.format."),
    Ill.MODERATED: _wrong("Output blocked by content filtering policy"),
}

_RPC = "type.googleapis.com/google.rpc."
_PER_MINUTE = "GenerateRequestsPerMinutePerProjectPerModel"
_PER_DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"


def _quota(name: str) -> Mapping[str, object]:
    violation = {
        "quotaMetric": "generativelanguage.googleapis.com/generate_requests",
        "quotaId": name,
        "quotaDimensions": {"location": "global"},
    }
    return {"@type": f"{_RPC}QuotaFailure", "violations": [violation]}


def _reason(name: str) -> Mapping[str, object]:
    return {"@type": f"{_RPC}ErrorInfo", "reason": name, "domain": "googleapis.com"}


_USED_UP = "You exceeded your current quota, please check your plan and billing details."
_GEMINI: Mapping[Ill, Told] = {
    Ill.RATE: Told(429, "RESOURCE_EXHAUSTED", _USED_UP, [_quota(_PER_MINUTE)]),
    Ill.QUOTA: Told(429, "RESOURCE_EXHAUSTED", _USED_UP, [_quota(_PER_DAY)]),
    Ill.SPEND: Told(
        429, "RESOURCE_EXHAUSTED", "Your project has exceeded its monthly spending cap.", []
    ),
    Ill.CREDIT: Told(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", []),
    Ill.OVERLOADED: Told(503, "UNAVAILABLE", "The model is overloaded."),
    Ill.BROKEN: Told(500, "INTERNAL", "An internal error has occurred."),
    Ill.SLOW: Told(504, "DEADLINE_EXCEEDED", "Deadline expired before it could complete."),
    Ill.KEY: Told(
        400,
        "INVALID_ARGUMENT",
        "API key not valid. Please pass a valid API key.",
        [_reason("API_KEY_INVALID")],
    ),
    Ill.FORBIDDEN: Told(
        403, "PERMISSION_DENIED", "The caller does not have permission.", [_reason("DENIED")]
    ),
    Ill.COUNTRY: Told(
        400, "FAILED_PRECONDITION", "User location is not supported for the API use."
    ),
    Ill.MODEL: Told(404, "NOT_FOUND", "models/{model} is not found for API version v1beta."),
    Ill.CONTEXT: Told(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed "
        "(1048576).",
    ),
    Ill.LARGE: Told(413, "INVALID_ARGUMENT", "Request payload size exceeds the limit."),
    Ill.FIELD: Told(
        400,
        "INVALID_ARGUMENT",
        'Invalid JSON payload received. Unknown name "{leaf}"{where}: Cannot find field.',
    ),
    Ill.SCHEMA: Told(
        400,
        "INVALID_ARGUMENT",
        'Invalid JSON payload received. Unknown name "responseJsonSchema" at '
        "'generation_config': Cannot find field.",
    ),
    Ill.MODERATED: Told(400, "FAILED_PRECONDITION", "The prompt was blocked."),
}

# the chat format's dialects number some errors in their own way
_OPENROUTER: Mapping[Ill, Told] = {
    Ill.CREDIT: Told(402, "", "Insufficient credits."),
    Ill.OVERLOADED: Told(502, "", "Provider returned error", {"provider_name": "Somebody"}),
    Ill.KEY: Told(401, "", "No auth credentials found"),
    Ill.MODEL: Told(404, "", "No endpoints found for {model}."),
    Ill.MODERATED: Told(
        403,
        "",
        "{model} requires moderation. Your input was flagged.",
        {"reasons": ["violence"], "flagged_input": "...", "provider_name": "Somebody"},
    ),
}
_DEEPSEEK: Mapping[Ill, Told] = {
    Ill.CREDIT: Told(402, "unknown_error", "Insufficient Balance", "invalid_request_error"),
    Ill.SCHEMA: _wrong("This response_format type is unavailable now", "invalid_request_error"),
}
_ANTHROPIC_NAMES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_GEMINI_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "CANCELLED",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def told_to(asked: Asked, said: Misbehaviour, error: Error) -> tuple[int, object]:
    """Give the status and the JSON of an error in the format of whoever asked."""
    told = _told(asked, said, error)
    match asked.format:
        case Format.CHAT if said.served.dialect is Dialect.OPENROUTER:
            return told.status, _openrouter(told, error)
        case Format.CHAT | Format.RESPONSES:
            return told.status, _openai(told, error)
        case Format.ANTHROPIC:
            return told.status, _anthropic(told)
        case Format.GEMINI:
            return told.status, _gemini(told, error)


def _told(asked: Asked, said: Misbehaviour, error: Error) -> Told:
    if error.ill is None:
        return Told(said.status, str(error.code), error.message, error.details)
    words = {Format.ANTHROPIC: _ANTHROPIC, Format.GEMINI: _GEMINI}.get(asked.format, _OPENAI)
    own: Mapping[Ill, Told] = {}
    if asked.format is Format.CHAT:
        own = {Dialect.OPENROUTER: _OPENROUTER, Dialect.DEEPSEEK: _DEEPSEEK}.get(
            said.served.dialect, {}
        )
    told = own.get(error.ill, words[error.ill])
    path, _, leaf = error.field.rpartition(".")
    where = f" at '{_snake(path)}'" if path else ""
    field = error.field or ("text.format" if asked.format is Format.RESPONSES else "")
    message = error.message or told.message.format(
        model=asked.model, field=field or "response_format", leaf=leaf, where=where
    )
    beside = told.beside if error.details is None else error.details
    return told._replace(message=message, beside=beside)


def _openai(told: Told, error: Error) -> object:
    said = {
        "message": told.message,
        "type": told.name,
        "param": error.field or None,
        "code": error.code if error.ill is None else told.beside,
    }
    return {"error": said}


def _openrouter(told: Told, error: Error) -> object:
    code: object = error.code or told.status
    said: dict[str, object] = {"code": code, "message": told.message}
    if isinstance(told.beside, Mapping):
        said["metadata"] = told.beside
    return {"error": said, "user_id": "user_1"}


def _anthropic(told: Told) -> object:
    name = told.name or _ANTHROPIC_NAMES.get(told.status, "api_error")
    said: dict[str, object] = {"type": name, "message": told.message}
    if told.beside is not None:
        said["details"] = told.beside
    return {"type": "error", "error": said, "request_id": "req_1"}


def _gemini(told: Told, error: Error) -> object:
    details = list(told.beside) if isinstance(told.beside, list) else []
    named = told.name.isupper()
    if told.name and not named:
        details.append(_reason(told.name))
    if error.field:
        violation = {"field": _snake(error.field), "description": told.message}
        details.append({"@type": f"{_RPC}BadRequest", "fieldViolations": [violation]})
    if error.wait:
        details.append({"@type": f"{_RPC}RetryInfo", "retryDelay": error.wait})
    said: dict[str, object] = {
        "code": int(told.name) if told.name.isdecimal() else told.status,
        "message": told.message,
        "status": told.name if named else _GEMINI_NAMES.get(told.status, "INTERNAL"),
    }
    return {"error": said | ({"details": details} if details else {})}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda m: f"_{m[1].lower()}", name)
