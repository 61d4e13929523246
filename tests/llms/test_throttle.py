"""A simulated server's view of the line, on a clock that jumps."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.clock import HandClock
from arena.http import HttpReply
from arena.llms.throttle import (
    FAILURES,
    GIVEN_UP_FOR,
    PAUSES,
    Breaker,
    RateLimits,
    Throttle,
    ThrottleError,
    throttle_for,
)
from arena.records.answer import Trouble
from arena.records.settings import ModelSettings
from tests.llms.asking import T0
from tests.llms.virtual_time import in_no_time
from tests.sizes import size

LONG = 1e6
WELL = HttpReply(200, (), b"{}")
DOWN = HttpReply(503, (), b"")


@dataclass(frozen=True, slots=True)
class Wish:
    """One who comes at a moment, to use tokens and to hold a place for some seconds."""

    at: float = 0.0
    tokens: int = 1
    lasts: float = 0.0
    leaves_after: float | None = None  # cancelled then, in line or not
    model: str = "m"


@dataclass(slots=True)
class Seen:
    """What the server saw: when each went, with how many tokens, and how many were there."""

    came: list[int] = field(default_factory=list)
    went: list[tuple[float, int]] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    there: int = 0
    most: int = 0


def line(**limits: int | None) -> Throttle:
    return Throttle(
        RateLimits(**{"at_once": 1000, **limits}),  # type: ignore[arg-type]  # None is no limit
        "example.com:443",
        clock=HandClock(T0),
    )


async def played(throttle: Throttle, wishes: Sequence[Wish], seconds: float = LONG) -> Seen:
    seen = Seen()

    async def come(number: int, wish: Wish) -> None:
        await asyncio.sleep(wish.at)
        seen.came.append(number)
        async with throttle.turn(wish.tokens, seconds, wish.model):
            seen.went.append((asyncio.get_running_loop().time(), wish.tokens))
            seen.order.append(number)
            seen.there += 1
            seen.most = max(seen.most, seen.there)
            try:
                await asyncio.sleep(wish.lasts)
            finally:
                seen.there -= 1

    async def perhaps_leave(number: int, wish: Wish) -> None:
        coming = asyncio.ensure_future(come(number, wish))
        if wish.leaves_after is not None:
            await asyncio.sleep(wish.leaves_after)
            coming.cancel()
        await asyncio.wait([coming])
        if not coming.cancelled():
            coming.result()

    await asyncio.gather(*(perhaps_leave(n, wish) for n, wish in enumerate(wishes)))
    return seen


def times(seen: Seen) -> list[float]:
    return [at for at, _ in seen.went]


def wishes(*models: str, late: float = 0.0) -> st.SearchStrategy[Wish]:
    return st.builds(
        Wish,
        at=st.integers(0, 200).map(float),
        tokens=st.integers(0, 60),
        lasts=st.sampled_from([0.0, 0.3, 7.0, 90.0]),
        leaves_after=st.none() | st.integers(0, 300).map(lambda n: n + late),
        model=st.sampled_from(models),
    )


def hold_to(limits: dict[str, int], coming: list[Wish], seen: Seen) -> None:
    """No minute sees more than the limits, and all who stay get their turn."""
    assert (seen.most <= limits["at_once"], seen.there) == (True, 0)
    for moment, _ in seen.went:
        minute = [used for at, used in seen.went if moment <= at < moment + 60]
        assert len(minute) <= limits["requests_per_minute"]
        # more than the limit may be used only by one who goes alone
        is_alone = len([used for used in minute if used]) == 1
        assert sum(minute) <= limits["tokens_per_minute"] or is_alone
    assert {n for n, wish in enumerate(coming) if wish.leaves_after is None} <= set(seen.order)


LIMITS = st.fixed_dictionaries(
    {
        "requests_per_minute": st.integers(1, 6),
        "tokens_per_minute": st.integers(1, 50),
        "at_once": st.integers(1, 4),
    }
)


@settings(max_examples=size(40, 200), deadline=None)
@given(st.lists(wishes("m"), max_size=40), LIMITS)
def test_limits_hold_and_all_who_stay_get_their_turn_in_the_order_they_came(
    coming: list[Wish], limits: dict[str, int]
) -> None:
    seen = in_no_time(played(line(**limits), coming))
    hold_to(limits, coming, seen)
    assert seen.order == [n for n in seen.came if n in seen.order]


def test_without_limits_all_go_at_once() -> None:
    seen = in_no_time(played(line(), [Wish(lasts=1.0)] * 1000))
    assert (seen.most, set(times(seen))) == (1000, {0.0})


def test_requests_reach_their_limit() -> None:
    seen = in_no_time(played(line(requests_per_minute=60), [Wish()] * 300))
    assert times(seen) == [60.0 * (n // 60) for n in range(300)]


def test_tokens_reach_their_limit() -> None:
    seen = in_no_time(played(line(tokens_per_minute=1000), [Wish(tokens=250)] * 12))
    assert times(seen) == [0.0] * 4 + [60.0] * 4 + [120.0] * 4


def test_a_place_is_taken_as_soon_as_it_is_free() -> None:
    seen = in_no_time(played(line(at_once=10), [Wish(lasts=2.0)] * 100))
    assert times(seen) == [2.0 * (n // 10) for n in range(100)]


def test_what_is_larger_than_the_limit_goes_alone() -> None:
    coming = [Wish(tokens=10), Wish(tokens=500), Wish(tokens=10)]
    seen = in_no_time(played(line(tokens_per_minute=100), coming))
    assert seen.went == [(0.0, 10), (60.0, 500), (120.0, 10)]


def refused(
    throttle: Throttle, seconds: float, *, before: Sequence[Wish] = ()
) -> ThrottleError:
    async def play() -> ThrottleError:
        first = asyncio.ensure_future(played(throttle, before))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        with pytest.raises(ThrottleError) as caught:
            await played(throttle, [Wish()], seconds)
        first.cancel()
        await asyncio.wait([first])
        return caught.value

    return in_no_time(play())


def test_who_gets_no_turn_in_time_is_told_so() -> None:
    error = refused(line(at_once=1), 5, before=[Wish(lasts=100)])
    assert error.trouble is Trouble.RATE_LIMITED
    assert error.message == "no turn to ask example.com:443 came within 5 s"


def test_who_is_next_is_told_at_once_that_its_turn_comes_too_late() -> None:
    async def play() -> float:
        throttle = line(requests_per_minute=1)
        await played(throttle, [Wish()])
        with pytest.raises(ThrottleError):
            await played(throttle, [Wish()], 59)
        return asyncio.get_running_loop().time()

    assert in_no_time(play()) == 0


def test_who_gave_up_does_not_hold_up_the_others() -> None:
    async def play() -> Seen:
        throttle = line(at_once=1)
        impatient = asyncio.ensure_future(played(throttle, [Wish(at=1)], 2))
        seen = await played(throttle, [Wish(lasts=10), Wish(at=2)])
        with pytest.raises(ThrottleError):
            await impatient
        return seen

    assert times(in_no_time(play())) == [0.0, 10.0]


def test_what_went_out_counts_in_the_next_loop_too() -> None:
    throttle = line(requests_per_minute=2)
    in_no_time(played(throttle, [Wish()] * 2), start=1000)
    assert times(in_no_time(played(throttle, [Wish()]), start=1030)) == [1060.0]


def test_a_loop_with_another_clock_starts_anew() -> None:
    throttle = line(requests_per_minute=2)
    in_no_time(played(throttle, [Wish()] * 2), start=1000)
    assert times(in_no_time(played(throttle, [Wish()]), start=3)) == [3.0]


def test_a_loop_that_ended_in_the_middle_leaves_no_place_taken() -> None:
    throttle = line(at_once=1)

    async def stops() -> None:
        staying = asyncio.ensure_future(played(throttle, [Wish(lasts=100)] * 2))
        await asyncio.sleep(1)
        assert not staying.done()

    in_no_time(stops())
    assert times(in_no_time(played(throttle, [Wish()]), start=5)) == [5.0]


# What the server says


def after(
    throttle: Throttle,
    *replies: HttpReply | None,
    wishes: Sequence[Wish],
    model: str = "m",
    down: int = 0,
) -> list[float]:
    """Tell a line of a model's replies, and say when those went who came after."""

    async def play() -> Seen:
        with_one_down(throttle, down)
        for reply in replies:
            throttle.heard(reply, model)
        return await played(throttle, wishes)

    return times(in_no_time(play()))


