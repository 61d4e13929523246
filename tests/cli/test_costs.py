from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from arena.cli.models.costs import BY
from arena.store import open_store
from arena.store.pages.costs import By
from tests.build import BEN, at
from tests.cli.inside import Capsys, here, strict
from tests.cli.project import Project, configure, moment, project
from tests.cli.shell import Done
from tests.store.spending import ANSWERED, LOST, MODEL, Came, caller, put

LARGE = replace(MODEL, name="large", provider="anthropic")


def test_calls_are_added_up_by_what_the_books_can() -> None:
    assert tuple(By) == BY


@pytest.fixture(scope="module")
def asked(ticked: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose contestants asked models on two days. Nobody changes it."""
    made = ticked.copy(tmp_path_factory.mktemp("asked") / "arena")
    configure(made, budgets={"day": 2, "cohort": 5, "contestant": 1.5})
    with open_store(made.database) as store:
        put(store, caller(), Came("0.25", (LOST, ANSWERED)))
        put(store, caller("decide/again"), Came("0.5", tokens=(7, None, None, 3, None)))
        put(store, caller(contestant=BEN), Came(), when=at(24), model=LARGE)
        put(store, caller("stake", BEN), when=at(24), model=LARGE)
    return made


def costs(capsys: Capsys, made: Project, *words: str | Path, hours: float = 12) -> Done:
    config = made.folder / "config.yaml"
    return here(capsys, "--config", config, "costs", "--at", moment(hours), *words)


def lines(done: Done) -> dict[str, Any]:
    assert done.code == 0
    return {line["name"]: line for line in strict(done)["lines"]}


def test_each_contestant_is_a_line_and_the_last_is_the_total(
    asked: Project, capsys: Capsys
) -> None:
    done = costs(capsys, asked)
    rows = [line.split() for line in done.out.splitlines()[:4]]
    assert (done.code, done.err) == (0, "")
    assert rows[0][:3] == ["contestant", "calls", "cost"]
    assert [row[0] for row in rows[1:]] == ["ada", "ben", "total"]
    assert rows[1] == [
        *("ada", "2", "0.7500", "0", "3", "1"),
        *("107", "60+", "20+", "13", "5+", "0", "1", "reported"),
    ]
    assert rows[2][2:4] == ["unknown", "2"]
    assert rows[2][5:] == ["0", "100+", "60+", "20+", "10+", "5+", "0", "0", "n/a"]


def test_dollars_stand_where_a_narrow_terminal_shows_them(
    asked: Project, capsys: Capsys
) -> None:
    head = costs(capsys, asked).out.splitlines()[0]
    assert head.index("cost $") < 40


def test_what_the_numbers_do_not_say_is_said_below(asked: Project, capsys: Capsys) -> None:
    out = costs(capsys, asked).out
    assert (
        "Of unknown cost: 2; no usage came back, or their model has no price "
        "(price_in and price_out).\n"
    ) in out
    assert "Never came back: 1; they may have been billed.\n" in out
    assert (
        "Failed attempts that may have been billed: 1; budgets count the worst case.\n" in out
    )
    assert "A number with + is at least that: some calls did not say.\n" in out


def test_budgets_are_shown_with_what_is_left_of_them(asked: Project, capsys: Capsys) -> None:
    assert costs(capsys, asked).out.splitlines()[-3:] == [
        "Budget of $2.00 for a day (2026-01-05): $1.25 spent, $0.75 left.",
        "Budget of $5.00 for cohort c: $2.25 spent, $2.75 left.",
        "Budget of $1.50 for ada in cohort c: $1.25 spent, $0.25 left.",
    ]


def test_a_new_day_has_its_whole_budget(asked: Project, capsys: Capsys) -> None:
    out = costs(capsys, asked, hours=50).out
    assert "for a day (2026-01-07): $0.00 spent, $2.00 left." in out


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("day", {"2026-01-05", "2026-01-06"}),
        ("cohort", {"c"}),
        ("contestant", {"ada", "ben"}),
        ("model", {"small", "large"}),
        ("provider", {"openai", "anthropic", ""}),
    ],
)
def test_calls_are_added_up_by_what_is_asked_for(
    by: str, names: set[str], asked: Project, capsys: Capsys
) -> None:
    assert set(lines(costs(capsys, asked, "--by", by, "--json"))) == names


def test_in_json_an_unknown_cost_is_null_and_amounts_are_exact(
    asked: Project, capsys: Capsys
) -> None:
    found = lines(costs(capsys, asked, "--json"))
    assert (found["ben"]["cost"], found["ben"]["unknown_cost"]) == (None, 2)
    assert Decimal(found["ada"]["cost"]) == Decimal("0.75")
    assert found["ada"]["tokens_cached"] == {"known": 60, "untold": 1}


def test_in_json_the_total_and_the_budgets_are_there(asked: Project, capsys: Capsys) -> None:
    document = strict(costs(capsys, asked, "--json"))
    assert (document["by"], document["total"]["calls"]) == ("contestant", 4)
    (day, *_) = document["budgets"]
    assert (day["budget"], Decimal(day["left"])) == ("a day (2026-01-05)", Decimal("0.75"))


def test_only_what_was_asked_since_a_day_counts(asked: Project, capsys: Capsys) -> None:
    assert set(lines(costs(capsys, asked, "--since", "2026-01-06", "--json"))) == {"ben"}
    whole = costs(capsys, asked, "--since", "2026-01-05T00:00:00Z", "--json")
    assert set(lines(whole)) == {"ada", "ben"}


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "2026-01-05T00:00", "0001-01-01"])
def test_a_day_that_is_none_is_refused(day: str, asked: Project, capsys: Capsys) -> None:
    done = costs(capsys, asked, "--since", day)
    assert done.fails_clearly(2)
    assert "write it like 2026-01-05 or" in done.err


def test_only_one_cohort_counts_where_one_is_named(asked: Project, capsys: Capsys) -> None:
    done = costs(capsys, asked, "--cohort", "c")
    assert (done.code, "cohort c:" in done.out) == (0, True)
    assert costs(capsys, asked, "--cohort", "nobody").fails_clearly(2)


def test_where_nothing_was_asked_it_says_what_does(ticked: Project, capsys: Capsys) -> None:
    done = costs(capsys, ticked)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "No model was asked: `arena tick` asks those of the contestants in play.\n"
        "No budget is set: `budgets` in the configuration caps what may be spent.\n"
    )


def test_another_arenas_file_has_no_budgets_of_ours(asked: Project, capsys: Capsys) -> None:
    done = here(capsys, "costs", "--database", asked.database)
    assert done.code == 0
    assert "udget" not in done.out.splitlines()[-1]


def test_before_there_is_a_database_it_says_how_to_make_one(
    tmp_path: Path, capsys: Capsys
) -> None:
    done = costs(capsys, project(tmp_path / "arena"))
    assert (done.code, "`arena tick` makes it" in done.err) == (2, True)


def test_a_name_from_outside_cannot_write_to_the_terminal(
    ticked: Project, tmp_path: Path, capsys: Capsys
) -> None:
    made = ticked.copy(tmp_path / "arena")
    bad = replace(MODEL, name="evil\x1b[2J\u202e")
    with open_store(made.database) as store:
        put(store, caller(), Came("0.1"), model=bad)
    out = costs(capsys, made, "--by", "model").out
    assert "\x1b" not in out
    assert "evil[2J" in out
