"""A project whose first round waits for an answer from outside, as of this moment."""

import os
import select
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from arena.cli.play.tick import tick_once
from arena.clock import SystemClock
from tests.build import at
from tests.cli.project import Project, edit, project
from tests.cli.shell import ARENA, Done, environment
from tests.hangs import HANG

TOKEN = "b7f3-token-of-mine-91c2"  # noqa: S105  a test's own
HOLD = '{"reasoning":"so","forecasts":[],"action":"HOLD","bets":[]}'
ME = "{agent: submitted, options: {token_env: ME_TOKEN}}"

COHORT = """\
title: Test
venue: sim
start: {{cadence: once, first: 2026-01-05}}
decide: {{every: 36500d, for: 36500d}}
universe: {{top: 3}}
contestants: [market, {who}]
rules: {{answer_within: {within}}}
"""


def entered(
    folder: Path, *, within: str = "30000d", cohorts: tuple[str, ...] = ("c",), who: str = ME
) -> Project:
    """Write a project in which `me` plays, and its answers are handed in."""
    made = project(folder)
    edit(made, "contestants: ", f"contestants: {{market: {{agent: market}}, me: {who}}}")
    for name in cohorts:
        file = made.folder / "cohorts" / f"{name}.yaml"
        file.write_text(COHORT.format(who="me", within=within))
    return made


def waiting(
    folder: Path, *, within: str = "30000d", cohorts: tuple[str, ...] = ("c",)
) -> Project:
    """Play such a project's first round, which now waits for `me`.

    It was asked at a fixed moment: what the invented venue quotes is the same on every day.
    """
    made = entered(folder, within=within, cohorts=cohorts)
    tick_once(made.folder / "config.yaml", at())
    return made


def late(folder: Path) -> Project:
    """Play a first round two days ago, whose deadline has passed."""
    made = entered(folder, within="1d")
    then = SystemClock().now() - timedelta(days=2)
    tick_once(made.folder / "config.yaml", then)
    return made


def typed(made: Project, *words: str, lines: tuple[str, ...] = ()) -> Done:
    """Run a command on a terminal, and type these lines into it."""
    pty = pytest.importorskip("pty", reason="this system has no terminals of this kind")
    ours, theirs = pty.openpty()
    with subprocess.Popen(  # noqa: S603  our own command
        [*ARENA, *words],
        cwd=made.folder,
        env=environment({"TERM": "dumb"}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        os.write(ours, "".join(f"{line}\n" for line in lines).encode())
        said = bytearray()
        try:
            while select.select([ours], [], [], HANG)[0] and (more := os.read(ours, 65536)):
                said += more
        except OSError:
            pass  # how Linux says that nobody is on the other side any more
        os.close(ours)
        process.kill()  # it has ended, unless it waits for a line that nobody types
    return Done(process.returncode, said.decode().replace("\r\n", "\n"), "")


def handed_in(made: Project) -> list[str]:
    """The words that are kept for turns."""
    sql = "SELECT text_of(body) FROM tape_submissions JOIN tape_blobs ON digest = text_digest"
    return [body.decode() for (body,) in made.rows(sql)]
