"""What a turn costs on the disk: the shipped daily cohort, twenty markets a round."""

from arena.store.tape.volumes import move_texts
from benchmarks.day import FIRST_DAY, year
from tests.sizes import size

DAYS = size(16, 60)
A_TURN = size(5900, 5250)  # bytes; tables and indexes of few rows weigh more in a short run
MOVED = size(5150, 4600)  # bytes of the database, when texts of ended months have left it


def test_a_turn_costs_what_it_did() -> None:
    with year() as played:
        for day in range(DAYS):
            played.tick(day)
        db = played.store.db
        turns = db.value("SELECT count(*) FROM turns")
        used = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
        used += "pragma_freelist_count, pragma_page_size"
        assert turns > 30 * (DAYS - 2)
        assert db.value(used) / turns < A_TURN
        list(move_texts(db, FIRST_DAY.replace(year=FIRST_DAY.year + 1)))
        db.run("VACUUM")
        assert db.value(used) / turns < MOVED