def saying(status: int = 200, **headers: str) -> HttpReply:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return HttpReply(status, named, b"{}")


def test_what_is_left_of_the_server_s_own_limit_is_kept_to() -> None:
    told = saying(x_ratelimit_remaining_requests="2", x_ratelimit_reset_requests="6s")
    assert after(line(), told, wishes=[Wish()] * 5) == [0.0, 0.0, 6.0, 6.0, 6.0]


def test_what_is_left_of_the_server_s_tokens_is_kept_to() -> None:
    told = saying(x_ratelimit_remaining_tokens="100", x_ratelimit_reset_tokens="20ms")
    assert after(line(), told, wishes=[Wish(tokens=60)] * 3) == [0.0, 0.02, 0.02]


def test_after_its_reset_a_limit_that_was_named_holds_again() -> None:
    told = saying(
        x_ratelimit_limit_requests="2",
        x_ratelimit_remaining_requests="0",
        x_ratelimit_reset_requests="6s",
    )
    assert after(line(), told, wishes=[Wish()] * 5) == [6.0, 6.0, 66.0, 66.0, 126.0]


def test_what_is_larger_than_the_server_s_limit_goes_when_all_is_there() -> None:
    told = saying(
        x_ratelimit_limit_tokens="100",
        x_ratelimit_remaining_tokens="100",
        x_ratelimit_reset_tokens="1s",
    )
    assert after(line(), told, wishes=[Wish(tokens=300)] * 3) == [0.0, 1.0, 61.0]


