"""A model that is reached through somebody else's library plays like any other."""

import importlib.util

import pytest

from arena.records.answer import Trouble
from tests.engine.played import CAPITAL, STEM, Played, Seat, play
from tests.present import present
from tests.standins.model_server import Ill, ails, by_model, small_bettor

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("pydantic_ai"),
    reason="pydantic-ai-slim is not installed: it is in the dependency group verify",
)


def seat(name: str) -> Seat:
    how = {"adapter": "pydantic_ai", "model": f"openai-chat:{name}", "price_in": 3}
    return Seat(name, model={**how, "price_out": 15})


WELL, BROKE = seat("well"), seat("broke")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("plugin") / "arena"
    replies = by_model({WELL.name: small_bettor, BROKE.name: ails(Ill.QUOTA)})
    return play(folder, [WELL, BROKE], replies)


def test_its_answer_counts_and_is_paid_for(played: Played) -> None:
    turn, (call,) = played.turn(WELL.name), played.calls(WELL.name)
    usage = call.completion.usage
    assert (turn.failure, turn.accepted, played.findings) == (None, 1, ())
    assert usage.cost is not None
    assert usage.cost * 10**6 == present(usage.tokens_in) * 3 + present(usage.tokens_out) * 15


def test_its_failure_is_named_and_asked_for_once(played: Played) -> None:
    assert str(played.turn(BROKE.name).failure).startswith(Trouble.QUOTA)
    assert (len(played.asked(BROKE.name)), played.cash(BROKE.name)) == (1, CAPITAL)


def test_its_key_is_in_no_file(played: Played) -> None:
    assert [request.key for request in played.asked(WELL.name)] == [WELL.key]
    for one in played.seats:
        assert one.key[:STEM].encode() not in played.everything
