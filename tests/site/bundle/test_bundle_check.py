import gzip
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.bundle import templates
from arena.errors import ArenaError
from arena.site.bundle.bundle_check import (
    BYTES,
    DAYS,
    FILES,
    HEADS,
    NUMBERS,
    OLDER,
    TABLES,
    TEXTS,
    changed_files,
    check_bundle,
    opened,
)
from arena.site.bundle.published_site import (
    EDITION,
    LISTS,
    MANIFEST,
    UNPACKED,
    published_site,
)
from arena.site.engine.renderer import BUILD
from arena.site.heads import PUBLISHED, read_heads, with_head
from arena.site.overview.kept import digest_of_makers
from arena.site.site_checks import files_in
from arena.store import open_store
from tests.http.asking import Says, says
from tests.present import some
from tests.site.bundle.conftest import add_head, digest, edited, publish_day, relist, served
from tests.site.folders import play_days
from tests.sizes import size

FORECAST = "turn:daily-2026-01-05:1:alder"
CHAIN = "the journal's chain of digests is unbroken"
COHORT = "data/daily-2026-01-05"
FIRST = "bundle/2026/journal-2026-01-05.jsonl.gz"


def checked(place: Path | str, older: Path | None = None) -> list[tuple[str, str]]:
    """What is found of a site, as law and place."""
    past = published_site(str(older)) if older else None
    report = check_bundle(published_site(str(place)), templates(), past).report
    return [(finding.law, finding.where) for finding in report.findings]


def test_every_number_comes_out_again(published: Path) -> None:
    older = published_site(str(published / "older"))
    found = check_bundle(published_site(str(published / "site")), templates(), older).report
    assert found.findings == ()
    assert [of for law, of in found.checked if law == NUMBERS and of and of > 1000]


@pytest.mark.parametrize("name", ["lively", "attacked"])
def test_so_it_does_where_everything_happened_and_every_name_is_an_attack(
    name: str, request: pytest.FixtureRequest
) -> None:
    assert checked(request.getfixturevalue(name).out) == []


def test_estimates_may_be_older_than_the_books_beside_them(published: Path) -> None:
    lines, _ = read_heads((published / "site" / PUBLISHED).read_bytes())
    assert lines[-1].head.overview_entry < lines[-1].head.entry


def test_a_changed_byte_is_found_and_its_file_named(copy: Path) -> None:
    rng = np.random.default_rng(5)
    paths = sorted(files_in(copy))
    for _ in range(size(12, 1000)):
        file = copy / paths[rng.integers(len(paths))]
        content = file.read_bytes()
        at = int(rng.integers(len(content)))
        other = bytes([(content[at] + int(rng.integers(1, 256))) % 256])
        file.write_bytes(content[:at] + other + content[at + 1 :])
        with opened(published_site(str(copy))) as bundle:
            found = {finding.where for finding in changed_files(bundle)}
        file.write_bytes(content)
        assert file.relative_to(copy).as_posix() in found


def test_a_file_that_is_gone_is_named(copy: Path) -> None:
    (copy / "providers/index.json").unlink()
    assert (FILES, "providers/index.json") in checked(copy)


def lie_about_a_number(out: Path) -> None:
    page = out / "contestants/index.json"
    page.write_text(page.read_text().replace('"value": ', '"value": 1', 1))


def lie_about_a_page(out: Path) -> None:
    page = out / "index.html"
    page.write_text(page.read_text().replace("Alder", "Birch", 1))


def lie_about_a_forecast(out: Path) -> None:
    _change(out, '\\"probability\\":0.', '\\"probability\\":0.9')


def lie_about_the_pairs(out: Path) -> None:
    file = out / "compare.pairs.csv"
    file.write_text(file.read_text() + "and another pair\n")


def lie_about_a_table(out: Path) -> None:
    file = out / f"{COHORT}/forecasts.csv"
    file.write_text(file.read_text().replace(",0.", ",0.9", 1))


def cut_the_last_line_end(out: Path) -> None:
    file = out / "data/daily-2026-01-06/forecasts.csv"
    file.write_bytes(file.read_bytes().removesuffix(b"\n"))


