import http.client
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.agents.reply import MAX_BYTES
from arena.cli.play.tick import tick_once
from tests.cli.handing_in import HOLD, ME, TOKEN, entered, handed_in, waiting
from tests.cli.inside import Capsys, here
from tests.cli.project import Project
from tests.cli.shell import ARENA, Done, ended, environment, interrupted, running
from tests.hangs import HANG

SERVE = ("submit", "--serve", "--port", "0")
BET = HOLD.replace("HOLD", "BET").replace(
    "[]}", '[{"market_id":"M1","side":"YES","amount":120},{"market_id":"M9"}]}'
)


@pytest.fixture
def made(unanswered: Project, tmp_path: Path) -> Project:
    return unanswered.copy(tmp_path / "arena")


def submit(capsys: Capsys, made: Project, said: str | bytes, *words: str) -> Done:
    """Hand in a file with these words."""
    file = made.folder / "reply.txt"
    file.write_bytes(said if isinstance(said, bytes) else said.encode())
    config = made.folder / "config.yaml"
    return here(capsys, "--config", config, "submit", file, "--agent", "me", *words)


# From a file


def test_an_answer_is_handed_in_and_judged(made: Project, capsys: Capsys) -> None:
    done = submit(capsys, made, f"```json\n{HOLD}\n```", "--yes")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "status: repaired",
        "action: HOLD",
        "mended:",
        "  answer with the JSON object alone: there were words, fences or tags beside it",
        "handed in: round 1 of c for me",
    ]
    assert handed_in(made) == [f"```json\n{HOLD}\n```"]
    tick_once(made.folder / "config.yaml", None)
    assert made.answers() == {"market": 1, "me": 1}


def test_an_answer_comes_from_a_pipe_too(made: Project) -> None:
    done = subprocess.run(  # noqa: S603  our own command
        [*ARENA, "submit", "-", "--agent", "me"],
        cwd=made.folder,
        env=environment({}),
        input=HOLD,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert handed_in(made) == [HOLD]


def test_a_script_gets_the_reading_as_one_document(made: Project, capsys: Capsys) -> None:
    said = submit(capsys, made, BET, "--yes", "--json").document
    assert (said["handed_in"], said["status"], said["action"]) == (True, "repaired", "BET")
    assert said["bets"] == [{"market_id": "M1", "side": "YES", "amount": 120}]
    assert [(one["index"], one["reason"]) for one in said["dropped"]] == [(1, "unknown_market")]


def test_what_had_to_be_mended_is_not_handed_in_before_its_owner_says_so(
    made: Project, capsys: Capsys
) -> None:
    done = submit(capsys, made, BET)
    assert (done.code, handed_in(made)) == (3, [])
    assert "with --yes" in done.out.splitlines()[-1]
    assert submit(capsys, made, BET, "--json").document["handed_in"] is False
    assert submit(capsys, made, BET, "--yes").code == 0


def test_a_reject_is_a_finding_and_may_be_mended(made: Project, capsys: Capsys) -> None:
    done = submit(capsys, made, HOLD[:-1])
    assert (done.code, done.err, done.out.splitlines()[0]) == (3, "", "status: reject")
    assert done.out.splitlines()[-1] == "nothing was handed in: round 1 of c for me"
    assert submit(capsys, made, HOLD[:-1], "--json").document["handed_in"] is False
    assert handed_in(made) == []
    assert submit(capsys, made, HOLD).code == 0


@pytest.mark.parametrize(
    "said", [b"", b"\xff\xfe", b"x" * (MAX_BYTES + 5), b"\x1b[2J\xe2\x80\xae"], ids=len
)
def test_whatever_the_file_holds_it_is_read_or_rejected(
    said: bytes, made: Project, capsys: Capsys
) -> None:
    done = submit(capsys, made, said)
    assert (done.code, done.crashed) == (3, False)
    assert all(line.isprintable() for line in done.out.splitlines())


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("", "usage.invalid"),
        ("config.yaml", "usage.invalid"),
        ("none.yaml --agent me", "usage.value"),
        ("config.yaml --agent market", "agent.answers"),
        ("config.yaml --agent me --cohort zzz", "cohort.unknown"),
        ("--serve --agent me", "usage.invalid"),
        ("--serve config.yaml", "usage.invalid"),
        ("--serve --port 70000", "usage.value"),
    ],
)
def test_a_mistake_is_told(words: str, code: str, unanswered: Project, capsys: Capsys) -> None:
    config = unanswered.folder / "config.yaml"
    given = [config if word == "config.yaml" else word for word in words.split()]
    done = here(capsys, "--config", config, "submit", *given)
    assert (done.code, f"error[{code}]" in done.err, done.crashed) == (2, True, False)


