import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from arena.http import Fault, HttpError, HttpReply
from arena.llms.retries import (
    MOST_AT_ONCE,
    Retries,
    Tried,
    ask_until_answered,
    is_final,
    judge_fault,
    judge_status,
)
from arena.records.answer import Attempt, Completion, Trouble, Usage, added_up, taken_by
from arena.records.money import usd
from tests.llms.asking import Waits
from tests.llms.virtual_time import in_no_time

FAILED = Tried(
    Attempt(latency_ms=1, trouble=Trouble.SERVER),
    Completion(text=None, trouble=Trouble.SERVER, detail="boom"),
    again=True,
)
WELL = Tried(Attempt(latency_ms=5, status=200), Completion(text="well"))
CHANGED = replace(FAILED, again=False, at_once=True)


@dataclass(slots=True)
class Server:
    replies: list[Tried]
    left: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> Tried:
        self.left.append(seconds)
        return self.replies[min(len(self.left), len(self.replies)) - 1]


def asked(server: Server, waits: Waits, deadline: float = 300) -> Completion:
    retries = Retries(jitter=lambda: 1.0, sleep=waits.sleep)
    return asyncio.run(
        ask_until_answered(server, deadline=timedelta(seconds=deadline), retries=retries)
    )


def test_every_attempt_is_told_what_is_left_of_the_time() -> None:
    server = Server([FAILED])
    asked(server, Waits(), deadline=100)
    assert len(server.left) == 4
    assert server.left[0] == pytest.approx(100)
    assert server.left == sorted(server.left, reverse=True)


def test_no_wait_is_begun_that_would_pass_the_deadline() -> None:
    waits = Waits()
    said = asked(Server([FAILED]), waits, deadline=1.5)
    assert waits.seconds == [1.0]
    assert said.detail == "boom; waiting 2 s would pass the deadline"


def test_the_last_attempt_is_the_answer_and_all_are_kept() -> None:
    said = asked(Server([FAILED, FAILED, WELL]), Waits())
    assert said.text == "well"
    assert [attempt.latency_ms for attempt in said.attempts] == [1, 1, 5]


def test_usage_is_added_up_where_it_is_known() -> None:
    known = [Usage(1, 2, usd("0.5")), Usage(), Usage(10, None, usd("0.25"))]
    assert added_up(known) == Usage(11, 2, usd("0.75"))
    assert added_up([]) == Usage()


def test_one_answer_of_unknown_cost_leaves_the_cost_unknown() -> None:
    assert added_up([Usage(1, 2, usd(1)), Usage(1, 2, None)]) == Usage(2, 4, None)


# Which failures are asked again


def test_these_statuses_are_asked_again_and_no_other_is() -> None:
    again = (408, 429, 500, 502, 503, 504, 520, 529)
    never = (301, 307, 400, 401, 402, 403, 404, 409, 413, 422)
    assert tuple(s for s in (*again, *never) if judge_status(s).again) == again


def test_a_connection_that_failed_or_broke_off_is_asked_again_and_silence_is_not() -> None:
    again = {f for f in Fault if judge_fault(HttpError(f, "", sent=True)).again}
    assert again == {Fault.CONNECT, Fault.DROPPED}


def test_what_cannot_be_read_is_not_the_same_as_no_answer() -> None:
    for fault in (Fault.TOO_LARGE, Fault.GARBLED, Fault.NOT_JSON):
        assert judge_fault(HttpError(fault, "", sent=True)).trouble is Trouble.UNREADABLE


@pytest.mark.parametrize(
    ("word", "final"), [("false", True), (" False", True), ("true", False), ("", False)]
)
def test_a_server_may_forbid_to_ask_again_but_not_demand_it(word: str, *, final: bool) -> None:
    assert is_final(HttpReply(500, (("x-should-retry", word),), b"")) is final


# Another request at once, and the time in line


def test_a_changed_request_goes_at_once_and_is_not_counted() -> None:
    waits = Waits()
    server = Server([CHANGED, FAILED, CHANGED, FAILED, FAILED, FAILED])
    said = asked(server, waits)
    assert waits.seconds == [1.0, 2.0, 4.0]
    assert len(said.attempts) == 6


def test_a_request_is_not_changed_for_ever() -> None:
    waits = Waits()
    said = asked(Server([CHANGED]), waits)
    assert len(said.attempts) == MOST_AT_ONCE + 1
    assert waits.seconds == []
    assert said.detail == "boom"


def test_a_changed_request_needs_time_too() -> None:
    said = asked(Server([CHANGED, WELL]), Waits(), deadline=0)
    assert said.detail == "boom; the time is used up"


@dataclass(slots=True)
class Slow:
    """Takes a second to answer, after ten in line."""

    replies: list[Tried]
    left: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> Tried:
        self.left.append(seconds)
        await asyncio.sleep(11)
        return replace(self.replies[len(self.left) - 1], queued=10.0)


def slowly(slow: Slow, deadline: float) -> Completion:
    retries = Retries(jitter=lambda: 1.0)
    return in_no_time(
        ask_until_answered(slow, deadline=timedelta(seconds=deadline), retries=retries)
    )


def test_time_in_line_is_not_the_server_s() -> None:
    slow = Slow([FAILED, FAILED, WELL])
    said = slowly(slow, deadline=7)
    assert said.text == "well"
    assert slow.left == [7.0, 5.0, 2.0]
    assert said.latency_ms == 6_000


def test_a_wait_is_really_waited() -> None:
    said = slowly(Slow([replace(FAILED, wait=2.5), WELL]), deadline=7)
    assert said.latency_ms == 4_500


def test_what_was_billed_for_nobody_knows_how_much_leaves_the_sum_unknown() -> None:
    charged = Completion(
        None, usage=Usage(1, 2, usd("0.01")), attempts=(Attempt(1, 500, billed=None),)
    )
    silent = Completion("well", attempts=(Attempt(1, 200, billed=True),))
    refused = Completion(None, attempts=(Attempt(1, 401, billed=False),))
    assert taken_by([charged, silent]) == Usage(1, 2, None)
    assert taken_by([charged, refused]) == Usage(1, 2, usd("0.01"))
