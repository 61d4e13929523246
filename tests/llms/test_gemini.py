import json
from typing import Any

import pytest

from arena.llms.wires.gemini import Gemini
from arena.llms.wires.lenient import NO_WORDS, ONLY_A_TOOL, ONLY_THOUGHTS
from arena.llms.wires.unsupported_fields import FORMAT, THINKING
from arena.llms.wires.wire import Ask, Output, Profile, WireReply
from arena.records.answer import Question, Trouble, Usage
from arena.records.settings import ModelSettings
from arena.secrets import Redactor
from tests.llms.asking import replied

KEY = "AIzaSy0123456789abcdef"
WIRE = Gemini()
SCHEMA = json.dumps(
    {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"p": {"type": "number", "exclusiveMaximum": 1}, "a": {"const": "BET"}},
        "required": ["p"],
    }
)
QUESTION = Question("the rules", "the facts", schema=SCHEMA)
RPC = "type.googleapis.com/google.rpc."


def model(name: str = "gemini-3.8-flash") -> ModelSettings:
    return ModelSettings(
        name="flash",
        adapter="gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta/",
        model=name,
        max_tokens=700,
    )


def body(
    question: Question = QUESTION,
    *,
    output: Output = Output.SCHEMA,
    without: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    return dict(WIRE.body(Ask(model(), Profile(output=output), question, output, without)))


def read(said: object, status: int = 200) -> WireReply:
    return WIRE.read(replied(said, status), Redactor(KEY))


def answer(*parts: object, finish: str = "STOP", **more: object) -> WireReply:
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": finish}
    return read({"candidates": [candidate], "modelVersion": "gemini-3.8-flash-001", **more})


def error(
    status: str, words: str = "no", code: int = 400, details: object = (), http: int = 0
) -> WireReply:
    told = {"code": code, "message": words, "status": status, "details": details}
    return read({"error": told}, http or code)


def quota(*names: str) -> dict[str, object]:
    return {"@type": f"{RPC}QuotaFailure", "violations": [{"quotaId": n} for n in names]}


def retry(delay: object) -> dict[str, object]:
    return {"@type": f"{RPC}RetryInfo", "retryDelay": delay}


# --- what is said -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("gemini-3.8-flash", "models/gemini-3.8-flash"),
        ("models/gemini-3.8-flash", "models/gemini-3.8-flash"),
        ("../../files?key=1#", "models/..%2F..%2Ffiles%3Fkey%3D1%23"),
    ],
)
def test_the_model_s_name_is_a_part_of_the_address_and_no_more(name: str, path: str) -> None:
    address = f"https://generativelanguage.googleapis.com/v1beta/{path}:generateContent"
    assert WIRE.url(model(name)) == address


def test_the_key_is_a_header_and_never_in_the_address() -> None:
    assert dict(WIRE.headers(model(), KEY))["x-goog-api-key"] == KEY
    assert "x-goog-api-key" not in dict(WIRE.headers(model(), None))
    assert "key" not in WIRE.url(model())


def test_rules_and_facts_have_places_of_their_own() -> None:
    said = body()
    assert said["systemInstruction"] == {"parts": [{"text": "the rules"}]}
    assert said["contents"] == [{"role": "user", "parts": [{"text": "the facts"}]}]


def test_a_model_that_takes_no_rules_is_told_them_with_the_facts() -> None:
    said = body(without=frozenset({"systemInstruction"}))
    assert said["contents"][0]["parts"] == [{"text": "the rules"}, {"text": "the facts"}]
    assert "systemInstruction" not in said


def test_a_schema_is_said_in_the_provider_s_words_and_keeps_its_order() -> None:
    assert body()["generationConfig"] == {
        "maxOutputTokens": 700,
        "responseMimeType": "application/json",
        "responseJsonSchema": {
            "type": "object",
            "properties": {"p": {"type": "number"}, "a": {"enum": ["BET"]}},
            "required": ["p"],
            "propertyOrdering": ["p", "a"],
        },
    }


def test_json_mode_is_a_media_type_and_a_prompt_is_nothing() -> None:
    length = {"maxOutputTokens": 700}
    kind = {"responseMimeType": "application/json"}
    assert body(output=Output.JSON)["generationConfig"] == length | kind
    assert body(output=Output.PROMPT)["generationConfig"] == length


# --- what is understood -----------------------------------------------------------------------


def test_text_is_joined_and_thoughts_are_left_out() -> None:
    said = answer({"text": "a draft", "thought": True}, {"text": "one "}, {"text": "two"})
    assert (said.text, said.trouble, said.finish) == ("one two", None, "STOP")
    assert (said.model, said.billed) == ("gemini-3.8-flash-001", True)


