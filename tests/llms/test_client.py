"""The whole way of a question, over real sockets, whatever the wire format."""

import asyncio
import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType

import pytest

from arena.errors import ArenaError
from arena.llms.throttle import RateLimits, Throttle
from arena.llms.wires.openai_chat import from_settings
from arena.records.answer import Completion, Question, Trouble, Usage
from arena.records.money import usd
from tests.llms.asking import KEY, LIBRARIES, QUESTION, Unheeding, Waits, ask, client, settings
from tests.standins.misbehaviour import Served, Tokens
from tests.standins.model_server import (
    BAD_JSON,
    DROPS,
    EMPTY_BODY,
    EMPTY_CONTENT,
    HANGS,
    HTML_PAGE,
    Delivery,
    Message,
    Misbehaviour,
    ModelServer,
    fails,
    in_turn,
    strictly,
)

SCHEMA = '{"type": "object"}'
HELD = Question(system="the rules, in JSON", user="the facts", schema=SCHEMA)
STRICT = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
HELD_STRICTLY = replace(HELD, schema=json.dumps(STRICT))


@pytest.fixture
def waits() -> Waits:
    return Waits()


def answer(waits: Waits, *replies: str | Misbehaviour, deadline: float = 300) -> Completion:
    with ModelServer(reply=in_turn(*replies)) as server:
        return ask(client(settings(server.base_url, deadline=deadline), waits))


def echo(model: str, messages: Sequence[Message]) -> str:
    return f"{model} heard {messages[-1]['content']}"


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.__name__)
def test_a_question_is_answered(library: ModuleType, waits: Waits) -> None:
    with ModelServer(reply=echo) as server:
        said = ask(client(settings(server.base_url), waits, library=library))
    assert said.text == "small-1 heard the facts"
    assert (said.model, said.finish, said.trouble) == ("small-1", "stop", None)
    assert [(a.status, a.billed) for a in said.attempts] == [(200, True)]
    assert json.loads(said.raw)["choices"][0]["message"]["content"] == said.text


def test_two_hundred_contestants_wait_together(waits: Waits) -> None:
    async def many() -> list[Completion]:
        return await asyncio.gather(*(llm.complete(QUESTION) for _ in range(200)))

    with ModelServer(reply=echo, together=200) as server:
        llm = client(settings(server.base_url), waits)
        said = asyncio.run(many())
    assert {completion.text for completion in said} == {"small-1 heard the facts"}
    assert server.most_at_once == 200


def test_one_client_serves_one_loop_after_the_other() -> None:
    with ModelServer(reply=echo) as server:
        llm = from_settings(settings(server.base_url), KEY)
        said = [asyncio.run(llm.complete(QUESTION)) for _ in range(2)]
    assert [completion.trouble for completion in said] == [None, None]


