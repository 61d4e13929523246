"""Contestants that call tools before they answer, over four wire formats and real sockets."""

import json
import signal
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import pytest

from arena.records.answer import Trouble
from arena.store import open_store
from tests.cli.project import Project, moment
from tests.cli.rounds import COHORT, write_data
from tests.cli.shell import Done
from tests.engine.played import FORMATS, Played, Seat, keys, kill_tick, play, write
from tests.http.asking import Says, well
from tests.present import present
from tests.sizes import size
from tests.standins.asked import Asked, Format, understand
from tests.standins.misbehaviour import Misbehaviour, Served, Tokens
from tests.standins.model_server import ModelServer
from tests.standins.scripts import Reply, said_by
from tests.standins.tool_callers import Named, calls_tools, results_of, tools_of

TOOLS = {"calculator": {"adapter": "calculator"}, "rates": {"adapter": "base_rates"}}
WELL = ("calculator", '{"expression": "(1 - 0.5) ** 2"}')
STEPS: tuple[tuple[Named, ...], ...] = (
    (WELL, ("rates", "{}")),
    (("telescope", "{}"), ("calculator", "half of it"), ("calculator", '{"expression": "x"}')),
)
FOUND = [
    '{"value":0.25}',
    '{"markets":0,"share_of_yes":null}',
    '{"error":"there is no such tool, only calculator, rates"}',
    '{"error":"the arguments are not a JSON object"}',
    '{"error":"it has something that is neither a number nor one of + - * / // % **"}',
]
ONCE = ((WELL,), (WELL,))
OBJECTS = {Format.ANTHROPIC, Format.GEMINI}  # formats in which arguments are always one
GIVEN = {"tools": ["calculator", "rates"]}
SEATS = tuple(Seat(f"m{n}", each, options=GIVEN) for n, each in enumerate(FORMATS))


def found(seat: Seat) -> list[str]:
    """The results that a seat's model is given."""
    emptied = '{"error":"it is no arithmetic"}'
    return [*FOUND[:3], emptied if seat.format in OBJECTS else FOUND[3], FOUND[4]]


def asked(played: Played, name: str) -> list[Asked]:
    return [present(understand(request)) for request in played.asked(name)]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("tools") / "arena"
    return play(folder, SEATS, calls_tools(*STEPS), tools=TOOLS)


@pytest.mark.parametrize("seat", SEATS, ids=FORMATS)
def test_every_format_calls_tools_and_is_given_their_results(
    played: Played, seat: Seat
) -> None:
    requests = asked(played, seat.name)
    offered = [tools_of(request) for request in requests]
    assert offered == [*[["calculator", "rates"]] * 3, []]
    assert results_of(requests[-1]) == found(seat)
    assert (played.turn(seat.name).failure, played.turn(seat.name).accepted) == (None, 1)


@pytest.mark.parametrize("seat", SEATS, ids=FORMATS)
def test_every_call_and_its_result_is_on_the_tape(played: Played, seat: Seat) -> None:
    calls = {call.name: call.completion for call in played.calls(seat.name)}
    named = [f"decide/step/1/tool/{n}" for n in (1, 2)]
    named += [f"decide/step/2/tool/{n}" for n in (1, 2, 3)]
    assert [calls[name].text for name in named] == found(seat)
    assert [calls[name].trouble for name in named] == [None, None, *[Trouble.REQUEST] * 3]
    steps = [f"decide/step/{n}" for n in (1, 2, 3)]
    assert set(calls) == {*named, *steps, "decide"}
    assert [calls[step].trouble for step in steps] == [None] * 3


def test_the_books_are_sound(played: Played) -> None:
    assert (played.done.code, played.findings) == (0, ())


def test_a_model_that_never_stops_calling_answers_after_its_steps(tmp_path: Path) -> None:
    seat = Seat("busy", options={**GIVEN, "steps": 3})
    stubborn = play(tmp_path / "arena", [seat], calls_tools(*[(WELL,)] * 99), tools=TOOLS)
    offered = [bool(tools_of(request)) for request in asked(stubborn, "busy")]
    assert (offered, stubborn.turn("busy").failure) == ([True, True, True, False], None)


def test_tokens_end_the_research_too(tmp_path: Path) -> None:
    seat = Seat("busy", options={**GIVEN, "tokens": 1})
    short = play(tmp_path / "arena", [seat], calls_tools(*[(WELL,)] * 99), tools=TOOLS)
    assert [bool(tools_of(request)) for request in asked(short, "busy")] == [True, False]


@pytest.mark.parametrize("elicitation", ["locked", "each"])
def test_tools_go_with_every_elicitation(tmp_path: Path, elicitation: str) -> None:
    seat = Seat("ada", options={**GIVEN, "elicitation": elicitation})
    done = play(tmp_path / "arena", [seat], calls_tools((WELL,)), tools=TOOLS)
    names = [call.name for call in done.calls("ada")]
    asked_about = (
        ["forecast"] if elicitation == "locked" else [f"forecast/M{n}" for n in range(1, 5)]
    )
    wanted = [f"{name}{end}" for name in asked_about for end in ("", "/step/1", "/step/2")]
    wanted += [f"{name}/step/1/tool/1" for name in asked_about]
    assert sorted(names) == sorted([*wanted, "stake"])
    assert (done.turn("ada").failure, len(done.turn("ada").forecasts)) == (None, 4)


# What it costs


