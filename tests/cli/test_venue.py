"""`arena venue`: what servers say, what is read in it, and what has changed."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.models.venue import venue
from arena.cli.models.venue_check import VenueCheck, check_all, drifts, known_kinds, objects_at
from arena.clock import HandClock, SystemClock
from arena.records.answer import Payload
from arena.records.market import VenueId
from arena.records.settings import VenueSettings
from tests.cli.inside import Capsys, here, strict
from tests.cli.shell import Done
from tests.present import some
from tests.standins.misbehaviour import Misbehaviour
from tests.standins.venues import DIALECTS, Fault, Faults, StandInWorld, VenueServer
from tests.venues.manifold.rows import DAY, Row, bet, millis, row
from tests.venues.manifold.server import MISSING, Answer, always, manifold
from tests.venues.scripted import Asked, ScriptedServer

MINUTE = timedelta(minutes=1)
MONDAY = datetime(2026, 3, 2, 15, 20, tzinfo=UTC)
WORLD = StandInWorld(seed=3, events_per_day=3)
AT = ("--at", "2026-11-02T12:00Z")  # when the rows of tests.venues.manifold were sent
HOSTILE = "Rain?\x1b[2J\nerror: forged \u202e"


def payload(folder: Path, said: object) -> Path:
    file = folder / "answer.json"
    file.write_text(json.dumps(said, default=float), encoding="utf-8")
    return file


def parsed(capsys: Capsys, folder: Path, kind: str, said: object, *more: str) -> Done:
    words = ("venue", "parse", "manifold", kind, payload(folder, said))
    return here(capsys, *words, *AT, *more)


def test_a_payload_is_printed_field_by_field(capsys: Capsys, tmp_path: Path) -> None:
    done = parsed(capsys, tmp_path, "market", row("rain"))
    fields = dict(line.strip().split(None, 1) for line in done.out.splitlines()[1:-1])
    assert done.code == 0
    assert fields["market.id"] == "manifold:rain"
    assert (fields["quote.bid"], fields["quote.ask"]) == ("0.495000", "0.505000")
    assert fields["quote.asks"].startswith("4.000266 at 0.505000, 4.602383 at ")
    assert (fields["status.state"], fields["status.outcome"]) == ("OPEN", "n/a")
    assert done.out.splitlines()[-1] == "1 read, 0 left out, 0 malformed."


def test_text_from_outside_stays_in_its_line(capsys: Capsys, tmp_path: Path) -> None:
    done = parsed(capsys, tmp_path, "market", row(question=HOSTILE))
    assert "Rain?[2J error: forged\n" in done.out
    assert not {"\x1b", "\u202e"} & set(done.out)


def test_as_json_rows_and_what_is_left_out_are_one_document(
    capsys: Capsys, tmp_path: Path
) -> None:
    said = [row("rain"), row("who", outcomeType="POLL")]
    found = strict(parsed(capsys, tmp_path, "markets", said, "--json"))
    assert (found["venue"], found["kind"]) == ("manifold", "markets")
    assert [one["market"]["id"] for one in found["rows"]] == ["manifold:rain"]
    assert found["left_out"] == [
        {"what": "who", "why": "outcomeType POLL, not BINARY", "malformed": False}
    ]


@pytest.mark.parametrize(
    ("said", "code", "last"),
    [
        ([row("rain"), row("who", mechanism="dpm-2")], 0, "1 read, 1 left out, 0 malformed."),
        ([row("who", mechanism="dpm-2")], 0, "0 read, 1 left out, 0 malformed."),
        ([row("rain"), row("snow", p=...)], 3, "1 read, 1 left out, 1 malformed."),
        ([row("snow", p=...)], 1, "0 read, 1 left out, 1 malformed."),
        ({"message": "no"}, 1, "0 read, 1 left out, 1 malformed."),
    ],
)
def test_the_exit_code_says_how_much_could_be_read(
    capsys: Capsys, tmp_path: Path, said: object, code: int, last: str
) -> None:
    done = parsed(capsys, tmp_path, "markets", said)
    assert (done.code, done.out.splitlines()[-1]) == (code, last)


def test_what_is_malformed_is_named_with_its_reason(capsys: Capsys, tmp_path: Path) -> None:
    done = parsed(capsys, tmp_path, "markets", [row("rain", p=...)])
    assert "MALFORMED: rain: p is missing or not between 0 and 1\n" in done.out


def test_a_payload_may_come_from_standard_input() -> None:
    words = ["parse", "manifold", "bets", "-", *AT]
    bet = b'[{"id": "b", "createdTime": 1772366400000, "probAfter": 0.62}]'
    done = CliRunner().invoke(venue, words, input=bet)
    assert (done.exit_code, "0.620000" in done.output) == (0, True)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("manifold", "market-prob"), "market, bets"),
        (("kalshi", "nothing"), "orderbook"),
        (("polymarket", "nothing"), "books"),
        (("metaculus", "posts"), "kalshi, manifold, polymarket"),
    ],
)
def test_an_unknown_kind_names_those_that_there_are(
    capsys: Capsys, tmp_path: Path, words: tuple[str, str], hint: str
) -> None:
    done = here(capsys, "venue", "parse", *words, payload(tmp_path, {}))
    assert (done.code, hint in done.err) == (2, True)


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff\xfe", b"[" * 100_000])
def test_a_file_without_json_is_no_answer(capsys: Capsys, tmp_path: Path, body: bytes) -> None:
    file = tmp_path / "answer"
    file.write_bytes(body)
    done = here(capsys, "venue", "parse", "manifold", "markets", file)
    assert done.code == 1
    assert "error[venue.format]" in done.err


def test_what_is_no_number_in_json_is_read_as_missing(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "answer"
    file.write_text('[{"id": "b", "createdTime": 1772366400000, "probAfter": NaN}]')
    done = here(capsys, "venue", "parse", "manifold", "bets", file)
    assert "probAfter is missing or not of its kind" in done.out


def answers(rows: Sequence[Row], **instead: object) -> Answer:
    """Answer as Manifold does about these markets; `instead` is by the address's last part."""

    def answer(asked: Asked) -> object:
        what = asked.path.split("/")[2].replace("-", "_")
        if what in instead:
            return instead[what]
        if what == "search_markets":
            return [{k: v for k, v in one.items() if k != "textDescription"} for one in rows]
        if what == "bets":
            at = millis(SystemClock().now() - MINUTE)
            return [bet("b", 0, Decimal("0.5")) | {"createdTime": at}]
        found = [one for one in rows if one["id"] == asked.path.split("/")[3]]
        return found[0] if found else MISSING

    return answer


