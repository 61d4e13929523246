"""Every definition is reached by a command, a plugin or what authors of plugins import."""

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.reach import Reach, parsed

ROOT = Path(__file__).parents[2]
PUBLIC = ("arena.__main__", "arena.testing", "arena.ports")


@cache
def program() -> Reach:
    return Reach(parsed(ROOT, "arena"))


@pytest.fixture(scope="module", autouse=True)
def _program() -> Iterator[None]:
    yield
    program.cache_clear()


def roots() -> Iterator[str]:
    """The command, the entry points of plugins, and what authors of plugins import."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for points in (project["scripts"], *project["entry-points"].values()):
        for target in points.values():
            found = program().absolute(target)
            assert found is not None, f"pyproject.toml names {target}, which is not there"
            yield found
    for target in project["entry-points"]["arena.venues"].values():
        kinds = program().absolute(target.partition(":")[0] + ":KINDS")  # beside a factory
        if kinds is not None:
            yield kinds
    for name in (*program().modules, *program().definitions):
        if f"{name}.".startswith(tuple(f"{module}." for module in PUBLIC)):
            yield name


def test_what_nothing_reaches_is_deleted() -> None:
    assert program().unreached(roots()) == set()


TREE = {
    "box/__init__.py": "from box.inner import opened",
    "box/inner.py": (
        "def opened(): return LID\nLID = 1\ndef _left(): return _spare()\ndef _spare(): ..."
    ),
    "box/cli.py": (
        "from importlib import import_module\n"
        "import box\nfrom box import inner as within\n"
        "TABLE = {'far': 'box.away'}\n"
        "def main(kind): import_module(f'box.kinds.{kind}'); box.opened(); far.thrown()"
    ),
    "box/away.py": "def thrown(): ...\ndef kept(): ...",
    "box/kinds/red.py": "from box.away import kept\nCOLOUR = kept\n_HIDDEN = 1",
}


def small(folder: Path, **changed: str) -> Reach:
    for name, text in {**TREE, **changed}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return Reach(parsed(folder, "box"))


def test_imports_tables_of_modules_and_composed_names_are_followed(tmp_path: Path) -> None:
    found = small(tmp_path)
    assert found.absolute("box.cli:main") == "box.cli.main"
    unreached = {"box.inner._left", "box.inner._spare", "box.kinds.red._HIDDEN"}
    assert found.unreached(["box.cli.main"]) == unreached | {"box.cli.TABLE"}


def test_what_runs_with_a_module_that_is_reached_is_reached(tmp_path: Path) -> None:
    loose = TREE["box/inner.py"] + "\n_left()"
    found = small(tmp_path, **{"box/inner.py": loose})
    assert not any("inner" in name for name in found.unreached(["box.cli.main"]))
