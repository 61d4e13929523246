import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from arena import plugins
from arena.errors import ArenaError
from tests.installed import install

ROOT = Path(__file__).parents[1]
REPORT = """
from arena import plugins
from arena.errors import ArenaError
try:
    print(plugins.load("arena.agents", "odd"))
except ArenaError as error:
    print(error.code, error.message, error.hint, sep="|")
"""


def offer(
    folder: Path, package: str, target: str, module: str = "", *, group: str = "arena.agents"
) -> None:
    """Install a package that offers a plugin named odd, by hand."""
    install(folder, package, f"[{group}]\nodd = {target}\n", module)


def report(folder: Path) -> str:
    """Load the agent named odd in a Python that sees the folder."""
    command = [sys.executable, "-c", f"import sys; sys.path.append({str(folder)!r})\n{REPORT}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  our own code
    return done.stdout.strip()


@pytest.mark.parametrize("group", ["arena.venues", "arena.llms", "arena.agents"])
def test_every_plugin_of_the_package_is_listed(group: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(project["entry-points"][group]) <= set(plugins.names(group))


def test_names_come_in_order() -> None:
    names = plugins.names("arena.agents")
    assert list(names) == sorted(set(names))


def test_a_group_that_nobody_offers_is_empty() -> None:
    assert plugins.names("arena.nothing") == ()


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(ArenaError) as caught:
        plugins.load("arena.venues", "simulatd")
    assert (caught.value.code, caught.value.status) == ("plugin.unknown", 2)
    assert caught.value.hint == "did you mean simulated?"


def test_a_name_like_no_other_is_answered_with_all_there_are() -> None:
    with pytest.raises(ArenaError) as caught:
        plugins.load("arena.llms", "zzz")
    assert caught.value.hint == "there are: " + ", ".join(plugins.names("arena.llms"))


def test_a_plugin_of_another_package_is_loaded(tmp_path: Path) -> None:
    offer(tmp_path, "stranger", "stranger:make", "make = dict\n")
    assert report(tmp_path) == "<class 'dict'>"


def test_what_a_plugin_prints_is_no_output_of_a_command(tmp_path: Path) -> None:
    offer(tmp_path, "loud", "loud:make", "print('hi')\ndef make(*_): print('built')\n")
    assert "hi" not in report(tmp_path)


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("raise RuntimeError('no luck\\nat all')", "RuntimeError: no luck"),
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("other = 1", "AttributeError: module 'stranger' has no attribute 'make'"),
        ("make = 7", "stranger:make cannot be called"),
        ("def make(:", "SyntaxError: invalid syntax"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_named_with_the_reason(
    tmp_path: Path, module: str, why: str
) -> None:
    offer(tmp_path, "stranger", "stranger:make", module)
    code, message, hint = report(tmp_path).split("|")
    assert code == "plugin.broken"
    assert message.startswith(f"the plugin 'odd' of arena.agents could not be loaded: {why}")
    assert hint == "repair, upgrade or uninstall stranger"


def test_one_name_for_two_plugins_is_refused(tmp_path: Path) -> None:
    offer(tmp_path, "stranger", "stranger:make", "make = dict\n")
    offer(tmp_path, "stronger", "stronger:make", "make = list\n")
    code, message, _ = report(tmp_path).split("|")
    assert code == "plugin.ambiguous"
    assert message.endswith("offered as stranger:make and as stronger:make")


def test_plugins_are_imported_without_reading_what_is_installed() -> None:
    code = "import sys, arena.plugins; print('importlib.metadata' in sys.modules)"
    done = subprocess.run(  # noqa: S603  our own code
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "False\n"


VENUE = """
from arena.errors import ArenaError
from arena.records.market import LeftOut
from arena.venues.reading import Read
KINDS = {"days": lambda payload, origin: Read((f"{origin.venue} has {payload}",))}
class Odd:
    only_now = True
    def __init__(self, settings, clock, payloads):
        if settings.options:
            raise ArenaError("venue.option", "it has no options", status=2)
    async def catalogue(self):
        from arena.records.market import Catalogue
        return Catalogue(())
"""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["parse", "odd", "days", "-"], "odd has 7"),
        (["parse", "odd", "weeks", "-"], "there are: days"),
        (["parse", "simulated", "days", "-"], "no payloads of simulated can be read"),
        (["check"], "catalogue"),
    ],
)
def test_a_venue_from_outside_is_parsed_and_checked(
    tmp_path: Path, words: list[str], said: str
) -> None:
    offer(tmp_path, "oddity", "oddity:Odd", VENUE, group="arena.venues")
    (tmp_path / "config.yaml").write_text("venues: {mine: {adapter: odd}}\n")
    config = str(tmp_path / "config.yaml")
    call = f"import sys; sys.path.append({str(tmp_path)!r}); from arena.cli import main; main()"
    done = subprocess.run(  # noqa: S603  our own code
        [sys.executable, "-c", call, "--config", config, "venue", *words],
        capture_output=True,
        text=True,
        check=False,
        input="7",
    )
    assert said in done.stdout + done.stderr


def test_what_to_repair_may_be_a_file() -> None:
    assert "its file" in plugins.built("mine", lambda: ArenaError("", str(1 // 0))).hint
