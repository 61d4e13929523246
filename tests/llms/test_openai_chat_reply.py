import json

import pytest

from arena.http import HttpReply
from arena.llms.wires.openai_chat import OpenAiChat, usage_in
from arena.llms.wires.wire import WireReply
from arena.records.answer import Trouble, Usage
from arena.records.money import Usd, usd
from arena.secrets import Redactor

WELL = [{"message": {"content": "well"}, "finish_reason": "stop"}]


def read(body: object, status: int = 200, kind: str = "application/json") -> WireReply:
    return read_bytes(json.dumps(body).encode(), status, kind)


def read_bytes(body: bytes, status: int = 200, kind: str = "application/json") -> WireReply:
    return OpenAiChat().read(HttpReply(status, (("content-type", kind),), body), Redactor(None))


def saying(content: object, **more: object) -> WireReply:
    return read({"choices": [{"message": {"content": content, **more}}]})


def spent(**usage: object) -> Usage:
    return read({"choices": WELL, "usage": usage}).usage


def test_parts_of_text_are_joined_and_thoughts_left_out() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "one "},
        "two ",
        {"text": "three"},
        {"type": ["odd"], "text": "no"},
    ]
    assert saying(parts).text == "one two three"


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content", "thinking"])
def test_reasoning_is_never_the_reply(name: str) -> None:
    assert saying("", **{name: "I think"}).trouble is Trouble.EMPTY
    assert saying("well", **{name: "I think"}).text == "well"


def test_blank_lines_before_the_reply_are_fine() -> None:
    assert read_bytes(b"\n\n\r\n" * 99 + json.dumps({"choices": WELL}).encode()).text == "well"


@pytest.mark.parametrize("kind", ["text/plain", "text/html", "application/octet-stream", ""])
def test_json_is_json_whatever_its_label_says(kind: str) -> None:
    assert read({"choices": WELL}, kind=kind).text == "well"


@pytest.mark.parametrize(
    "body", [b"<html><title>Upgrading</title>", b"data: {}\n\n", b"[]", b"3", b"\xff", b"{"]
)
def test_a_success_that_is_no_json_object_cannot_be_read(body: bytes) -> None:
    said = read_bytes(body, kind="text/html")
    assert (said.trouble, said.again) == (Trouble.UNREADABLE, False)
    assert said.detail.startswith("expected a JSON object, not text/html")


def test_what_no_database_can_keep_is_replaced() -> None:
    assert saying("a\ud800b\x00c").text == "a\ufffdb\ufffdc"


def test_a_finish_reason_of_its_own_is_kept() -> None:
    said = read({"choices": [{"message": {"content": "x"}, "finish_reason": "eos"}]})
    assert (said.finish, said.trouble) == ("eos", None)


@pytest.mark.parametrize("word", ["length", "MAX_TOKENS", "model_length"])
@pytest.mark.parametrize("name", ["finish_reason", "native_finish_reason"])
def test_what_was_cut_is_said_so_by_router_or_host(name: str, word: str) -> None:
    choice = {"finish_reason": "stop", name: word, "message": {"content": "cu"}}
    said = read({"choices": [choice]})
    assert (said.trouble, said.text) == (Trouble.TRUNCATED, "cu")


def test_a_refusal_beside_an_answer_is_a_refusal() -> None:
    said = saying("well", refusal="I will not.")
    assert (said.trouble, said.detail) == (Trouble.REFUSAL, "I will not.")


def test_a_completion_nested_in_its_provider_is_found() -> None:
    inner = {"choices": WELL, "model": "m-1", "usage": {"prompt_tokens": 3}, "provider": None}
    said = read({"id": "x", "choices": None, "provider": inner})
    assert (said.text, said.model, said.usage.tokens_in) == ("well", "m-1", 3)


def test_openai_counts_parts_inside_the_totals() -> None:
    usage = spent(
        prompt_tokens=1_000,
        completion_tokens=70,
        prompt_tokens_details={"cached_tokens": 600, "cache_write_tokens": 100},
        completion_tokens_details={"reasoning_tokens": 50},
    )
    assert usage == Usage(1_000, 70, None, 600, 100, 50)


def test_deepseek_has_its_own_name_for_what_was_cached() -> None:
    usage = spent(
        prompt_tokens=10,
        completion_tokens=2,
        prompt_cache_hit_tokens=7,
        prompt_cache_miss_tokens=3,
    )
    assert usage == Usage(10, 2, None, 7)


