import json
import os
import tempfile
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bundle import templates
from arena.config import check, load_cohort, load_settings
from arena.config.forms import ModelForm, RulesForm, ScheduleForm, UniverseForm
from arena.errors import ArenaError
from arena.records.cohort import Cadence, FillRule, Rules, Start, Universe
from arena.records.market import VenueId
from arena.records.settings import ModelSettings, Schedule
from tests.config.build import COHORT, CONFIG, PLUGINS, ROOT, cohort, project, settings


def test_an_empty_file_configures_nothing_with_every_default(tmp_path: Path) -> None:
    read = settings(tmp_path, "")
    assert (read.venues, read.models, read.contestants, read.cohorts) == ((), (), (), ())
    assert read.schedule == Schedule()


def test_paths_start_from_the_folder_of_the_file(tmp_path: Path) -> None:
    named = "paths: {database: ../a.db, site: /srv/www, templates: mine}\n"
    read = settings(tmp_path, named)
    root = tmp_path.resolve()
    assert (read.root, read.database) == (root, root.parent / "a.db")
    assert (read.site.as_posix(), read.templates) == ("/srv/www", root / "mine")


def test_without_a_folder_of_templates_the_arena_brings_its_own(tmp_path: Path) -> None:
    assert settings(tmp_path, "").templates == templates()
    (tmp_path / "templates").mkdir()
    assert settings(tmp_path, "").templates == tmp_path.resolve() / "templates"


def test_the_file_may_be_named_from_elsewhere(tmp_path: Path) -> None:
    file = project(tmp_path, CONFIG, daily=COHORT)
    relative = Path(os.path.relpath(file))
    assert load_settings(relative, PLUGINS) == load_settings(file, PLUGINS)


def test_things_keep_the_order_of_the_file_and_cohorts_that_of_their_names(
    tmp_path: Path,
) -> None:
    two = "zoe: {agent: market}\n  ada: {"
    read = settings(tmp_path, CONFIG.replace("ada: {", two), b=COHORT, a=COHORT)
    assert [one.id for one in read.contestants] == ["zoe", "ada", "bob"]
    assert [spec.name for spec in read.cohorts] == ["a", "b"]


def test_a_model_is_read_whole_and_exactly(tmp_path: Path) -> None:
    (model,) = settings(
        tmp_path,
        "models: {m: {adapter: openai_chat, base_url: 'https://x.example', model: big, "
        "key_env: LAB_KEY, deadline: 90s, price_in: 0.1, options: {temperature: 0.5}}}\n",
    ).models
    assert (model.key_env, model.deadline) == ("LAB_KEY", timedelta(seconds=90))
    assert (model.price_in, model.price_out) == (Decimal("0.1"), None)
    assert model.options == (("temperature", 0.5),)


def test_a_cohort_file_becomes_a_spec(tmp_path: Path) -> None:
    spec = cohort(tmp_path)
    assert (spec.name, spec.title, spec.venue) == ("daily", "Test", "sim")
    assert spec.start == Start(Cadence.ONCE, datetime(2026, 1, 5, tzinfo=UTC))
    assert (spec.decide_every, spec.decide_for) == (timedelta(days=1), timedelta(days=3))
    assert spec.contestants == ("ada", "bob")


def test_rules_and_universe_that_are_not_written_are_those_of_the_records(
    tmp_path: Path,
) -> None:
    spec = cohort(tmp_path)
    assert (spec.rules, spec.universe) == (Rules(), Universe())


def test_a_fraction_does_not_pass_through_binary(tmp_path: Path) -> None:
    spec = cohort(tmp_path, "rules: {max_bet_fraction: 0.1, fill: mid}\n")
    assert spec.rules == Rules(max_bet_fraction=Decimal("0.1"), fill=FillRule.MID)


HOSTILE = "{{ 7*7 }}<script>\x1b[31m\u202e"


