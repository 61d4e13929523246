"""Keys that agents, venues and models repeat are in no byte that the arena leaves behind."""

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.store import open_store
from tests.cli.project import Project, edit, moment, project
from tests.http.asking import Says, says, well
from tests.installed import install
from tests.standins.misbehaviour import Error, Misbehaviour
from tests.standins.model_server import ModelServer
from tests.standins.scripts import by_model

OURS = {
    "MODEL_KEY": "mk-2f9d1c7be8a04d5c",
    "VENUE_KEY": "vk-7c1e88d2a95f4b30",
    "ADA_TOKEN": "tk-5b0a6e3d91c24f7e",
}
FOREIGN = "sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2"
EVERY = (*OURS.values(), FOREIGN)

PACKAGE = """
import os
from arena.agents.reply import write_reply
from arena.http import Manners, PoliteReader, VenueKey
from arena.records.answer import Answer, Completion
from arena.records.decision import Action
from arena.records.market import Catalogue, EventId, Market, MarketId, Quote, State, Status
from arena.records.money import price

ALL = " ".join(os.environ[name] for name in ("MODEL_KEY", "VENUE_KEY", "ADA_TOKEN"))
ALL += " sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2"


class Crashes:
    def __init__(self, settings, backstage): ...

    async def answer(self, briefing):
        raise RuntimeError(f"401 for {ALL}")


class Talks(Crashes):
    async def answer(self, briefing):
        words = write_reply(Action.HOLD, reasoning=f"my keys are {ALL}")
        return Answer(Completion(words, ALL.encode(), model=ALL, finish=ALL, detail=ALL))


class Keyed:
    def __init__(self, settings, clock, payloads):
        options = dict(settings.options)
        self.id, self.url, self.clock = settings.id, options["url"], clock
        key = VenueKey(options["key_env"], query="apiKey")
        self.reader = PoliteReader(self.id, Manners(tries=1), clock, payloads, key=key)

    async def catalogue(self):
        page = await self.reader.get(self.url)
        name = f"{self.id}-a"
        question = f"Will it be {self.said_of(page.payload)}?"
        return Catalogue((Market(MarketId(name), self.id, EventId(name), question),))

    def said_of(self, payload):
        return payload["next"]

    async def details(self, markets):
        return markets

    async def quotes(self, markets):
        now = self.clock.now()
        return {m: Quote(m, price("0.49"), price("0.51"), now) for m in markets}

    async def statuses(self, markets):
        return {m: Status(m, State.OPEN, self.clock.now()) for m in markets}


class Careless(Keyed):
    def __init__(self, settings, clock, payloads):
        super().__init__(settings, clock, payloads)
        self.url += "?apiKey=" + os.environ["VENUE_KEY"]
        self.reader = PoliteReader(self.id, Manners(tries=1), clock, payloads)

    def said_of(self, payload):
        return "so"


class Breaks(Careless):
    async def catalogue(self):
        raise ValueError(f"cannot read {self.url} with {ALL}")


def raises(settings, clock, payloads):
    raise RuntimeError(f"no {ALL}")
"""
POINTS = """\
[arena.agents]
crashes = leaky:Crashes
talks = leaky:Talks
[arena.venues]
keyed = leaky:Keyed
careless = leaky:Careless
breaks = leaky:Breaks
raises = leaky:raises
"""
ME = '"me": {"agent": "submitted", "options": {"token_env": "ADA_TOKEN"}}'
WHO = ("crashes", "echo", "market", "refuses", "talks")
TICK = ("tick", "--at", moment())
LOOKS = ("status", "doctor", "llm check", "venue check sim", "config check")
PUBLISHES = (
    "export csv --yes", "export sqlite --yes --out sqlite", "replies", "tape list",
    "site check",
)  # fmt: skip


def installed(folder: Path) -> str:
    """Install the package, and give the path on which it is found."""
    install(folder, "leaky", POINTS, PACKAGE)
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


def leaky(folder: Path, models: ModelServer, venue: Says, adapter: str) -> Project:
    asked = {
        name: {
            "adapter": "openai_chat", "base_url": models.base_url, "deadline": "5s",
            "key_env": "MODEL_KEY",
        }
        for name in ("echo", "refuses")
    }  # fmt: skip
    made = project(folder, models=asked, contestants=("market", "crashes", "talks"))
    seats = (made.folder / "config.yaml").read_text().rpartition("contestants: {")[2]
    edit(made, "contestants:", f"contestants: {{{ME}, {seats}")
    options = f'{{key_env: VENUE_KEY, url: "{venue.home}/rows"}}'
    edit(made, "venues:", f"venues: {{sim: {{adapter: {adapter}, options: {options}}}}}")
    return made


def bytes_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file, and what was packed in it."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        body = file.read_bytes()
        yield file.name, gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
    with open_store(folder / "data" / "arena.db") as store:
        for row in store.db.rows("SELECT digest FROM tape_bodies"):
            yield f"body {row['digest']}", store.payloads.body(row["digest"]) or b""


@pytest.mark.parametrize("adapter", ["keyed", "careless", "breaks", "raises"])
def test_a_planted_key_is_in_no_byte(adapter: str, tmp_path: Path) -> None:
    everything = " ".join(EVERY)
    hold = f'{{"reasoning": "{everything}", "forecasts": [], "action": "HOLD", "bets": []}}'
    said = by_model(
        {"echo": hold, "refuses": Misbehaviour(401, error=Error(f"bad key {everything}"))}
    )
    echo = well(f'{{"next": "/rows?apiKey={OURS["VENUE_KEY"]}"}}'.encode(), x_ratelimit_a="1")
    refusal = says(401, f'{{"error": "{everything}"}}'.encode())
    with ModelServer(said) as models, Says(echo, echo, refusal) as venue:
        made = leaky(tmp_path / "play", models, venue, adapter)
        around = {**OURS, "PYTHONPATH": installed(tmp_path / "packages")}
        ran = [made.run(*TICK, **around), made.run("--debug", *TICK, **around)]
        commands = LOOKS + PUBLISHES if adapter == "keyed" else LOOKS[:2]
        ran += [made.run(*words.split(), **around) for words in commands]
    leaks = [
        (key, name)
        for name, body in bytes_of(made.folder)
        for key in EVERY
        if key.encode() in body
    ]
    told = [run.out + run.err for run in ran]
    leaks += [(key, words) for words in told for key in EVERY if key in words]
    assert leaks == []
    if adapter in {"keyed", "careless"}:
        assert made.answers() == dict.fromkeys(WHO, 1)
        assert "RuntimeError: 401 for [key] [key] [key] [key]" in ran[0].err
