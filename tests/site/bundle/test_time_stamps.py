"""Published heads that an authority stamps, and stamps that do not fit."""

import json
import shutil
from pathlib import Path

import pytest

from arena.bundle import templates
from arena.errors import ArenaError
from arena.site.bundle.bundle_check import FILES, STAMPED, CheckedBundle, check_bundle
from arena.site.bundle.published_site import MANIFEST, published_site
from arena.site.bundle.time_stamps import stamp_newest
from arena.site.heads import PUBLISHED, SiteHead, read_heads, with_head
from arena.store import open_store
from tests.site.bundle.conftest import publish_day, relist
from tests.site.folders import play_days
from tests.standins.time_authority import TimeAuthority

STAMP = "bundle/stamps/2026-01-06.tsr"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> TimeAuthority:
    return TimeAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def stamped(tmp_path_factory: pytest.TempPathFactory, authority: TimeAuthority) -> Path:
    """A site whose second day was stamped, and that was published once more."""

    out = tmp_path_factory.mktemp("stamped")
    with open_store(out / "arena.db") as store, authority.served() as url:
        play_days(store, 0, 2, contestants=0)
        publish_day(store, out / "site", 2)
        stamp_newest(out / "site", url)
        play_days(store, 2, 3, contestants=0)
        publish_day(store, out / "site", 3)
    return out / "site"


@pytest.fixture
def own(stamped: Path, tmp_path: Path) -> Path:
    """A copy of the stamped site, to be changed."""
    return Path(shutil.copytree(stamped, tmp_path / "site"))


def checked(out: Path, authority: TimeAuthority | None) -> CheckedBundle:
    certificate = authority.root.read_bytes() if authority else None
    return check_bundle(published_site(str(out)), templates(), authority=certificate)


def broken(out: Path, authority: TimeAuthority) -> list[tuple[str, str]]:
    """What is found of a site, as law and place."""
    return [(it.law, it.where) for it in checked(out, authority).report.findings]


def stamped_digest(out: Path) -> str:
    return read_heads((out / PUBLISHED).read_bytes())[0][0].digest


def test_openssl_accepts_the_published_stamp(stamped: Path, authority: TimeAuthority) -> None:
    assert authority.accepts(stamped / STAMP, stamped_digest(stamped))


def test_a_stamp_stands_in_the_manifest_and_is_checked(
    stamped: Path, authority: TimeAuthority
) -> None:
    found = checked(stamped, authority)
    assert STAMP in json.loads((stamped / MANIFEST).read_text())["files"]
    assert (found.report.findings, dict(found.report.checked)[STAMPED]) == ((), 1)


def test_without_a_certificate_stamps_are_said_to_be_unchecked(stamped: Path) -> None:
    found = checked(stamped, None)
    assert found.report.findings == ()
    assert found.notes[-1].startswith("1 time stamp not checked")


def test_a_changed_head_is_refused_by_both(own: Path, authority: TimeAuthority) -> None:
    lines, _ = read_heads((own / PUBLISHED).read_bytes())
    (own / PUBLISHED).unlink()
    for line in lines:
        lie = line.head._asdict() | {"overview_entry": 1}
        (own / PUBLISHED).write_bytes(with_head(own / PUBLISHED, SiteHead(**lie)))
    assert [one for one in broken(own, authority) if one[0] == STAMPED] == [(STAMPED, STAMP)]
    assert not authority.accepts(own / STAMP, stamped_digest(own))


def test_a_changed_stamp_is_named(own: Path, authority: TimeAuthority) -> None:
    token = bytearray((own / STAMP).read_bytes())
    token[-100] ^= 1
    (own / STAMP).write_bytes(token)
    relist(own)
    assert broken(own, authority) == [(STAMPED, STAMP)]


def test_a_stamp_of_another_authority_is_named(stamped: Path, tmp_path: Path) -> None:
    assert broken(stamped, TimeAuthority(tmp_path)) == [(STAMPED, STAMP)]


def test_a_stamp_that_is_gone_is_named(own: Path, authority: TimeAuthority) -> None:
    (own / STAMP).unlink()
    assert broken(own, authority) == [(FILES, STAMP)]


def test_what_is_no_certificate_is_refused(stamped: Path) -> None:
    with pytest.raises(ArenaError) as refused:
        check_bundle(published_site(str(stamped)), templates(), authority=b"none")
    assert refused.value.code == "verify.certificate"


def test_a_day_is_stamped_once(own: Path, authority: TimeAuthority) -> None:
    before = authority.asked
    with authority.served() as url:
        done = [stamp_newest(own, url) for _ in range(2)]
    assert (done[0].endswith("2026-01-07.tsr"), done[1]) == (True, "")
    assert authority.asked == before + 1


def test_a_head_whose_stamp_did_not_come_is_not_asked_for_again(
    own: Path, tmp_path: Path
) -> None:
    authority = TimeAuthority(tmp_path)
    authority.says = b"busy"
    with authority.served() as url:
        with pytest.raises(ArenaError, match="no stamp of this head"):
            stamp_newest(own, url)
        assert stamp_newest(own, url) == ""
    assert authority.asked == 1


def test_a_stamp_of_something_else_is_not_kept(
    own: Path, stamped: Path, tmp_path: Path
) -> None:
    authority = TimeAuthority(tmp_path)
    authority.says = (stamped / STAMP).read_bytes()
    with authority.served() as url, pytest.raises(ArenaError, match="no stamp of this head"):
        stamp_newest(own, url)
    assert [file.name for file in (own / "bundle/stamps").iterdir()] == [Path(STAMP).name]
