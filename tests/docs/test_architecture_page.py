"""The page on architecture says what the code and its settings say."""

import re
import tomllib
from typing import Any

from arena.ports import Agent, ContextSource, Llm, Venue
from arena.site import Kind
from arena.store import open_store
from arena.store.migrations import CACHES, TRUTHS
from tests.docs.pages import ROOT, bare, page, tables

PAGE = page("docs/architecture.md")
BROAD = re.compile(r"except \(?(?:Base)?Exception\b")


def contracts() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return found


def first_cells(section: str, which: int) -> list[str]:
    return [bare(row[0]) for row in tables(PAGE.section(section))[which][1:]]


def test_the_truths_are_those_of_the_schema() -> None:
    assert first_cells("Two truths, and caches", 0) == list(TRUTHS)


def test_the_caches_are_those_of_the_schema() -> None:
    assert first_cells("Two truths, and caches", 1) == list(CACHES)


def test_a_new_database_has_these_tables_and_no_other() -> None:
    with open_store(None) as store:
        rows = store.db.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    made = {row["name"] for row in rows if not row["name"].startswith("sqlite_")}
    assert made == {*TRUTHS, *CACHES, "_sqlite_migrations"}
    assert "_sqlite_migrations" in PAGE.codes


def test_the_layers_are_those_that_are_checked() -> None:
    (checked,) = (c["layers"] for c in contracts() if c["type"] == "layers")
    block, *_ = (f for f in PAGE.fenced("text") if f.text in PAGE.section("Layers"))
    assert block.text.splitlines() == checked


def test_the_doors_are_those_that_are_checked() -> None:
    (table,) = tables(PAGE.section("Layers"))
    told = [
        (set(re.findall(r"`(\w+)`", libraries)), re.findall(r"`([\w.]+)`", doors))
        for libraries, doors in table[1:]
    ]
    assert told == [
        (set(c["protected_modules"]), c["allowed_importers"])
        for c in contracts()
        if c["type"] == "protected"
    ]


def test_the_shape_names_every_part_of_the_package_once_with_what_it_is() -> None:
    parts = [
        path.name + "/" * path.is_dir()
        for path in (ROOT / "arena").iterdir()
        if path.name not in {"__init__.py", "__pycache__", "bundled"}
        and (path.is_dir() or path.suffix == ".py")
    ]
    block, *_ = (f for f in PAGE.fenced("text") if f.text in PAGE.section("The shape"))
    told = [line.split(maxsplit=1) for line in block.text.splitlines() if line != "arena/"]
    assert sorted(name for name, _ in told) == sorted(parts)


def test_every_module_that_catches_broadly_is_named_and_no_other() -> None:
    found = set()
    for path in (ROOT / "arena").rglob("*.py"):
        if BROAD.search(path.read_text("utf-8")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found.add(".".join(part for part in parts if part != "__init__"))
    section = PAGE.section("Errors and exit codes").replace("\n", " ")
    told = section.split("Broad catching happens in ", 1)[1]
    named = re.findall(r"`(arena\.[\w.]+)\.\w+`", told)
    assert set(named) == found
    assert told.startswith({4: "four"}.get(len(found), str(len(found))))


def test_the_pieces_of_a_site_are_those_that_it_is_made_of() -> None:
    assert first_cells("The site", 0) == list(Kind)


def test_the_guide_to_plugins_names_every_port_that_a_plugin_fills() -> None:
    named = {code.rsplit(".", 1)[-1] for code in PAGE.codes if code.startswith("arena.ports.")}
    assert {port.__name__ for port in (Venue, Llm, Agent, ContextSource)} <= named
