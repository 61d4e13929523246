"""What was paid for is not paid for again: not after a kill, and not in a replay."""

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.records.answer import Trouble
from tests.cli.project import Project, moment
from tests.cli.rounds import COHORT, write_data
from tests.cli.shell import Done
from tests.engine.played import Played, Seat, block, keys, kill_tick, write
from tests.standins.model_server import Message, Misbehaviour, ModelServer, small_bettor

NEVER = Misbehaviour(drip=600.0)  # so long between the pieces of an answer
LOCKED = Seat("locked", options={"elicitation": "locked"})


class Stubborn:
    """Answers forecasts, and no question about stakes until it is let."""

    def __init__(self) -> None:
        self.is_silent = True

    def __call__(self, model: str, messages: Sequence[Message]) -> str | Misbehaviour:
        staking = any('"stated"' in message["content"] for message in messages)
        return NEVER if staking and self.is_silent else small_bettor(model, messages)


@dataclass(frozen=True, slots=True)
class Broken:
    """A tick that was killed between two calls of one turn, and the tick after it."""

    first: Done
    before: int
    played: Played


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Broken:
    reply = Stubborn()
    with ModelServer(reply) as server:
        made = write(tmp_path_factory.mktemp("broken") / "arena", [LOCKED], server.base_url)
        first = kill_tick(made, [LOCKED], lambda: len(server.requests) >= 2)
        before, reply.is_silent = len(server.requests), False
        done = made.run("tick", "--at", moment(), **keys([LOCKED]))
        return Broken(first, before, Played(made, (LOCKED,), done, tuple(server.requests)))


def test_a_forecast_that_was_made_before_a_kill_is_not_asked_for_again(broken: Broken) -> None:
    staking = ["stated" in block(request) for request in broken.played.requests]
    assert (broken.first.code, broken.before) == (-signal.SIGKILL, 2)
    assert staking == [False, True, True]


def test_the_turn_ends_as_if_nothing_had_happened(broken: Broken) -> None:
    turn = broken.played.turn(LOCKED.name)
    names = [call.name for call in broken.played.calls(LOCKED.name)]
    assert (broken.played.done.code, turn.failure, turn.accepted) == (0, None, 1)
    assert (names, broken.played.findings) == (["forecast", "stake"], ())


def test_the_call_that_was_lost_in_the_kill_is_told_as_maybe_billed(broken: Broken) -> None:
    _, stake = broken.played.calls(LOCKED.name)
    lost, answered = stake.completion.attempts
    assert (lost.trouble, lost.status, lost.billed) == (Trouble.UNREACHABLE, None, None)
    assert (answered.trouble, answered.billed) == (None, True)


# Replays from the tape

SEAT = Seat("ada", options={"elicitation": "locked"})
SPEC = COHORT.replace("[market, always-no]", "[ada]").replace("top: 100", "top: 5")


@dataclass(frozen=True, slots=True)
class Replays:
    """A recorded cohort that was played with a model; its server is gone since."""

    made: Project
    first: Done
    asked: int

    def again(self, out: str) -> Done:
        return replay(self.made, out, "--answers", "first/arena.db")


def replay(made: Project, out: str, *more: str, **variables: str) -> Done:
    words = ("replay", "data", "--cohort", "cohorts/r.yaml", "--out", out, "--json", *more)
    return made.run(*words, **variables)


@pytest.fixture(scope="module")
def replays(tmp_path_factory: pytest.TempPathFactory) -> Replays:
    folder = tmp_path_factory.mktemp("replays") / "arena"
    with ModelServer() as server:
        made = write(folder, [SEAT], server.base_url)
        write_data(folder / "data")
        (folder / "cohorts" / "r.yaml").write_text(SPEC)
        first = replay(made, "first", **keys([SEAT]))
        return Replays(made, first, len(server.requests))


def test_a_replay_from_the_tape_gives_the_same_journal_and_asks_nobody(
    replays: Replays,
) -> None:
    again = replays.again("second")
    assert (replays.first.code, replays.asked, again.code) == (0, 6, 0)
    assert again.document["journal"] == replays.first.document["journal"]


def test_a_replay_of_other_questions_stops_and_asks_nobody(
    replays: Replays, tmp_path: Path
) -> None:
    other = Replays(replays.made.copy(tmp_path / "other"), replays.first, replays.asked)
    config = other.made.folder / "config.yaml"
    config.write_text(config.read_text().replace('"deadline"', '"max_tokens": 77, "deadline"'))
    done = other.again("third")
    assert (done.code, done.error["code"]) == (1, "replay.miss")
    assert "ada asks ada something in round 1" in done.error["message"]
