"""Tokens and dollars: each provider counts in its own way, and the tape has one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from tests.engine.played import Played, Seat, play
from tests.standins.failures import USED
from tests.standins.model_server import (
    Dialect,
    Format,
    Misbehaviour,
    Served,
    Shape,
    by_model,
    in_turn,
    like,
)
from tests.standins.scripts import Saying

PRICED = {"price_in": 3, "price_out": 15, "price_cached": 0.3, "price_written": 3.75}
COLUMNS = "tokens_in, tokens_cached, tokens_written, tokens_out, tokens_reasoning"
WELL = Misbehaviour(served=Served(tokens=USED))
HOLLOW = replace(WELL, shape=Shape.NULL)
WORDLESS = Misbehaviour(content="", served=Served(tokens=USED))


def spoken(dialect: Dialect, cost: float | None = None) -> Misbehaviour:
    return Misbehaviour(served=Served(tokens=USED, dialect=dialect, cost=cost))


@dataclass(frozen=True, slots=True)
class Bill:
    """A contestant, what its server says, and what the tape must have of it."""

    name: str
    saying: Saying
    counts: tuple[int | None, ...]
    micro: int | None
    priced: str = "configured"
    format: Format = Format.CHAT
    model: Mapping[str, object] = field(default_factory=lambda: PRICED)


FULL, NOTHING = (1000, 600, 300, 500, 200), (None,) * 5
BILLS = [
    Bill("chat", like(WELL), FULL, 9105),
    Bill("responses", like(WELL), FULL, 9105, format=Format.RESPONSES),
    Bill("anthropic", like(WELL), FULL, 9105, format=Format.ANTHROPIC),
    Bill("gemini", like(WELL), (1000, 600, None, 500, 200), 8880, format=Format.GEMINI),
    Bill("openrouter", like(spoken(Dialect.OPENROUTER, cost=0.0123)), FULL, 12300, "reported"),
    Bill("deepseek", like(spoken(Dialect.DEEPSEEK)), (1000, 600, None, 500, 200), 8880),
    Bill("xai", like(spoken(Dialect.XAI, cost=0.0123)), FULL, 12300, "reported"),
    Bill("xai-silent", like(spoken(Dialect.XAI)), FULL, 9105),
    Bill("ollama", like(spoken(Dialect.OLLAMA)), (1000, None, None, 500, None), 10500),
    Bill("unpriced", like(WELL), FULL, None, "", model={}),
    Bill("free", like(WELL), FULL, 0, model={"price_in": 0, "price_out": 0}),
    Bill("untold", like(Misbehaviour(served=Served(usage=False))), NOTHING, None, ""),
    Bill(
        "retried",
        in_turn(HOLLOW, like(WELL)),
        (2000, 1200, 600, 1000, 400),
        18210,
        format=Format.ANTHROPIC,
    ),
]
ASKED_TWICE = Seat("asked-twice", Format.CHAT, PRICED)
RENAMED = Seat("renamed", Format.CHAT, PRICED)
NEW_NAME = Served(model="renamed-2026-11-01", route="Somebody", tier="flex")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    seats = [Seat(bill.name, bill.format, bill.model) for bill in BILLS]
    sayings: dict[str, Saying] = {bill.name: bill.saying for bill in BILLS}
    sayings[ASKED_TWICE.name] = in_turn(WORDLESS, like(WELL))
    sayings[RENAMED.name] = like(Misbehaviour(served=NEW_NAME))
    folder = tmp_path_factory.mktemp("usage") / "arena"
    return play(folder, [*seats, ASKED_TWICE, RENAMED], by_model(sayings))


def named(bill: Bill) -> str:
    return bill.name


def row(played: Played, name: str, more: str) -> tuple[object, ...]:
    sql = f"SELECT {more} FROM tape_calls WHERE contestant = '{name}' ORDER BY call"  # noqa: S608  a name of ours
    return played.made.rows(sql)[0]


def test_the_books_are_sound(played: Played) -> None:
    assert (played.done.code, played.findings) == (0, ())


@pytest.mark.parametrize("bill", BILLS, ids=named)
def test_tokens_land_in_their_columns_and_an_unknown_cost_is_never_zero(
    bill: Bill, played: Played
) -> None:
    found = row(played, bill.name, f"{COLUMNS}, cost_micro, priced")
    assert found == (*bill.counts, bill.micro, bill.priced)


def test_a_re_ask_is_paid_for_as_a_call_of_its_own(played: Played) -> None:
    calls = played.made.rows(
        "SELECT call, cost_micro FROM tape_calls WHERE contestant = 'asked-twice' ORDER BY call"
    )
    (whole,) = played.made.rows(
        "SELECT cost_micro, tokens_in FROM tape_answers WHERE contestant = 'asked-twice'"
    )
    assert calls == [("decide", 9105), ("decide/again", 9105)]
    assert whole == (18210, 2000)


def test_who_really_answered_is_on_the_tape(played: Played) -> None:
    found = row(played, "renamed", "llm, model, route, tier")
    assert found == ("renamed", "renamed-2026-11-01", "Somebody", "flex")


def test_an_unknown_cost_makes_the_leaderboards_unknown(played: Played) -> None:
    done = played.made.run("leaderboard", "--json")
    costs = {s["contestant"]: s["cost"] for s in done.document["leaderboard"]["standings"]}
    assert (costs["unpriced"], costs["chat"]) == (None, "0.009105")
