import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.cohort import CohortSpec, Rules
from arena.records.decision import Action, Drop, Dropped, Forecast
from arena.records.market import FeeKind, FeeModel, Market, MarketId, Side
from arena.records.money import Usd, usd
from arena.records.trade import Conduct, RoundOpened, Turn
from arena.store.codec import (
    canonical,
    digest_of,
    from_plain,
    moment,
    read_moment,
    read_row,
    to_plain,
)
from tests.build import HOUR, RAIN, T0, market, spec

moments = st.integers(-(10**15), 10**15).map(lambda n: T0 + timedelta(microseconds=n))


@dataclass(frozen=True, slots=True)
class Things:
    """One of each kind of value that a record may hold."""

    amount: Decimal
    when: datetime | None
    span: timedelta
    number: float
    words: tuple[str, ...]
    side: Side
    fees: tuple[FeeModel, ...]


things = st.builds(
    Things,
    amount=st.decimals(-(10**9), 10**9, places=6),
    when=st.none() | moments,
    span=st.integers(0, 10**9).map(lambda s: timedelta(seconds=s)),
    number=st.floats(allow_nan=False, allow_infinity=False),
    words=st.lists(st.text(), max_size=3).map(tuple),
    side=st.sampled_from(Side),
    fees=st.lists(
        st.builds(FeeModel, kind=st.sampled_from(FeeKind), rate=st.decimals(0, 1, places=6)),
        max_size=2,
    ).map(tuple),
)


def again(record: object) -> object:
    return from_plain(type(record), json.loads(canonical(record)))


@given(record=things)
def test_a_record_is_read_back_as_it_was_written(record: Things) -> None:
    assert again(record) == record


@given(text=st.text())
def test_a_record_is_written_in_plain_ascii_on_one_line(text: str) -> None:
    written = canonical(market(RAIN, event=text))
    assert written.isascii()
    assert written.isprintable()


def test_an_amount_is_written_one_way_however_it_was_made() -> None:
    assert canonical(Decimal("1E+4")) == canonical(usd(10000)) == '"10000"'


def test_the_order_of_keys_is_no_part_of_what_is_written() -> None:
    plain = json.loads(canonical(spec()))
    shuffled = dict(reversed(plain.items()))
    assert canonical(from_plain(CohortSpec, shuffled)) == canonical(spec())


def test_a_moment_is_written_in_utc() -> None:
    there = T0.astimezone(timezone(timedelta(hours=5)))
    assert moment(there) == moment(T0) == "2026-01-05T00:00:00+00:00"


@given(one=moments, other=moments)
def test_moments_sort_as_text_as_they_do_in_time(one: datetime, other: datetime) -> None:
    assert (moment(one) < moment(other)) == (one < other)


@given(at=moments)
def test_a_moment_is_read_back(at: datetime) -> None:
    assert read_moment(moment(at)) == at


def test_what_json_has_no_words_for_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot keep a set"):
        to_plain({1})


def test_a_record_comes_back_with_its_own_types() -> None:
    read = from_plain(Market, json.loads(canonical(market(fee=FeeModel(FeeKind.NOTIONAL)))))
    assert isinstance(read.fee.kind, FeeKind)


LATER = RoundOpened(1, (RAIN,), "d1", seed="5eed")
CONDUCTED = Conduct(
    calls=2,
    reasks=1,
    dropped=(Dropped(0, Drop.BAD_SIDE, "x"),),
    against=(RAIN,),
    halved=True,
    bait=False,
)
TURN = Turn(1, Action.HOLD, (Forecast(RAIN, 0.5),), (), 0)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        (spec(), replace(spec(), honeypot=True), "honeypot"),
        (Rules(), Rules(answer_within=HOUR), "answer_within"),
        (replace(LATER, seed=""), LATER, "seed"),
        (TURN, replace(TURN, conduct=CONDUCTED), "conduct"),
    ],
    ids=["CohortSpec", "Rules", "RoundOpened", "Turn"],
)
def test_what_was_added_to_a_record_is_written_where_it_says_something(
    old: object, new: object, name: str
) -> None:
    assert name not in canonical(old)
    assert name in json.loads(canonical(new))
    assert [again(old), again(new)] == [old, new]


@given(honeypot=st.booleans(), minutes=st.integers(0, 10**5))
def test_a_record_without_its_newer_fields_is_read_as_with_their_defaults(
    honeypot: bool,  # noqa: FBT001
    minutes: int,
) -> None:
    rules = Rules(answer_within=timedelta(minutes=minutes))
    new = replace(spec(rules=rules), honeypot=honeypot)
    plain = json.loads(canonical(new))
    plain.pop("honeypot", None)
    plain["rules"].pop("answer_within", None)
    assert from_plain(CohortSpec, plain) == spec(rules=Rules())


def test_an_agreement_of_before_keeps_its_digest() -> None:
    """It was written down before agreements could say more."""
    before = "622cf26472212addf77a21d8dc50c9fbd77603f729fc6080bad3218e30f14aea"
    assert digest_of(spec()) == before


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (replace(LATER, seed=""), '{"digest":"d1","offered":["rain"],"round":1}'),
        (
            TURN,
            """{"accepted":0,"action":"HOLD","failure":null,"forecasts":\
[{"market":"rain","probability":0.5}],"refused":[],"round":1}""",
        ),
    ],
)
def test_an_event_of_before_keeps_its_text(event: object, text: str) -> None:
    assert canonical(event) == text


def test_a_turn_s_conduct_keeps_its_newest_words_in_full() -> None:
    plain = json.loads(canonical(replace(TURN, conduct=CONDUCTED)))["conduct"]
    assert plain["dropped"] == [{"index": 0, "reason": "bad_side", "detail": "x"}]
    assert (plain["against"], plain["halved"], plain["bait"]) == (["rain"], True, False)


@dataclass(frozen=True, slots=True)
class Named:
    """Records by name."""

    by_side: Mapping[Side, tuple[FeeModel, ...]]
    by_word: Mapping[str, float | None]


def test_what_is_kept_by_name_comes_back_in_its_order() -> None:
    held = Named({Side.NO: (FeeModel(),), Side.YES: ()}, {"b": 0.1, "a": None})
    again = from_plain(Named, json.loads(json.dumps(to_plain(held))))
    assert again == held
    assert list(again.by_side) == [Side.NO, Side.YES]
    assert list(again.by_word) == ["b", "a"]


@dataclass(frozen=True, slots=True)
class Columns:
    """A field of each kind that a column may hold, and one that none holds."""

    cost: Usd
    owed: Usd | None
    at: datetime | None
    side: Side
    closed: bool
    markets: tuple[MarketId, ...]
    given: int


def test_a_row_is_read_by_the_names_and_the_types_of_fields() -> None:
    with closing(sqlite3.connect(":memory:")) as raw:
        raw.row_factory = sqlite3.Row
        rows = raw.execute("""SELECT 1500000 AS cost_micro, NULL AS owed_micro, 'NO' AS side,
            '2026-01-05T00:00:00+00:00' AS at, 1 AS closed, '["rain"]' AS markets, 7 AS x""")
        read = read_row(Columns, rows.fetchone(), given=3)
    assert read == Columns(usd("1.5"), None, T0, Side.NO, closed=True, markets=(RAIN,), given=3)
