import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.records.market import MarketId, Quote, State, Status, VenueId, Verdict
from arena.records.settings import VenueSettings
from arena.venues.forecastbench import from_settings, load
from arena.venues.recorded import RecordedVenue, Recording
from tests.present import present, some

REAL = Path(__file__).parents[3] / "shared" / "data" / "forecastbench"
ROUND = timedelta(days=14)
FIRST, SECOND = datetime(2026, 1, 4, tzinfo=UTC), datetime(2026, 1, 18, tzinfo=UTC)
RAIN = MarketId("manifold:rain")

Row = dict[str, object]


def question(**changes: object) -> Row:
    return {
        "id": "rain",
        "source": "manifold",
        "question": "Will it rain?",
        "background": "It is wet.",
        "resolution_criteria": "Resolves as the market does.",
        "url": "https://manifold.markets/rain",
        "market_info_open_datetime": "2025-12-01",
        "market_info_close_datetime": "2026-02-01T05:00:00+01:00",
        "freeze_datetime": "2025-12-25T00:00:00+00:00",
        "freeze_datetime_value": "0.28297104550941504",
    } | changes


def resolution(**changes: object) -> Row:
    return {
        "id": "rain",
        "source": "manifold",
        "direction": None,
        "resolution_date": "2026-01-20",
        "resolved_to": 1.0,
        "resolved": True,
    } | changes


def write(
    folder: Path, questions: object, resolutions: object, *, due: datetime = FIRST
) -> None:
    name = f"{due:%Y-%m-%d}"
    for kind, file, payload in (
        ("question_sets", f"{name}-llm.json", questions),
        ("resolution_sets", f"{name}_resolution_set.json", resolutions),
    ):
        (folder / kind).mkdir(exist_ok=True)
        rows = {"forecast_due_date": name, kind.replace("_sets", "s"): payload}
        (folder / kind / file).write_text(json.dumps(rows), encoding="utf-8")


def one_round(folder: Path, asked: list[Row], told: list[Row] | None = None) -> Recording:
    write(folder, asked, told or [])
    return load(folder)


def life(recording: Recording) -> list[tuple[State, datetime]]:
    return [(status.state, status.at) for status in recording.statuses]


def test_a_question_becomes_a_market_of_its_source(tmp_path: Path) -> None:
    (market,) = one_round(tmp_path, [question()]).markets
    assert market.id == RAIN
    assert str(market.event) == str(RAIN)
    assert market.venue == "forecastbench"
    assert market.question == "Will it rain?"
    assert market.category == "manifold"
    assert market.url == "https://manifold.markets/rain"


def test_times_are_read_in_utc(tmp_path: Path) -> None:
    (market,) = one_round(tmp_path, [question()]).markets
    assert market.opens_at == datetime(2025, 12, 1, tzinfo=UTC)
    assert market.closes_at == datetime(2026, 2, 1, 4, tzinfo=UTC)
    assert market.closes_at.tzinfo is UTC


def test_a_time_that_is_not_available_is_missing(tmp_path: Path) -> None:
    row = question(market_info_open_datetime="N/A", market_info_close_datetime="N/A")
    (market,) = one_round(tmp_path, [row]).markets
    assert (market.opens_at, market.closes_at) == (None, None)


def test_the_rules_are_the_background_and_the_criteria(tmp_path: Path) -> None:
    row = question(market_info_resolution_criteria="One drop is enough.")
    (market,) = one_round(tmp_path, [row]).markets
    assert market.rules == ("It is wet.\n\nOne drop is enough.\n\nResolves as the market does.")


def test_rules_that_are_not_available_are_left_out(tmp_path: Path) -> None:
    row = question(background="N/A", market_info_resolution_criteria="N/A")
    (market,) = one_round(tmp_path, [row]).markets
    assert market.rules == "Resolves as the market does."


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://manifold.markets/rain", ""])
def test_an_address_that_is_not_https_is_dropped(tmp_path: Path, url: str) -> None:
    (market,) = one_round(tmp_path, [question(url=url)]).markets
    assert market.url == ""


