"""`arena tape` as a user meets it."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from arena.cli.play.tick import tick_once
from arena.records.answer import Payload
from arena.records.market import VenueId
from arena.records.money import price_from_micro
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.exports.tape_export import export, recorded_store
from arena.store.journal.packed import rebuild
from tests.build import HERE, RAIN, T0, at, market, quote
from tests.cli.inside import Capsys, here
from tests.cli.project import Project, project
from tests.cli.shell import ARENA, Done
from tests.plans import listening

SIM = VenueId("sim")
BODY = b'{"markets": [1, 2, 3]}'
DIGEST = sha256(BODY).hexdigest()
HOURS = 40 * 24


@pytest.fixture(scope="module")
def polled(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that was ticked twice, forty days apart, whose venue has a server."""
    made = project(tmp_path_factory.mktemp("taped") / "arena", rounds=60)
    for hours in (0, 24, HOURS):
        tick_once(made.folder / "config.yaml", at(hours))
    with open_store(made.database) as store:
        for hours, body in ((1, BODY), (HOURS, b"new"), (HOURS + 1, b"\x00\xff" * 10)):
            url = f"https://example.org/markets?page={hours}\x1b[2J"
            store.payloads.keep(Payload(SIM, at(hours), "GET", url, 200, body))
    return made


def tape(polled: Project, capsys: Capsys, *words: str | Path) -> Done:
    return here(capsys, "tape", *words, "--database", polled.database)


def test_the_size_of_a_tape_is_told_by_table_and_venue(polled: Project, capsys: Capsys) -> None:
    done = tape(polled, capsys, "size", "--json")
    tables = {(one["table"], one["venue"]): one for one in done.document["tape"]["tables"]}
    assert tables["tape_payloads", "sim"]["rows"] == 3
    assert tables["tape_quotes", "sim"]["bytes"] > 0
    assert done.document["tape"]["quote"] > 10


def test_the_size_in_words_names_the_bytes_of_a_quote(polled: Project, capsys: Capsys) -> None:
    done = tape(polled, capsys, "size")
    assert done.code == 0
    assert "bytes a quote" in done.out
    assert "tape_quotes" in done.out


def test_the_last_answers_are_listed_with_harmless_addresses(
    polled: Project, capsys: Capsys
) -> None:
    done = tape(polled, capsys, "list", "--venue", "sim", "--last", "2")
    head, newest, older = done.out.splitlines()
    assert head.split() == ["time", "digest", "status", "bytes", "asked"]
    assert newest.startswith("2026-02-14 01:00:00")
    assert f"page={HOURS}[2J" in older
    assert "\x1b" not in done.out


def test_a_long_address_is_cut_and_stands_at_the_left(tmp_path: Path, capsys: Capsys) -> None:
    file = tmp_path / "arena.db"
    with open_store(file) as store:
        for n, url in enumerate(("http://x/", "http://x/" + "y" * 500)):
            store.payloads.keep(Payload(SIM, at(n), "GET", url, 200, b"{}"))
    done = here(capsys, "tape", "list", "--venue", "sim", "--database", file)
    head, long, short = done.out.splitlines()
    assert {head.index("asked"), long.index("GET"), short.index("GET")} == {59}
    assert (long[-5:], len(long)) == ("yy...", 169)


def test_the_last_answers_as_json_have_their_digests(polled: Project, capsys: Capsys) -> None:
    done = tape(polled, capsys, "list", "--venue", "sim", "--json")
    assert [one["size"] for one in done.document["payloads"]] == [20, 3, len(BODY)]
    assert done.document["payloads"][-1]["digest"] == DIGEST


@pytest.mark.parametrize("length", [8, 20, 64])
def test_a_raw_answer_is_named_by_how_its_digest_begins(
    polled: Project, capsys: Capsys, length: int
) -> None:
    done = tape(polled, capsys, "show", DIGEST[:length])
    assert (done.code, done.out) == (0, BODY.decode())


def test_a_raw_answer_is_printed_byte_for_byte(polled: Project) -> None:
    with open_store(polled.database) as store:
        digest = store.payloads.newest(SIM, 1)[0].digest
    words = [*ARENA, "tape", "show", digest, "--database", str(polled.database)]
    ran = subprocess.run(words, capture_output=True, check=False)  # noqa: S603  our own words
    assert (ran.returncode, ran.stdout) == (0, b"\x00\xff" * 10)


