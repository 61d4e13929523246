"""The page's commands run: the section on guests in its order, and those of a first model."""

import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import yaml

from arena.clock import SystemClock
from tests.cli.handing_in import HOLD, handed_in
from tests.cli.project import Project, project
from tests.cli.shell import ended, running
from tests.docs.pages import CODE, ROOT, page
from tests.present import some
from tests.standins.guest_server import GuestServer
from tests.standins.model_server import ModelServer, small_bettor

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


# A model, from its key to its replay

FIRST = PAGE.section("From a key to a running cohort in five minutes")
FENCED = re.compile(r"^ *```(\w+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
ALONE = {"arena init", "arena run"}  # what the project is made with, and what does not end


def steps(language: str) -> str:
    """The blocks of a language in the first section, which stand in its numbered steps."""
    return "\n".join(
        textwrap.dedent(text) for kind, text in FENCED.findall(FIRST) if kind == language
    )


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, dict[str, str]]:
    """A project of `arena init` with the page's model, and what each command of it printed."""
    made = Project(tmp_path_factory.mktemp("first") / "arena")
    made.folder.mkdir()
    assert made.run("init").code == 0
    config, cohort = made.folder / "config.yaml", made.folder / "cohorts" / "offline.yaml"
    commands, printed = steps("sh").splitlines(), {}
    (key,) = [line.split()[1].split("=")[0] for line in commands if line.startswith("export")]
    with ModelServer(small_bettor) as server:
        (model,) = re.findall(r"gpt: (\{.*\})", steps("yaml"))[:1]
        ours = steps("yaml").replace(model, f"{model[:-1]}, base_url: {server.base_url}}}")
        said, added = yaml.safe_load(config.read_text()), yaml.safe_load(ours)
        for name, value in added.items():
            said[name] = {**said[name], **value}
        config.write_text(yaml.safe_dump(said))
        cohort.write_text(f"{cohort.read_text()}  - gpt\n")
        for line in some([line for line in commands if line.startswith("arena ")]):
            done = made.run(*shlex.split(line)[1:], **{key: "sk-a-key-of-the-page"})
            assert (done.code, done.crashed) == (0, False), done.err
            printed[line] = done.out
    return made, printed


def test_from_a_key_to_a_running_cohort_every_command_runs(
    first: tuple[Project, dict[str, str]],
) -> None:
    made, printed = first
    assert "gpt" in printed["arena llm check"]
    assert "gpt" in printed["arena replies"]
    assert made.answers()["gpt"] == 1


def test_every_other_command_of_the_page_runs(first: tuple[Project, dict[str, str]]) -> None:
    """Of the cohort that was played: its name is of the day, and `gpt` is in it."""
    made, _ = first
    ((cohort,),) = made.rows("SELECT DISTINCT cohort FROM rounds")
    (made.folder / "reply.txt").write_text(HOLD)
    elsewhere = ALONE | set(CODE.findall(SECTION)) | set(steps("sh").splitlines())
    commands = {code for code in CODE.findall(PAGE.prose) if code.startswith("arena ")}
    commands |= {f.text.strip() for f in PAGE.fenced("sh") if f.text not in SECTION}
    for line in some(sorted(commands - elsewhere)):
        known = {
            "daily-2026-01-05": cohort,
            "DATA": "data/arena.db",
            "cohorts/replay.yaml": "cohorts/offline.yaml",
            "played/arena.db": "data/arena.db",
        }
        words = [known.get(word, word) for word in shlex.split(line)[1:]]
        done = made.run(*words, OPENAI_API_KEY="sk-a-key-of-the-page")
        assert (line, done.code, done.crashed) == (line, 0, False), done.err
