"""Replies that are odd but well, words that cannot be read, waits, and servers that object."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from arena.records.answer import Trouble
from tests.engine.played import CAPITAL, FORMATS, STEM, Played, Seat, over_wires, play
from tests.standins import failures
from tests.standins.model_server import (
    HANGS,
    Delivery,
    Dialect,
    Format,
    Ill,
    Message,
    Misbehaviour,
    Served,
    ails,
    by_model,
    in_turn,
    like,
    refuses,
    refuses_schemas,
    small_bettor,
    strictly,
)
from tests.standins.scripts import Reply, Saying, complains_of_key, says_key

DRAFT = json.dumps(
    {"action": "BET", "bets": [{"market_id": "M1", "side": "YES", "amount": 2500}]}
)
SMALL = 1000  # dollars: no stake of the stand-in's own is as large
SOON = {"deadline": "3s"}
PATIENT = {"deadline": "6s"}  # longer than the waits that fit, shorter than the others
TOO_LONG = {"seconds", "bad milliseconds", "anthropic", "huge", "twice"}
FOR_MINUTES = {"openai"}  # nothing is left of its limit: the next turn comes in a minute
FORBIDDEN = {"never"}
SAMPLING = {
    "profile": {"sampling": True, "sampling_field": ""},
    "sampling": {"temperature": 0.5},
}


def thinks_aloud(model: str, messages: Sequence[Message]) -> str:
    return f"<think>{DRAFT}</think>{small_bettor(model, messages)}"


def nested(model: str, messages: Sequence[Message]) -> Misbehaviour:
    return failures.nested_under_provider(small_bettor(model, messages))


def speaking(dialect: Dialect) -> Reply:
    return like(Misbehaviour(thinking=DRAFT, served=Served(dialect=dialect)))


WELL: Mapping[str, Saying] = {
    **{
        how: like(Misbehaviour(delivery=delivery))
        for how, delivery in failures.ODD_BUT_WELL.items()
    },
    "wrong type": like(failures.WRONG_TYPE),
    "no type": like(failures.NO_TYPE),
    "two types": like(failures.TWO_TYPES),
    "thinks": like(Misbehaviour(thinking=DRAFT)),
    "thinks aloud": thinks_aloud,
}
WELL_IN_CHAT: Mapping[str, Saying] = {
    "nested": nested,
    **{f"speaks as {dialect}": speaking(dialect) for dialect in Dialect},
}
UNREAD: Mapping[str, Misbehaviour] = {
    "words too long": failures.HUGE_WORDS,
    "half a character": failures.LONE_SURROGATE,
    "says nul": failures.SAYS_NUL,
    "invalid utf 8": failures.INVALID_UTF8,
}
UNUSABLE: Mapping[str, Misbehaviour] = {
    "body too large": failures.HUGE_BODY,
    "no gzip": failures.NOT_GZIP,
}
SILENT: Mapping[str, Misbehaviour] = {
    "hangs": HANGS,
    "blank lines for ever": Misbehaviour(drip=0.05, delivery=Delivery(blank=100_000)),
}
TELLS: Mapping[str, Reply] = {"complains of key": complains_of_key, "says key": says_key}


@dataclass(frozen=True, slots=True)
class Odd:
    """One contestant whose server is odd in one way."""

    format: Format
    what: str
    saying: Saying
    model: Mapping[str, object] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return re.sub("[^a-z0-9]+", "-", f"{self.format} {self.what}".lower())


def named(odd: Odd) -> str:
    return odd.name


def everywhere(
    sayings: Mapping[str, Saying], model: Mapping[str, object] | None = None
) -> list[Odd]:
    return [Odd(f, what, sayings[what], model or {}) for f, what in over_wires(sayings)]


def asked_to_wait(headers: tuple[tuple[str, str], ...]) -> Reply:
    return in_turn(Misbehaviour(headers=headers, error=ails(Ill.RATE).error), small_bettor)


def held_to(schema: Callable[[], Reply]) -> list[Odd]:
    """Models that are asked for an answer by a JSON schema, whatever is known of them."""
    options = {"options": {"output": "schema", "profile": {"strict": True}}}
    return [Odd(f, schema.__name__, schema(), options) for f in FORMATS]


ODD_BUT_WELL = [
    *everywhere(WELL),
    *(Odd(Format.CHAT, what, how) for what, how in WELL_IN_CHAT.items()),
]
WAITS = {
    what: Odd(Format.CHAT, f"waits {what}", asked_to_wait(headers), PATIENT)
    for what, headers in failures.ODD_WAITS.items()
    if what not in FOR_MINUTES
}
BODY_WAITS = {
    wait: Odd(
        Format.GEMINI, f"body {wait}", in_turn(ails(Ill.RATE, wait=wait), small_bettor), PATIENT
    )
    for wait in ("1.5s", "14s")
}
STRICT, SCHEMALESS = held_to(strictly), held_to(refuses_schemas)
NO_TEMPERATURE = Odd(
    Format.CHAT, "no temperature", refuses("temperature"), {"options": SAMPLING}
)
UNREADABLE, UNUSABLE_REPLIES = everywhere(UNREAD), everywhere(UNUSABLE)
SILENT_SERVERS, TELLING = everywhere(SILENT, SOON), everywhere(TELLS)
EVERY = [
    *(*ODD_BUT_WELL, *UNREADABLE, *UNUSABLE_REPLIES, *TELLING),
    *(*WAITS.values(), *BODY_WAITS.values(), *STRICT, *SCHEMALESS, NO_TEMPERATURE),
]


def of(odds: Sequence[Odd], folder: Path) -> Played:
    seats = [Seat(odd.name, odd.format, odd.model) for odd in odds]
    return play(folder, seats, by_model({odd.name: odd.saying for odd in odds}))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return of(EVERY, tmp_path_factory.mktemp("odd") / "arena")


@pytest.fixture(scope="module")
def silence(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A round of few: each has to be heard by its server long before the deadline."""
    return of(SILENT_SERVERS, tmp_path_factory.mktemp("silence") / "arena")