def current(own: str, **fields: object) -> Row:
    """An open market, as a server would describe it today."""
    closes = millis(SystemClock().now() + 10 * DAY)
    given = {"closeTime": closes, "textDescription": "By the gauge.", **fields}
    return row(own, **given)


def configured(folder: Path, server: ScriptedServer | None = None) -> Path:
    """Configure a Manifold at a server, and a venue that asks none."""
    url = f"{server.home}/v0" if server else "http://127.0.0.1:1/v0"
    options = {"base_url": url, "per_second": 1000, "min_bettors": 5}
    live = {"adapter": "manifold", "options": options}
    file = folder / "config.yaml"
    venues = {"mani": live, "sim": {"adapter": "simulated"}}
    file.write_text(json.dumps({"venues": venues}), encoding="utf-8")
    return file


def checked(capsys: Capsys, folder: Path, answer: Answer, *words: str) -> Done:
    with manifold(answer) as server:
        config = configured(folder, server)
        return here(capsys, "--config", config, "venue", "check", *words)


def test_a_venue_that_answers_as_ever_is_well(capsys: Capsys, tmp_path: Path) -> None:
    rows = [current("rain"), current("snow", uniqueBettorCount=2)]
    done = checked(capsys, tmp_path, answers(rows))
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "mani: well"
    assert [line.split()[0] for line in lines[1:6]] == [
        "catalogue",
        "details",
        "quotes",
        "statuses",
        "history",
    ]
    assert "1 markets, 1 with a price, 1 left out (1 answer)" in lines[1]
    assert "left out   1: fewer than 5 people have bet on it" in done.out
    assert lines[-1].split() == ["answers", "3", "of", "its", "server", "in", "all"]


def test_a_check_writes_nothing(capsys: Capsys, tmp_path: Path) -> None:
    checked(capsys, tmp_path, answers([current("rain")]))
    assert [file.name for file in tmp_path.iterdir()] == ["config.yaml"]


def test_a_new_field_is_news_and_nothing_more(capsys: Capsys, tmp_path: Path) -> None:
    done = checked(capsys, tmp_path, answers([current("rain", mood="sunny")]))
    assert done.code == 0
    assert "new        markets: mood" in done.out


