"""Backups of a file, in a folder and in a server of Amazon's kind."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.records.operations import Backup
from arena.records.settings import BackupSettings
from arena.store.backups import BackupFolder, found_backup, is_old, kept_names
from tests.cli.project import Project, configure, moment
from tests.unpacked import opened

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
LATER = AT + timedelta(days=1)


def made(at: datetime) -> Backup:
    name = f"arena-{at:%Y%m%dT%H%M%SZ}.db.gz"
    return Backup(name, at, at, 1, "h", 7, 10, 5, "d", "0")


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """A server of Amazon's kind on this machine, and the variables with its keys."""

    address: str
    variables: Mapping[str, str]


@pytest.fixture
def s3() -> Iterator[ObjectStore]:
    server_of = pytest.importorskip("moto.server", reason="the verify group is not installed")
    pytest.importorskip("obstore", reason="the verify group is not installed")
    server = server_of.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    variables = {
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "planted-secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ALLOW_HTTP": "true",
    }
    httpx.post(f"http://127.0.0.1:{port}/moto-api/reset")  # servers of a process share memory
    httpx.put(f"http://127.0.0.1:{port}/bucket")
    yield ObjectStore("s3://bucket/arena", variables)
    server.stop()


@pytest.fixture
def ticked(ticked: Project, tmp_path: Path) -> Project:
    """A copy: whoever only reads a database leaves a log beside it."""
    return ticked.copy(tmp_path / "arena-of-its-own")


def assert_whole(folder: BackupFolder, ticked: Project, into: Path) -> None:
    backup = folder.add(ticked.database, AT)
    assert folder.newest(AT) == backup
    folder.unpack(backup, into)
    assert digests(into) == digests(ticked.database)
    assert (backup.entries, backup.head) == (len(digests(into)), digests(into)[-1])


def digests(database: Path) -> list[str]:
    with opened(database) as db:
        rows = db.execute("SELECT digest FROM journal_entries ORDER BY seq").fetchall()
    return [row[0] for row in rows]


def test_an_object_store_gives_back_what_it_was_given(
    ticked: Project, tmp_path: Path, s3: ObjectStore
) -> None:
    made = ticked.run("backup", s3.address, "--json", **s3.variables).document["backup"]
    listed = ticked.run("backup", s3.address, "--list", "--json", **s3.variables).document
    assert listed["backups"] == [made]
    again = tmp_path / "again.db"
    words = ("restore", f"{s3.address}/{made['name']}", "--into", again)
    assert ticked.run(*words, **s3.variables).code == 0
    assert digests(again) == digests(ticked.database)


def test_old_backups_in_an_object_store_are_deleted(ticked: Project, s3: ObjectStore) -> None:
    kept = {"keep_daily": 1, "keep_weekly": 1, "keep_monthly": 1}
    configure(ticked, backup={"to": s3.address, "every": "1m", **kept})
    for hours in (1, 2, 3):
        assert ticked.tick(hours=hours, **s3.variables).code == 0
    listed = ticked.run("backup", "--list", "--json", **s3.variables).document["backups"]
    assert [backup["at"] for backup in listed] == [moment(3)]