def test_the_price_is_known_from_the_freeze_on_to_a_millionth(tmp_path: Path) -> None:
    (quote,) = one_round(tmp_path, [question()]).quotes
    assert quote.bid == quote.ask == quote.mid == Decimal("0.282971")
    assert quote.at == datetime(2025, 12, 25, tzinfo=UTC)
    assert quote.volume is None


@pytest.mark.parametrize("value", ["N/A", "", None])
def test_a_price_that_is_not_available_is_no_quote(tmp_path: Path, value: object) -> None:
    recording = one_round(tmp_path, [question(freeze_datetime_value=value)])
    assert len(recording.listings) == 1
    assert recording.quotes == ()


def test_a_fraction_that_is_a_bare_number_is_read_without_a_binary_error(
    tmp_path: Path,
) -> None:
    told = resolution(resolved=False, resolved_to=0.1234565)
    recording = one_round(tmp_path, [question()], [told])
    assert recording.quotes[-1].mid == Decimal("0.123456")


def test_a_round_is_listed_until_the_next_one(tmp_path: Path) -> None:
    write(tmp_path, [question()], [])
    write(tmp_path, [question(id="snow")], [], due=SECOND)
    spans = [(x.market.id, x.from_, x.until) for x in load(tmp_path).listings]
    assert spans == [(RAIN, FIRST, SECOND), ("manifold:snow", SECOND, SECOND + ROUND)]


def test_a_question_of_two_rounds_is_one_market_with_two_prices(tmp_path: Path) -> None:
    later = question(freeze_datetime="2026-01-08", freeze_datetime_value="0.5")
    write(tmp_path, [question()], [])
    write(tmp_path, [later], [], due=SECOND)
    recording = load(tmp_path)
    assert len(recording.markets) == 1
    assert [q.mid for q in recording.quotes] == [Decimal("0.282971"), Decimal("0.5")]


def test_a_combination_of_questions_is_skipped(tmp_path: Path) -> None:
    recording = one_round(
        tmp_path,
        [question(id=["rain", "snow"])],
        [resolution(id=["rain", "snow"], direction=[1, -1]), resolution(direction=[1])],
    )
    assert replace(recording, notes=()) == Recording()


def test_a_question_without_a_market_is_skipped(tmp_path: Path) -> None:
    row = question(source="fred", freeze_datetime_value="1234.5")
    told = resolution(source="fred", resolved_to=1300.0)
    assert replace(one_round(tmp_path, [row], [told]), notes=()) == Recording()


def test_an_outcome_is_known_when_its_day_is_over(tmp_path: Path) -> None:
    recording = one_round(tmp_path, [question()], [resolution()])
    assert life(recording) == [
        (State.OPEN, FIRST),
        (State.RESOLVED, datetime(2026, 1, 21, tzinfo=UTC)),
    ]


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(1.0, Verdict.YES), (0, Verdict.NO), (0.4, Verdict.FRACTION), (None, Verdict.VOID)],
)
def test_a_final_value_is_an_outcome(tmp_path: Path, value: object, verdict: Verdict) -> None:
    recording = one_round(tmp_path, [question()], [resolution(resolved_to=value)])
    outcome = present(recording.statuses[-1].outcome)
    assert outcome.verdict is verdict


def test_a_value_that_is_not_final_is_a_price_when_its_day_is_over(tmp_path: Path) -> None:
    told = resolution(resolved=False, resolved_to=0.25, resolution_date="2026-08-11")
    recording = one_round(tmp_path, [question(market_info_close_datetime="N/A")], [told])
    assert recording.quotes[-1] == Quote(
        RAIN,
        bid=recording.quotes[-1].mid,
        ask=recording.quotes[-1].mid,
        at=datetime(2026, 8, 12, tzinfo=UTC),
    )
    assert life(recording) == [(State.OPEN, FIRST)]


