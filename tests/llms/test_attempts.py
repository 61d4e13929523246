import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from arena.clock import HandClock
from arena.http import HttpReply
from arena.llms.attempts import (
    Retries,
    Tried,
    added_up,
    ask_until_answered,
    backoff,
    spread,
    wait_asked_for,
)
from arena.records.answer import Attempt, Completion, Trouble, Usage
from arena.records.money import usd
from tests.llms.asking import T0, Waits

FAILED = Tried(
    Attempt(latency_ms=1, trouble=Trouble.SERVER),
    Completion(text=None, trouble=Trouble.SERVER, detail="boom"),
    again=True,
)


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


def test_waits_double_up_to_half_a_minute() -> None:
    assert [backoff(n, 1.0) for n in range(8)] == [1, 2, 4, 8, 16, 30, 30, 30]


def test_jitter_is_a_half_to_one_and_follows_from_its_seed() -> None:
    first, second, other = spread("a"), spread("a"), spread("b")
    drawn = [first() for _ in range(100)]
    assert drawn == [second() for _ in range(100)]
    assert drawn != [other() for _ in range(100)]
    assert all(0.5 <= jitter < 1 for jitter in drawn)
    assert max(drawn) - min(drawn) > 0.4


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
    well = Tried(Attempt(latency_ms=5, status=200), Completion(text="well"))
    said = asked(Server([FAILED, FAILED, well]), Waits())
    assert said.text == "well"
    assert [attempt.latency_ms for attempt in said.attempts] == [1, 1, 5]


def test_usage_is_added_up_where_it_is_known() -> None:
    known = [Usage(1, 2, usd("0.5")), Usage(), Usage(10, None, usd("0.25"))]
    assert added_up(known) == Usage(11, 2, usd("0.75"))
    assert added_up([]) == Usage()


def test_one_answer_of_unknown_cost_leaves_the_cost_unknown() -> None:
    assert added_up([Usage(1, 2, usd(1)), Usage(1, 2, None)]) == Usage(2, 4, None)


@pytest.mark.parametrize("word", ["-5", "nan", "inf", "1e9", "\u0667", "", "9" * 50, "5 s"])
def test_a_wait_that_is_no_number_is_none(word: str) -> None:
    reply = HttpReply(429, (("retry-after", word), ("retry-after-ms", word)), b"")
    assert wait_asked_for(reply, HandClock(T0)) is None


def test_a_date_without_a_zone_is_utc() -> None:
    reply = HttpReply(429, (("retry-after", "Mon, 05 Jan 2026 09:01:00 -0000"),), b"")
    assert wait_asked_for(reply, HandClock(T0)) == 60
