"""Replies of language models with what must become of them, where they are at hand."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from arena.agents.reply import ReplyError, read_reply
from arena.records.decision import Decision
from tests.agents.briefings import briefing, market, offer

SHARED = Path(os.environ.get("ARENA_SHARED", Path(__file__).parents[2] / "../shared"))
VECTORS = SHARED / "vectors" / "llm_replies.json"
RULES_JUDGE = {"non_positive_amount", "over_budget"}  # read faithfully, refused afterwards

Case = dict[str, Any]
Leg = tuple[str, str, float]


def cases(status: str) -> list[Case]:
    if not VECTORS.exists():
        pytest.skip("the replies are not here")
    known = json.loads(VECTORS.read_text(encoding="utf-8"))
    return [case for case in known if case["expected"]["status"] == status]


def decision(case: Case) -> Decision | None:
    offers = [offer(name, market(name)) for name in case["context"]["markets"]]
    try:
        return read_reply(case["text"], briefing(offers))
    except ReplyError:
        return None


def legs(said: Decision) -> list[Leg]:
    bets = [(str(b.market), str(b.side), float(b.stake)) for b in said.bets]
    return bets + [(str(s.market), str(s.side), float(s.percent)) for s in said.sales]


def wanted(case: Case) -> list[Leg]:
    return [(b["market_id"], b["side"], float(b["amount"])) for b in case["expected"]["bets"]]


def test_what_is_sound_is_read_as_meant() -> None:
    for case in cases("ok"):
        said = decision(case)
        assert said is not None, case["name"]
        assert (said.action, legs(said)) == (case["expected"]["action"], wanted(case))


def test_what_must_be_refused_is_no_decision() -> None:
    for case in cases("reject"):
        dropped = {d["reason"] for d in case["expected"].get("dropped", ())}
        if case.get("finish_reason") == "length" or (dropped and dropped <= RULES_JUDGE):
            continue
        assert decision(case) is None, case["name"]


def test_what_could_be_mended_is_read_as_meant_or_refused() -> None:
    for case in cases("repaired"):
        if case["expected"].get("dropped"):
            continue
        said = decision(case)
        assert said is None or legs(said) == wanted(case), case["name"]