@pytest.mark.parametrize("url", ["", "example.com/v1", "ftp://x/", "http://[", "http://a@b/v1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ArenaError, match="base_url"):
        from_settings(settings(url), None)


def test_a_key_is_sent_as_a_bearer_token_and_no_key_as_nothing(waits: Waits) -> None:
    with ModelServer(reply=echo) as server:
        ask(client(settings(server.base_url), waits, key=f"{KEY}\n"))
        ask(client(settings(server.base_url), waits, key=None))
    first, second = server.requests
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in second.headers


def test_a_key_that_no_header_can_hold_is_refused_unseen() -> None:
    with pytest.raises(ArenaError) as caught:
        from_settings(settings("http://127.0.0.1:1/v1"), "sk-\u00e9\nInjected: yes")
    assert "Injected" not in caught.value.message + caught.value.hint
    assert caught.value.status == 4


@pytest.mark.parametrize(
    ("misbehaviour", "trouble", "billed"),
    [
        (fails(408), Trouble.TIMEOUT, None),
        (fails(429, code="rate_limit_exceeded"), Trouble.RATE_LIMITED, False),
        (fails(500), Trouble.SERVER, False),
        (fails(529), Trouble.SERVER, False),
        (fails(504), Trouble.SERVER, None),
        (fails(200, code="overloaded"), Trouble.SERVER, None),
        (fails(200, code="429"), Trouble.RATE_LIMITED, None),
        (Misbehaviour(body=b'{"choices": null}'), Trouble.SERVER, None),
        (Misbehaviour(content="half", finish="error"), Trouble.SERVER, True),
        (EMPTY_BODY, Trouble.EMPTY, None),
        (DROPS, Trouble.UNREACHABLE, None),
    ],
)
def test_what_passes_is_asked_again(
    misbehaviour: Misbehaviour, trouble: Trouble, billed: object, waits: Waits
) -> None:
    said = answer(waits, misbehaviour, misbehaviour, "well")
    assert said.text == "well"
    assert said.trouble is None
    assert [attempt.trouble for attempt in said.attempts] == [trouble, trouble, None]
    assert [attempt.billed for attempt in said.attempts] == [billed, billed, True]
    assert waits.seconds == [0.5, 1.0]


@pytest.mark.parametrize(
    ("misbehaviour", "trouble"),
    [
        (fails(400), Trouble.REQUEST),
        (fails(413), Trouble.TOO_LONG),
        (fails(401, code="invalid_api_key"), Trouble.CREDENTIALS),
        (fails(402), Trouble.QUOTA),
        (fails(403), Trouble.CREDENTIALS),
        (fails(404, code="model_not_found"), Trouble.REQUEST),
        (fails(422), Trouble.REQUEST),
        (fails(307, headers={"Location": "/elsewhere"}), Trouble.REQUEST),
        (fails(429, code="project_spend_limit_exceeded"), Trouble.QUOTA),
        (fails(200, code="insufficient_quota"), Trouble.QUOTA),
        (fails(200, code="402"), Trouble.QUOTA),
        (fails(200, code="invalid_api_key"), Trouble.CREDENTIALS),
        (HTML_PAGE, Trouble.UNREADABLE),
        (BAD_JSON, Trouble.UNREADABLE),
        (EMPTY_CONTENT, Trouble.EMPTY),
        (Misbehaviour(content=None), Trouble.EMPTY),
        (Misbehaviour(refusal="I will not."), Trouble.REFUSAL),
        (Misbehaviour(content="no", finish="content_filter"), Trouble.REFUSAL),
        (Misbehaviour(content="cut", finish="length"), Trouble.TRUNCATED),
    ],
)
def test_what_does_not_pass_is_final(
    misbehaviour: Misbehaviour, trouble: Trouble, waits: Waits
) -> None:
    said = answer(waits, misbehaviour, "well")
    assert said.trouble is trouble
    assert len(said.attempts) == 1
    assert said.attempts[0].trouble is trouble
    assert said.detail
    assert waits.seconds == []


def test_a_server_that_points_elsewhere_is_quoted_without_query_and_key(waits: Waits) -> None:
    place = f"https://new.example.com/{KEY}/v1?token=abc#x"
    said = answer(waits, fails(307, headers={"Location": place}))
    assert "answered 307, which points to https://new.example.com/[key]/v1: " in said.detail
    assert said.attempts[0].detail == said.detail


@pytest.mark.parametrize(
    ("status", "headers"), [(302, {}), (302, {"Location": ""}), (400, {"Location": "/x"})]
)
def test_a_server_that_points_nowhere_is_not_said_to_point(
    status: int, headers: dict[str, str], waits: Waits
) -> None:
    said = answer(waits, fails(status, "gone", headers=headers))
    assert f"answered {status}: gone" in said.detail


def test_a_moderator_s_no_is_a_refusal_and_not_a_bad_key(waits: Waits) -> None:
    told = {"error": {"code": 403, "message": "flagged", "metadata": {"reasons": ["x"]}}}
    said = answer(waits, Misbehaviour(status=403, body=json.dumps(told).encode()))
    assert said.trouble is Trouble.REFUSAL


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0"}, 0.5),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "Mon, 05 Jan 2026 09:00:20 GMT"}, 20.0),
        (
            {
                "Retry-After": "Mon, 05 Jan 2026 08:00:20 GMT",
                "Date": "Mon, 05 Jan 2026 08:00:15 GMT",
            },
            5.0,
        ),
        ({"Retry-After": "Mon, 05 Jan 2026 08:00:00 GMT"}, 0.5),
        ({"Retry-After": "soon"}, 0.5),
    ],
)
def test_a_server_is_left_alone_for_as_long_as_it_asks(
    headers: dict[str, str], seconds: float, waits: Waits
) -> None:
    said = answer(waits, fails(429, headers=headers), "well")
    assert said.text == "well"
    assert waits.seconds == [seconds]