def test_openrouter_says_what_it_charged() -> None:
    assert spent(prompt_tokens=1, completion_tokens=2, cost=0.0123).cost == usd("0.0123")
    assert spent(cost=0).cost == usd(0)


def test_numbers_may_come_as_text() -> None:
    usage = spent(prompt_tokens="12", completion_tokens=3.0, cost="0.5")
    assert usage == Usage(12, 3, usd("0.5"))


@pytest.mark.parametrize("count", [-1, True, "7 k", "-7", 1.5, None, 10**30, [7], "9" * 400])
def test_a_count_that_is_none_is_unknown(count: object) -> None:
    assert spent(prompt_tokens=count, completion_tokens=7, cost="free") == Usage(None, 7, None)


@pytest.mark.parametrize("number", ["1e999999", "-1", "NaN", "Infinity", "1e400"])
def test_a_cost_that_is_none_is_unknown(number: str) -> None:
    body = f'{{"choices": [{{"message": {{"content": "x"}}}}], "usage": {{"cost": {number}}}}}'
    assert read_bytes(body.encode()).usage == Usage()


@pytest.mark.parametrize(
    ("message", "detail"),
    [
        ({"content": ""}, "an answer without words"),
        (
            {"content": None, "tool_calls": [{"id": "1"}]},
            "it called a tool, and was given none",
        ),
        ({"content": "", "reasoning": "hm"}, "an answer without words: it only thought"),
    ],
)
def test_an_answer_without_words_says_what_it_was(
    message: dict[str, object], detail: str
) -> None:
    said = read({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert (said.trouble, said.detail) == (Trouble.EMPTY, detail)


CHAT = ("prompt_tokens", "completion_tokens")
RESPONSES = ("input_tokens", "output_tokens")


def told(**usage: object) -> Usage:
    return usage_in({"usage": usage}, *CHAT)


def test_reasoning_beside_the_answer_is_a_part_of_what_was_billed() -> None:
    usage = told(
        prompt_tokens=10_120,
        completion_tokens=1_499,
        total_tokens=14_428,
        prompt_tokens_details={"cached_tokens": 128},
        completion_tokens_details={"reasoning_tokens": 2_809},
        cost_in_usd_ticks=232_856_000,
    )
    assert usage == Usage(10_120, 4_308, usd("0.023286"), 128, None, 2_809)


@pytest.mark.parametrize("total", [170, 171, None, "many"])
def test_reasoning_inside_the_answer_is_not_counted_twice(total: object) -> None:
    usage = told(
        prompt_tokens=100,
        completion_tokens=70,
        total_tokens=total,
        completion_tokens_details={"reasoning_tokens": 50},
    )
    assert (usage.tokens_out, usage.tokens_reasoning) == (70, 50)


def test_both_formats_count_alike() -> None:
    usage = {
        "input_tokens": 100,
        "output_tokens": 20,
        "total_tokens": 170,
        "output_tokens_details": {"reasoning_tokens": 50},
        "cost_in_usd_ticks": 10**10,
    }
    assert usage_in({"usage": usage}, *RESPONSES) == Usage(100, 70, usd(1), None, None, 50)


def test_what_a_host_charges_to_a_key_of_one_s_own_comes_on_top_of_the_fee() -> None:
    host = {"upstream_inference_cost": "0.0360795"}
    assert told(cost=0, is_byok=True, cost_details=host).cost == usd("0.036080")
    assert told(cost="0.0018", is_byok=True, cost_details=host).cost == usd("0.037880")


@pytest.mark.parametrize("details", [None, {}, {"upstream_inference_cost": None}])
def test_a_fee_alone_is_no_cost(details: object) -> None:
    assert told(cost="0.0018", is_byok=True, cost_details=details).cost is None


@pytest.mark.parametrize("own", [False, None, "true", 1])
def test_without_a_key_of_one_s_own_the_host_s_share_is_in_the_cost(own: object) -> None:
    details = {"upstream_inference_cost": "0.01"}
    assert told(cost="0.0105", is_byok=own, cost_details=details).cost == usd("0.0105")


@pytest.mark.parametrize(
    ("ticks", "cost"),
    [(37_756_000, usd("0.003776")), (0, usd(0)), ("94000", usd("0.000009")), (-1, None)],
)
def test_ticks_are_ten_thousand_millionths_of_a_dollar(ticks: object, cost: Usd | None) -> None:
    assert told(cost_in_usd_ticks=ticks).cost == cost


def test_without_usage_nothing_is_known() -> None:
    assert usage_in({}, *CHAT) == usage_in({"usage": [1]}, *CHAT) == Usage()