def test_an_unreachable_store_is_told_without_a_key(ticked: Project, s3: ObjectStore) -> None:
    unreachable = {**s3.variables, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    done = ticked.run("backup", s3.address, **unreachable)
    assert done.fails_clearly(1)
    assert done.err.startswith("error[backup.folder]: ")
    assert "planted-secret" not in done.err


def test_a_backup_is_read_while_a_write_is_under_way(ticked: Project, tmp_path: Path) -> None:
    with closing(sqlite3.connect(ticked.database, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("DELETE FROM mark_rows")
        assert_whole(BackupFolder(str(tmp_path / "backups")), ticked, tmp_path / "again.db")
        db.execute("ROLLBACK")


def cut_short(content: bytes) -> bytes:
    return content[:-100]


def changed_at(place: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:place] + bytes([content[place] ^ 1]) + content[place:][1:]


@pytest.mark.parametrize(
    "damage", [cut_short, *map(changed_at, (0, 5000, -1))], ids=["cut", "first", "in", "last"]
)
def test_a_changed_byte_and_a_backup_that_breaks_off_are_found(
    ticked: Project, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    folder = BackupFolder(str(tmp_path / "backups"))
    backup = folder.add(ticked.database, AT)
    file = tmp_path / "backups" / backup.name
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(ArenaError) as refused:
        folder.unpack(backup, tmp_path / "again.db")
    assert refused.value.code == "backup.damaged"


def test_a_damaged_file_is_not_backed_up(ticked: Project, tmp_path: Path) -> None:
    content = bytearray(ticked.database.read_bytes())
    half = len(content) // 2
    content[half : half + 4096] = b"\xff" * 4096
    ticked.database.write_bytes(content)
    folder = BackupFolder(str(tmp_path / "backups"))
    with pytest.raises(ArenaError):
        folder.add(ticked.database, AT)
    assert not folder.backups()


def test_nobody_else_may_read_a_backup(ticked: Project, tmp_path: Path) -> None:
    backup = BackupFolder(str(tmp_path)).add(ticked.database, AT)
    assert (tmp_path / backup.name).stat().st_mode & 0o777 == 0o600


def test_a_file_without_its_description_is_no_backup(ticked: Project, tmp_path: Path) -> None:
    folder = BackupFolder(str(tmp_path))
    backup = folder.add(ticked.database, AT)
    (tmp_path / backup.name.replace(".db.gz", ".json")).unlink()
    assert folder.backups() == []
    with pytest.raises(ArenaError, match="there is no backup"):
        found_backup(str(tmp_path / backup.name))


def test_a_spoiled_description_hides_no_other_backup(ticked: Project, tmp_path: Path) -> None:
    first, second = (BackupFolder(str(tmp_path)).add(ticked.database, at) for at in (AT, LATER))
    (tmp_path / first.name.replace(".db.gz", ".json")).write_text("{", encoding="utf-8")
    done = ticked.run("backup", str(tmp_path), "--list", "--json")
    assert (done.code, [one["name"] for one in done.document["backups"]]) == (3, [second.name])
    assert first.name.removesuffix(".db.gz") in done.document["unreadable"][0]


@pytest.mark.parametrize(
    ("address", "code"),
    [("nothing://here", "backup.folder"), ("s3://key:planted@bucket/arena", "backup.secret")],
)
def test_an_unknown_kind_of_address_and_a_password_in_one_are_refused_and_not_repeated(
    address: str, code: str
) -> None:
    with pytest.raises(ArenaError) as refused:
        BackupFolder(address)
    assert refused.value.code == code
    assert "planted" not in str(refused.value)


def test_seven_days_four_weeks_and_twelve_months_stay() -> None:
    year = [made(AT + timedelta(hours=12 * n)) for n in range(2 * 400)]
    kept = [b for b in year if b.name in kept_names(year, BackupSettings("x"), year[-1].at)]
    newest = year[-1].at
    assert len(kept) <= 7 + 4 + 12
    assert {(newest - timedelta(days=n)).date() for n in range(7)} <= {
        b.at.date() for b in kept
    }
    assert len({(b.at.year, b.at.month) for b in kept}) == 12


@given(
    st.lists(st.integers(0, 24 * 500), min_size=1, max_size=60, unique=True),
    st.integers(1, 9),
    st.integers(1, 6),
)
def test_the_newest_of_each_of_the_last_days_stays(
    hours: list[int], daily: int, weekly: int
) -> None:
    backups = [made(AT + timedelta(hours=n)) for n in sorted(hours)]
    settings = BackupSettings("x", keep_daily=daily, keep_weekly=weekly)
    kept = kept_names(backups, settings, backups[-1].at)
    days = sorted({b.at.date() for b in backups})[-daily:]
    assert {max(b.name for b in backups if b.at.date() == day) for day in days} <= kept
    assert backups[-1].name in kept


@given(st.lists(st.integers(-500, 500), max_size=30, unique=True))
def test_what_is_kept_of_the_past_is_the_same_without_the_future(days: list[int]) -> None:
    backups = [made(AT + timedelta(days=n)) for n in sorted(days)]
    past = [backup for backup in backups if backup.at <= AT]
    kept = kept_names(backups, BackupSettings("x"), AT)
    ahead = {backup.name for backup in backups} - {backup.name for backup in past}
    assert kept == kept_names(past, BackupSettings("x"), AT) | ahead


def test_of_no_day_no_week_and_no_month_the_newest_backup_alone_stays() -> None:
    backups = [made(AT + timedelta(days=n)) for n in range(9)]
    settings = BackupSettings("x", keep_daily=0, keep_weekly=0, keep_monthly=0)
    assert kept_names(backups, settings, backups[-1].at) == {backups[-1].name}


def test_real_backups_stay_beside_one_of_the_future(ticked: Project, tmp_path: Path) -> None:
    folder = BackupFolder(str(tmp_path / "backups"))
    moments = [AT - timedelta(days=1), AT, AT + timedelta(days=900)]
    there = [folder.add(ticked.database, moment) for moment in moments]
    settings = BackupSettings("x", keep_daily=2, keep_weekly=0, keep_monthly=0)
    assert folder.rotate(settings, AT) == ()
    assert folder.backups() == there


def test_a_backup_that_cannot_be_deleted_keeps_its_description(
    ticked: Project, tmp_path: Path
) -> None:
    folder = BackupFolder(str(tmp_path))
    old, _ = (folder.add(ticked.database, AT + timedelta(days=n)) for n in (-1, 0))
    (tmp_path / old.name).unlink()
    (tmp_path / old.name).mkdir()
    settings = BackupSettings("x", keep_daily=1, keep_weekly=0, keep_monthly=0)
    with pytest.raises(ArenaError, match="cannot be used"):
        folder.rotate(settings, AT)
    assert old in folder.backups()


def test_a_backup_of_the_future_is_not_the_newest(ticked: Project, tmp_path: Path) -> None:
    folder = BackupFolder(str(tmp_path / "backups"))
    ahead = folder.add(ticked.database, AT + timedelta(days=30))
    assert folder.newest(AT) == ahead  # while there is no other
    now = folder.add(ticked.database, AT)
    assert (folder.newest(AT), folder.newest(ahead.at)) == (now, ahead)


@pytest.mark.parametrize(("age", "due"), [(-1, True), (0, False), (23, False), (24, True)])
def test_a_backup_is_old_after_its_time_or_in_the_future(age: float, *, due: bool) -> None:
    assert is_old(AT, timedelta(days=1), AT + timedelta(hours=age)) is due
