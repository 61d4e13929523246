"""Who plays: copies of one contestant, and contestants that are made from others."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config import load_cohort
from arena.config.document import read_document
from arena.config.forms import copies
from arena.config.load import MOST_COPIES, entrants_among, entrants_of, expanded, names_of
from arena.records.cohort import ContestantId
from arena.records.market import VenueId
from arena.records.settings import Settings
from tests.config.build import COHORT as BUILT
from tests.config.build import problems, project, settings

CONFIG = """\
venues: {sim: {adapter: simulated}}
contestants:
  ada: {agent: market, replicates: 3, label: Ada}
  ben: {agent: market}
"""
COHORT = BUILT.replace("bob", "ben")
DERIVED = """\
venues: {{sim: {{adapter: simulated}}}}
contestants:
  ada: {{agent: market, replicates: 2}}
  ben: {{agent: market}}
  all: {{agent: market, of: {of}}}
"""


def ids(found: Settings) -> list[str]:
    return [one.id for one in found.contestants]


def playing(folder: Path, *names: str, config: str = CONFIG) -> list[str]:
    content = COHORT.replace("[ada, ben]", f"[{', '.join(names)}]")
    (spec,) = settings(folder, config, daily=content).cohorts
    return list(spec.contestants)


def told(folder: Path, config: str, **cohorts: str) -> list[tuple[str, int | None, str, str]]:
    found = problems(folder, config, **cohorts)
    return [(p.key, p.line, p.expected, p.found) for p in found]


# Copies.


def test_copies_are_contestants_of_their_own(tmp_path: Path) -> None:
    found = settings(tmp_path, CONFIG)
    assert ids(found) == ["ada-1", "ada-2", "ada-3", "ben"]
    assert [one.label for one in found.contestants] == ["Ada 1", "Ada 2", "Ada 3", ""]
    assert [one.copy_of for one in found.contestants] == ["ada", "ada", "ada", ""]


def test_copies_differ_in_their_names_alone(tmp_path: Path) -> None:
    config = (
        "models: {m: {provider: ollama, model: x}}\n"
        "contestants: {ada: {agent: prompted, model: m, prompt: p, replicates: 2, "
        "options: {samples: 3}}}\n"
    )
    one, other = settings(tmp_path, config).contestants
    assert (one.agent, one.model, one.prompt) == ("prompted", "m", "p")
    assert one.options == (("samples", 3),)
    assert replace(one, id=other.id) == other


def test_one_copy_is_the_contestant_itself(tmp_path: Path) -> None:
    found = settings(tmp_path, "contestants: {ada: {agent: market, replicates: 1}}\n")
    assert [(one.id, one.copy_of) for one in found.contestants] == [("ada", "")]


@given(name=st.text("abc", min_size=1), count=st.integers(1, 50))
def test_copies_are_numbered_from_1(name: str, count: int) -> None:
    made = copies(name, count)
    assert len(set(made)) == count
    numbered = tuple(f"{name}-{n}" for n in range(1, count + 1))
    assert made == (numbered if count > 1 else (name,))


def test_a_name_in_a_cohort_stands_for_all_its_copies(tmp_path: Path) -> None:
    assert playing(tmp_path, "ben", "ada") == ["ben", "ada-1", "ada-2", "ada-3"]


def test_a_single_copy_may_be_entered_and_plays_once(tmp_path: Path) -> None:
    assert playing(tmp_path, "ada-3", "ada") == ["ada-3", "ada-1", "ada-2"]


def test_a_copy_that_there_is_not_is_refused_with_its_line(tmp_path: Path) -> None:
    content = COHORT.replace("[ada, ben]", "[ada-4]")
    ((key, line, _, found),) = told(tmp_path, CONFIG, daily=content)
    assert (key, line, found) == ("contestants[0]", 5, "'ada-4'")


def test_a_cohort_for_replay_knows_the_copies_too(tmp_path: Path) -> None:
    file = project(tmp_path, CONFIG, daily=COHORT + "replay_only: true\n")
    found = settings(tmp_path, CONFIG, daily=COHORT + "replay_only: true\n")
    assert found.cohorts == ()
    cohort = load_cohort(file.parent / "cohorts" / "daily.yaml", found, venues=[VenueId("sim")])
    assert cohort.contestants == ("ada-1", "ada-2", "ada-3", "ben")


@pytest.mark.parametrize("more", ["", ", replicates: 2"])
def test_a_copy_that_is_called_like_another_contestant_is_refused(
    more: str, tmp_path: Path
) -> None:
    config = f"{CONFIG}  ada-2: {{agent: market{more}}}\n"
    assert told(tmp_path, config) == [
        ("contestants.ada", 3, "copies with names of their own", "'ada-2'")
    ]


@pytest.mark.parametrize("count", ["0", "-1", "1.5", "many", f"{MOST_COPIES + 1}", "[]"])
def test_a_number_of_copies_that_is_none_is_refused(count: str, tmp_path: Path) -> None:
    config = f"contestants:\n  ada: {{agent: market, replicates: {count}}}\n"
    ((key, line, *_),) = told(tmp_path, config)
    assert (key, line) == ("contestants.ada.replicates", 2)


def test_a_number_of_copies_that_cannot_be_read_hides_no_other_mistake(tmp_path: Path) -> None:
    config = CONFIG.replace("replicates: 3", "replicates: many")
    content = COHORT.replace("[ada, ben]", "[ada, nobody]")
    keys = [key for key, *_ in told(tmp_path, config, daily=content)]
    assert keys == ["contestants.ada.replicates", "contestants[1]"]


# Made from others.


def test_a_name_among_those_it_is_made_from_stands_for_all_copies(tmp_path: Path) -> None:
    found = settings(tmp_path, DERIVED.format(of="[ben, ada]"))
    (made,) = [one for one in found.contestants if one.of]
    assert (made.id, made.of) == ("all", ("ben", "ada-1", "ada-2"))


def test_copies_of_a_derived_contestant_are_each_made_from_the_same(tmp_path: Path) -> None:
    config = DERIVED.format(of="[ben]").replace("of: [ben]", "of: [ben], replicates: 2")
    found = settings(tmp_path, config)
    assert [one.of for one in found.contestants if one.copy_of == "all"] == [("ben",)] * 2


def test_one_that_it_is_made_from_must_be_declared(tmp_path: Path) -> None:
    ((key, line, _, found),) = told(tmp_path, DERIVED.format(of="[ben, nobody]"))
    assert (key, line, found) == ("contestants.all.of[1]", 5, "'nobody'")


def test_those_it_is_made_from_play_where_it_does(tmp_path: Path) -> None:
    config = DERIVED.format(of="[ben, ada]")
    entered = playing(tmp_path, "ada", "all", "ben", config=config)
    assert entered == ["ada-1", "ada-2", "all", "ben"]


def test_a_cohort_without_those_it_is_made_from_is_refused_with_its_line(
    tmp_path: Path,
) -> None:
    content = COHORT.replace("[ada, ben]", "[all, ada-1]")
    assert told(tmp_path, DERIVED.format(of="[ben, ada]"), daily=content) == [
        ("contestants", 5, "ben too, which all is made from", "a cohort without it"),
        ("contestants", 5, "ada-2 too, which all is made from", "a cohort without it"),
    ]


CIRCLES = (
    ("a: {agent: market, of: [a]}", ["a"]),
    ("a: {agent: market, of: [b]}\n  b: {agent: market, of: [a]}", ["a", "b"]),
    (
        """a: {agent: market, of: [b]}
  b: {agent: market, of: [c]}
  c: {agent: market, of: [b]}""",
        ["b", "c"],
    ),
    ("a: {agent: market, of: [a-1], replicates: 2}", ["a"]),
    ("a: {agent: market, of: [b-2]}\n  b: {agent: market, of: [a], replicates: 2}", ["a", "b"]),
)


@pytest.mark.parametrize(("contestants", "names"), CIRCLES)
def test_a_circle_is_refused_for_each_one_in_it(
    contestants: str, names: list[str], tmp_path: Path
) -> None:
    config = f"contestants:\n  {contestants}\n"
    found = told(tmp_path, config)
    assert [key for key, *_ in found] == [f"contestants.{name}.of" for name in names]
    assert {told[2:] for told in found} == {("others than itself", "a circle")}
    assert all(line is not None for _, line, *_ in found)


def test_a_chain_is_no_circle(tmp_path: Path) -> None:
    config = (
        "contestants:\n  a: {agent: market}\n  b: {agent: market, of: [a]}\n"
        "  c: {agent: market, of: [a, b]}\n"
    )
    assert told(tmp_path, config) == []


# How long a cohort waits.


@pytest.mark.parametrize("within", ["1d", "23h", "24h", "30m"])
def test_a_cohort_waits_no_longer_than_until_its_next_round(
    within: str, tmp_path: Path
) -> None:
    content = COHORT + f"rules: {{answer_within: {within}}}\n"
    (spec,) = settings(tmp_path, CONFIG, daily=content).cohorts
    assert spec.rules.answer_within <= spec.decide_every


def test_a_cohort_that_waits_beyond_its_next_round_is_refused(tmp_path: Path) -> None:
    content = COHORT + "rules:\n  answer_within: 25h\n"
    assert told(tmp_path, CONFIG, daily=content) == [
        ("rules.answer_within", 7, "no longer than decide.every", "25h")
    ]


@pytest.mark.parametrize("within", ["soon", "-1h", "[]"])
def test_a_time_to_answer_that_is_none_is_told_once(within: str, tmp_path: Path) -> None:
    content = COHORT + f"rules: {{answer_within: {within}}}\n"
    assert [key for key, *_ in told(tmp_path, CONFIG, daily=content)] == ["rules.answer_within"]


def test_without_a_time_to_answer_it_is_within_the_tick_and_a_honeypot_is_agreed(
    tmp_path: Path,
) -> None:
    plain, sweet = settings(tmp_path, CONFIG, a=COHORT, b=COHORT + "honeypot: true\n").cohorts
    assert not plain.rules.answer_within
    assert (plain.honeypot, sweet.honeypot) == (False, True)


# Names.


def test_names_that_may_be_written_are_those_declared_and_those_of_copies(
    tmp_path: Path,
) -> None:
    entrants = entrants_of(read_document(project(tmp_path, CONFIG)))
    assert names_of(entrants) == ("ada", "ben", "ada-1", "ada-2", "ada-3")


def test_settings_that_were_read_stand_for_the_same(tmp_path: Path) -> None:
    entrants = entrants_of(read_document(project(tmp_path, CONFIG)))
    among = entrants_among(settings(tmp_path, CONFIG).contestants)
    assert {name: among[name] for name in entrants} == dict(entrants)
    assert expanded([ContestantId("ada-2")], among) == ("ada-2",)


@pytest.mark.parametrize("said", ["3", "[]", "[ada]", "{ada: 3}", "{ada: }", ""])
def test_contestants_that_cannot_be_read_stand_for_nobody_or_themselves(
    said: str, tmp_path: Path
) -> None:
    entrants = entrants_of(read_document(project(tmp_path, f"contestants: {said}\n")))
    assert set(entrants) <= {"ada"}
    assert all(all_ == (name,) for name, all_ in entrants.items())


@given(
    groups=st.dictionaries(
        st.text("abc", min_size=1, max_size=3), st.integers(1, 4), max_size=5
    )
)
def test_a_cohort_of_everybody_has_every_copy_once(groups: dict[str, int]) -> None:
    entrants = {name: copies(name, count) for name, count in groups.items()}
    found = expanded([ContestantId(name) for name in groups], entrants)
    assert len(set(found)) == len(found) == sum(groups.values())
    assert expanded(found, entrants) == found