@pytest.mark.parametrize("digest", ["ab", "00000000", "zzzzzzzzzz", "'; DROP", "é" * 9])
def test_a_digest_that_names_nothing_is_refused(
    polled: Project, capsys: Capsys, digest: str
) -> None:
    done = tape(polled, capsys, "show", digest)
    assert (done.code, done.out) == (2, "")
    assert "error[tape.payload]" in done.err


def test_a_venue_that_was_never_asked_is_refused(polled: Project, capsys: Capsys) -> None:
    done = tape(polled, capsys, "list", "--venue", "nowhere")
    assert (done.code, "error[tape.venue]" in done.err) == (2, True)


# Export


def columns(file: Path, name: str) -> Sequence[object]:
    pq = pytest.importorskip("pyarrow.parquet")
    found: Sequence[object] = pq.read_table(file, partitioning=None).column(name).to_pylist()
    return found


@pytest.fixture(scope="module")
def exported(polled: Project) -> Path:
    pytest.importorskip("duckdb")
    out = polled.folder / "parquet"
    with open_store(polled.database) as store:
        list(export(store.db, out))
    return out


def test_each_table_has_a_file_a_venue_and_month(exported: Path) -> None:
    found = sorted(f.relative_to(exported).as_posix() for f in exported.rglob("*.parquet"))
    months = [f"venue=sim/month=2026-0{n}" for n in (1, 2)]
    assert found == sorted(
        f"{table}/{month}/{table}.parquet"
        for table in ("journal", "markets", "payloads", "polls", "quotes", "statuses")
        for month in months
    )


def test_every_reading_is_a_row_with_the_price_that_it_had(
    polled: Project, exported: Path
) -> None:
    files = sorted(exported.glob("quotes/*/*/*.parquet"))
    rows = sum(len(columns(file, "market")) for file in files)
    (told,) = polled.rows("SELECT count(*) FROM tape_quotes")[0]
    (again,) = polled.rows("SELECT count(*) FROM tape_repeats")[0]
    assert rows == told + again
    bids = [str(bid) for file in files for bid in columns(file, "bid")]
    kept = [bid for (bid,) in polled.rows("SELECT bid_micro FROM tape_quotes")]
    exact = [None if bid is None else price_from_micro(bid) for bid in kept]
    assert sorted(bids) == sorted(map(str, exact))


def fifty_days(store: Store) -> None:
    """A market whose price is read each day, and has moved once."""
    store.tape.record_markets([market()], at(0))
    for days in range(50):
        store.tape.record_poll(HERE, at(24 * days))
        shown = quote("0.3" if days < 10 else "0.2", hours=24 * days)
        store.tape.record_quotes([shown], at(24 * days))


def test_a_reading_that_found_no_change_is_a_row_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    with open_store(None) as store:
        fifty_days(store)
        january, february = (one for one in export(store.db, tmp_path) if one.table == "quotes")
    assert (january.rows, february.rows) == (27, 23)
    file = Path(february.file)
    assert columns(file, "repeated") == [True] * 23
    assert {str(bid) for bid in columns(file, "bid")} == {"0.200000"}
    assert columns(file, "quoted_at") == columns(file, "seen_at")
    assert columns(Path(january.file), "repeated").count(False) == 2
    assert columns(Path(january.file), "seen_at")[0] == T0