def test_a_wait_that_was_asked_for_in_words_holds_for_everybody() -> None:
    async def play() -> Seen:
        throttle = line()
        throttle.leave_alone(14, "another")
        throttle.leave_alone(3, "m")
        return await played(throttle, [Wish()] * 2)

    assert times(in_no_time(play())) == [14.0, 14.0]


def test_those_under_way_count_as_ahead() -> None:
    async def play() -> Seen:
        throttle = line()
        under_way = asyncio.ensure_future(played(throttle, [Wish(lasts=30)] * 4))
        await asyncio.sleep(1)
        throttle.heard(
            saying(x_ratelimit_remaining_requests="4", x_ratelimit_reset_requests="10"), "m"
        )
        seen = await played(throttle, [Wish()] * 2)
        await under_way
        return seen

    assert times(in_no_time(play())) == [1.0, 11.0]


def test_a_server_cannot_stop_everybody_for_longer_than_a_minute() -> None:
    told = saying(x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="20h")
    assert after(line(), told, wishes=[Wish()]) == [60.0]
    both = [Wish(), Wish(model="other")]
    assert after(line(), saying(429, retry_after="99999"), wishes=both) == [0.0, 86_400.0]


def test_a_model_that_is_left_alone_for_a_day_says_so_at_once() -> None:
    async def play() -> str:
        throttle = line()
        throttle.heard(saying(429, retry_after="86400"), "m")
        with pytest.raises(ThrottleError) as refused:
            await played(throttle, [Wish()], seconds=600)
        return f"{asyncio.get_running_loop().time():g} s: {refused.value.message}"

    assert in_no_time(play()) == "0 s: m at example.com:443 is to be left alone for 1 d"


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_server_that_asks_to_be_left_alone_is(status: int) -> None:
    assert after(line(), saying(status, retry_after="7"), wishes=[Wish()] * 2) == [7.0, 7.0]


