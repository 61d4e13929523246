from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from arena.records.cohort import Rules
from arena.records.trade import AdapterSet, Entry
from arena.site.pages.project.changes import rule_changes
from arena.store import open_store
from arena.store.codec import digest_of
from arena.store.pages.cards import CohortCard
from tests.build import ADA, BEN, COHORT, T0, spec
from tests.site.conftest import Site
from tests.site.folders import LATER, SIMULATED, page, play_days, rows, table, write_site


def card(number: int, rules: Rules, **other: object) -> CohortCard:
    made = replace(spec(), rules=rules, **other)  # type: ignore[arg-type]
    starts = T0 + timedelta(days=number)
    name = type(COHORT)(f"c-{number}")
    return CohortCard(number, name, made, digest_of(made), starts, starts, None)


def test_a_rule_that_changed_is_told_with_its_first_cohort() -> None:
    wide, tight = Rules(), Rules(max_bet_fraction=Rules().max_bet_fraction / 5)
    (found,) = rule_changes([card(3, tight), card(2, tight), card(1, wide)], "")
    assert (found.rule, found.before, found.now) == ("rules.max_bet_fraction", "0.25", "0.05")
    assert found.cohort.text == "c-2"


def test_who_joins_is_a_change() -> None:
    first, second = ADA, BEN
    alone = card(1, Rules(), contestants=(first,))
    both = card(2, Rules(), contestants=(second, first))
    (found,) = rule_changes([both, alone], "")
    assert (found.rule, found.before) == ("contestants", first)
    assert found.now == ", ".join(sorted((first, second)))


def test_cohorts_of_unlike_files_are_not_compared() -> None:
    one, other = (
        card(1, Rules()),
        card(2, Rules(max_bet_fraction=Rules().max_bet_fraction / 5), name="other"),
    )
    assert list(rule_changes([other, one], "")) == []


def test_what_happened_last_stands_first(simulated: Site) -> None:
    times = [t.attributes["datetime"] for t in page(simulated.out, "changes.html").all("time")]
    assert len(times) > 10
    assert times == sorted(times, reverse=True)


def test_starts_that_nobody_ticked_are_an_interruption(tmp_path: Path) -> None:
    with open_store(None) as store:
        play_days(store, 0, 1, contestants=0)
        play_days(store, 4, 5, contestants=0)
        write_site(store, tmp_path / "site")
    ((when, what, words),) = rows(
        table(page(tmp_path / "site", "changes.html"), "Interruptions")
    )
    assert "2026-01-09" in when
    assert what == "Starts were missed"
    assert words.startswith("3 starts of daily before daily-2026-01-09")


def test_another_adapter_of_a_venue_in_use_is_an_interruption(tmp_path: Path) -> None:
    with open_store(None) as store:
        play_days(store, 0, 1, contestants=0)
        for number, cohorts in ((1, 0), (2, 1)):
            event = AdapterSet(SIMULATED, "<b>kalshi", f"{number:064}", cohorts)
            store.journal.append([Entry(f"venue:{SIMULATED}:{number}", LATER, event)])
        write_site(store, tmp_path / "site")
    ((_, what, words),) = rows(table(page(tmp_path / "site", "changes.html"), "Interruptions"))
    assert what == "Adapter or options of the venue simulated changed"
    assert words.startswith("1 running cohort began while it was read in another way.")
    assert f"adapter <b>kalshi, options with the SHA-256 {2:064}." in words


def test_an_arena_that_was_never_broken_off_says_nothing_of_it(simulated: Site) -> None:
    assert "Interruptions" not in (simulated.out / "changes.html").read_text(encoding="utf-8")


def test_one_contestant_is_told_in_the_singular(lively: Site) -> None:
    assert "1 contestant decides until" in page(lively.out, "changes.html").text