def test_months_that_are_read_back_have_the_prices_that_they_had(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    with open_store(None) as store:
        fifty_days(store)
        list(export(store.db, tmp_path / "all"))
        list(export(store.db, tmp_path / "late", since=datetime(2026, 2, 1, tzinfo=UTC)))
        shutil.copytree(tmp_path / "all" / "markets", tmp_path / "late" / "markets")
        for folder, first in (("all", 0), ("late", 27)):
            with recorded_store(tmp_path / folder) as recorded:
                moments = [
                    at(24 * days + hours) for days in range(first, 51) for hours in (0, 9)
                ]
                for now in moments:
                    expected = store.tape.quotes([RAIN], now)
                    assert recorded.tape.quotes([RAIN], now) == expected


def test_only_the_months_that_are_asked_for_are_written_whole(
    polled: Project, capsys: Capsys, tmp_path: Path
) -> None:
    pytest.importorskip("duckdb")
    words = ("export", "--out", tmp_path, "--since", "2026-02-10", "--venue", "sim", "--json")
    files = tape(polled, capsys, *words).document["files"]
    assert {one["month"] for one in files} == {"2026-02"}
    done = tape(polled, capsys, "export", "--out", tmp_path, "--until", "2026-01", "--json")
    assert done.document["files"] == []


def test_a_day_that_is_none_is_refused(polled: Project, capsys: Capsys, tmp_path: Path) -> None:
    done = tape(polled, capsys, "export", "--out", tmp_path, "--since", "yesterday")
    assert (done.code, "error[usage.time]" in done.err) == (2, True)


@pytest.mark.parametrize("what", ["tape export", "export parquet"])
def test_without_duckdb_nothing_is_written(polled: Project, tmp_path: Path, what: str) -> None:
    words = [*what.split(), "--out", str(tmp_path / "out"), "--database", str(polled.database)]
    code = f"import arena.cli, sys; sys.modules['duckdb'] = None; arena.cli.main({words})"
    words = [sys.executable, "-c", code]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  our own
    assert (ran.returncode, ran.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert ran.stderr.splitlines() == [
        "error[tape.duckdb]: Parquet needs DuckDB",
        "  hint: pip install 'paper-arena[duckdb]'",
    ]


# Pruning


@pytest.fixture
def own(polled: Project, tmp_path: Path) -> Project:
    """A copy that may be pruned."""
    return polled.copy(tmp_path / "own")


NOW = at(HOURS + 2).isoformat()


def test_a_prune_deletes_old_answers_and_leaves_the_books_as_they_were(
    own: Project, capsys: Capsys
) -> None:
    with open_store(own.database) as store:
        store.payloads.keep(Payload(SIM, at(30), "GET", "https://example.org", 200, b"gone"))
        store.tape.record_poll(SIM, at(29))
        journal, rebuilt = store.journal.head(), rebuild(store.db).digest
    words = ("prune", "--older-than", "30d", "--at", NOW, "--vacuum", "--yes", "--json")
    done = tape(own, capsys, *words)
    assert done.code == 0
    assert done.document["pruned"]["answers"] == 1
    assert done.document["given_back"] >= 0
    with open_store(own.database) as store:
        assert len(store.payloads.newest(SIM, 10)) == 4
        assert (store.journal.head(), rebuild(store.db).digest) == (journal, rebuilt)
        assert audit(store.db).findings == ()


def test_a_dry_run_deletes_nothing(own: Project, capsys: Capsys) -> None:
    with open_store(own.database) as store:
        store.payloads.keep(Payload(SIM, at(30), "GET", "https://example.org", 200, b"gone"))
        store.tape.record_poll(SIM, at(29))
    digest = sha256(b"gone").hexdigest()
    done = tape(own, capsys, "prune", "--older-than", "30d", "--at", NOW, "--dry-run")
    assert done.out.startswith("would be deleted: 1 raw answers")
    assert tape(own, capsys, "show", digest).code == 0
    tape(own, capsys, "prune", "--older-than", "30d", "--at", NOW, "--yes")
    assert tape(own, capsys, "show", digest).code == 2


@pytest.mark.parametrize("age", ["90", "0d", "-3d", "soon", "1y"])
def test_an_age_that_is_none_is_refused(own: Project, capsys: Capsys, age: str) -> None:
    done = tape(own, capsys, "prune", f"--older-than={age}")
    assert (done.code, "error[usage.age]" in done.err) == (2, True)


def test_a_list_of_answers_reads_no_more_than_it_shows(polled: Project) -> None:
    with open_store(polled.database) as store, listening(store) as said:
        store.payloads.newest(SIM, 1)
        (statement,) = said
        plan = store.db.rows(f"EXPLAIN QUERY PLAN {statement}")
    assert "USING INDEX tape_payloads_by_time" in plan[0]["detail"]
