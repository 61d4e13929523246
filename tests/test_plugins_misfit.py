"""What somebody's own code gives is held to the types that records declare."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from arena.plugins import misfit
from arena.records.answer import DocumentBatch, SourceDocument
from arena.records.market import Market, MarketId, Quote, Status
from tests.build import RAIN, market, quote

EAST = timezone(timedelta(hours=5))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"question": None}, "question: None is no str"),
        ({"question": "Q\ud800"}, "question: 'Q\\ud800' is no str"),
        ({"closes_at": "soon"}, "closes_at: 'soon' is no datetime or None"),
        ({"closes_at": datetime(2026, 1, 5)}, "closes_at: datetime.datetime(2026, 1, 5, 0, 0)"),  # noqa: DTZ001
        ({"closes_at": datetime(1, 1, 1, tzinfo=EAST)}, "closes_at: "),
        ({"labels": ["a"]}, "labels: ['a'] is no tuple"),
        ({"labels": ("a", 5)}, "labels: 5 is no str"),
        ({"refs": (("a",),)}, "refs: ('a',) is no tuple of 2"),
        ({"tick": 0.01}, "tick: 0.01 is no Price or None"),
        ({"tick": Decimal("NaN")}, "tick: Decimal('NaN') is no Price or None"),
        ({"tick": Decimal("1.01")}, "tick: Decimal('1.01') is no Price or None"),
        ({"min_order": Decimal(-1)}, "min_order: Decimal('-1') is no Shares or None"),
        ({"unit": "USD!"}, "unit: 'USD!' is no Unit"),
        ({"fee": None}, "fee: None is no FeeModel"),
    ],
)
def test_a_field_of_another_type_is_named(change: dict[str, object], words: str) -> None:
    assert misfit(market(RAIN), Market, in_utf8=True) == ""
    changed = replace(market(RAIN), **change)  # type: ignore[arg-type]
    assert misfit(changed, Market, in_utf8=True).startswith(words)


def test_a_wrong_value_within_records_within_a_mapping_is_found() -> None:
    kind = Mapping[MarketId, Quote]
    told = quote(name=RAIN)
    assert misfit({RAIN: told}, kind) == ""
    assert misfit({RAIN: replace(told, bid="0.4")}, kind).startswith("bid: '0.4' is no Price")  # type: ignore[arg-type]
    assert misfit({5: told}, kind) == "5 is no str"
    assert misfit([told], kind).endswith("is no Mapping")
    assert misfit({RAIN: told}, Mapping[MarketId, Status]).endswith("is no Status")


def test_text_of_a_reply_may_hold_half_a_character() -> None:
    odd = DocumentBatch(
        (SourceDocument("s", "t", "\ud800", published_at=datetime(2026, 1, 5, tzinfo=UTC)),)
    )
    assert misfit(odd, DocumentBatch) == ""
    assert misfit(odd, DocumentBatch, in_utf8=True).startswith("documents: text: ")