def test_thoughts_are_billed_as_output_and_cached_tokens_are_inside_the_prompt_s() -> None:
    counts = {
        "promptTokenCount": 3000,
        "cachedContentTokenCount": 2000,
        "candidatesTokenCount": 50,
        "thoughtsTokenCount": 400,
        "totalTokenCount": 3450,
        "serviceTier": "FLEX",
    }
    said = answer({"text": "well"}, usageMetadata=counts)
    assert said.usage == Usage(3000, 450, None, 2000, None, 400)
    assert said.tier == "flex"


@pytest.mark.parametrize(
    ("counts", "out"),
    [
        ({"candidatesTokenCount": 50}, 50),
        ({"thoughtsTokenCount": 400}, 400),
        ({"candidatesTokenCount": 50, "totalTokenCount": 57}, 50),
        ({"thoughtsTokenCount": 400, "totalTokenCount": 407}, 400),
        ({"thoughtsTokenCount": 400, "totalTokenCount": 457}, None),
        ({"candidatesTokenCount": 50, "totalTokenCount": 457}, None),
    ],
)
def test_a_count_that_is_left_out_is_nothing_unless_the_total_has_more(
    counts: dict[str, int], out: int | None
) -> None:
    said = answer({"text": "well"}, usageMetadata={"promptTokenCount": 7, **counts})
    assert said.usage.tokens_out == out


def test_unknown_counts_stay_unknown() -> None:
    assert answer({"text": "well"}).usage == Usage()
    only = {"promptTokenCount": 7, "totalTokenCount": 9}
    assert answer({"text": "well"}, usageMetadata=only).usage == Usage(7)


@pytest.mark.parametrize(
    ("finish", "trouble"),
    [
        ("MAX_TOKENS", Trouble.TRUNCATED),
        ("CONTINUATION", Trouble.TRUNCATED),
        ("", Trouble.TRUNCATED),
        ("SAFETY", Trouble.REFUSAL),
        ("RECITATION", Trouble.REFUSAL),
        ("PROHIBITED_CONTENT", Trouble.REFUSAL),
        ("SPII", Trouble.REFUSAL),
        ("BLOCKLIST", Trouble.REFUSAL),
        ("MALFORMED_RESPONSE", Trouble.UNREADABLE),
        ("OTHER", Trouble.UNREADABLE),
        ("SOMETHING_NEW", Trouble.UNREADABLE),
    ],
)
def test_only_an_answer_that_stopped_by_itself_counts(finish: str, trouble: Trouble) -> None:
    said = answer({"text": '{"action": "BET"}'}, finish=finish)
    assert (said.trouble, said.again) == (trouble, False)


def test_a_blocked_question_is_a_refusal_that_was_read_and_not_answered() -> None:
    said = read(
        {
            "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
            "usageMetadata": {"promptTokenCount": 125, "totalTokenCount": 125},
            "modelVersion": "gemini-3.8-flash-001",
        }
    )
    assert (said.trouble, said.again) == (Trouble.REFUSAL, False)
    assert said.detail == "the question was blocked (PROHIBITED_CONTENT)"
    assert said.usage == Usage(125, 0)


def test_no_candidate_and_no_reason_is_the_server_s_mistake() -> None:
    said = read({"candidates": [], "usageMetadata": {}})
    assert (said.trouble, said.again) == (Trouble.SERVER, True)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ([], NO_WORDS),
        ([{"text": " "}], NO_WORDS),
        ([{"text": "hm", "thought": True}], ONLY_THOUGHTS),
        ([{"text": "hm", "thought": True}, {"functionCall": {"name": "bet"}}], ONLY_A_TOOL),
    ],
)
def test_an_answer_without_words_says_what_it_was_instead(
    parts: list[object], why: str
) -> None:
    said = answer(*parts)
    assert (said.trouble, said.detail) == (Trouble.EMPTY, why)


@pytest.mark.parametrize(
    ("name", "code", "trouble", "again"),
    [
        ("INVALID_ARGUMENT", 400, Trouble.REQUEST, False),
        ("UNAUTHENTICATED", 401, Trouble.CREDENTIALS, False),
        ("PERMISSION_DENIED", 403, Trouble.CREDENTIALS, False),
        ("NOT_FOUND", 404, Trouble.REQUEST, False),
        ("RESOURCE_EXHAUSTED", 429, Trouble.RATE_LIMITED, True),
        ("INTERNAL", 500, Trouble.SERVER, True),
        ("UNAVAILABLE", 503, Trouble.SERVER, True),
        ("DEADLINE_EXCEEDED", 504, Trouble.SERVER, True),
    ],
)
def test_an_error_means_the_same_under_its_status_and_under_200(
    name: str, code: int, trouble: Trouble, *, again: bool
) -> None:
    for said in (error(name, code=code), error(name, code=code, http=200)):
        assert (said.trouble, said.again) == (trouble, again)
        assert said.detail == f"no ({name})"