def test_a_wait_that_passes_the_deadline_ends_it_now(waits: Waits) -> None:
    said = answer(waits, fails(429, headers={"Retry-After": "301"}), "well")
    assert said.trouble is Trouble.RATE_LIMITED
    assert waits.seconds == []
    assert "waiting 5 min 1 s would pass the deadline" in said.detail


@pytest.mark.parametrize("slow", [HANGS, Misbehaviour(content="slow", drip=0.05)])
def test_the_deadline_holds_whatever_the_server_does(slow: Misbehaviour, waits: Waits) -> None:
    said = answer(waits, slow, deadline=0.3)
    assert said.trouble is Trouble.TIMEOUT
    assert [(a.trouble, a.billed) for a in said.attempts] == [(Trouble.TIMEOUT, None)]
    assert 250 <= said.latency_ms < 5_000


def test_an_unreachable_server_is_named(waits: Waits) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    said = ask(client(settings(f"http://127.0.0.1:{port}/v1"), waits))
    assert said.trouble is Trouble.UNREACHABLE
    assert f"127.0.0.1:{port} cannot be reached" in said.detail
    assert [attempt.billed for attempt in said.attempts] == [False] * 4


def counted(tokens_in: int, tokens_out: int, **more: object) -> Misbehaviour:
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, **more}
    choices = [{"message": {"content": "well"}, "finish_reason": "stop"}]
    return Misbehaviour(body=json.dumps({"choices": choices, "usage": usage}).encode())


def priced(reply: Misbehaviour, prices: tuple[str, str] | None, *before: Misbehaviour) -> Usage:
    with ModelServer(reply=in_turn(*before, reply)) as server:
        return ask(client(settings(server.base_url, prices=prices), Waits())).usage


def test_cost_follows_from_the_prices() -> None:
    usage = priced(counted(1_000, 500), ("2", "10"))
    assert usage == Usage(1_000, 500, usd("0.007"), priced="configured")


def test_the_provider_s_own_cost_counts_more() -> None:
    usage = priced(counted(1_000, 500, cost=0.0123), ("2", "10"))
    assert (usage.cost, usage.priced) == (usd("0.0123"), "reported")


def test_without_prices_cost_is_unknown() -> None:
    assert priced(counted(1_000, 500), None) == Usage(1_000, 500, None)


def test_tokens_of_all_attempts_are_added_up() -> None:
    failed = Misbehaviour(
        body=b'{"error": {"code": 502}, "usage": {"prompt_tokens": 9, "completion_tokens": 1}}'
    )
    usage = priced(counted(1_000, 500), ("2", "10"), fails(500), failed)
    assert (usage.tokens_in, usage.tokens_out) == (1_009, 501)


@pytest.mark.parametrize(
    "misbehaviour",
    [
        Misbehaviour(content=f"your key is {KEY}", refusal=None),
        Misbehaviour(content="x", refusal=f"not with {KEY}"),
        Misbehaviour(content="x", finish=KEY),
        fails(401, f"Incorrect API key provided: {KEY}."),
        fails(401, f"Incorrect API key provided: {KEY[:8]}********{KEY[-4:]}."),
        fails(500, "x" * 290 + KEY),
        Misbehaviour(status=502, body=KEY.encode(), content_type="text/html"),
        Misbehaviour(body=KEY.encode(), content_type=f"text/{KEY}"),
        Misbehaviour(body=json.dumps({"error": KEY, "model": KEY}).encode()),
    ],
)
def test_the_key_is_in_nothing_that_is_kept(misbehaviour: Misbehaviour, waits: Waits) -> None:
    with ModelServer(reply=in_turn(misbehaviour)) as server:
        llm = client(settings(server.base_url), waits)
        said = ask(llm)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    for record in (said, llm):
        assert KEY not in repr(record)
        assert KEY[:12] not in repr(record)
        assert KEY[-6:] not in repr(record)


def test_what_is_no_http_is_told_in_a_short_line(waits: Waits) -> None:
    noise = f"SSH-2.0 {KEY} {'x' * 60_000}\r\n\r\n".encode()
    said = answer(waits, Misbehaviour(delivery=Delivery(raw=noise)))
    assert said.trouble is Trouble.UNREACHABLE
    assert "broke off: illegal status line: bytearray(b'SSH-2.0 [key] xxx" in said.detail
    assert {len(a.detail) for a in said.attempts} == {300}


def refuses(message: str, param: str | None = None, code: str | None = None) -> Misbehaviour:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Misbehaviour(status=400, body=json.dumps({"error": error}).encode())


