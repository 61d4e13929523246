"""Ticks that are interrupted, killed, or run two at once, with models behind real sockets."""

import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

import pytest

from tests.cli.project import BASELINES, Project, daily, model, moment, project
from tests.cli.shell import Done, ended, interrupted, killed, running
from tests.hangs import wait_until
from tests.standins.model_server import Message, Misbehaviour, ModelServer, small_bettor

QUICK, SLOW = ("anna", "bert"), ("carl", "dora")
MODELS = QUICK + SLOW
NEVER = Misbehaviour(drip=7200.0)  # so long between the pieces of an answer
KEPT = len(BASELINES) + len(QUICK)


@dataclass(slots=True)
class Stubborn:
    """Some models answer at once, the others never until they are let."""

    silent: set[str] = field(default_factory=lambda: set(SLOW))

    def __call__(self, name: str, messages: Sequence[Message]) -> str | Misbehaviour:
        return NEVER if name in self.silent else small_bettor(name, messages)


@dataclass(frozen=True, slots=True)
class Stopped:
    """A tick that was stopped in the middle, what was kept of it, and the next tick."""

    made: Project
    first: Done
    status: str
    kept: dict[str, int]
    second: Done
    asked: Counter[str]


def asked(server: ModelServer) -> Counter[str]:
    """How often each model was asked."""
    return Counter(str(request.body["model"]) for request in server.requests)


def of_models(folder: Path, server: ModelServer) -> Project:
    models = {name: model(server.base_url, deadline="1h") for name in MODELS}
    return project(folder, models=models)


def is_half_played(made: Project, server: ModelServer) -> bool:
    """Whether the quick models' answers are kept and the slow ones are waited for."""
    return len(server.requests) >= len(MODELS) and len(made.answers()) >= KEPT


def stopped(folder: Path, stop: Callable[..., Done]) -> Stopped:
    """Stop a tick when it is half played."""
    replies = Stubborn()
    with ModelServer(replies) as server:
        made = of_models(folder, server)
        with running("tick", "--at", moment(), cwd=made.folder) as process:
            wait_until(lambda: is_half_played(made, server))
            first = stop(process)
        kept = made.answers()
        status = made.run("status", "--at", moment()).out
        replies.silent.clear()
        second = made.tick()
        return Stopped(made, first, status, kept, second, asked(server))


@pytest.fixture(scope="module", params=[interrupted, killed])
def cut_short(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Stopped:
    return stopped(tmp_path_factory.mktemp("cut") / "arena", request.param)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The same tick, left alone."""
    with ModelServer() as server:
        made = of_models(tmp_path_factory.mktemp("undisturbed") / "arena", server)
        return Project(made.folder, made.tick())


def test_a_tick_that_is_stopped_leaves_no_traceback(cut_short: Stopped) -> None:
    said = {
        130: "interrupted: what was done is kept; run the same command again",
        -signal.SIGKILL: "",
    }
    assert cut_short.first.out == ""
    assert cut_short.first.err.strip() == said[cut_short.first.code]


def test_what_was_answered_before_the_stop_is_kept(cut_short: Stopped) -> None:
    assert set(cut_short.kept) == {*BASELINES, *QUICK}


def test_status_tells_of_the_round_that_is_half_played(cut_short: Stopped) -> None:
    said = "round 1 of c is half played: 4 answers so far; unless one is at it now, "
    assert said in cut_short.status


def test_the_next_tick_finishes(cut_short: Stopped) -> None:
    assert (cut_short.second.code, cut_short.second.err) == (0, "")
    assert ": 2 answers, " in cut_short.second.out


def test_no_model_is_asked_twice_for_an_answer_that_was_kept(cut_short: Stopped) -> None:
    assert cut_short.asked == Counter(dict.fromkeys(QUICK, 1) | dict.fromkeys(SLOW, 2))


def test_in_the_end_nothing_tells_that_it_was_stopped(
    cut_short: Stopped, undisturbed: Project
) -> None:
    assert cut_short.made.journal == undisturbed.journal


@contextmanager
def asked_in_vain(folder: Path, *words: str) -> Iterator[tuple[Project, Popen[str]]]:
    """A new project, and its command that has asked a model which never answers."""
    with ModelServer(lambda *_: NEVER) as server:
        made = project(folder, models={"m": model(server.base_url, deadline="1h")})
        daily(made)
        with running(*words, cwd=made.folder) as process:
            wait_until(lambda: server.requests)
            yield made, process


def test_an_interrupt_in_json_is_one_document(tmp_path: Path) -> None:
    with asked_in_vain(tmp_path / "a", "tick", "--json", "--at", moment()) as (_, process):
        done = interrupted(process)
    assert (done.code, done.out, done.error["code"]) == (130, "", "interrupted")


def test_a_second_interrupt_ends_it_at_once_and_harms_nothing(tmp_path: Path) -> None:
    with asked_in_vain(tmp_path / "a", "tick", "--at", moment()) as (made, process):
        process.send_signal(signal.SIGINT)
        done = interrupted(process)
    assert (done.code in {130, -signal.SIGINT}, made.is_sound) == (True, True)
    assert not done.crashed, done.err


@dataclass(frozen=True, slots=True)
class Two:
    """Two processes that ticked one arena at once."""

    made: Project
    done: tuple[Done, Done]
    asked: Counter[str]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Two:
    with ModelServer(latency=0.5) as server:
        made = of_models(tmp_path_factory.mktemp("two") / "arena", server)
        words = ("tick", "--json", "--at", moment())
        with running(*words, cwd=made.folder) as a, running(*words, cwd=made.folder) as b:
            return Two(made, (ended(a), ended(b)), asked(server))


def test_two_ticks_at_once_both_succeed(two: Two) -> None:
    assert [done.code for done in two.done] == [0, 0]


def test_two_ticks_at_once_ask_each_model_once(two: Two) -> None:
    assert two.asked == Counter(dict.fromkeys(MODELS, 1))


def test_two_ticks_at_once_do_the_work_once(two: Two) -> None:
    # One that found the other at work for longer than it waits has no report.
    reports = [r for done in two.done if (r := done.document["report"]) is not None]
    assert sum(report["turns"] for report in reports) == 6
    assert sum(len(report["enrolled"]) for report in reports) == 1


def test_two_ticks_at_once_leave_the_journal_of_one(two: Two, undisturbed: Project) -> None:
    assert two.made.journal == undisturbed.journal