# Over HTTP


@contextmanager
def serving(made: Project, *words: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The server as a process of its own, and its port."""
    with running(*SERVE, *words, cwd=made.folder, ME_TOKEN=TOKEN) as process:
        assert process.stderr
        first = process.stderr.readline()
        found = re.fullmatch(r"listening on http://\S+:(\d+) for me; stop with Ctrl-C\n", first)
        assert found, first
        yield process, int(found[1])


def ask(port: int, method: str, path: str, body: str | None = None) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=HANG)) as line:
        line.request(method, path, body, headers)
        said = line.getresponse()
        return said.status, json.loads(said.read())


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Done]:
    """A project whose turn was fetched and answered over HTTP; what the server said."""
    made = waiting(tmp_path_factory.mktemp("visited") / "arena")
    with serving(made) as (process, port):
        status, document = ask(port, "GET", "/v1/turns/me")
        assert status == 200
        (turn,) = document["turns"]
        assert ask(port, "POST", turn["answer_to"], HOLD[:-1])[0] == 422
        assert ask(port, "POST", turn["answer_to"], HOLD)[0] == 200
        tick_once(made.folder / "config.yaml", None)
        assert ask(port, "POST", turn["answer_to"], HOLD)[0] == 409
        process.send_signal(signal.SIGTERM)
        return made, ended(process)


def test_a_turn_is_answered_over_http_and_judged(visited: tuple[Project, Done]) -> None:
    made, _ = visited
    assert handed_in(made) == [HOLD]
    assert made.answers() == {"market": 1, "me": 1}
    assert made.is_sound


def test_each_request_is_a_line_and_a_signal_ends_it_in_order(
    visited: tuple[Project, Done],
) -> None:
    _, done = visited
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        "200 GET /v1/turns/me",
        "422 POST /v1/turns/me/c/1",
        "200 POST /v1/turns/me/c/1",
        "409 POST /v1/turns/me/c/1",
        "stopped",
    ]


def test_the_token_is_in_no_file_and_in_no_line(visited: tuple[Project, Done]) -> None:
    made, done = visited
    files = [path for path in made.folder.rglob("*") if path.is_file()]
    assert made.database in files
    assert [path for path in files if TOKEN.encode() in path.read_bytes()] == []
    assert TOKEN not in done.err


def test_ctrl_c_ends_it(unanswered: Project) -> None:
    with serving(unanswered) as (process, _):
        done = interrupted(process)
    assert (done.code, done.crashed) == (130, False)


def test_an_address_that_others_may_reach_is_warned_of(unanswered: Project) -> None:
    with serving(unanswered, "--host", "0.0.0.0") as (process, _):  # noqa: S104
        assert process.stderr
        assert "put a reverse proxy that speaks TLS in front of it" in process.stderr.readline()


def test_a_port_that_is_taken_is_told(unanswered: Project) -> None:
    with serving(unanswered) as (_, port):
        again = ("submit", "--serve", "--port", str(port))
        done = unanswered.run(*again, ME_TOKEN=TOKEN)
    assert done.fails_clearly(1)
    assert done.err.startswith(
        f"error[inbox.address]: cannot listen on port {port} of 127.0.0.1"
    )


@pytest.mark.parametrize("token", [None, "short", "ümlaut-ümlaut-ümlaut", "with a space in it"])
def test_without_a_token_in_the_environment_it_does_not_start(
    token: str | None, unanswered: Project
) -> None:
    done = unanswered.run(*SERVE, **({} if token is None else {"ME_TOKEN": token}))
    assert done.fails_clearly(4)
    assert "error[credentials.missing]" in done.err
    assert "ME_TOKEN" in done.err
    assert token is None or token not in done.err


@pytest.mark.parametrize("how", ["{agent: submitted}", "{agent: market}"])
def test_without_anybody_to_serve_it_does_not_start(how: str, tmp_path: Path) -> None:
    done = entered(tmp_path / "arena", who=how).run(*SERVE)
    assert done.fails_clearly(2)
    assert "error[inbox.nobody]" in done.err
    assert "token_env" in done.err


def test_a_token_that_was_written_down_is_refused_and_not_repeated(tmp_path: Path) -> None:
    made = entered(tmp_path / "arena", who=ME.replace("ME_TOKEN", f'"{TOKEN}"'))
    done = made.run(*SERVE)
    assert (done.code, "agent.option" in done.err) == (2, True)
    assert TOKEN not in done.err