NO_TEMPERATURE = refuses(
    "Unsupported parameter: 'temperature' is not supported with this model.",
    "temperature",
    "unsupported_parameter",
)
NO_SCHEMA = refuses(
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported"
)
NO_JSON = refuses("response_format is not supported")
WARM: dict[str, object] = {"profile": {"sampling": True}, "sampling": {"temperature": 0.5}}


def told(
    replies: Sequence[str | Misbehaviour],
    options: Mapping[str, object],
    question: Question = QUESTION,
    *,
    times: int = 1,
) -> tuple[list[Completion], list[dict[str, object]], Waits]:
    """Ask a client so many times: what it says, what was sent, how long it waited."""
    waits = Waits()
    with ModelServer(reply=in_turn(*replies)) as server:
        llm = client(settings(server.base_url, options=dict(options)), waits)
        said = [ask(llm, question) for _ in range(times)]
    return said, [dict(request.body) for request in server.requests], waits


def test_a_parameter_that_is_refused_is_dropped_at_once() -> None:
    (said,), bodies, waits = told([NO_TEMPERATURE, "well"], WARM)
    assert said.text == "well"
    assert said.adapted == ("without temperature",)
    assert [(a.status, a.trouble, a.billed) for a in said.attempts] == [
        (400, Trouble.REQUEST, False),
        (200, None, True),
    ]
    assert "temperature" in said.attempts[0].detail
    assert [body.get("temperature") for body in bodies] == [0.5, None]
    assert waits.seconds == []


def test_what_was_refused_is_not_sent_again_by_the_same_client() -> None:
    said, bodies, _ = told([NO_TEMPERATURE, "well", "again"], WARM, times=2)
    assert [completion.text for completion in said] == ["well", "again"]
    assert [completion.adapted for completion in said] == [("without temperature",)] * 2
    assert len(bodies) == 3


def test_what_did_not_help_is_not_remembered() -> None:
    said, bodies, _ = told([NO_TEMPERATURE, fails(404), "well"], WARM, times=2)
    assert [completion.trouble for completion in said] == [Trouble.REQUEST, None]
    assert [body.get("temperature") for body in bodies] == [0.5, None, 0.5]


def test_a_parameter_is_dropped_once() -> None:
    (said,), bodies, _ = told([NO_TEMPERATURE], WARM)
    assert (said.trouble, len(bodies)) == (Trouble.REQUEST, 2)


def test_dropping_a_parameter_takes_no_attempt_away() -> None:
    (said,), _, waits = told([NO_TEMPERATURE, *[fails(500)] * 3, "well"], WARM)
    assert said.text == "well"
    assert waits.seconds == [0.5, 1.0, 2.0]


def test_a_format_that_is_refused_is_asked_for_less_surely() -> None:
    (said,), bodies, _ = told([NO_SCHEMA, NO_JSON, "well"], {"output": "schema"}, HELD)
    assert said.text == "well"
    assert said.adapted == ("prompt instead of schema",)
    assert len(said.attempts) == 3
    formats = [body.get("response_format") for body in bodies]
    assert formats == [
        {
            "type": "json_schema",
            "json_schema": {"name": "decision", "schema": {"type": "object"}},
        },
        {"type": "json_object"},
        None,
    ]


def test_the_length_goes_by_its_other_name_where_its_own_is_refused() -> None:
    wrong = refuses(
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "max_tokens",
        "unsupported_parameter",
    )
    (said,), bodies, _ = told([wrong, "well"], {})
    assert said.adapted == ("max_completion_tokens instead of max_tokens",)
    assert [body.get("max_tokens") for body in bodies] == [4096, None]
    assert bodies[1]["max_completion_tokens"] == 4096


def test_the_names_of_the_length_are_exchanged_once() -> None:
    each = [
        refuses(f"Unsupported parameter: '{n}'")
        for n in ("max_tokens", "max_completion_tokens")
    ]
    (said,), bodies, _ = told(each, {})
    assert said.trouble is Trouble.REQUEST
    assert len(bodies) == 2


def test_a_server_that_refuses_everything_is_given_up() -> None:
    fields = [f"field{n}" for n in range(9)]
    replies = [refuses(f"Unknown parameter: '{field}'.", field) for field in fields]
    (said,), bodies, _ = told(replies, {"extra": dict.fromkeys(fields, 1)})
    assert said.trouble is Trouble.REQUEST
    assert len(bodies) == 5


