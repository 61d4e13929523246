"""What comes with the package is found, in a checkout as in a wheel."""

import tomllib
from pathlib import Path

import pytest

from arena import bundle
from tests.present import some

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WHEEL = SETTINGS["tool"]["hatch"]["build"]["targets"]["wheel"]
INCLUDED: dict[str, str] = WHEEL["force-include"]


@pytest.mark.parametrize(("source", "target"), sorted(INCLUDED.items()))
def test_what_a_wheel_includes_is_there_under_the_name_it_is_looked_up_by(
    source: str, target: str
) -> None:
    assert (ROOT / source).exists()
    assert target == f"arena/bundled/{source}"


@pytest.mark.parametrize("name", sorted(INCLUDED))
def test_what_a_wheel_includes_is_found_in_a_checkout(name: str) -> None:
    assert bundle.bundled(name).exists()


def test_the_prompts_are_among_the_templates() -> None:
    assert list((bundle.templates() / "prompts").glob("*.md.j2"))


def test_the_package_itself_is_in_the_wheel() -> None:
    assert WHEEL["packages"] == ["arena"]


@pytest.mark.parametrize("group", ["arena.venues", "arena.llms", "arena.agents"])
def test_every_entry_point_names_a_module_that_is_in_the_wheel(group: str) -> None:
    points: dict[str, str] = SETTINGS["project"]["entry-points"][group]
    for target in some(points.values()):
        module = target.partition(":")[0].replace(".", "/")
        assert (ROOT / f"{module}.py").exists() or (ROOT / module / "__init__.py").exists()