def test_a_market_whose_time_is_up_waits_for_its_outcome(tmp_path: Path) -> None:
    told = resolution(resolution_date="2026-03-01")
    recording = one_round(tmp_path, [question()], [told])
    assert life(recording) == [
        (State.OPEN, FIRST),
        (State.CLOSED_PENDING, datetime(2026, 2, 1, 4, tzinfo=UTC)),
        (State.RESOLVED, datetime(2026, 3, 2, tzinfo=UTC)),
    ]


def test_a_later_round_may_move_the_close(tmp_path: Path) -> None:
    write(tmp_path, [question(market_info_close_datetime="2026-01-18")], [])
    write(tmp_path, [question(market_info_close_datetime="2026-01-25")], [], due=SECOND)
    assert life(load(tmp_path)) == [
        (State.OPEN, FIRST),
        (State.OPEN, SECOND),
        (State.CLOSED_PENDING, datetime(2026, 1, 25, tzinfo=UTC)),
    ]


def test_a_market_that_closed_before_its_round_never_opens(tmp_path: Path) -> None:
    recording = one_round(tmp_path, [question(market_info_close_datetime="2026-01-01")])
    assert life(recording) == [(State.CLOSED_PENDING, FIRST)]


def test_a_final_word_stands_although_a_later_round_asks_again(tmp_path: Path) -> None:
    write(tmp_path, [question()], [resolution(resolution_date="2026-01-10")])
    write(tmp_path, [question()], [], due=SECOND)
    recording = load(tmp_path)
    assert life(recording) == [
        (State.OPEN, FIRST),
        (State.RESOLVED, datetime(2026, 1, 11, tzinfo=UTC)),
    ]
    venue = RecordedVenue(recording, HandClock(SECOND))
    assert asyncio.run(venue.catalogue()).markets == ()


def test_the_same_final_word_of_two_rounds_is_one(tmp_path: Path) -> None:
    write(tmp_path, [question()], [resolution()])
    write(tmp_path, [question()], [resolution()], due=SECOND)
    assert [s.state for s in load(tmp_path).statuses].count(State.RESOLVED) == 1


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="nowhere") as caught:
        load(tmp_path / "nowhere")
    assert caught.value.code == "venue.data"
    assert "question_sets" in caught.value.hint


def test_a_question_set_without_its_resolutions_is_open(tmp_path: Path) -> None:
    write(tmp_path, [question()], [resolution()])
    write(tmp_path, [question(id="snow")], [], due=SECOND)
    (tmp_path / "resolution_sets" / "2026-01-18_resolution_set.json").unlink()
    recording = load(tmp_path)
    assert [s.state for s in recording.statuses if s.market != RAIN] == [
        State.OPEN,
        State.CLOSED_PENDING,
    ]
    assert recording.notes[:2] == (
        "2 question sets read, 2026-01-04 to 2026-01-18; no resolution set yet: 2026-01-18",
        "2 markets, 1 of them still open",
    )


@pytest.mark.parametrize("copy", [True, False])
def test_the_second_name_of_the_newest_set_is_no_set(tmp_path: Path, *, copy: bool) -> None:
    before = one_round(tmp_path, [question()])
    sets = tmp_path / "question_sets"
    newest = sets / "2026-01-04-llm.json"
    (sets / "latest-llm.json").write_text(newest.read_text() if copy else newest.name)
    assert load(tmp_path) == before


def test_a_round_that_humans_were_asked_too_is_read_once(tmp_path: Path) -> None:
    before = one_round(tmp_path, [question()])
    sets = tmp_path / "question_sets"
    human = {"forecast_due_date": "2026-01-04", "questions": [question(id="snow")]}
    (sets / "2026-01-04-human.json").write_text(json.dumps(human))
    assert load(tmp_path) == before
    (sets / "2026-01-04-llm.json").unlink()
    assert [market.id for market in load(tmp_path).markets] == ["manifold:snow"]