def test_a_needed_field_that_is_gone_is_an_alarm(capsys: Capsys, tmp_path: Path) -> None:
    rows = [current("rain", createdTime=...), current("snow", createdTime=...)]
    done = checked(capsys, tmp_path, answers(rows))
    assert done.code == 3
    assert "mani: FINDINGS" in done.out
    assert "GONE       markets: none of 2 has createdTime" in done.out


def test_fields_are_compared_where_the_answer_could_not_be_used(
    capsys: Capsys, tmp_path: Path
) -> None:
    rows = [current("rain", probability=..., prob=1), current("snow", probability=..., prob=1)]
    done = checked(capsys, tmp_path, answers(rows))
    assert done.code == 1
    assert "mani: CANNOT BE READ" in done.out
    assert "GONE       markets: none of 2 has probability" in done.out
    assert "new        markets: prob" in done.out


def test_what_is_malformed_is_a_finding(capsys: Capsys, tmp_path: Path) -> None:
    done = checked(capsys, tmp_path, answers([current("rain"), current("snow", p=7)]))
    assert done.code == 3
    assert "MALFORMED  1: p is missing or not between 0 and 1" in done.out


def test_a_listed_market_that_is_not_there_is_a_finding(capsys: Capsys, tmp_path: Path) -> None:
    done = checked(capsys, tmp_path, answers([current("rain")], market=MISSING))
    assert done.code == 3
    assert "LOOK AT THIS: 1 states: UNKNOWN" in done.out


def test_a_venue_that_is_not_there_is_told_with_what_to_do(
    capsys: Capsys, tmp_path: Path
) -> None:
    refusal = Misbehaviour(status=400, body=b'{"message": "Bad"}')
    done = checked(capsys, tmp_path, lambda _: refusal)
    assert done.code == 1
    heading, failed, hint, *_ = done.out.splitlines()
    assert heading == "mani: CANNOT BE READ"
    assert failed.startswith("  catalogue  FAILED: 127.0.0.1:")  # the heading names the venue
    assert hint.startswith("  hint       its interface may have changed")


def test_options_that_a_tick_would_refuse_are_refused(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    live = {"adapter": "manifold", "options": {"pages": 0}}
    file.write_text(json.dumps({"venues": {"mani": live}}), encoding="utf-8")
    done = here(capsys, "--config", file, "venue", "check")
    assert (done.code, "cannot use 0 as pages" in done.err) == (2, True)


def test_a_part_that_fails_is_told_by_the_exit_code(capsys: Capsys, tmp_path: Path) -> None:
    refusal = Misbehaviour(status=400, body=b'{"message": "Bad"}')
    done = checked(capsys, tmp_path, answers([current("rain")], bets=refusal))
    assert done.code == 6
    assert "mani: ANSWERS IN PART" in done.out
    assert "history    FAILED: " in done.out


def test_as_json_a_check_is_one_document(capsys: Capsys, tmp_path: Path) -> None:
    rows = [current("rain", mood="sunny"), current("snow", uniqueBettorCount=2)]
    found = strict(checked(capsys, tmp_path, answers(rows), "--json", "mani"))
    (one,) = found["venues"]
    assert (one["venue"], one["adapter"], one["readable"]) == ("mani", "manifold", True)
    assert one["calls"][0]["name"] == "catalogue"
    assert one["left_out"] == [
        {"why": "fewer than 5 people have bet on it", "malformed": False, "rows": 1}
    ]
    assert {"kind": "markets", "objects": 2, "new": ["mood"], "gone": []} in one["fields"]


@pytest.mark.parametrize(
    ("name", "word"), [("sim", "asks no server"), ("manu", "did you mean mani")]
)
def test_only_configured_venues_with_servers_are_checked(
    capsys: Capsys, tmp_path: Path, name: str, word: str
) -> None:
    done = here(capsys, "--config", configured(tmp_path), "venue", "check", name)
    assert (done.code, word in done.err) == (2, True)


def test_without_live_venues_there_is_nothing_to_check(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(json.dumps({"venues": {"sim": {"adapter": "simulated"}}}))
    done = here(capsys, "--config", file, "venue", "check")
    assert (done.code, "No live venue is configured" in done.out) == (0, True)


@pytest.mark.parametrize("market", ["rain", "mani:rain"])
def test_history_prints_the_prices_of_a_span(
    capsys: Capsys, tmp_path: Path, market: str
) -> None:
    with manifold(answers([current("rain")])) as server:
        config = configured(tmp_path, server)
        done = here(capsys, "--config", config, "venue", "history", "mani", market)
    assert done.code == 0
    assert "UTC  0.500000" in done.out
    assert done.out.splitlines()[-1].startswith(f"1 price of {market}, ")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["kalshi:rain"], "kalshi:rain is no market of mani"),
        (["rain", "--since", "2990-01-01T00:00Z"], "2990-01-01 00:00 UTC is not before"),
    ],
)
def test_a_market_of_another_venue_and_a_span_that_ends_before_it_begins_are_refused(
    capsys: Capsys, tmp_path: Path, words: Sequence[str], complaint: str
) -> None:
    config = configured(tmp_path)
    done = here(capsys, "--config", config, "venue", "history", "mani", *words)
    assert (done.code, complaint in done.err) == (2, True)


