import pytest

from arena.llms.wires.chat_reply import usage_in
from arena.records.answer import Usage
from arena.records.money import Usd, usd

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