def end_lines_otherwise(out: Path) -> None:
    file = out / "data/daily-2026-01-07/forecasts.csv"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))


def lie_about_packed_rows(out: Path) -> None:
    (file,) = out.glob(f"{COHORT}/*.parquet")
    rewrite(file, "market <> (SELECT min(market) FROM rows)")


def rewrite(file: Path, where: str = "true") -> None:
    """Write rows of a Parquet file as another version of DuckDB may."""
    with pytest.importorskip("duckdb").connect() as db:
        db.execute("CREATE TABLE rows AS SELECT * FROM read_parquet(?)", [str(file)])
        db.sql(f"SELECT * FROM rows WHERE {where}").write_parquet(str(file), compression="gzip")  # noqa: S608  our own


def _change(out: Path, old: str, new: str) -> None:
    file = out / FIRST
    text = gzip.decompress(file.read_bytes()).decode()
    assert old in text
    file.write_bytes(gzip.compress(text.replace(old, new, 1).encode()))


def swap_the_checker(out: Path) -> None:
    (out / "a/v1/verify.js").write_text("document.body.append('Everything fits.')")


def add_a_page(out: Path) -> None:
    (out / "fake.html").write_text("<p>The best model is mine.")


def list_nothing(out: Path) -> None:
    for file in some(sorted((out / LISTS).iterdir())):
        file.write_text("")


def invent_a_day(out: Path) -> None:
    with edited(out / MANIFEST) as manifest:
        manifest["days"].append({**manifest["days"][-1], "day": "2026-02-09"})


def invent_a_table(out: Path) -> None:
    (out / "data/more.csv").write_text("contestant\nalder\n")
    listed = out / LISTS / "front.sums"
    listed.write_text(f"{listed.read_text()}{'0' * 64}  data/more.csv\n")


def rewrite_a_reply(out: Path) -> None:
    for file in some(sorted((out / "bundle").rglob("texts-*.gz"))):
        line = json.dumps({"digest": "0" * 64, "text": "I never said that"})
        file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes()) + line.encode()))


def rewrite_a_head(out: Path) -> None:
    lines, _ = read_heads((out / PUBLISHED).read_bytes())
    first, *others = (line.head for line in lines)
    (out / PUBLISHED).unlink()
    for head in (first._replace(head="f" * 64), *others):
        (out / PUBLISHED).write_bytes(with_head(out / PUBLISHED, head))


LIES: Mapping[Callable[[Path], None], tuple[str, str]] = {
    lie_about_a_number: (NUMBERS, "contestants/index.json"),
    lie_about_a_page: (BYTES, "index.html"),
    lie_about_the_pairs: (BYTES, "compare.pairs.csv"),
    lie_about_a_table: (TABLES, f"{COHORT}/forecasts.csv"),
    cut_the_last_line_end: (TABLES, "data/daily-2026-01-06/forecasts.csv"),
    end_lines_otherwise: (TABLES, "data/daily-2026-01-07/forecasts.csv"),
    lie_about_packed_rows: (TABLES, f"{COHORT}/forecasts.parquet"),
    swap_the_checker: (BYTES, "a/v1/verify.js"),
    add_a_page: (FILES, "fake.html"),
    invent_a_day: (DAYS, "2026-02-09"),
    invent_a_table: (TABLES, "data/more.csv"),
    rewrite_a_reply: (TEXTS, "0" * 64),
    rewrite_a_head: (HEADS, PUBLISHED),
}


