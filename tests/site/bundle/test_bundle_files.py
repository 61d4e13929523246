import gzip
import json
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from arena.bundle import templates
from arena.records.settings import Pages
from arena.site.bundle.bundle_check import OLDER, check_bundle
from arena.site.bundle.published_site import MANIFEST, published_site, read_list
from arena.site.heads import PUBLISHED, read_heads
from arena.site.site_checks import check_site, files_in
from arena.store import open_store
from tests.site.bundle.conftest import WEEKLY, publish_day
from tests.site.folders import files, play_days


def test_every_file_of_a_site_is_named_by_its_bundle(published: Path) -> None:
    out = published / "site"
    own = json.loads((out / MANIFEST).read_text())["files"]
    listed = [
        path
        for name in own
        if name.endswith(".sums")
        for path in read_list((out / name).read_text())
    ]
    assert {*listed, *own, MANIFEST, PUBLISHED} == set(files_in(out))


def test_digests_of_entries_are_made_of_the_texts_in_the_lines(published: Path) -> None:
    before, entries = "0" * 64, 0
    for file in sorted((published / "site/bundle").rglob("journal-*.gz")):
        for line in gzip.decompress(file.read_bytes()).splitlines():
            entry = json.loads(line)
            before = sha256((before + entry["head"] + entry["event"]).encode()).hexdigest()
            entries += 1
            assert entry["digest"] == before
    manifest = json.loads((published / "site" / MANIFEST).read_text())
    assert (entries, before) == (manifest["entry"], manifest["head"])


def test_a_past_days_files_are_written_once(tmp_path: Path) -> None:
    out = tmp_path / "site"
    with open_store(None) as store:
        play_days(store, 0, 2, contestants=0)
        publish_day(store, out, 2)
        first = sorted((out / "bundle").glob("2026/*2026-01-05*"))
        written = [file.stat().st_mtime_ns for file in first]
        store.db.run("DELETE FROM tape_polls WHERE at < '2026-01-06'")
        play_days(store, 2, 3, contestants=0)
        publish_day(store, out, 3)
    assert [file.stat().st_mtime_ns for file in first] == written


def test_a_machine_that_has_only_the_bundle_leaves_past_days_as_they_were(
    tmp_path: Path,
) -> None:
    older, out = tmp_path / "older", tmp_path / "site"
    with open_store(None) as store:
        play_days(store, 0, 2, contestants=0)
        publish_day(store, older, 2)
        shutil.copytree(older / "bundle", out / "bundle")
        shutil.copy(older / PUBLISHED, out)
        store.db.run("DELETE FROM tape_polls WHERE at < '2026-01-06'")  # as pruned
        play_days(store, 2, 3, contestants=0)
        publish_day(store, out, 3)
    first = "bundle/2026/tape-2026-01-05.jsonl.gz"
    assert (out / first).read_bytes() == (older / first).read_bytes()
    checked = check_bundle(
        published_site(str(out)), templates(), published_site(str(older))
    ).report
    assert [finding.where for finding in checked.findings if finding.law == OLDER] == []


def test_heads_are_only_appended(published: Path) -> None:
    older, newer = ((published / name / PUBLISHED).read_bytes() for name in ("older", "site"))
    assert newer.startswith(older)
    assert len(read_heads(newer)[0]) == len(read_heads(older)[0]) + 1


def test_a_site_that_is_built_again_adds_no_head(tmp_path: Path) -> None:
    out = tmp_path / "site"
    with open_store(None) as store:
        play_days(store, 0, 1, contestants=0)
        publish_day(store, out, 1)
        before = (out / PUBLISHED).read_bytes()
        (out / "index.html").unlink()
        publish_day(store, out, 1)
    assert (out / PUBLISHED).read_bytes() == before


def test_replies_are_taken_back_where_decisions_lose_their_pages(tmp_path: Path) -> None:
    out = tmp_path / "site"
    bare = replace(WEEKLY, site=replace(WEEKLY.site, pages=Pages.INDEX))
    with open_store(None) as store:
        play_days(store, 0, 2, contestants=1)
        publish_day(store, out, 2)
        with_texts = {path for path in files(out) if "/texts-" in path}
        publish_day(store, out, 2, bare)
    assert with_texts
    assert not {path for path in files(out) if "/texts-" in path}


KEY = json.dumps({"head": "sk-ant-" + "a1B2c3D4" * 6})


@pytest.mark.parametrize(
    ("content", "rule"),
    [(gzip.compress(KEY.encode()), "secret"), (b"{}", "text")],
    ids=["a key", "not packed"],
)
def test_what_a_packed_file_may_not_hold_is_found(
    content: bytes, rule: str, copy: Path
) -> None:
    file = min((copy / "bundle").rglob("journal-*.gz"))
    file.write_bytes(content)
    found = {(one.rule, one.path) for one in check_site(copy).findings}
    assert (rule, file.relative_to(copy).as_posix()) in found
