import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.agents.prompt import (
    NEVER,
    Style,
    decide_question,
    forecast_question,
    stake_question,
)
from arena.records.answer import Briefing, Question
from arena.records.money import usd
from arena.render import environment
from tests.agents.briefings import briefing, market, offer
from tests.standins.asked import Format
from tests.standins.bettors import small_bettor
from tests.standins.model_server import ModelServer
from tests.testing.bare import ALL, SCHEMA, body_of, post, text_in

ENV = environment(Path(__file__).parents[2] / "templates")
OPEN, BLIND = Style(), Style(pricing=NEVER)


def some_offers() -> Briefing:
    return briefing([offer(f"M{n}", market(f"m{n}", f"Question {n}?")) for n in range(1, 6)])


def answer(question: Question, name: str = "small") -> dict[str, Any]:
    messages = [
        {"role": "system", "content": question.system},
        {"role": "user", "content": question.user},
    ]
    said: dict[str, Any] = json.loads(small_bettor(name, messages))
    return said


def decided(shown: Briefing, name: str = "small", style: Style = OPEN) -> dict[str, Any]:
    return answer(decide_question(shown, ENV, style), name)


def test_it_forecasts_near_the_price_and_makes_one_small_bet() -> None:
    said = decided(some_offers())
    assert said["action"] == "BET"
    (bet,) = said["bets"]
    assert 50 <= bet["amount"] <= 2500
    assert [f["market_id"] for f in said["forecasts"]] == ["M1", "M2", "M3", "M4", "M5"]
    assert all(abs(f["p_yes"] - 0.39) <= 0.16 for f in said["forecasts"])


def test_its_bet_is_on_the_side_that_its_own_forecast_is_on() -> None:
    said = decided(some_offers())
    (bet,) = said["bets"]
    (mind,) = [f["p_yes"] for f in said["forecasts"] if f["market_id"] == bet["market_id"]]
    assert (mind > 0.4) if bet["side"] == "YES" else (mind < 0.38)


def test_the_same_question_gets_the_same_words_and_another_model_others() -> None:
    shown = some_offers()
    assert decided(shown) == decided(shown)
    assert decided(shown)["forecasts"] != decided(shown, "large")["forecasts"]


def test_without_a_price_or_without_money_it_holds() -> None:
    assert decided(briefing([offer("M1", bid=None)]))["action"] == "HOLD"
    poor = replace(briefing([offer("M1")]), cap=usd("49"))
    assert decided(poor)["action"] == "HOLD"


def test_where_prices_are_hidden_its_mind_is_around_a_half_and_it_bets_by_it() -> None:
    said = decided(some_offers(), style=BLIND)
    assert all(abs(f["p_yes"] - 0.5) <= 0.16 for f in said["forecasts"])
    assert (said["action"], len(said["bets"])) == ("BET", 1)


@pytest.mark.parametrize("style", [OPEN, BLIND])
def test_asked_for_forecasts_alone_it_gives_no_more(style: Style) -> None:
    said = answer(forecast_question(some_offers(), ENV, style))
    assert set(said) == {"reasoning", "forecasts"}
    assert len(said["forecasts"]) == 5


@pytest.mark.parametrize("style", [OPEN, BLIND])
def test_it_stakes_on_what_it_stated_before(style: Style) -> None:
    said = answer(stake_question(some_offers(), ENV, style, {"M2": 0.97, "M3": 0.4}))
    assert set(said) == {"reasoning", "action", "bets"}
    assert [(b["market_id"], b["side"]) for b in said["bets"]] == [("M2", "YES")]


@pytest.mark.parametrize("kind", ALL)
def test_it_gives_the_parts_that_the_schema_names(kind: Format) -> None:
    with ModelServer() as server:
        told = post(server, kind, body_of(kind, schema=SCHEMA)).json
    assert set(json.loads(str(text_in(kind, told)))) == {"reasoning"}


def test_a_question_of_another_kind_is_held() -> None:
    assert json.loads(small_bettor("m", [{"role": "user", "content": "Hello {you}"}])) == {
        "reasoning": "m follows the price, with a doubt",
        "forecasts": [],
        "action": "HOLD",
        "bets": [],
    }


@pytest.mark.parametrize(
    "words",
    [
        '{"markets": 7}',
        '{"markets": [1, {"market_id": 2}]}',
        '{"markets": [], "portfolio": [], "stated": 1}',
        '{"a": {"markets": [',
        "{" * 3_000,
    ],
)
def test_odd_data_is_held(words: str) -> None:
    said = json.loads(small_bettor("m", [{"role": "user", "content": words}]))
    assert (said["action"], said.get("forecasts", [])) == ("HOLD", [])
