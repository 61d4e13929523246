"""A whole arena in a folder: models behind real sockets, ticks, and what the books say."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from arena.ledger.positions import balances
from arena.records.answer import Call
from arena.records.cohort import CohortId, ContestantId
from arena.records.money import Usd, usd
from arena.records.trade import Book, Turn
from arena.store import open_store
from arena.store.audit import audit
from arena.store.texts import unpacked_text
from tests.cli.project import TEMPLATES, Project, moment
from tests.cli.shell import Done, killed, running
from tests.hangs import wait_until
from tests.present import present
from tests.sizes import size
from tests.standins.asked import understand
from tests.standins.model_server import Format, ModelServer, Recorded
from tests.standins.scripts import Reply

T = TypeVar("T")

COHORT = CohortId("c")
CAPITAL = usd(10000)
FORMATS = tuple(Format)
WIRES = size(2, len(FORMATS))  # over which each of many cases is played
PLAYED = {0, 1, 5, 6}  # what a tick ends with that has told of every turn
STEM = 8  # of a key: enough of it to be worth stealing


@dataclass(frozen=True, slots=True)
class Seat:
    """A contestant and the model of its own that it asks, both under one name.

    Each has a key of its own, so that no server's limits and no breaker join them.
    """

    name: str
    format: Format = Format.CHAT
    model: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    shares: str = ""  # the seat whose model it asks instead of one of its own

    @property
    def variable(self) -> str:
        return f"PAPER_{self.name.upper().replace('-', '_')}"

    @property
    def key(self) -> str:
        return f"sk-{sha256(self.name.encode()).hexdigest()[:29]}"


@dataclass(frozen=True)
class Played:
    """An arena after a tick, and what its models' server was asked."""

    made: Project
    seats: tuple[Seat, ...]
    done: Done
    requests: tuple[Recorded, ...] = field(repr=False)

    def asked(self, name: str) -> list[Recorded]:
        """The requests that a seat's model got, in order."""
        return [request for request in self.requests if request.model == name]

    def turn(self, name: str, number: int = 1) -> Turn:
        return self._turns[name, number]

    def calls(self, name: str, number: int = 1) -> tuple[Call, ...]:
        return self._calls[name, number]

    def cash(self, name: str) -> Usd:
        return self._cash[name]

    @cached_property
    def findings(self) -> tuple[object, ...]:
        """What the audit has to say against the books."""
        with open_store(self.made.database) as store:
            return audit(store.db).findings

    @cached_property
    def everything(self) -> bytes:
        """Every byte of every file in the project's folder, and what the command said.

        The database is read once more row by row: in its file a long text is cut in pieces.
        """
        files = [file.read_bytes() for file in self.made.folder.rglob("*") if file.is_file()]
        with closing(sqlite3.connect(self.made.database)) as db:
            kept = db.execute("SELECT body FROM tape_blobs")
            files += [unpacked_text(row[0]) or b"" for row in kept]
            files += [line.encode() for line in db.iterdump()]
        said = self.done.out + self.done.err
        return b"\n".join([*files, said.encode()])

    @cached_property
    def _turns(self) -> dict[tuple[str, int], Turn]:
        with open_store(self.made.database) as store:
            return {
                (entry.contestant, entry.event.round): entry.event
                for _, _, entry in store.journal.entries()
                if isinstance(entry.event, Turn) and entry.contestant
            }

    @cached_property
    def _calls(self) -> dict[tuple[str, int], tuple[Call, ...]]:
        with open_store(self.made.database) as store:
            calls = store.tape.calls
            return {
                turn: calls.of_turn(COHORT, turn[1], ContestantId(turn[0]))
                for turn in self._turns
            }

    @cached_property
    def _cash(self) -> dict[str, Usd]:
        with open_store(self.made.database) as store:
            found = balances([entry for _, _, entry in store.journal.entries()])
        return {seat[1]: amount for (seat, book), amount in found.items() if book is Book.CASH}


def over_wires(cases: Iterable[T]) -> list[tuple[Format, T]]:
    """Each case in every format; in the gate in two of them, each two in their turn."""
    return [
        (FORMATS[(n + more) % len(FORMATS)], case)
        for n, case in enumerate(cases)
        for more in range(WIRES)
    ]


def block(request: Recorded) -> dict[str, Any]:
    """The JSON block of a question, as the model was sent it."""
    asked = present(understand(request))
    opened, _, rest = asked.user.partition(">\n")
    tag = opened.rpartition("<")[2]
    found: dict[str, Any] = json.loads(rest.partition(f"\n</{tag}>")[0])
    return found


def keys(seats: Iterable[Seat]) -> dict[str, str]:
    """The environment in which every seat has its key."""
    return {seat.variable: seat.key for seat in seats}


def write(
    folder: Path,
    seats: Sequence[Seat],
    base_url: str,
    *,
    cohort: Mapping[str, object] | None = None,
    **config: object,
) -> Project:
    """Write a project of one cohort with these contestants; JSON is YAML too."""
    (folder / "cohorts").mkdir(parents=True, exist_ok=True)
    models = {
        seat.name: {
            "model": seat.name,
            "adapter": seat.format.value,
            "base_url": base_url,
            "key_env": seat.variable,
            "deadline": "30s",
            **seat.model,
        }
        for seat in seats
        if not seat.shares
    }
    contestants = {
        seat.name: {
            "agent": "prompted",
            "model": seat.shares or seat.name,
            "options": dict(seat.options),
        }
        for seat in seats
    }
    said = {
        "paths": {"templates": str(TEMPLATES)},
        "venues": {"sim": {"adapter": "simulated", "options": {"seed": 1}}},
        "models": models,
        "contestants": contestants,
        **config,
    }
    agreed = {
        "title": "Test",
        "venue": "sim",
        "start": {"cadence": "once", "first": "2026-01-05"},
        "decide": {"every": "1d", "for": "2d"},
        "universe": {"top": 4},
        "contestants": [seat.name for seat in seats],
        **(cohort or {}),
    }
    (folder / "config.yaml").write_text(json.dumps(said), encoding="utf-8")
    (folder / "cohorts" / "c.yaml").write_text(json.dumps(agreed), encoding="utf-8")
    return Project(folder)


def kill_tick(made: Project, seats: Sequence[Seat], is_time: Callable[[], object]) -> Done:
    """Start a tick, and kill it when it is time to."""
    with running("tick", "--at", moment(), cwd=made.folder, **keys(seats)) as process:
        wait_until(is_time)
        return killed(process)


def play(
    folder: Path,
    seats: Sequence[Seat],
    reply: Reply,
    *,
    latency: float = 0.0,
    cohort: Mapping[str, object] | None = None,
    **config: object,
) -> Played:
    """Write a project, let the real command tick once, and keep what was asked."""
    with ModelServer(reply, latency=latency) as server:
        made = write(folder, seats, server.base_url, cohort=cohort, **config)
        done = made.run("tick", "--at", moment(), **keys(seats))
        assert done.code in PLAYED, done.err
        return Played(made, tuple(seats), done, tuple(server.requests))
