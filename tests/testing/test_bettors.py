import json
from pathlib import Path
from typing import Any

from arena.agents.prompt import (
    NEVER,
    Style,
    decide_question,
)
from arena.records.answer import Briefing, Question
from arena.render import environment
from tests.agents.briefings import briefing, market, offer
from tests.standins.bettors import small_bettor

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


def test_the_same_question_gets_the_same_words_and_another_model_others() -> None:
    shown = some_offers()
    assert decided(shown) == decided(shown)
    assert decided(shown)["forecasts"] != decided(shown, "large")["forecasts"]