def test_the_folder_may_be_the_whole_published_one(tmp_path: Path) -> None:
    (tmp_path / "datasets").mkdir()
    before = one_round(tmp_path / "datasets", [question()])
    assert load(tmp_path) == before


CUP = "Will {} win the 2026 World Cup?"


def cup(folder: Path) -> list[str]:
    asked = [question(id=name, question=CUP.format(name)) for name in ("Peru", "Chile")]
    return [str(market.event) for market in one_round(folder, asked).markets]


def test_questions_that_differ_in_a_name_share_an_event(tmp_path: Path) -> None:
    assert cup(tmp_path) == ["manifold:Peru", "manifold:Peru"]
    assert load(tmp_path).notes[-1].startswith("1 event, 0 of them a market alone: guessed")


def test_a_file_says_which_markets_share_an_event(tmp_path: Path) -> None:
    (tmp_path / "events.json").write_text('{"manifold:Chile": "chile"}')
    assert cup(tmp_path) == ["manifold:Peru", "chile"]
    assert "1 market of events.json" in load(tmp_path).notes[-1]


def test_a_file_of_events_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "events.json").write_text('{"manifold:Chile": 3}')
    with pytest.raises(ArenaError, match=r"events\.json: manifold:Chile is not text"):
        cup(tmp_path)


def test_the_address_of_an_event_says_what_shares_it(tmp_path: Path) -> None:
    page = "https://polymarket.com/event/the-war/{}"
    asked = [
        question(id=name, source="polymarket", question=name, url=page.format(name))
        for name in ("Truce?", "Who falls?")
    ]
    assert len({market.event for market in one_round(tmp_path, asked).markets}) == 1


@pytest.mark.parametrize("text", ["{", "\x80", "[" * 50_000, "1e99999999999999999999"])
def test_a_file_that_is_not_json_is_named(tmp_path: Path, text: str) -> None:
    write(tmp_path, [question()], [])
    (tmp_path / "question_sets" / "2026-01-04-llm.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ArenaError, match=r"2026-01-04-llm\.json: it is not JSON"):
        load(tmp_path)


def test_a_question_set_that_is_a_folder_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "question_sets" / "2026-01-04-llm.json").mkdir(parents=True)
    with pytest.raises(ArenaError, match="cannot be read"):
        load(tmp_path)


NEEDED = [key for key in question() if key != "id"]


@pytest.mark.parametrize("key", ["id", *NEEDED])
def test_a_field_that_a_question_lacks_is_named(tmp_path: Path, key: str) -> None:
    broken = question()
    del broken[key]
    with pytest.raises(ArenaError, match=f"questions row 2: {key} is missing") as caught:
        one_round(tmp_path, [question(), broken])
    assert "2026-01-04-llm.json" in caught.value.message


@pytest.mark.parametrize("key", ["id", "source", "resolution_date", "resolved_to", "resolved"])
def test_a_field_that_a_resolution_lacks_is_named(tmp_path: Path, key: str) -> None:
    broken = resolution()
    del broken[key]
    with pytest.raises(ArenaError, match=f"resolutions row 1: {key} is missing"):
        one_round(tmp_path, [question()], [broken])


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"freeze_datetime_value": "1.2"}, "is not a probability: '1.2'"),
        ({"freeze_datetime_value": "many"}, "is not a probability"),
        ({"freeze_datetime_value": True}, "is not a probability"),
        ({"freeze_datetime_value": ["0.5"]}, "is not a probability"),
        ({"freeze_datetime": "N/A"}, "freeze_datetime is not a date"),
        ({"freeze_datetime": 20251225}, "freeze_datetime is not a date: 20251225"),
        ({"market_info_close_datetime": "soon"}, "is not a date: 'soon'"),
        ({"market_info_close_datetime": "0001-01-01T00:00:00+05:00"}, "is not a date"),
        ({"question": None}, "question is not text"),
        ({"id": 7}, "id is not text"),
    ],
)
def test_a_field_that_cannot_be_read_is_named(tmp_path: Path, changes: Row, what: str) -> None:
    with pytest.raises(ArenaError) as caught:
        one_round(tmp_path, [question(**changes)])
    assert what in caught.value.message


