"""The examples of the documentation run."""

import asyncio
import doctest
import tomllib
from dataclasses import replace
from pathlib import PurePath
from runpy import run_path
from typing import Any

import pytest

from arena import plugins
from arena.agents.prompted import PromptedAgent
from arena.bundle import templates
from arena.clock import HandClock
from arena.metrics.registry import CHAPTERS, METRICS
from arena.ports import (
    AgentFactory,
    Backstage,
    ContextBackstage,
    ContextFactory,
    LlmFactory,
    VenueFactory,
)
from arena.records.cohort import CohortId, ContestantId, ContextTerms
from arena.records.market import VenueId
from arena.records.report import TickReport
from arena.records.settings import (
    ContestantSettings,
    ContextSettings,
    ModelSettings,
    Schedule,
    VenueSettings,
)
from arena.render import environment
from arena.steps.doors import Doors
from arena.steps.play import tick
from arena.store import open_store
from arena.wiring import KeptNowhere
from tests.build import T0, spec
from tests.docs.pages import EXAMPLES, PAGES, ROOT, Page, page
from tests.present import present

ARCHITECTURE = page("docs/architecture.md")
PLUGINS = "docs/examples/plugins.py"
COINS, STUBBORN, QUIET = VenueId("coins"), ContestantId("stubborn"), ContestantId("quiet")


def only_examples(found: Page) -> str:
    """The page with every line blank that is not in a block of examples."""
    lines = [""] * len(found.text.splitlines())
    for fence in found.fenced("pycon"):
        block = fence.text.splitlines()
        lines[fence.line - 1 : fence.line - 1 + len(block)] = block
    return "\n".join(lines)


@pytest.mark.parametrize("found", [*PAGES, *EXAMPLES], ids=lambda found: found.name)
def test_every_example_of_a_page_says_what_the_page_says(found: Page) -> None:
    parsed = doctest.DocTestParser().get_doctest(
        only_examples(found), {}, found.name, found.name, 0
    )
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(parsed, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("found", [*PAGES, *EXAMPLES], ids=lambda found: found.name)
def test_no_example_stands_where_it_is_not_run(found: Page) -> None:
    elsewhere = [f for f in found.fences if f.language != "pycon" and ">>>" in f.text]
    assert not elsewhere
    assert ">>>" not in found.prose


@pytest.mark.parametrize("found", EXAMPLES, ids=lambda found: found.name)
def test_a_file_of_examples_has_known_headings_and_its_page_names_it(found: Page) -> None:
    whole = page(f"docs/{found.path.stem}.md")
    of_the_site = {m.name for m in METRICS.values()} | {c.title for c in CHAPTERS}
    assert set(found.titles().values()) <= set(whole.titles().values()) | of_the_site
    assert found.name in whole.codes


def of_the_guide(name: str) -> Any:  # noqa: ANN401  whatever the page defines
    """A class of the guide's plugins."""
    return run_path(str(ROOT / PLUGINS))[name]


def play_the_guide() -> tuple[TickReport, tuple[str, ...]]:
    """Tick once with the venue, the model and the agent of the guide."""
    venue_of: VenueFactory = of_the_guide("OneCoin")
    llm_of: LlmFactory = of_the_guide("Modest")
    agent_of: AgentFactory = of_the_guide("Stubborn")
    venue = venue_of(VenueSettings(COINS, "one_coin"), HandClock(T0), KeptNowhere())
    llm = llm_of(ModelSettings("quiet", "modest", "http://127.0.0.1:8000", "modest-1"), None)
    backstage = Backstage({"quiet": llm}, {COINS: venue}, PurePath())
    agents = {
        STUBBORN: agent_of(ContestantSettings(STUBBORN, "stubborn"), backstage),
        QUIET: PromptedAgent(llm, environment(templates())),
    }
    playing = replace(spec("daily", (STUBBORN, QUIET)), venue=COINS)
    playing = replace(playing, context=ContextTerms(("coins",)))
    with open_store(None) as store:
        source_of: ContextFactory = of_the_guide("Almanac")
        sources = ContextBackstage(HandClock(T0), KeptNowhere(), PurePath(), store.tape, {})
        contexts = {"coins": source_of(ContextSettings("coins", "almanac"), sources)}
        doors = Doors(store, {COINS: venue}, agents, (playing,), Schedule(), contexts=contexts)
        report = asyncio.run(tick(doors, T0))
        shown = store.tape.context(CohortId("daily"), 1)
        assert len(present(shown).context.documents) == 1
        held = store.db.rows("SELECT contestant, side FROM positions")
        return report, tuple(f"{row['contestant']} {row['side']}" for row in held)


def test_the_plugins_of_the_guide_play_a_round() -> None:
    assert PLUGINS in ARCHITECTURE.codes
    report, held = play_the_guide()
    assert (report.turns, report.fills, report.failed_turns) == (2, 1, ())
    assert held == ("stubborn NO",)


def test_the_entry_points_of_the_guide_name_its_classes_in_our_groups() -> None:
    (block,) = ARCHITECTURE.fenced("toml")
    groups = tomllib.loads(block.text)["project"]["entry-points"]
    assert set(groups) == {plugins.VENUES, plugins.LLMS, plugins.AGENTS, plugins.CONTEXTS}
    for offers in groups.values():
        for target in offers.values():
            assert of_the_guide(target.partition(":")[2])