def priced(then: Reply) -> Reply:
    """Let each reply be of a thousand tokens read and a hundred written."""

    def reply(model: str, request: Asked) -> Misbehaviour:
        said = said_by(then, model, request)
        return replace(said, served=Served(tokens=Tokens(read=1000, said=100)))

    return reply


PRICES = {"price_in": 1, "price_out": 10, "max_tokens": 100}
A_CALL, A_TOOL = Decimal("0.002"), Decimal("0.0005")
DEAR = {"calculator": {"adapter": "calculator", "price": 0.0005}}


def spent(played: Played) -> Decimal:
    done = played.made.run("costs", "--json")
    return Decimal(str(done.document["total"]["cost"]))


@pytest.mark.parametrize(
    "cap", size(["0.004", "0.0085"], ["0.004", "0.006", "0.0085", "0.0095"])
)
def test_a_cap_holds_with_tools_to_the_micro_dollar(tmp_path: Path, cap: str) -> None:
    seat = Seat("ada", model=PRICES, options={"tools": ["calculator"]})
    reply, caps = priced(calls_tools(*ONCE)), {"contestant": cap}
    done = play(tmp_path / "arena", [seat], reply, tools=DEAR, budgets=caps)
    tools = [c for c in done.calls("ada") if "/tool/" in c.name and c.completion.text]
    assert spent(done) == len(done.requests) * A_CALL + len(tools) * A_TOOL <= Decimal(cap)
    assert "budget" in present(done.turn("ada").failure)


# A kill, and a replay


@dataclass(slots=True)
class Halting:
    """Answers until it has been asked so often, and then nothing until it is let."""

    then: Reply
    until: int
    asked: int = 0

    def __call__(self, model: str, request: Asked) -> Misbehaviour:
        self.asked += 1
        halts = self.asked == self.until
        return Misbehaviour(hangs=True) if halts else said_by(self.then, model, request)


@pytest.mark.parametrize("until", size([2, 4], [1, 2, 3, 4]))
def test_a_turn_that_was_killed_goes_on_at_its_step(tmp_path: Path, until: int) -> None:
    seat = Seat("ada", options={"tools": ["calculator"]})
    reply = Halting(calls_tools(*ONCE), until)
    with ModelServer(reply) as server:
        made = write(tmp_path / "arena", [seat], server.base_url, tools=TOOLS)
        stopped = kill_tick(made, [seat], lambda: len(server.requests) >= until)
        assert stopped.code == -signal.SIGKILL
        second = made.run("tick", "--at", moment(), **keys([seat]))
        done = Played(made, (seat,), second, tuple(server.requests))
    assert len(done.requests) == 5  # four calls, one of them sent twice
    bodies = [json.dumps(request.body) for request in done.requests]
    assert (len(set(bodies)), done.turn("ada").failure, done.findings) == (4, None, ())
    with open_store(made.database) as store:
        rows = store.db.rows("SELECT call FROM tape_asks WHERE llm = 'tool:calculator'")
        again = store.db.rows("SELECT call FROM tape_asked_again")
    assert sorted(row["call"] for row in rows) == [
        "decide/step/1/tool/1",
        "decide/step/2/tool/1",
    ]
    assert [row["call"] for row in again] == [
        "decide" if until == 4 else f"decide/step/{until}"
    ]


@pytest.mark.parametrize("until", size([2], [1, 2]))
def test_a_tools_call_that_was_killed_counts_as_one_that_may_be_billed(
    tmp_path: Path, until: int
) -> None:
    found = well(b'{"results": [{"title": "Rain", "published_at": "2026-01-04"}]}')
    looks = (("web", '{"query": "rain"}'),)
    seat = Seat("ada", model=PRICES, options={"tools": ["web"]})
    answers = [found] * (until - 1) + [replace(found, hangs=True), found]
    with ModelServer(priced(calls_tools(looks, looks))) as models, Says(*answers) as web:
        options = {"url": web.home, "query": {"q": "{question}"}, "per_second": 1000}
        tools = {"web": {"adapter": "search", "price": 0.0005, "options": options}}
        made = write(tmp_path / "arena", [seat], models.base_url, tools=tools)
        stopped = kill_tick(made, [seat], lambda: len(web.requests) >= until)
        assert stopped.code == -signal.SIGKILL
        second = made.run("tick", "--at", moment(), **keys([seat]))
        done = Played(made, (seat,), second, tuple(models.requests))
    assert (done.turn("ada").failure, done.findings) == (None, ())
    assert (len(done.requests), len(web.requests)) == (4, 3)
    total = done.made.run("costs", "--json").document["total"]
    counted = Decimal(str(total["counted"]))
    assert (total["maybe_billed"], counted) == (1, 4 * A_CALL + 3 * A_TOOL)


def replayed(made: Project, out: str, *more: str, **variables: str) -> Done:
    words = ("replay", "data", "--cohort", "cohorts/r.yaml", "--out", out, "--json", *more)
    return made.run(*words, **variables)


def test_a_play_of_the_past_may_not_call_what_knows_the_present(tmp_path: Path) -> None:
    options = {"command": ["look-it-up"], "allow": ["news"]}
    seat = Seat("ada", options={"tools": ["web"]})
    tools = {"web": {"adapter": "mcp", "options": options}}
    made = write(tmp_path / "arena", [seat], "http://127.0.0.1:9/v1", tools=tools)
    write_data(made.folder / "data")
    (made.folder / "cohorts" / "r.yaml").write_text(
        COHORT.replace("[market, always-no]", "[ada]")
    )
    done = replayed(made, "past", **keys([seat]))
    assert (done.code, done.error["code"]) == (2, "tool.live")
