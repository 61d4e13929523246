"""A hundred replies of language models, well-formed and not, and what must become of them."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.agents.reply import Budget, ReplyReading, read_words
from arena.records.market import MarketId
from arena.records.money import usd
from tests.vectors import replies

SHARED = Path(os.environ.get("ARENA_SHARED", Path(__file__).parents[2] / "../shared"))
THEIRS = SHARED / "vectors" / "llm_replies.json"

Case = Mapping[str, Any]
Leg = tuple[str, str, float]


def read(case: Case) -> ReplyReading:
    known = case["context"]
    return read_words(
        case["text"],
        {name: MarketId(name) for name in known["markets"]},
        finish=case.get("finish_reason") or "",
        budget=Budget(usd(known["cash"])),
    )


def legs(found: ReplyReading) -> list[Leg]:
    if found.decision is None:
        return []
    bets = [(str(b.market), str(b.side), float(b.stake)) for b in found.decision.bets]
    return bets + [(str(s.market), str(s.side), float(s.percent)) for s in found.decision.sales]


@pytest.mark.parametrize("case", replies(), ids=lambda case: case["name"])
def test_it_becomes_what_it_must(case: Case) -> None:
    expected, found = case["expected"], read(case)
    wanted = [(b["market_id"], b["side"], float(b["amount"])) for b in expected["bets"]]
    assert (found.status, legs(found)) == (expected["status"], wanted)
    if "action" in expected:
        assert found.decision is not None
        assert found.decision.action == expected["action"]
    if "dropped" in expected:
        dropped = [{"index": d.index, "reason": d.reason} for d in found.dropped]
        assert dropped == expected["dropped"]


@pytest.mark.parametrize("case", replies(), ids=lambda case: case["name"])
def test_only_what_is_in_order_needs_no_reason(case: Case) -> None:
    found = read(case)
    assert (found.status == "ok") == (not found.reasons and not found.dropped)
    assert all(reason.isascii() and len(reason) < 200 for reason in found.reasons)


def test_there_are_a_hundred_of_each_status() -> None:
    found = [case["expected"]["status"] for case in replies()]
    assert [found.count(s) for s in ("ok", "repaired", "reject")] == [11, 41, 48]


@pytest.mark.skipif(not THEIRS.exists(), reason="the replies' first home is not here")
def test_they_are_those_that_were_agreed_on() -> None:
    assert list(replies()) == json.loads(THEIRS.read_text("utf-8"))