def test_an_error_may_come_in_a_list_and_without_a_code() -> None:
    told = {"error": {"message": "slow down", "status": "RESOURCE_EXHAUSTED"}}
    said = read([told])
    assert said.trouble == Trouble.RATE_LIMITED
    assert said.detail == "slow down (RESOURCE_EXHAUSTED)"


@pytest.mark.parametrize(
    ("delay", "wait"),
    [("14s", 14.0), ("45.578569677s", 45.578569677), ("0s", None), ("soon", None), (14, None)],
)
def test_how_long_to_wait_is_in_the_body(delay: object, wait: float | None) -> None:
    said = error("RESOURCE_EXHAUSTED", code=429, details=[retry(delay)])
    assert (said.again, said.wait) == (True, wait)


def test_a_day_s_quota_is_not_waited_for() -> None:
    details = [
        quota("GenerateRequestsPerMinutePerModel", "GenerateRequestsPerDayPerProject"),
        retry("14s"),
    ]
    said = error("RESOURCE_EXHAUSTED", code=429, details=details)
    assert (said.trouble, said.again, said.wait) == (Trouble.QUOTA, False, None)


def test_a_minute_s_quota_is() -> None:
    details = [quota("GenerateRequestsPerMinutePerModel"), retry("14s")]
    said = error("RESOURCE_EXHAUSTED", code=429, details=details)
    assert (said.trouble, said.again, said.wait) == (Trouble.RATE_LIMITED, True, 14.0)


@pytest.mark.parametrize(
    "words",
    [
        "Quota exceeded for metric: generate_content_free_tier_requests, limit: 0, model: x",
        "Your project has exceeded its monthly spending cap.",
        "Your prepayment credits are depleted.",
    ],
)
def test_an_account_that_is_used_up_is_not_waited_for(words: str) -> None:
    said = error("RESOURCE_EXHAUSTED", words, 429, details=[retry("14s")])
    assert (said.trouble, said.again) == (Trouble.QUOTA, False)


def test_a_wrong_key_is_known_by_its_reason() -> None:
    details = [{"@type": f"{RPC}ErrorInfo", "reason": "API_KEY_INVALID"}]
    said = error("INVALID_ARGUMENT", "API key not valid.", details=details)
    assert (said.trouble, said.again, said.refused) == (Trouble.CREDENTIALS, False, "")
    assert said.detail == "API key not valid. (INVALID_ARGUMENT, API_KEY_INVALID)"


UNKNOWN = "Invalid JSON payload received. Unknown name"


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (
            f"{UNKNOWN} \"responseJsonSchema\" at 'generation_config': Cannot find field.",
            FORMAT,
        ),
        (
            f"{UNKNOWN} \"topK\" at 'generation_config': Cannot find field.",
            "generationConfig.topK",
        ),
        (
            f"{UNKNOWN} \"thinkingLevel\" at 'generation_config.thinking_config': Cannot find",
            "generationConfig.thinkingConfig.thinkingLevel",
        ),
        (
            f"{UNKNOWN} \"propertyOrdering\" at 'generation_config.response_json_schema': Ca",
            FORMAT,
        ),
        (f'{UNKNOWN} "serviceTier": Cannot find field.', "serviceTier"),
        ("Thinking level is not supported for this model.", THINKING),
        ("The specified schema produces a constraint that has too many states", FORMAT),
        ("JSON mode is not enabled for models/gemma-3-27b-it", FORMAT),
        ("Developer instruction is not enabled for models/gemma-3-27b-it", "systemInstruction"),
        ("Request contains an invalid argument.", FORMAT),
    ],
)
def test_the_field_that_was_refused_is_named(words: str, field: str) -> None:
    said = error("INVALID_ARGUMENT", words)
    assert (said.trouble, said.refused) == (Trouble.REQUEST, field)


def test_a_question_that_is_too_long_is_called_so() -> None:
    words = "The input token count (1200000) exceeds the maximum number of tokens allowed (9)."
    said = error("INVALID_ARGUMENT", words)
    assert (said.trouble, said.refused) == (Trouble.TOO_LONG, "")


def test_a_country_that_is_not_served_is_not_a_wrong_request() -> None:
    words = "User location is not supported for the API use."
    assert error("FAILED_PRECONDITION", words).trouble is Trouble.COUNTRY


def test_a_model_that_does_not_exist_is_no_matter_of_a_field() -> None:
    words = "models/x is not found, or is not supported for generateContent."
    assert error("NOT_FOUND", words, 404).refused == ""


def test_a_key_that_is_echoed_is_hidden() -> None:
    assert error("PERMISSION_DENIED", f"bad {KEY}", 403).detail.startswith("bad [key]")
    assert answer({"text": f"I know {KEY}"}).text == "I know [key]"
