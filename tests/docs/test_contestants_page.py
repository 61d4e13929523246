"""Every command of the section on guests runs, in its order, with the section's contestants."""

import json
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from arena.clock import SystemClock
from tests.cli.handing_in import HOLD, handed_in
from tests.cli.project import Project, project
from tests.cli.shell import ended, running
from tests.docs.pages import ROOT, page
from tests.present import some
from tests.standins.guest_server import GuestServer

PAGE = page("docs/contestants.md")
SECTION = PAGE.section("Guests: your own code, people, other systems")
COHORT = """\
title: Test
venue: sim
start: {{cadence: once, first: "{first}"}}
decide: {{every: 1d, for: 1d}}
universe: {{top: 3}}
contestants: [mine, web, me]
rules: {{answer_within: 4h}}
"""


def blocks(language: str) -> str:
    """The section's blocks of a language, one below the other."""
    return "\n".join(f.text for f in PAGE.fenced(language) if f.text in SECTION)


def free_port() -> str:
    with closing(socket.socket()) as door:
        door.bind(("127.0.0.1", 0))
        return str(door.getsockname()[1])


def commands(port: str) -> list[str]:
    """The section's commands, each whole, on ports that are free; the inbox is at `port`."""
    text = blocks("sh").replace("\\\n", " ").replace("daily-2026-01-05", "c")
    return text.replace("8377", port).replace("8378", free_port()).splitlines()


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Project]:
    """A round of the section's contestants that waits for `me`."""
    made = project(tmp_path / "arena")
    shutil.copy(ROOT / "examples" / "stubborn.py", made.folder)
    (made.folder / "answer.json").write_text(HOLD)
    first = SystemClock().now().replace(microsecond=0).isoformat()
    (made.folder / "cohorts" / "c.yaml").write_text(COHORT.format(first=first))
    file = made.folder / "config.yaml"
    others = [line for line in file.read_text().splitlines() if "contestants" not in line]
    with GuestServer() as web:
        ours = blocks("yaml").replace("https://example.org", web.home)
        file.write_text("\n".join([*others, ours]))
        done = made.run("tick", WEB_KEY="a-key-of-the-web-agent")
        assert (done.code, done.err) == (0, "")
        yield made


@pytest.mark.skipif(
    not all(map(shutil.which, ("bash", "curl", "openssl"))), reason="curl or openssl is missing"
)
def test_the_commands_for_guests_run(made: Project) -> None:
    assert made.answers() == {"mine": 1, "web": 1}
    arena = f'arena() {{ {shlex.quote(sys.executable)} -m arena "$@"; }}'
    exported, outputs, port = "", [], free_port()
    with ExitStack() as servers:
        for line in some(commands(port)):
            if line.startswith("export"):
                value = subprocess.check_output(["bash", "-c", f"{line}; echo $ME_TOKEN"])  # noqa: S603, S607  the page is ours
                exported = value.decode().strip()
                continue
            script = ("bash", "-c", f"{arena}\n{line}")
            known = {"PYTHONPATH": str(ROOT), "ME_TOKEN": exported, "ARENA_SUBMIT_PORT": port}
            command = running(program=script, cwd=made.folder, **known)
            if "--serve" in line or "--http" in line:
                process = servers.enter_context(command)
                assert process.stderr
                assert process.stderr.readline().startswith("listening on http://127.0.0.1:")
                continue
            with command as process:
                done = ended(process)
            assert (done.code, done.crashed) == (0, False), done.err
            outputs.append(done.out)
    shown, submitted, turns, again, _ = outputs
    assert "answer with: arena forecast --agent me" in shown
    assert "handed in: round 1 of" in submitted
    assert json.loads(turns)["turns"] == []
    assert json.loads(again)["error"]["code"] == "submission.again"
    assert handed_in(made) == [HOLD]
