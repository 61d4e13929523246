import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Played
from tests.cli.inside import here, strict
from tests.site.bundle.conftest import add_head

TURN = ("weekly-2026-01-05", "1", "northwind-large-2")


def test_a_demos_site_is_what_its_bundle_comes_to(
    demo: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    done = here(capsys, "verify", "bundle", demo.folder / "site", "--json")
    assert (done.code, strict(done)["ok"]) == (0, True)


def test_what_was_changed_is_one_line_a_law_with_a_count(
    demo: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = Path(shutil.copytree(demo.folder / "site", tmp_path / "site"))
    for page in copy.glob("contestants/*/index.html"):
        page.write_text("<p>I was here</p>")
    done = here(capsys, "verify", "bundle", copy)
    about = [line for line in done.out.splitlines() if line.startswith("  every file")]
    assert (done.code, len(about)) == (3, 2)
    assert about[1].endswith(" more of this kind")


def test_what_could_not_be_compared_is_said_in_words_and_in_json(
    demo: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = Path(shutil.copytree(demo.folder / "site", tmp_path / "site"))
    manifest = copy / "bundle/manifest.json"
    held = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**held, "templates": "0" * 64, "program": "9\n\nholds"}))
    add_head(copy)
    words = here(capsys, "verify", "bundle", copy).out.splitlines()
    (told,) = strict(here(capsys, "verify", "bundle", copy, "--json"))["notes"]
    assert told.endswith("made the site: HTML is not compared")
    assert [line for line in words if line.startswith("note")] == [
        f"note    {' '.join(told.split())}"
    ]


def test_a_site_without_a_bundle_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = here(capsys, "verify", "bundle", tmp_path)
    assert (done.code, "error[verify.bundle]" in done.err) == (1, True)


def test_a_decision_is_verified_from_the_published_site(
    demo: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    done = here(capsys, "verify", "decision", *TURN, "--bundle", demo.folder / "site")
    assert done.code == 0
    assert [line.split("  ")[0] for line in done.out.splitlines()] == ["ok"] * 16


def test_a_decision_whose_reply_was_not_published_is_said(
    demo: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "export", "sqlite", "--database", demo.database, "--out", tmp_path, "--yes")
    words = ("verify", "decision", *TURN, "--database", tmp_path / "arena.sqlite")
    done = here(capsys, *words)
    assert (done.code, "error[verify.left_out]" in done.err) == (2, True)
