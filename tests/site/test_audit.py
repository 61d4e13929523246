from arena.metrics import figures
from arena.store.showcase import Showcase
from tests.site.conftest import Site
from tests.site.folders import page, rows, table


def test_the_page_names_the_state_that_it_shows(simulated: Site) -> None:
    entry, head = Showcase(simulated.store.db).head()
    words = page(simulated.out, "audit.html").text
    assert head in words
    assert figures.count(entry) in words


def test_every_venue_of_a_running_cohort_is_told(simulated: Site) -> None:
    found = rows(table(page(simulated.out, "audit.html"), "Venues"))
    assert [row[0] for row in found] == ["simulated"]
    assert found[0][4] == "none"


def test_a_running_cohort_is_told_with_its_open_positions(simulated: Site) -> None:
    found = rows(table(page(simulated.out, "audit.html"), "Cohorts that wait for outcomes"))
    still = simulated.store.db.value("SELECT sum(open_positions) FROM seats")
    assert sum(int(row[4].replace(",", "")) for row in found) == still
