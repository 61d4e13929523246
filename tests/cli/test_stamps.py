"""A tick has its published head stamped, and a stranger checks the stamp."""

from pathlib import Path

import pytest

from tests.cli.project import Project, configure
from tests.standins.time_authority import TimeAuthority

STAMP = "bundle/stamps/2026-01-05.tsr"


@pytest.fixture
def authority(tmp_path: Path) -> TimeAuthority:
    (tmp_path / "authority").mkdir()
    return TimeAuthority(tmp_path / "authority")


def stamping(ticked: Project, to: Path, url: str) -> Project:
    """A copy of an arena whose heads are stamped from now on."""
    made = ticked.copy(to)
    configure(made, site={"stamps": url})
    return made


def test_a_tick_has_its_head_stamped_and_the_bundle_shows_it(
    ticked: Project, tmp_path: Path, authority: TimeAuthority
) -> None:
    with authority.served() as url:
        arena = stamping(ticked, tmp_path / "arena", url)
        first, second = arena.tick(hours=1), arena.tick(hours=2)
    assert (first.code, first.err.endswith(f"was stamped: {STAMP}\n")) == (0, True)
    assert (second.code, second.err, authority.asked) == (0, "", 1)
    done = arena.run("verify", "bundle", "site", "--tsa-cert", authority.root)
    assert (done.code, "1 time stamp, at most" in done.out) == (0, True)


def test_an_authority_that_fails_is_told_and_the_tick_stands(
    ticked: Project, tmp_path: Path
) -> None:
    arena = stamping(ticked, tmp_path / "arena", "http://127.0.0.1:9/")
    done = arena.tick(hours=1)
    assert (done.code, "failed: the time stamp: 127.0.0.1:9 cannot be reached" in done.err) == (
        6,
        True,
    )
    assert (arena.folder / "site/heads.jsonl").read_text().count("\n") == 2