@pytest.mark.parametrize("status", [200, 400, 404])
def test_a_wait_that_comes_with_another_status_stops_nobody(status: int) -> None:
    assert after(line(), saying(status, retry_after="7"), wishes=[Wish()]) == [0.0]


def test_a_shorter_wait_does_not_end_a_longer_one() -> None:
    long, short = saying(429, retry_after="9"), saying(429, retry_after="1")
    assert after(line(), long, short, saying(429), wishes=[Wish()]) == [9.0]


# A server that is down


def failing(
    throttle: Throttle, *, until: float, contestants: int = 100
) -> tuple[int, list[str]]:
    """Let many ask a server that is down until then, and ask it again until it answers."""
    asked = 0
    ends: list[str] = []

    async def contestant() -> None:
        nonlocal asked
        try:
            while True:
                async with throttle.turn(1, LONG, "m"):
                    asked += 1
                    await asyncio.sleep(0.1)
                    well = asyncio.get_running_loop().time() >= until
                    throttle.heard(WELL if well else DOWN, "m")
                if well:
                    ends.append("answered")
                    return
        except ThrottleError as error:
            ends.append(error.trouble)

    async def all_of_them() -> None:
        await asyncio.gather(*(contestant() for _ in range(contestants)))

    in_no_time(all_of_them())
    return asked, ends


def test_a_server_that_is_down_for_a_while_is_waited_for() -> None:
    asked, ends = failing(line(at_once=FAILURES), until=20)
    assert ends == ["answered"] * 100
    assert asked == 100 + FAILURES + 3  # what opened the breaker, and three that tried


def test_a_server_that_stays_down_is_given_up() -> None:
    asked, ends = failing(line(at_once=FAILURES), until=LONG)
    assert ends == [Trouble.SERVER] * 100
    assert asked == FAILURES + 4


def test_who_is_refused_is_told_why() -> None:
    async def play() -> ThrottleError:
        throttle = line()
        for _ in range(FAILURES):
            throttle.heard(None, "m")
        with pytest.raises(ThrottleError) as caught:
            await played(throttle, [Wish()], 1.5)
        return caught.value

    error = in_no_time(play())
    assert error.trouble is Trouble.UNREACHABLE
    assert error.message == (
        "m at example.com:443 failed 20 times in a row; not asked again for 2 s"
    )


def test_a_late_answer_ends_the_pause_for_all_who_wait() -> None:
    async def play() -> Seen:
        throttle = line()
        for _ in range(FAILURES):
            throttle.heard(DOWN, "m")
        asyncio.get_running_loop().call_later(1, throttle.heard, WELL, "m")
        return await played(throttle, [Wish(lasts=5)] * 3)

    assert times(in_no_time(play())) == [1.0] * 3


@pytest.mark.parametrize(
    ("leaves_after", "next_at"), [(None, 32.0), (3, 3.0)], ids=["never back", "cancelled"]
)
def test_one_that_tries_holds_up_nobody_for_long(
    leaves_after: float | None, next_at: float
) -> None:
    coming = [Wish(lasts=500, leaves_after=leaves_after), Wish()]
    assert after(line(), *[DOWN] * FAILURES, wishes=coming) == [2.0, next_at]


# One model that is down, at a server that is not


def with_one_down(throttle: Throttle, failures: int = FAILURES) -> Throttle:
    for _ in range(failures):
        throttle.heard(DOWN, "down")
    return throttle


def beside_one_down(coming: Sequence[Wish], **limits: int | None) -> Seen:
    async def play() -> Seen:
        return await played(with_one_down(line(**limits)), coming)

    return in_no_time(play())


def test_who_waits_for_a_model_that_is_down_holds_up_nobody_behind() -> None:
    coming = [Wish(model="down"), Wish(model="down"), Wish(model="well"), Wish(model="new")]
    assert beside_one_down(coming).went == [(0.0, 1), (0.0, 1), (2.0, 1), (2.0, 1)]


