from datetime import timedelta
from pathlib import Path

from arena.errors import ArenaError
from arena.metrics import figures
from arena.store.pages.showcase import Showcase
from tests.build import ADA, COHORT, T0, spec
from tests.site.conftest import Site
from tests.site.folders import page, rows, table, write_site
from tests.stage import Says, Script, playing


def test_the_page_names_the_state_that_it_shows(simulated: Site) -> None:
    entry, head = Showcase(simulated.store.db).head()
    words = page(simulated.out, "audit.html").text
    assert head in words
    assert figures.count(entry) in words


def test_every_venue_of_a_running_cohort_is_told(simulated: Site) -> None:
    found = rows(table(page(simulated.out, "status.html"), "Venues"))
    assert [row[0] for row in found] == ["simulated"]
    assert found[0][6] == "none"


def test_a_running_cohort_is_told_with_its_open_positions(simulated: Site) -> None:
    found = rows(table(page(simulated.out, "status.html"), "Cohorts that wait for outcomes"))
    still = simulated.store.db.value("SELECT sum(open_positions) FROM seats")
    assert sum(int(row[4].replace(",", "")) for row in found) == still


def test_a_complete_cohort_waits_for_nothing(tmp_path: Path) -> None:
    with playing({ADA: {1: Says()}}, spec(COHORT, (ADA,), days=1)) as game:
        for hours in (0, 24, 48):
            game.tick(hours)
        complete = game.store.db.value("SELECT complete_at FROM cohorts")
        write_site(game.store, tmp_path)
    words = page(tmp_path, "status.html").text
    assert complete
    assert "Every cohort is complete." in words
    assert "here" in [row[0] for row in rows(table(page(tmp_path, "status.html"), "Venues"))]


def test_readings_that_failed_are_counted_with_their_days(tmp_path: Path) -> None:
    with playing({ADA: {1: Says()}}, spec(COHORT, (ADA,), days=3)) as game:
        game.tick(0)
        game.venue.trouble = ArenaError("venue.silent", "no answer")
        game.tick(24)
        write_site(game.store, tmp_path)
    venue = rows(table(page(tmp_path, "status.html"), "Venues"))[0]
    assert venue[4:6] == ["1", f"1 on 1 day, the last {(T0 + timedelta(days=1)).date()}"]


def test_a_turn_that_failed_is_counted_and_dated(tmp_path: Path) -> None:
    script: Script = {1: Says(), 2: ValueError("no answer")}
    with playing({ADA: script}, spec(COHORT, (ADA,), days=2)) as game:
        for hours in (0, 24):
            game.tick(hours)
        write_site(game.store, tmp_path)
    found = rows(table(page(tmp_path, "status.html"), "Contestants"))
    assert [row[1:3] for row in found] == [["2", "1"]]