def test_a_resolution_that_is_neither_final_nor_not_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="resolved is neither true nor false"):
        one_round(tmp_path, [question()], [resolution(resolved="yes")])


@pytest.mark.parametrize("rows", [None, {"id": "rain"}, ["rain"]])
def test_rows_that_are_no_rows_are_refused(tmp_path: Path, rows: object) -> None:
    write(tmp_path, rows, [])
    with pytest.raises(ArenaError, match=r"questions is not a list|is not a JSON object"):
        load(tmp_path)


def test_the_venue_is_built_from_its_path(tmp_path: Path) -> None:
    write(tmp_path, [question()], [])
    settings = VenueSettings(VenueId("real"), "forecastbench", (("path", str(tmp_path)),))
    venue = from_settings(settings, HandClock(FIRST))
    (market,) = asyncio.run(venue.catalogue()).markets
    assert market.venue == "real"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ((), "needs the option path"),
        ((("path", 3),), "cannot use 3 as path"),
        ((("path", "x"), ("pth", "y")), "does not know the option 'pth'"),
    ],
)
def test_a_wrong_option_is_refused(options: tuple[tuple[str, object], ...], what: str) -> None:
    settings = VenueSettings(VenueId("real"), "forecastbench", options)
    with pytest.raises(ArenaError, match=what) as caught:
        from_settings(settings, HandClock(FIRST))
    assert (caught.value.code, caught.value.status) == ("venue.option", 2)


@pytest.fixture(scope="module")
def real() -> Recording:
    if not REAL.is_dir():
        pytest.skip("the published rounds of ForecastBench are not on this machine")
    return load(REAL)


def test_ten_real_rounds_are_read(real: Recording) -> None:
    assert len({listing.from_ for listing in real.listings}) == 10
    assert len(real.listings) == 2500


def test_real_questions_of_one_ceremony_share_an_event(real: Recording) -> None:
    by_event: dict[str, list[str]] = {}
    for market in real.markets:
        by_event.setdefault(market.event, []).append(market.question)
    shared = [asked for asked in by_event.values() if len(asked) > 1]
    assert (len(real.markets), len(by_event), len(shared)) == (1398, 1101, 97)
    sizes = {len(asked): asked for asked in shared}
    assert all("98th Academy Awards" in asked for asked in sizes[46])
    assert all("top AI model on December 31" in asked for asked in sizes[11])


def offers(real: Recording) -> Iterator[tuple[Quote, Status]]:
    """Each market on offer at the start of a round: its price, and its outcome later on."""
    final = {status.market: status for status in real.statuses if status.outcome}
    clock = HandClock(FIRST)
    venue = RecordedVenue(real, clock)
    for due in sorted({listing.from_ for listing in real.listings}):
        clock.at = due
        names = [market.id for market in asyncio.run(venue.catalogue()).markets]
        quotes = asyncio.run(venue.quotes(names))
        yield from ((quotes[name], final[name]) for name in names if name in final)


def test_the_real_price_scores_the_known_brier(real: Recording) -> None:
    scores = []
    for quote, status in offers(real):
        assert quote.mid is not None
        assert status.outcome is not None
        assert status.outcome.truth is not None
        scores.append((float(quote.mid) - status.outcome.truth) ** 2)
    assert len(scores) == 920
    assert sum(scores) / len(scores) == pytest.approx(0.0575543, abs=5e-8)


def test_every_real_price_was_known_before_its_round(real: Recording) -> None:
    assert all(quote.at < status.at for quote, status in some(offers(real)))