@pytest.mark.parametrize("title", ["2026", "no", "1.10", "true", HOSTILE])
def test_a_title_keeps_its_letters_whatever_it_looks_like(tmp_path: Path, title: str) -> None:
    written = json.dumps(title) if title == HOSTILE else title
    assert cohort(tmp_path, written, instead_of="Test").title == title


def test_a_cohort_for_replay_does_not_start_and_names_a_venue_that_its_caller_knows(
    tmp_path: Path,
) -> None:
    elsewhere = COHORT.replace("venue: sim", "venue: archive") + "replay_only: true\n"
    read, file = settings(tmp_path, CONFIG, a=elsewhere), tmp_path / "cohorts" / "a.yaml"
    assert read.cohorts == ()
    assert load_cohort(file, read, venues=[VenueId("archive")]).venue == "archive"
    with pytest.raises(ArenaError, match="did you mean archiv"):
        load_cohort(file, read, venues=[VenueId("archiv")])


def test_a_cohort_is_loaded_from_any_folder(tmp_path: Path) -> None:
    read = settings(tmp_path)
    file = tmp_path / "other.yaml"
    file.write_text(COHORT)
    assert load_cohort(file, read).name == "other"


def test_a_missing_cohort_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"gone\.yaml") as caught:
        load_cohort(tmp_path / "gone.yaml", settings(tmp_path))
    assert caught.value.status == 2


@pytest.mark.parametrize("name", ["config.yaml", "a\0/b"])
def test_a_file_that_is_missing_or_cannot_be_says_where_to_run(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(ArenaError) as caught:
        load_settings(tmp_path / name)
    assert (caught.value.code, caught.value.status) == ("config.missing", 2)
    assert "--config" in caught.value.hint


@pytest.mark.parametrize(
    ("form", "record", "apart"),
    [
        (RulesForm, Rules, set()),
        (UniverseForm, Universe, set()),
        (ScheduleForm, Schedule, set()),
        (ModelForm, ModelSettings, {"name"}),
    ],
)
def test_a_form_has_the_keys_of_its_record(form: type, record: type, apart: set[str]) -> None:
    keys = {field.name for field in fields(record)}
    assert set(form.model_fields) == keys - apart  # type: ignore[attr-defined]


def test_the_shipped_replay_cohort_is_valid() -> None:
    read = load_settings(ROOT / "config.yaml")
    file = ROOT / "cohorts" / "replay.yaml"
    spec = load_cohort(file, read, venues=[VenueId("forecastbench")])
    assert (spec.rules.max_mark_age, spec.universe.top) == (timedelta(days=200), 1000)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_read_or_refused(content: bytes) -> None:
    _read_or_refuse(content, content)


YAML_TEXT = st.text(st.sampled_from(" \n\t-?:,[]{}#&*!|>'\"%@`~0a<\\xuU."), max_size=60)


@given(YAML_TEXT, YAML_TEXT)
def test_arbitrary_yaml_is_read_or_refused(config: str, content: str) -> None:
    _read_or_refuse(config.encode(), content.encode())


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
WORDS = """
    paths site cohorts schedule ring venues models contestants a adapter options agent model
    title venue start first cadence decide every for universe top rules capital min_bet
"""
KEYS = st.sampled_from(WORDS.split())
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=12,
)


@given(TREES, TREES)
def test_any_tree_of_values_is_read_or_refused(config: object, content: object) -> None:
    _read_or_refuse(repr(config).encode(), repr(content).encode("utf-8", "replace"))


def _read_or_refuse(config: bytes, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = project(Path(folder), config, daily=content)
        if check(file, PLUGINS):
            with pytest.raises(ArenaError) as caught:
                load_settings(file, PLUGINS)
            assert all(line.isprintable() for line in caught.value.message.split("\n"))
        else:
            load_settings(file, PLUGINS)


def test_a_cohort_may_not_be_named_like_one_that_has_started(tmp_path: Path) -> None:
    (problem,) = check(project(tmp_path, **{"daily-2026-01-05": COHORT}))
    assert "does not end in a date" in problem.expected
