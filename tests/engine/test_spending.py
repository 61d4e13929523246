"""Before a call is paid for: budgets, and who goes first to warm the provider's cache."""

from itertools import pairwise

import pytest

from arena.records.answer import Trouble
from tests.engine.played import CAPITAL, Played, Seat, play
from tests.present import present
from tests.standins.asked import understand
from tests.standins.model_server import Format, small_bettor

PRICED = {"price_in": 3, "price_out": 15, "max_tokens": 1000}
LATENCY = 0.2
PAIR = (Seat("anna", model=PRICED), Seat("bert", model=PRICED))
CROWD = tuple(Seat(f"seat-{n}", shares="" if n == 0 else "seat-0") for n in range(5))


@pytest.fixture(scope="module")
def capped(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Nobody's worst case fits into a hundredth of a cent."""
    folder = tmp_path_factory.mktemp("capped") / "arena"
    return play(folder, PAIR, small_bettor, budgets={"contestant": 0.0001})


@pytest.fixture(scope="module", params=[Format.CHAT, Format.ANTHROPIC])
def warmed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("warmed") / "arena"
    first = Seat("seat-0", request.param, {"warm": True, "options": CACHES})
    return play(folder, (first, *CROWD[1:]), small_bettor, latency=LATENCY)


CACHES = {"profile": {"caches": True}}


def test_a_call_that_no_budget_allows_is_never_sent(capped: Played) -> None:
    assert (capped.done.code, capped.requests, capped.findings) == (5, (), ())
    for seat in PAIR:
        assert str(capped.turn(seat.name).failure).startswith(Trouble.BUDGET)
        assert (capped.calls(seat.name), capped.cash(seat.name)) == ((), CAPITAL)


def test_the_words_say_which_budget_and_by_how_much(capped: Played) -> None:
    assert "the budget of $0.0001 for anna in cohort c has $0.0001 left" in capped.done.err
    assert "hint: caps are under budgets in config.yaml" in capped.done.err


def test_the_first_of_those_who_share_a_beginning_goes_alone(warmed: Played) -> None:
    first, *others = (request.asked_at for request in warmed.requests)
    assert len(others) == len(CROWD) - 1
    assert min(others) - first >= LATENCY - 0.01


def test_the_others_find_what_it_read_in_the_cache(warmed: Played) -> None:
    counts = [
        present(call.completion.usage.tokens_cached)
        for seat in CROWD
        for call in warmed.calls(seat.name)
    ]
    first, *others = sorted(counts)
    assert (first, min(others) > 500) == (0, True)


def test_all_are_sent_the_same_bytes_up_to_what_is_their_own(warmed: Played) -> None:
    shared = {
        (call.question.system, call.question.user[: call.question.shared])
        for seat in CROWD
        for call in warmed.calls(seat.name)
    }
    users = [asked.user for r in warmed.requests if (asked := understand(r)) is not None]
    ((_, beginning),) = shared
    assert len(beginning) > 1000
    assert all(user.startswith(beginning) for pair in pairwise(users) for user in pair)
