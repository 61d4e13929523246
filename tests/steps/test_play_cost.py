"""A tick reads what is open and what is new, never all that ever was."""

import re

from arena.store import open_store
from tests.plans import listening, plans
from tests.site.folders import play_days

# What may be read from end to end: named lists, sums by contestant, what is open.
BOUNDED = re.compile(
    r"SCAN (json_each|named|listed|totals|open|\(subquery-\d+\)|\d+ CONSTANT ROW)\b"
    r"|USING (COVERING )?INDEX (cohorts_running|rounds_open|positions_open\w*|journal_notes)"
)
NEWEST = re.compile(r"ORDER BY seq DESC\s+LIMIT 1\s*$")  # reads one row, and no more


def test_no_statement_of_a_tick_reads_a_table_of_history_whole() -> None:
    with open_store(None) as store:
        play_days(store, 0, 6)
        with listening(store) as said:
            play_days(store, 6, 7)
        scans = [
            (plan, statement)
            for plan, statement in plans(store, said)
            if plan.startswith("SCAN") and not BOUNDED.search(plan)
        ]
        assert len(said) > 500
        assert [scan for scan in scans if not NEWEST.search(scan[1])] == []
