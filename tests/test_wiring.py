"""What is built for whom, and with whose key."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.agents.prompted import PromptedAgent
from arena.clock import HandClock
from arena.config import load_settings
from arena.errors import ArenaError
from arena.llms.client import WireClient
from arena.ports import Agent
from arena.records.cohort import ContestantId
from arena.records.market import VenueId
from arena.records.settings import Settings, VenueSettings
from arena.steps.doors import Doors
from arena.steps.rounds.budget import Guard
from arena.steps.rounds.cached_llm import Batches, ModelExchange, ModelLine, TapeLlm
from arena.store import Store, open_store
from arena.store.codec import canonical
from arena.store.pages.costs import SqliteCosts
from arena.wiring import adapter_of, build_agents, build_doors, build_model, cast, check_keys
from tests.build import T0
from tests.config.build import ROOT

NO_KEY = "ARENA_TEST_KEY_THAT_NOBODY_HAS"
CONFIG = f"""\
paths: {{templates: {ROOT / "templates"}}}
venues: {{sim: {{adapter: simulated}}}}
models:
  local: {{provider: ollama, model: small}}
  paid: {{provider: ollama, model: big, key_env: {NO_KEY}_1}}
  other: {{provider: ollama, model: big, key_env: {NO_KEY}_2}}
  slow: {{provider: ollama, model: small, batch: true}}
contestants:
  ada: {{agent: prompted, model: local, replicates: 2, label: Ada}}
  ben: {{agent: market}}
  all: {{agent: ensemble, of: [ada, ben]}}
  rich: {{agent: prompted, model: paid}}
  poor: {{agent: prompted, model: other}}
  calm: {{agent: prompted, model: slow}}
"""
COHORT = """\
title: Test
venue: sim
start: {{cadence: once, first: 2026-01-05}}
decide: {{every: 1d, for: 3d}}
contestants: [{names}]
"""


def read(folder: Path, *names: str) -> Settings:
    (folder / "cohorts").mkdir()
    (folder / "cohorts" / "daily.yaml").write_text(COHORT.format(names=", ".join(names)))
    (folder / "config.yaml").write_text(CONFIG)
    return load_settings(folder / "config.yaml")


def doors(folder: Path, store: Store, *names: str) -> Doors:
    return build_doors(read(folder, *names), store, HandClock(T0))


def line_of(agents: Mapping[ContestantId, Agent | ArenaError], name: str) -> ModelLine:
    agent = agents[ContestantId(name)]
    assert isinstance(agent, PromptedAgent)
    assert isinstance(agent.llm, ModelLine)
    return agent.llm


def test_copies_ask_one_model_through_one_exchange(tmp_path: Path) -> None:
    with open_store(None) as store:
        agents = doors(tmp_path, store, "ada", "calm").agents
        lines = [line_of(agents, name) for name in ("ada-1", "ada-2", "calm")]
        assert lines[0] is lines[1]
        assert lines[0].exchange is lines[2].exchange
        assert isinstance(lines[0].llm, WireClient)


def test_who_is_made_from_others_comes_after_all_of_them(tmp_path: Path) -> None:
    with open_store(None) as store:
        built = doors(tmp_path, store, "all", "ada", "ben")
        assert built.after == {"all": ("ada-1", "ada-2", "ben")}
        assert set(built.agents) == {"ada-1", "ada-2", "ben", "all"}


def test_a_model_that_is_asked_in_batches_has_them_and_the_doors_hand_them_in(
    tmp_path: Path,
) -> None:
    with open_store(None) as store:
        built = doors(tmp_path, store, "ada", "calm")
        agents = built.agents
        assert isinstance(line_of(agents, "calm").batches, Batches)
        assert line_of(agents, "ada-1").batches is None
        assert built.flush == line_of(agents, "calm").exchange.flush


def test_who_does_not_play_needs_no_key(tmp_path: Path) -> None:
    with open_store(None) as store:
        assert set(doors(tmp_path, store, "ben").agents) == {"ben"}


def test_every_key_that_is_missing_is_named_at_once(tmp_path: Path) -> None:
    settings = read(tmp_path, "ada", "rich", "poor")
    with pytest.raises(ArenaError) as caught:
        check_keys(settings, settings.cohorts)
    assert (caught.value.code, caught.value.status) == ("credentials.missing", 4)
    assert caught.value.message == (
        f"no key in the environment: {NO_KEY}_1, {NO_KEY}_2 (needed by paid, other)"
    )


def test_who_has_no_key_is_the_error_and_all_others_are_built(tmp_path: Path) -> None:
    with open_store(None) as store:
        agents = doors(tmp_path, store, "ada", "ben", "rich").agents
    failed = {who: one for who, one in agents.items() if isinstance(one, ArenaError)}
    assert set(agents) == {"ada-1", "ada-2", "ben", "rich"}
    assert {who: (one.code, one.status) for who, one in failed.items()} == {
        "rich": ("credentials.missing", 4)
    }
    assert failed[ContestantId("rich")].message == (
        "the key of the model paid is not in the environment"
    )


def test_a_model_is_not_built_without_its_key(tmp_path: Path) -> None:
    paid = next(m for m in read(tmp_path, "rich").models if m.name == "paid")
    with pytest.raises(ArenaError) as caught:
        build_model(paid)
    assert caught.value.hint == f"export {NO_KEY}_1=..."


def test_who_answers_from_a_tape_needs_no_key_and_asks_nobody(tmp_path: Path) -> None:
    settings = read(tmp_path, "rich")
    with open_store(None) as store, open_store(None) as tape:
        guard = Guard(settings.budgets, SqliteCosts(store.db))
        exchange = ModelExchange(store, HandClock(T0), guard, tape)
        playing = [c for c in settings.contestants if c.id == "rich"]
        agents = build_agents(playing, settings, {}, exchange)
        llm = line_of(agents, "rich").llm
        assert isinstance(llm, TapeLlm)
        assert llm.store is tape
        assert llm.model.name == "paid"


def test_contestants_are_called_by_their_labels(tmp_path: Path) -> None:
    found = cast(read(tmp_path, "ada"))
    assert found[ContestantId("ada-2")].label == "Ada 2"
    assert found[ContestantId("ben")].label == "ben"


def test_of_a_venues_options_only_a_digest_is_told_whatever_their_order() -> None:
    options = (("path", "folder/secret"), ("seed", 3))
    told = [
        adapter_of(VenueSettings(VenueId("here"), "simulated", said))
        for said in (options, options[::-1], (*options, ("more", 1)))
    ]
    assert told[0] == told[1] != told[2]
    assert "secret" not in canonical(told[0])