def test_a_model_that_was_given_up_leaves_its_neighbours_alone() -> None:
    async def play() -> Seen:
        throttle = with_one_down(line())
        for _ in range(4):
            await played(throttle, [Wish(model="down")])
            throttle.heard(DOWN, "down")
        with pytest.raises(ThrottleError, match="down at example"):
            await played(throttle, [Wish(model="down")])
        return await played(throttle, [Wish(model="well")])

    assert times(in_no_time(play())) == [30.0]


def test_neighbours_fail_each_for_itself() -> None:
    coming = [Wish(model="down"), Wish(model="other")]
    went = after(line(), DOWN, wishes=coming, model="other", down=FAILURES - 1)
    assert went == [0.0, 0.0]


def test_an_answer_of_a_neighbour_does_not_make_a_model_well() -> None:
    coming = [Wish(model="down")]
    assert after(line(), WELL, wishes=coming, model="well", down=FAILURES) == [2.0]


def test_the_one_that_tries_a_model_keeps_nobody_from_another() -> None:
    coming = [Wish(model="down", lasts=9), Wish(model="down"), Wish(at=3, model="well")]
    seen = beside_one_down(coming)
    assert (seen.order, times(seen)) == ([0, 2, 1], [2.0, 3.0, 11.0])


def test_who_stood_aside_keeps_its_place_in_line() -> None:
    coming = [
        Wish(model="down"),
        *[Wish(model="well")] * 3,
        Wish(at=1, model="well"),
        Wish(at=2, model="down"),
    ]
    seen = beside_one_down(coming, requests_per_minute=2)
    assert seen.order == [1, 2, 0, 3, 4, 5]
    assert times(seen) == [0.0, 0.0, 60.0, 60.0, 120.0, 120.0]


def test_a_place_that_one_model_frees_goes_to_another_s() -> None:
    coming = [
        Wish(model="well", lasts=5),
        Wish(at=1, model="down"),
        Wish(at=2, model="third"),
        Wish(at=3, model="well"),
    ]
    seen = beside_one_down(coming, at_once=1)
    assert (seen.order, times(seen)) == ([0, 1, 2, 3], [0.0, 5.0, 5.0, 5.0])


def test_one_wait_that_a_server_asks_for_stops_all_its_models() -> None:
    coming, told = [Wish(model="one"), Wish(model="two")], saying(429, retry_after="7")
    assert after(line(), told, wishes=coming, model="one") == [7.0, 7.0]


several = st.lists(
    wishes("down", "one", "two", late=0.017),
    max_size=40,
    unique_by=lambda wish: wish.at,  # who comes first of two at once is the loop's choice
)


@settings(max_examples=size(37, 150), deadline=None)
@given(several, LIMITS)
def test_beside_a_model_that_is_down_limits_and_order_hold_and_all_get_their_turn(
    coming: list[Wish], limits: dict[str, int]
) -> None:
    seen = beside_one_down(coming, **limits)
    hold_to(limits, coming, seen)
    for names in ({"down"}, {"one", "two"}):
        own = [n for n in seen.order if coming[n].model in names]
        assert own == [n for n in seen.came if n in own]


@settings(max_examples=size(25, 100), deadline=None)
@given(several, st.integers(1, 4))
def test_who_only_waits_for_a_model_that_is_down_changes_nothing_for_the_others(
    coming: list[Wish], places: int
) -> None:
    down = [Wish(model="down", leaves_after=1.5)] * 5
    others = [wish for wish in coming if wish.model != "down"]
    alone, beside = (
        beside_one_down([*before, *others], at_once=places, requests_per_minute=5)
        for before in ([], down)
    )
    assert beside.went == alone.went


# One line for each server and key


def model(url: str = "https://a.example/v1", **more: int) -> ModelSettings:
    return ModelSettings("m", "openai_chat", url, "m-1", **more)  # type: ignore[arg-type]


def test_models_of_one_server_and_key_share_a_line() -> None:
    line = throttle_for(model(), "k")
    assert throttle_for(model("https://A.example:443/v2"), "k") is line
    assert throttle_for(model(), "other") is not line
    assert throttle_for(model(), None) is not line
    assert throttle_for(model("http://a.example/v1"), "k") is not line
    assert throttle_for(model("https://a.example:8443/v1"), "k") is not line


