"""What an index and a container builder are given, as others check it."""

import json
import os
import re
import shutil
import subprocess
import sys
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from tests.docs.pages import page
from tests.present import some

ROOT = Path(__file__).parents[2]
URL = "https://code.example/owner/paper-arena"
RATE = """
import sys
from pyroma import projectdata, ratings
rating, failures = ratings.rate(projectdata.get_build_data(sys.argv[1], isolated=False))
print(rating, *failures, sep="\\n")
"""


def run(*words: str | Path) -> str:
    """Run a tool of the environment as at a release."""
    known = {**os.environ, "PROJECT_URL": f"{URL}/", "PROJECT_EMAIL": "us@code.example"}
    words = (sys.executable, *words)
    done = subprocess.run(  # noqa: S603  our own words
        words, cwd=ROOT, capture_output=True, text=True, check=False, env=known
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as held:
        (name,) = (one for one in held.namelist() if one.endswith("/METADATA"))
        return message_from_bytes(held.read(name))


def test_pyroma_gives_ten_of_ten() -> None:
    pytest.importorskip("pyroma")
    pytest.importorskip("hatchling")
    assert run("-c", RATE, ROOT).splitlines()[-1] == "10"


def test_twine_and_check_wheel_contents_take_the_wheel(wheel: Path) -> None:
    pytest.importorskip("twine")
    pytest.importorskip("check_wheel_contents")
    assert "PASSED" in run("-m", "twine", "check", "--strict", wheel)
    assert "OK" in run("-m", "check_wheel_contents", wheel)


@pytest.mark.soak
def test_in_a_bare_environment_the_page_runs_as_printed_and_a_copy_of_a_site_is_checked(
    wheel: Path, tmp_path: Path
) -> None:
    pytest.importorskip("uv")
    bare, alone = tmp_path / "bare", tmp_path / "alone"
    run("-m", "uv", "venv", "--quiet", bare)
    run("-m", "uv", "pip", "install", "--quiet", "--python", bare, wheel)
    printed = page("docs/python.md")
    install, demo = printed.fenced("sh")[0].text.splitlines()
    assert install == "pip install paper-arena"
    inside([bare / "bin" / demo.split()[0], *demo.split()[1:]], tmp_path)
    notebook = json.loads((ROOT / "examples" / "arena.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    for blocks in ([block.text for block in printed.fenced("python")], cells):
        code = "\n".join(blocks)
        said = inside([bare / "bin" / "python", "-W", "error", "-c", code], tmp_path)
        assert "393 events show a difference of 0.02" in said
    shutil.copytree(tmp_path / "demo" / "site", alone / "site")
    assert "journal " in inside([bare / "bin" / "arena", "verify", "bundle", "site"], alone)


def inside(words: list[str | Path], folder: Path) -> str:
    """Run something in a folder, without what the checkout's environment sets."""
    done = subprocess.run(  # noqa: S603  our own words
        words,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def test_an_index_can_follow_every_link_of_the_front_page(metadata: Message) -> None:
    text = metadata.get_payload()
    assert isinstance(text, str)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert [link for link in some(links) if not link.startswith(("https://", "#"))] == []
    pictures = [link for link in links if link.endswith(".png")]
    assert len(pictures) == 2
    assert all(link.startswith(f"{URL}/raw/v") for link in pictures)


def test_hadolint_has_nothing_against_the_container() -> None:
    tool = Path(sys.executable).with_name("hadolint")
    if not tool.exists():
        pytest.skip("hadolint is in the group verify")
    done = subprocess.run(  # noqa: S603  it only reads
        [tool, "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_what_the_container_builds_is_what_the_builder_is_shown() -> None:
    shown = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert shown[0] == "*"
    assert all((ROOT / name.removeprefix("!")).exists() for name in shown[1:])
    held = {name.removeprefix("!") for name in shown[1:]}
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (included,) = re.findall(r"wheel\.force-include\]\n((?:.+\n)+)", project)
    assert set(re.findall(r'^"([^"]+)"', included, re.MULTILINE)) <= held


def test_the_container_runs_as_nobody_special_and_keeps_its_files_in_a_volume() -> None:
    service = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    (volume,) = service["services"]["arena"]["volumes"]
    name, _, place = volume.partition(":")
    assert name in service["volumes"]
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    assert f"VOLUME {place}" in lines
    assert [line for line in lines if line.startswith("USER ")] == ["USER 10001"]
    assert lines[-3].endswith('CMD ["arena", "health"]')