@pytest.fixture(scope="module")
def told(published: Path, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """What is found of a site with all of these lies, each of which hides no other."""
    out = tmp_path_factory.mktemp("lies") / "site"
    shutil.copytree(published / "site", out)
    for lie in LIES:
        lie(out)
    relist(out)
    return checked(out)


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_lie_with_digests_that_fit_is_found(
    lie: Callable[[Path], None], told: list[tuple[str, str]]
) -> None:
    law, where = LIES[lie]
    assert [broken for broken, at in told if where in at and broken == law] != []
    assert law == FILES or (FILES, where) not in told


@pytest.mark.parametrize(
    ("lie", "law", "where"),
    [(lie_about_a_forecast, CHAIN, FORECAST), (list_nothing, FILES, "contestants/index.html")],
)
def test_so_is_one_that_spoils_everything_else(
    lie: Callable[[Path], None], law: str, where: str, copy: Path
) -> None:
    lie(copy)
    relist(copy)
    assert (law, where) in checked(copy)


def test_a_digest_that_fits_no_file_is_found(copy: Path) -> None:
    table = f"{COHORT}/forecasts.csv"
    was = digest(copy / table)
    (listed,) = (f for f in (copy / LISTS).rglob("*.sums") if was in f.read_text())
    listed.write_text(listed.read_text().replace(was, "1" * 64))
    with edited(copy / MANIFEST) as manifest:
        manifest["files"][listed.relative_to(copy).as_posix()] = digest(listed)
    add_head(copy)
    assert (FILES, table) in checked(copy)


def test_a_table_of_another_duckdb_holds_by_its_rows(copy: Path) -> None:
    (file,) = copy.glob(f"{COHORT}/*.parquet")
    old = digest(file)
    rewrite(file)
    new, sums = digest(file), file.with_name("SHA256SUMS")
    assert old != new
    sums.write_text(sums.read_text().replace(old, new))
    relist(copy)
    assert checked(copy) == []


@pytest.mark.parametrize("extras", [(False, True), (True, False)], ids=["DuckDB", "Pillow"])
def test_pages_of_a_publisher_with_other_extras_are_compared_to_the_byte(
    extras: tuple[bool, bool], copy: Path
) -> None:
    made = json.loads((copy / MANIFEST).read_text())["templates"]
    for path in (MANIFEST, BUILD):
        text = (copy / path).read_text()
        (copy / path).write_text(text.replace(made, digest_of_makers(templates(), extras)))
    relist(copy)
    report = check_bundle(published_site(str(copy)), templates()).report
    assert (report.findings, BYTES in dict(report.checked)) == ((), True)


@pytest.mark.parametrize(
    "odd",
    [
        {"made_at": "0001-01-01T00:00:00+14:00"},
        {"at": "2026-01-05T00:00:00"},
        {"overview_at": 5},
        {"entry": "many"},
    ],
    ids=str,
)
def test_an_impossible_head_cannot_be_read(odd: Mapping[str, Any], copy: Path) -> None:
    lines, _ = read_heads((copy / PUBLISHED).read_bytes())
    (copy / PUBLISHED).write_bytes(with_head(copy / "none", lines[0].head._replace(**odd)))
    assert (HEADS, PUBLISHED) in checked(copy)


@pytest.mark.parametrize("path", ["arena.db", "../../etc/passwd"])
def test_a_bundle_names_no_database_of_its_own_and_no_file_outside(
    path: str, copy: Path
) -> None:
    with edited(copy / MANIFEST) as manifest:
        manifest["files"][path] = "0" * 64
    add_head(copy)
    with pytest.raises(ArenaError, match="names a file that no bundle has"):
        checked(copy)


def test_an_entry_that_stands_twice_is_refused(copy: Path) -> None:
    packed = (copy / FIRST).read_bytes()
    (copy / FIRST).write_bytes(gzip.compress(2 * gzip.decompress(packed)))
    relist(copy)
    with pytest.raises(ArenaError, match="is not the next one"):
        checked(copy)


def invent_a_price(out: Path) -> None:
    file = out / FIRST.replace("journal", "tape")
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    (quote, *_) = (json.loads(line) for line in lines if '"tape_quotes"' in line)
    at = f"{quote['seen_at'][:11]}11:11:00+00:00"
    file.write_bytes(
        gzip.compress("\n".join([*lines, json.dumps({**quote, "seen_at": at})]).encode())
    )


def rename_a_model(out: Path) -> None:
    with edited(out / EDITION) as edition:
        (who, *_) = edition["cast"].values()
        who["reference"] = not who["reference"]


def test_what_was_added_to_an_older_copy_or_is_missed_there_is_found(
    published: Path, copy: Path, tmp_path: Path
) -> None:
    """A price of the first day, a time stamp of the second, and a name of the third."""
    older = Path(shutil.copytree(published / "older", tmp_path / "older"))
    with edited(older / MANIFEST) as manifest:
        manifest["files"]["bundle/stamps/2026-01-06.tsr"] = "0" * 64
    invent_a_price(copy)
    rename_a_model(copy)
    relist(copy)
    days = [where for law, where in checked(copy, older) if law == OLDER]
    assert sorted(days) == ["2026-01-05", "2026-01-06", "2026-01-07"]


def test_a_site_that_has_moved_is_said_to_have() -> None:
    with Says(says(301)) as server, pytest.raises(ArenaError, match=r"leads elsewhere \(HTTP"):
        checked(server.home)


@pytest.mark.parametrize("address", ["http://127.0.0.1:99999999/", "https://", "HTTP:/x"])
def test_what_is_no_address_is_said(address: str) -> None:
    with pytest.raises(ArenaError, match="there is no site at"):
        published_site(address)


def test_the_first_day_that_was_rewritten_is_named(published: Path, tmp_path: Path) -> None:
    with open_store(None) as store:
        play_days(store, 0, 2, contestants=1)
        play_days(store, 2, 3, contestants=2)
        publish_day(store, tmp_path / "site", 3)
    found = checked(tmp_path / "site", published / "older")
    days = [day for law, day in found if law == OLDER and day > "2026-01-06"]
    assert (days[0], {law for law, _ in found}) == ("2026-01-07", {OLDER})


def test_heads_alone_are_an_older_copy(published: Path, tmp_path: Path) -> None:
    (tmp_path / PUBLISHED).write_bytes((published / "older" / PUBLISHED).read_bytes())
    assert checked(published / "site", tmp_path) == []


def test_a_site_on_the_web_is_checked_by_the_files_that_it_names(copy: Path) -> None:
    page = copy / "index.html"
    page.write_bytes(page.read_bytes().replace(b"<main", b"<Main", 1))
    with served(copy) as (address, heard):
        assert checked(address) == [(FILES, "index.html"), (BYTES, "index.html")]
    assert {path[1:] for path in heard} == set(files_in(copy))


def test_a_link_that_leads_out_of_the_folder_is_not_followed(
    copy: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("mine")
    (copy / "index.html").unlink()
    (copy / "index.html").symlink_to(tmp_path / "secret")
    with pytest.raises(ArenaError, match="leads out of the folder"):
        checked(copy)


HUGE = {
    "seq": 1,
    "digest": "0" * 64,
    "head": '["fund:a:b","2026-01-05T00:00:00+00:00","funded","a","b",[]]',
    "event": '{"amount":"1E+999990"}',
}


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (FIRST, b"not packed"),
        (FIRST, gzip.compress(b"[" * 100_000)),
        (FIRST, gzip.compress(b"[1]")),
        (FIRST, gzip.compress(b'{"seq": 1}')),
        (FIRST, gzip.compress(json.dumps(HUGE).encode())),
        (FIRST.replace("journal", "tape"), gzip.compress(b'{"table": "names", "name": 1}')),
        (FIRST.replace("journal", "tape"), gzip.compress(b'{"table": "tape_polls", "a;b": 1}')),
        (EDITION, b"[" * 100_000),
    ],
    ids=["not packed", "deep", "list", "half", "huge", "table", "column", "edition"],
)  # fmt: skip
def test_a_hostile_bundle_is_refused(path: str, content: bytes, copy: Path) -> None:
    (copy / path).write_bytes(content)
    assert refusal(copy) in {"verify.bundle", "store.damaged"}


def test_a_file_that_is_huge_when_unpacked_is_refused(copy: Path) -> None:
    (copy / FIRST).write_bytes(gzip.compress(b"[" * (UNPACKED + 1), 1))
    assert refusal(copy) == "verify.bundle"


def refusal(out: Path) -> str:
    relist(out)
    with pytest.raises(ArenaError) as refused:
        checked(out)
    return refused.value.code
