from typing import Any

import pytest

from tests.standins.asked import Format
from tests.standins.failures import GEMINI_DAY, GEMINI_RATE, KEYS, QUOTA_CODES, router_error
from tests.standins.model_server import Dialect, Error, Ill, Misbehaviour, Served, ails, fails
from tests.testing.bare import ALL, Heard, heard

CHAT, RESPONSES, ANTHROPIC, GEMINI = ALL


def error(kind: Format, said: Misbehaviour) -> tuple[int, dict[str, Any]]:
    reply = heard(said, kind)
    return reply.status, reply.json["error"]


@pytest.mark.parametrize("status", [200, 400, 429, 500, 529])
@pytest.mark.parametrize("kind", ALL)
def test_an_error_comes_under_any_status(kind: Format, status: int) -> None:
    found, told = error(kind, fails(status, "no such thing"))
    assert (found, told["message"]) == (status, "no such thing")


def test_each_format_names_an_error_in_its_place() -> None:
    said = fails(429, "no", code="slow_down")
    _, chat = error(CHAT, said)
    assert (chat["type"], chat["code"], chat["param"]) == ("slow_down", "slow_down", None)
    assert error(ANTHROPIC, said)[1] == {"type": "slow_down", "message": "no"}
    _, gemini = error(GEMINI, said)
    assert (gemini["code"], gemini["status"]) == (429, "RESOURCE_EXHAUSTED")
    assert gemini["details"][0]["reason"] == "slow_down"


def test_a_status_alone_has_a_name_where_the_format_asks_for_one() -> None:
    assert error(ANTHROPIC, fails(529))[1]["type"] == "overloaded_error"
    assert error(ANTHROPIC, fails(418))[1]["type"] == "api_error"
    assert error(GEMINI, fails(503))[1]["status"] == "UNAVAILABLE"


def test_anthropic_says_that_it_is_an_error_and_which_request_it_was() -> None:
    told = heard(fails(400), ANTHROPIC).json
    assert (told["type"], told["request_id"]) == ("error", "req_1")


@pytest.mark.parametrize("ill", Ill)
@pytest.mark.parametrize("kind", ALL)
def test_every_ill_has_words_in_every_format(kind: Format, ill: Ill) -> None:
    status, told = error(kind, ails(ill, field="temperature"))
    assert status >= 400
    assert told["message"]
    assert "{" not in told["message"]


@pytest.mark.parametrize("code", QUOTA_CODES)
def test_openai_s_quotas_are_codes_of_a_429(code: str) -> None:
    status, told = error(CHAT, fails(429, code=code))
    assert (status, told["code"]) == (429, code)


def test_the_quota_of_each_provider() -> None:
    assert error(CHAT, ails(Ill.QUOTA))[1]["code"] == "insufficient_quota"
    _, anthropic = error(ANTHROPIC, ails(Ill.QUOTA))
    assert anthropic["type"] == "rate_limit_error"
    assert anthropic["details"] == {"error_code": "enforced_spend_limit_reached"}
    _, gemini = error(GEMINI, ails(Ill.QUOTA))
    assert "PerDay" in gemini["details"][0]["violations"][0]["quotaId"]


def test_gemini_says_in_the_body_how_long_to_wait() -> None:
    _, told = error(GEMINI, GEMINI_RATE)
    assert "PerMinute" in told["details"][0]["violations"][0]["quotaId"]
    assert told["details"][1]["@type"].endswith("RetryInfo")
    assert told["details"][1]["retryDelay"] == "14s"
    assert error(GEMINI, GEMINI_DAY)[1]["details"][1]["retryDelay"] == "14s"


def test_only_anthropic_is_overloaded_with_529() -> None:
    statuses = [error(kind, ails(Ill.OVERLOADED))[0] for kind in ALL]
    assert statuses == [503, 503, 529, 503]


def test_gemini_calls_a_wrong_key_a_bad_request() -> None:
    statuses = [error(kind, ails(Ill.KEY))[0] for kind in ALL]
    assert statuses == [401, 401, 401, 400]
    assert error(GEMINI, ails(Ill.KEY))[1]["details"][0]["reason"] == "API_KEY_INVALID"


def told_by_router(ill: Ill) -> Heard:
    served = Served(dialect=Dialect.OPENROUTER)
    return heard(Misbehaviour(error=Error(ill=ill), served=served), CHAT)


def test_a_router_s_moderator_is_a_403_with_reasons() -> None:
    reply = told_by_router(Ill.MODERATED)
    assert (reply.status, reply.json["error"]["code"]) == (403, 403)
    assert reply.json["error"]["metadata"]["reasons"] == ["violence"]


def test_without_credit_a_router_and_deepseek_say_402() -> None:
    assert told_by_router(Ill.CREDIT).status == 402
    served = Served(dialect=Dialect.DEEPSEEK)
    assert heard(Misbehaviour(error=Error(ill=Ill.CREDIT), served=served), CHAT).status == 402


def test_a_router_may_say_an_error_under_200_with_null_choices() -> None:
    reply = heard(router_error(200, "upstream", code=502, provider_name="Somebody"), CHAT)
    assert (reply.status, reply.json["choices"]) == (200, None)
    assert reply.json["error"]["code"] == 502


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("kind", ALL)
def test_a_key_is_turned_down_in_many_shapes(kind: Format, name: str) -> None:
    assert heard(KEYS[name], kind).status in {400, 401, 403}


def test_a_refusal_of_the_key_need_not_be_json() -> None:
    reply = heard(KEYS["key, plain text"], CHAT)
    assert (reply.body, reply.all("content-type")) == (b"Unauthorized", ["text/plain"])


def test_an_unsupported_field_is_named_in_each_format_s_place() -> None:
    said = ails(Ill.FIELD, field="generationConfig.thinkingConfig.thinkingLevel")
    _, chat = error(CHAT, said)
    assert (chat["param"], chat["code"]) == (
        "generationConfig.thinkingConfig.thinkingLevel",
        "unsupported_parameter",
    )
    _, gemini = error(GEMINI, said)
    assert (
        "Unknown name \"thinkingLevel\" at 'generation_config.thinking_config'"
        in gemini["message"]
    )
    assert gemini["details"][0]["fieldViolations"][0]["field"].endswith("thinking_level")
    _, anthropic = error(ANTHROPIC, ails(Ill.FIELD, field="top_k"))
    assert anthropic["message"] == "top_k: Extra inputs are not permitted"