@pytest.mark.parametrize(
    "field", ["model", "messages", "max_tokens.x", "provider.order", "nothing"]
)
def test_what_is_asked_of_whom_is_never_dropped(field: str) -> None:
    options = {"route": {"order": ["one"]}}
    (said,), bodies, _ = told([refuses(f"Unknown parameter: '{field}'.", field)], options)
    assert said.trouble is Trouble.REQUEST
    assert len(bodies) == 1


def test_no_turn_in_line_is_an_answer_too(waits: Waits) -> None:
    line = Throttle(RateLimits(at_once=9, requests_per_minute=1))
    with ModelServer(reply=echo) as server:
        hasty = client(settings(server.base_url, deadline=5), waits)
        hasty.throttle, hasty.retries = line, replace(hasty.retries, in_line=5)
        first, second = ask(hasty), ask(hasty)
    assert first.trouble is None
    assert second.trouble is Trouble.RATE_LIMITED
    assert second.detail.endswith("came within 5 s")
    assert [(a.status, a.billed) for a in second.attempts] == [(None, False)]
    assert len(server.requests) == 1


def test_the_time_in_line_may_be_longer_than_the_deadline_but_not_shorter(waits: Waits) -> None:
    line = Throttle(RateLimits(at_once=9, requests_per_minute=1))

    def patience(deadline: float, in_line: float) -> float:
        model = settings("http://127.0.0.1:9/v1", deadline=deadline)
        llm = client(model, waits)
        llm.throttle, llm.retries = line, replace(llm.retries, in_line=in_line)
        words = ask(llm).detail.split()
        assert words[:-2] == ["no", "turn", "to", "ask", "the", "server", "came", "within"]
        return float(words[-2])

    async def went() -> None:
        async with line.turn(1, 1, "another"):
            pass

    asyncio.run(went())
    assert [patience(2, 30), patience(30, 2)] == pytest.approx([30, 30], abs=5)


@pytest.mark.parametrize("reply", ["well", fails(502), DROPS], ids=["well", "fails", "drops"])
def test_what_a_server_says_counts_for_the_model_that_was_asked(
    reply: str | Misbehaviour, waits: Waits
) -> None:
    line = Unheeding()
    with ModelServer(reply=in_turn(reply)) as server:
        llm = client(replace(settings(server.base_url), name="own name"), waits)
        llm.throttle = line
        asked = len(ask(llm).attempts)
    assert line.turns == line.replies == ["own name"] * asked


def test_a_server_s_word_that_it_is_final_counts(waits: Waits) -> None:
    said = answer(waits, fails(500, headers={"x-should-retry": "false"}), "well")
    assert said.trouble is Trouble.SERVER
    assert len(said.attempts) == 1


def test_who_served_it_and_how_is_kept(waits: Waits) -> None:
    body = {
        "choices": [{"message": {"content": "well"}}],
        "provider": "Some Host",
        "service_tier": "flex",
        "model": "small-1-0105",
    }
    said = answer(waits, Misbehaviour(body=json.dumps(body).encode()))
    assert (said.route, said.tier, said.model) == ("Some Host", "flex", "small-1-0105")


def test_a_model_that_is_known_is_asked_right_at_once(waits: Waits) -> None:
    with ModelServer(strictly(then="well")) as server:
        known = replace(settings(server.base_url), provider="OpenAI", model="gpt-5.6-sol")
        said = ask(client(known, waits), HELD_STRICTLY)
    assert (said.text, said.adapted, len(said.attempts)) == ("well", (), 1)
    assert server.requests[0].body["response_format"]["json_schema"]["strict"] is True


def test_a_model_that_is_not_known_is_asked_right_after_a_refusal(waits: Waits) -> None:
    with ModelServer(strictly(then="well")) as server:
        unknown = replace(settings(server.base_url, options=WARM), model="gpt-6-sol")
        said = ask(client(unknown, waits), HELD_STRICTLY)
    assert said.text == "well"
    assert said.adapted == (
        "max_completion_tokens instead of max_tokens",
        "without temperature",
    )


def test_an_answer_that_was_cut_off_says_what_to_raise(waits: Waits) -> None:
    tokens = Tokens(read=10, said=4096, reasoning=4000)
    cut = Misbehaviour(content="", finish="length", served=Served(tokens=tokens))
    detail = answer(waits, cut).detail
    assert detail.endswith(
        "; max_tokens of small is 4096, of which 4000 went into thinking: raise it"
    )
