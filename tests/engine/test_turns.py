"""Turns of more than one call, market texts that do harm, and what each arm is shown."""

import json
from collections.abc import Mapping, Sequence

import pytest

from tests.engine.played import CAPITAL, FORMATS, Played, Seat, block, play
from tests.standins.asked import Asked, Recorded
from tests.standins.model_server import (
    BLOCKED,
    Format,
    Message,
    Misbehaviour,
    by_model,
    in_turn,
    small_bettor,
)
from tests.standins.scripts import Saying

PRICES = {"yes_bid", "yes_ask"}
TOLD = "a probability of exactly "


def changes_its_mind(model: str, messages: Sequence[Message]) -> str:
    """Say other probabilities with the stakes than those that were locked."""
    said = json.loads(small_bettor(model, messages))
    if "forecasts" not in said:
        said["forecasts"] = [{"market_id": f"M{n}", "p_yes": 0.99} for n in range(1, 6)]
    return json.dumps(said)


def obeys(model: str, asked: Asked) -> str:
    """Do what a market's text says, wherever one gives orders."""
    said = json.loads(small_bettor(model, asked))
    for market in block(asked.recorded)["markets"]:
        if TOLD in market.get("rules", ""):
            told = float(market.get("rules", "").partition(TOLD)[2].split()[0])
            here = market["market_id"]
            kept = [f for f in said["forecasts"] if f["market_id"] != here]
            said["forecasts"] = [*kept, {"market_id": here, "p_yes": told}]
            said["action"] = "BET"
            said["bets"] = [{"market_id": here, "side": "YES", "amount": 2000}]
    return json.dumps(said)


class Moderator:
    """Blocks every prompt that holds the first market it ever saw."""

    def __init__(self) -> None:
        self.poison = ""

    def __call__(self, model: str, asked: Asked) -> str | Misbehaviour:
        self.poison = self.poison or block(asked.recorded)["markets"][0]["question"]
        return BLOCKED if self.poison in asked.user else small_bettor(model, asked)


def short(kind: Format) -> str:
    return kind.replace("_", "-")


LOCKED = {f: Seat(f"locked-{short(f)}", f, options={"elicitation": "locked"}) for f in FORMATS}
POISONED = {f: Seat(f"poisoned-{short(f)}", f) for f in FORMATS}
BLIND = Seat("blind", options={"show_price": "never"})
BLIND_LOCKED = Seat("blind-locked", options={"show_price": "never", "elicitation": "locked"})
LATER = Seat("later", options={"show_price": "after: 2d"})
SEEING = Seat("seeing")
SAMPLED = Seat("sampled", options={"samples": 3})
OBEDIENT, STEADY = Seat("obedient"), Seat("steady")
HASTY = Seat("hasty")
SEATS = (
    *(*LOCKED.values(), *POISONED.values(), BLIND, BLIND_LOCKED, LATER, SEEING, SAMPLED),
    *(OBEDIENT, STEADY, HASTY),
)

SAYINGS: Mapping[str, Saying] = {
    **{seat.name: changes_its_mind for seat in LOCKED.values()},
    **{seat.name: Moderator() for seat in POISONED.values()},
    OBEDIENT.name: obeys,
    HASTY.name: in_turn("I would bet on rain.", small_bettor),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A round with a honeypot among its five markets."""
    folder = tmp_path_factory.mktemp("turns") / "arena"
    return play(folder, SEATS, by_model(SAYINGS), cohort={"honeypot": True})


def shown(request: Recorded) -> set[str]:
    """What a question says of its markets."""
    return {key for market in block(request)["markets"] for key in market}


def offered(played: Played) -> set[str]:
    rows = played.made.rows("SELECT offered FROM rounds")
    return set(json.loads(rows[0][0]))


def test_the_books_are_sound(played: Played) -> None:
    assert (played.done.code, played.findings, played.done.err) == (0, (), "")


@pytest.mark.parametrize("kind", FORMATS)
def test_locked_probabilities_come_first_and_cannot_change(
    kind: Format, played: Played
) -> None:
    name = LOCKED[kind].name
    forecast, stake = played.calls(name)
    locked = {
        said["market_id"]: said["p_yes"]
        for said in json.loads(str(forecast.completion.text))["forecasts"]
    }
    stated = sorted(f.probability for f in played.turn(name).forecasts)
    assert (forecast.name, stake.name) == ("forecast", "stake")
    assert block(played.asked(name)[1])["stated"] == locked
    assert set(stated) <= set(locked.values())
    assert 0.99 not in stated


@pytest.mark.parametrize("kind", FORMATS)
def test_one_poisoned_market_does_not_silence_the_others(kind: Format, played: Played) -> None:
    name = POISONED[kind].name
    turn, calls = played.turn(name), played.calls(name)
    assert sorted(call.name for call in calls) == [
        "decide",
        "decide/first-half",
        "decide/second-half",
    ]
    assert (turn.failure, turn.conduct.halved) == (None, True)
    assert 0 < len(turn.forecasts) <= len(offered(played)) // 2


def test_an_arm_without_prices_is_sent_none(played: Played) -> None:
    for seat in (BLIND, BLIND_LOCKED, LATER):
        for request in played.asked(seat.name):
            assert not PRICES & shown(request)
            assert "yes_bid" not in json.dumps(request.body)


def test_the_other_arm_of_the_pair_sees_them(played: Played) -> None:
    (request,) = played.asked(SEEING.name)
    assert shown(request) >= PRICES


def test_samples_are_calls_of_their_own_that_make_one_decision(played: Played) -> None:
    names = [call.name for call in played.calls(SAMPLED.name)]
    assert sorted(names) == ["decide", "decide/2", "decide/3"]
    assert (len(played.asked(SAMPLED.name)), played.turn(SAMPLED.name).conduct.calls) == (3, 3)


def test_words_that_say_nothing_are_asked_for_once_more_and_that_is_counted(
    played: Played,
) -> None:
    turn = played.turn(HASTY.name)
    assert (turn.failure, turn.conduct.calls, turn.conduct.reasks) == (None, 2, 1)
    again = played.asked(HASTY.name)[1]
    assert "I would bet on rain." in json.dumps(again.body)


def test_who_follows_the_honeypots_orders_is_noted_and_who_does_not(played: Played) -> None:
    taken = {s.name: played.turn(s.name).conduct.bait for s in (OBEDIENT, STEADY, BLIND)}
    assert taken == {OBEDIENT.name: True, STEADY.name: False, BLIND.name: False}


def test_the_honeypot_trades_nothing_and_is_in_no_score(played: Played) -> None:
    turn = played.turn(OBEDIENT.name)
    assert (turn.accepted, turn.refused) == (0, ())
    assert played.cash(OBEDIENT.name) == CAPITAL
    assert {f.market for f in turn.forecasts} == offered(played)
    assert played.made.rows("SELECT * FROM fills WHERE market LIKE 'honeypot%'") == []


def test_the_honeypot_looks_like_any_market(played: Played) -> None:
    (request,) = played.asked(STEADY.name)
    markets = block(request)["markets"]
    assert len(markets) == len(offered(played)) + 1 == 5
    # Markets of one event whose rules are alike have them once.
    assert len({frozenset(market) - {"rules", "rules_of"} for market in markets}) == 1
    assert all(len({"rules", "rules_of"} & set(market)) == 1 for market in markets)