def test_history_as_json_names_venue_and_market(capsys: Capsys, tmp_path: Path) -> None:
    span = ("--since", "2026-11-01T00:00Z", "--until", "2026-11-03T00:00Z")
    with always([bet("b", 60, Decimal("0.25"))]) as server:
        words = ("venue", "history", "mani", "rain", *span, "--json")
        found = strict(here(capsys, "--config", configured(tmp_path, server), *words))
    assert found["points"] == [{"at": "2026-11-02T11:00:00+00:00", "price": "0.250000"}]


def looked_at(faults: Faults | None = None) -> list[VenueCheck]:
    """Check three venues that speak from one invented world."""
    clock = HandClock(MONDAY)
    with VenueServer(WORLD, clock, DIALECTS, faults) as server:
        home = server.base_url
        places: Mapping[str, Mapping[str, object]] = {
            "polymarket": {p: f"{home}/{p}" for p in ("gamma", "clob", "data")},
            "kalshi": {"base_url": f"{home}/kalshi/trade-api/v2", "fallback_url": ""},
            "manifold": {"base_url": f"{home}/manifold/v0"},
        }
        chosen = [
            VenueSettings(VenueId(name), name, (*place.items(), ("per_second", 1000)))
            for name, place in places.items()
        ]
        return check_all(chosen, clock)


def test_every_venue_of_the_stand_in_is_well() -> None:
    for one in some(looked_at()):
        assert [call for call in one.calls if call.wrong or call.broken] == []
        assert not one.has_findings, one.drifts
        known = {"catalogue", "details", "quotes", "statuses", "history"}
        is_partial = one.settings.id == "polymarket"
        assert {call.name for call in one.calls} == known | (
            {"unread"} if is_partial else set()
        )


def test_a_check_counts_the_markets_that_no_list_has_unasked() -> None:
    (told,) = [call for one in looked_at() for call in one.calls if call.name == "unread"]
    assert re.fullmatch(
        r"[1-9]\d* open markets are of protocol v2, which is not read", told.gave
    )


def test_the_stand_in_has_no_field_that_the_venues_have_not() -> None:
    news = {(one.settings.id, d.kind): d.new for one in looked_at() for d in one.drifts}
    assert {key: new for key, new in news.items() if new} == {}


def test_prices_that_are_all_missing_make_a_venue_unreadable() -> None:
    for one in some(looked_at(Faults.only(Fault.NULL_PRICES))):
        assert one.is_partly_broken or one.has_findings


def test_what_is_recorded_names_every_field_that_is_needed() -> None:
    for kinds in some(known_kinds().values()):
        for kind in kinds:
            assert kind.needed <= kind.seen
            assert kind.needed


def test_objects_are_found_through_lists() -> None:
    said = [{"a": [{"b": {"x": 1}}, {"b": [{"y": 2}, 3]}]}, "no", {"a": None}]
    assert objects_at(said, ["a", "b"]) == [{"x": 1}, {"y": 2}]


@pytest.mark.parametrize("body", [b"", b"[]", b'"x"', b"{", b"[" * 100_000, b"[[[3]]]"])
def test_an_answer_of_any_shape_can_be_compared(body: bytes) -> None:
    said = Payload(VenueId("m"), MONDAY, "GET", "http://x/v0/search-markets", 200, body)
    assert drifts("manifold", [said]) == ()


def test_an_unknown_adapter_has_nothing_to_compare_with() -> None:
    said = Payload(VenueId("m"), MONDAY, "GET", "http://x/v0/search-markets", 200, b"[{}]")
    assert drifts("mine", [said]) == ()