def why(played: Played, odd: Odd) -> str:
    return (played.turn(odd.name).failure or "").partition(":")[0]


def test_the_books_are_sound(played: Played) -> None:
    assert (played.done.code, played.findings) == (6, ())


@pytest.mark.parametrize("odd", ODD_BUT_WELL, ids=named)
def test_a_good_answer_counts_however_it_comes(odd: Odd, played: Played) -> None:
    turn = played.turn(odd.name)
    assert (turn.failure, len(turn.forecasts)) == (None, 4)
    assert len(played.asked(odd.name)) == 1


@pytest.mark.parametrize("odd", ODD_BUT_WELL, ids=named)
def test_a_draft_in_its_thoughts_is_never_played(odd: Odd, played: Played) -> None:
    assert CAPITAL - SMALL < played.cash(odd.name) <= CAPITAL


@pytest.mark.parametrize("odd", UNREADABLE, ids=named)
def test_words_that_cannot_be_read_are_asked_for_once_more(odd: Odd, played: Played) -> None:
    conduct = played.turn(odd.name).conduct
    assert (why(played, odd), conduct.reasks) == (Trouble.UNREADABLE, 1)
    assert len(played.asked(odd.name)) == conduct.calls == 2


@pytest.mark.parametrize("odd", UNUSABLE_REPLIES, ids=named)
def test_a_reply_that_cannot_be_unpacked_is_not_asked_for_again(
    odd: Odd, played: Played
) -> None:
    assert (why(played, odd), len(played.asked(odd.name))) == (Trouble.UNREADABLE, 1)


@pytest.mark.parametrize("odd", SILENT_SERVERS, ids=named)
def test_silence_ends_at_the_deadline_and_may_have_been_billed(
    odd: Odd, silence: Played
) -> None:
    (call,) = silence.calls(odd.name)
    (attempt,) = call.completion.attempts
    assert (why(silence, odd), attempt.status, attempt.billed) == (Trouble.TIMEOUT, None, None)
    assert (len(silence.asked(odd.name)), silence.cash(odd.name)) == (1, CAPITAL)


@pytest.mark.parametrize("what", WAITS)
def test_a_wait_is_kept_where_there_is_time_and_else_ends_the_turn(
    what: str, played: Played
) -> None:
    odd = WAITS[what]
    gives_up = what in TOO_LONG | FORBIDDEN
    assert why(played, odd) == (Trouble.RATE_LIMITED if gives_up else "")
    assert len(played.asked(odd.name)) == (1 if gives_up else 2)


def test_the_words_say_that_a_wait_was_too_long(played: Played) -> None:
    for what in TOO_LONG:
        assert "would pass the deadline" in str(played.turn(WAITS[what].name).failure)


@pytest.mark.parametrize("odd", [WAITS["fraction"], WAITS["milliseconds"], BODY_WAITS["1.5s"]])
def test_a_server_is_left_alone_for_as_long_as_it_asked(odd: Odd, played: Played) -> None:
    first, second = played.asked(odd.name)
    assert second.asked_at - first.asked_at >= 1.49


def test_a_wait_in_the_body_counts_like_one_in_a_header(played: Played) -> None:
    assert why(played, BODY_WAITS["1.5s"]) == ""
    assert why(played, BODY_WAITS["14s"]) == Trouble.RATE_LIMITED
    assert len(played.asked(BODY_WAITS["14s"].name)) == 1


@pytest.mark.parametrize("odd", STRICT, ids=named)
def test_our_schema_keeps_every_providers_house_rules(odd: Odd, played: Played) -> None:
    (request,), (call,) = played.asked(odd.name), played.calls(odd.name)
    assert "enum" in json.dumps(request.body)
    assert (played.turn(odd.name).failure, call.completion.adapted) == (None, ())


@pytest.mark.parametrize("odd", SCHEMALESS, ids=named)
def test_a_server_without_schemas_is_asked_for_less_and_the_tape_says_so(
    odd: Odd, played: Played
) -> None:
    (call,) = played.calls(odd.name)
    first, *others = call.completion.attempts
    assert (first.trouble, first.billed) == (Trouble.REQUEST, False)
    assert [attempt.trouble for attempt in others] == [None]
    assert call.completion.adapted[0].endswith("instead of schema")
    assert played.turn(odd.name).failure is None


def test_a_field_that_is_refused_is_left_out_at_once_and_the_tape_says_so(
    played: Played,
) -> None:
    first, second = played.asked(NO_TEMPERATURE.name)
    (call,) = played.calls(NO_TEMPERATURE.name)
    assert (first.body["temperature"], "temperature" in second.body) == (0.5, False)
    assert call.completion.adapted == ("without temperature",)
    assert played.turn(NO_TEMPERATURE.name).failure is None


@pytest.mark.parametrize("odd", TELLING, ids=named)
def test_a_server_that_repeats_its_key_cannot_make_us_write_it_down(
    odd: Odd, played: Played
) -> None:
    raw = b"".join(call.completion.raw for call in played.calls(odd.name))
    key = Seat(odd.name).key
    assert b"[key]" in raw
    assert key[:STEM].encode() not in played.everything
