"""A clock that was ahead, and is right again."""

import shutil

from tests.cli.project import Project


def test_after_a_jump_ahead_a_copy_from_before_is_the_way_on(fresh: Project) -> None:
    assert fresh.tick().code == 0
    copy = fresh.database.with_name("copy.db")
    shutil.copy(fresh.database, copy)
    assert fresh.tick(hours=24 * 30).code == 0
    refused = fresh.tick(hours=24)
    assert refused.code == 2
    assert "--accept-rollback" in refused.err
    copy.replace(fresh.database)
    done = fresh.tick("--accept-rollback", hours=24)
    assert (done.code, done.err) == (0, "")
    assert fresh.rows("SELECT count(*) FROM journal_entries WHERE kind = 'restored'") == [(1,)]
    assert fresh.is_sound