def test_the_strictest_limit_of_those_who_share_a_line_holds() -> None:
    url = "https://strict.example/v1"
    throttle_for(model(url, at_once=5, requests_per_minute=3), "k")
    throttle = throttle_for(model(url, at_once=2, tokens_per_minute=10), "k")
    throttle_for(model(url), "k")
    coming = [Wish(tokens=4, lasts=1.0)] * 5
    seen = in_no_time(played(throttle, coming))
    assert (seen.most, times(seen)) == (2, [0.0, 0.0, 60.0, 60.0, 120.0])


# A whole round against a provider that allows sixty requests a minute


@dataclass(slots=True)
class Provider:
    """Holds sixty requests, gets one more each second, and says so as OpenAI's does."""

    held: float = 60.0
    since: float = 0.0
    refused: int = 0

    def reply(self, now: float) -> HttpReply:
        self.held, self.since = min(60.0, self.held + now - self.since), now
        status = 200 if self.held >= 1 else 429
        self.held -= status == 200
        self.refused += status == 429
        return saying(
            status,
            x_ratelimit_limit_requests="60",
            x_ratelimit_remaining_requests=str(int(self.held)),
            x_ratelimit_reset_requests=f"{60 - self.held:.3f}s",
        )


def test_a_round_that_no_limit_was_configured_for_learns_it_from_the_server() -> None:
    provider, throttle = Provider(), line(at_once=200)

    async def contestant() -> None:
        status = 0
        while status != 200:
            async with throttle.turn(1, LONG, "m"):
                reply = provider.reply(asyncio.get_running_loop().time())
                await asyncio.sleep(20)
                throttle.heard(reply, "m")
            status = reply.status

    async def a_round() -> float:
        await asyncio.gather(*(contestant() for _ in range(600)))
        return asyncio.get_running_loop().time()

    assert in_no_time(a_round()) < 15 * 60
    assert provider.refused < 200  # those of the first moment, before anything was heard


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker()
    for _ in range(FAILURES):
        breaker.failed(at, Trouble.SERVER)
    return breaker


def test_failures_must_be_in_a_row() -> None:
    breaker = Breaker()
    for _ in range(3 * FAILURES):
        breaker.failed(0, Trouble.SERVER)
        if breaker.failures == FAILURES - 1:
            breaker.answered()
    assert not breaker.is_open()
    assert opened().is_open()


def test_pauses_grow_until_the_server_is_given_up() -> None:
    breaker = opened()
    now = 0.0
    pauses = []
    for _ in range(len(PAUSES) + 2):
        pauses.append(breaker.seconds_left(now))
        given_up = breaker.is_given_up(now)
        now = breaker.ready_at(now)
        assert breaker.went(now)
        breaker.failed(now, Trouble.SERVER)
        breaker.came_back()
    assert pauses == [*PAUSES, GIVEN_UP_FOR, GIVEN_UP_FOR]
    assert given_up


def test_who_waits_in_a_pause_that_will_end_is_not_given_up() -> None:
    assert not opened().is_given_up(0)


def test_one_at_a_time_tries_the_server() -> None:
    breaker = opened()
    assert breaker.ready_at(1) == PAUSES[0]
    assert breaker.ready_at(3) <= 3
    breaker.went(3)
    assert breaker.ready_at(4) == 33
    breaker.came_back()
    assert breaker.ready_at(4) <= 4


def test_late_failures_do_not_lengthen_a_pause() -> None:
    breaker = opened()
    breaker.failed(1, Trouble.SERVER)
    assert breaker.seconds_left(1) == pytest.approx(PAUSES[0] - 1)


def test_an_answer_closes_it() -> None:
    breaker = opened()
    breaker.answered()
    assert not breaker.is_open()
    assert breaker.ready_at(0) <= 0
    assert not breaker.went(0)
