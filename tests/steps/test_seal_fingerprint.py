"""What grades now: which sources, which libraries, and how they are told apart."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy

import arena
from arena.metrics.registration import REGISTRATION
from arena.records.seal import Named
from arena.steps.seal import (
    SOURCES,
    code_digest,
    differences,
    digest_of_sources,
    graded_by,
    grading_now,
    libraries,
)
from tests.present import some

PACKAGE = Path(arena.__file__).parent


def sources(folder: Path, **texts: str) -> str:
    """The digest of a package with these modules of statistics."""
    folder.mkdir()
    (folder / "stats" / "deep").mkdir(parents=True)
    for name, text in texts.items():
        (folder / "stats" / name.replace("__", "/")).with_suffix(".py").write_bytes(
            text.encode()
        )
    return digest_of_sources(folder, ["stats"])


def test_a_source_that_was_changed_is_another_code(tmp_path: Path) -> None:
    one, other = (sources(tmp_path / t, dm=t, deep__hac="x = 1\n") for t in ("a", "b"))
    assert one != other


def test_a_source_below_a_folder_counts(tmp_path: Path) -> None:
    one, other = (sources(tmp_path / t, dm="a", deep__hac=t) for t in ("a", "b"))
    assert one != other


def test_a_source_that_was_moved_is_another_code(tmp_path: Path) -> None:
    assert sources(tmp_path / "a", dm="x") != sources(tmp_path / "b", hac="x")


def test_the_ends_of_lines_are_no_part_of_the_code(tmp_path: Path) -> None:
    assert sources(tmp_path / "a", dm="x\ny\n") == sources(tmp_path / "b", dm="x\r\ny\r\n")


def test_what_is_no_source_is_no_part_of_the_code(tmp_path: Path) -> None:
    before = sources(tmp_path / "a", dm="x")
    (tmp_path / "a" / "stats" / "dm.pyc").write_bytes(b"compiled")
    assert digest_of_sources(tmp_path / "a", ["stats"]) == before


@pytest.mark.parametrize("path", SOURCES)
def test_every_source_that_grades_is_there(path: str) -> None:
    assert (PACKAGE / path).exists()
    assert code_digest() != digest_of_sources(PACKAGE, [s for s in SOURCES if s != path])


def test_the_versions_are_those_that_are_imported() -> None:
    found = {one.name: one.value for one in libraries()}
    assert found["numpy"] == np.__version__
    assert found["scipy"] == scipy.__version__
    assert found["paper-arena"] == arena.__version__
    assert set(found) == {"numpy", "scipy", "paper-arena", "python"}


def test_what_grades_now_is_registered_with_the_arenas_own_code() -> None:
    assert grading_now() == graded_by(REGISTRATION)
    assert grading_now().code == code_digest()


def test_nothing_differs_from_itself() -> None:
    assert differences(grading_now(), graded_by(REGISTRATION)) == ()


def test_every_constant_that_is_changed_is_found() -> None:
    for n, constant in some(enumerate(REGISTRATION.constants)):
        changed = list(REGISTRATION.constants)
        changed[n] = Named(constant.name, "another")
        now = graded_by(replace(REGISTRATION, constants=tuple(changed)))
        (said,) = differences(grading_now(), now)
        assert said == f"constant {constant.name} sealed as {constant.value}, now another"
