from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from arena.records.cohort import CohortId, ContestantId
from arena.records.market import (
    NO_WINS,
    VOIDED,
    YES_WINS,
    EventId,
    Market,
    MarketId,
    Outcome,
    Quote,
    Side,
    State,
)
from arena.records.money import price
from arena.records.settings import Entrant
from arena.scoring.table import Factor, Forecasts
from arena.store.codec import moment
from arena.store.scores.evidence import Saying, SqliteEvidence
from tests.build import ADA, BEN, COHORT, HAIL, RAIN, SNOW, at, at_price, market, quote, spec
from tests.present import present, some
from tests.stage import Game, Says, Script, buys, playing, started

ASKED = {RAIN: 0.7, SNOW: 0.2, HAIL: 0.4}
ALL_YES = {RAIN: YES_WINS, SNOW: YES_WINS, HAIL: YES_WINS}


@contextmanager
def asked(*quotes: Quote, days: float = 1, listed: tuple[Market, ...] = ()) -> Iterator[Game]:
    """Ada says every day, from now on, what she thinks of the markets that are listed."""
    names = [m.id for m in listed] or ASKED
    script: Script = {n: Says(forecasts={m: ASKED[m] for m in names}) for n in range(1, 9)}
    agreed = spec(COHORT, (ADA,), days=days)
    with playing({ADA: script}, agreed, quotes=quotes) as game:
        game.venue.listed = list(listed) or game.venue.listed
        game.tick(0)
        yield game


def over(game: Game, outcomes: Mapping[MarketId, Outcome], hours: float) -> None:
    for name, outcome in outcomes.items():
        game.say(name, outcome)
    game.tick(hours)


def evidence(
    game: Game,
    saying: Saying = Saying.FORECAST,
    cohort: CohortId | None = None,
    who: Mapping[ContestantId, Entrant] | None = None,
) -> Forecasts:
    return SqliteEvidence(game.store.db).forecasts(saying, cohort, who)


def words(column: Factor) -> list[str]:
    return [column.names[code] for code in column.codes]


def by_market(found: Forecasts, values: np.ndarray) -> dict[str, float]:
    return dict(zip(words(found.market), values.tolist(), strict=True))


def test_what_was_said_meets_what_came() -> None:
    with asked() as game:
        over(game, {RAIN: YES_WINS, SNOW: NO_WINS, HAIL: NO_WINS}, 24)
        found = evidence(game)
    assert words(found.contestant) == ["ada"] * 3
    assert by_market(found, found.p) == {"rain": 0.7, "snow": 0.2, "hail": 0.4}
    assert by_market(found, found.outcome) == {"rain": 1, "snow": 0, "hail": 0}
    assert found.at.tolist() == [datetime(2026, 1, 5)] * 3  # noqa: DTZ001  UTC, by contract
    assert found.left_out == {}


def test_what_has_not_come_out_is_left_out_by_its_reason() -> None:
    with asked() as game:
        over(game, {RAIN: VOIDED, SNOW: Outcome(price("0.5"))}, 24)
        found = evidence(game)
    assert len(found) == 0
    assert found.left_out == {
        "outcome_fractional": 1, "outcome_missing": 1, "outcome_void": 1
    }  # fmt: skip


def test_an_outcome_that_is_taken_back_is_missing_again() -> None:
    with asked() as game:
        over(game, {RAIN: YES_WINS}, 24)
        game.hear(RAIN, State.DISPUTED, 30)
        assert evidence(game).left_out == {"outcome_missing": 3}
        over(game, {RAIN: NO_WINS}, 40)
        assert evidence(game).outcome.tolist() == [0]


def test_the_market_s_price_is_the_middle_of_the_book_that_was_shown() -> None:
    with asked(quote("0.38", "0.42"), quote("0.10", "0.13", name=SNOW), days=2) as game:
        game.quote(quote("0.80", "0.90"))
        game.tick(24)
        game.quote(at_price("0.99"))
        over(game, ALL_YES, 48)
        found = evidence(game)
    first = found.take(found.at == found.at.min())
    second = found.take(found.at == found.at.max())
    assert by_market(first, first.market_p) == {"rain": 0.4, "snow": 0.115, "hail": 0.5}
    assert by_market(second, second.market_p) == {"rain": 0.85, "snow": 0.115, "hail": 0.5}


def test_without_a_book_there_is_no_price() -> None:
    with asked(quote(None, None)) as game:
        over(game, ALL_YES, 48)
        found = evidence(game)
    known = by_market(found, found.market_p)
    assert "rain" not in known or np.isnan(known["rain"])
    assert known["snow"] == 0.5


def test_the_close_is_the_last_book_before_the_venue_says_that_it_is_closed() -> None:
    with asked(days=9) as game:
        game.quote(quote("0.60", "0.70"))
        game.tick(24)
        game.quote(quote("0.90", None))
        game.tick(48)
        game.say(RAIN, State.CLOSED_PENDING)
        game.quote(at_price("0.99"))
        game.tick(72)
        game.quote(at_price("0.98"))
        over(game, {RAIN: YES_WINS}, 96)
        found = evidence(game)
    assert found.market_p.tolist() == [0.5, 0.65, 0.65]
    assert found.close_p.tolist() == [0.65] * 3


def test_the_close_is_no_later_than_the_hour_that_was_announced() -> None:
    with asked(days=9, listed=(replace(market(), closes_at=at(48)),)) as game:
        game.quote(at_price("0.7"))
        game.tick(24)
        game.quote(at_price("0.9"))
        game.tick(48)
        over(game, {RAIN: YES_WINS}, 72)
        assert set(evidence(game).close_p.tolist()) == {0.7}


def test_prices_are_those_that_the_tape_holds() -> None:
    rng = np.random.default_rng(4)
    with asked(days=6) as game:
        for hour in range(0, 150, 8):
            for asked_name in ASKED:
                cents = (rng.integers(1, 50), rng.integers(50, 99))
                bid, ask = (None if rng.random() < 0.2 else f"{n / 100:.2f}" for n in cents)
                game.quote(quote(bid, ask, name=asked_name))
            game.tick(hour)
        over(game, ALL_YES, 160)
        found = evidence(game)
        rows = game.store.db.rows(
            "SELECT market, seen_at, bid_micro, ask_micro FROM tape_quotes "
            "WHERE bid_micro + ask_micro IS NOT NULL ORDER BY seen_at"
        )
    assert len(found) > 12
    columns = (words(found.market), found.at, found.market_p, found.close_p)
    for name, when, shown, closed in zip(*columns, strict=True):
        before = [r for r in rows if r["market"] == name]
        mids = [(r["seen_at"], (r["bid_micro"] + r["ask_micro"]) / 2e6) for r in before]
        upto = [mid for seen, mid in mids if np.datetime64(seen[:19]) <= when]
        assert shown == (pytest.approx(upto[-1]) if upto else pytest.approx(shown, nan_ok=True))
        last = [mid for seen, mid in mids if seen < moment(at(160))][-1]
        assert closed == pytest.approx(last)


@pytest.mark.parametrize(
    ("closes", "said"),
    [
        (23.99, "under 1 day"),
        (24, "1 to 7 days"),
        (24 * 7 - 0.01, "1 to 7 days"),
        (24 * 7, "7 to 30 days"),
        (24 * 30, "over 30 days"),
        (None, "(none)"),
    ],
)
def test_the_horizon_is_the_time_to_the_close(closes: float | None, said: str) -> None:
    due = None if closes is None else at(closes)
    with asked(listed=(replace(market(), closes_at=due),)) as game:
        over(game, {RAIN: YES_WINS}, 30)
        assert words(evidence(game).labels["horizon"]) == [said]


@pytest.mark.parametrize(
    ("opens", "closes", "said"),
    [
        (-10, 30, "first third"),
        (-10, 20, "second third"),
        (-19.99, 10, "second third"),
        (-20, 10, "last third"),
        (10, 20, "first third"),
        (None, 20, "(none)"),
        (-10, None, "(none)"),
        (30, 30, "(none)"),
    ],
)
def test_the_stage_is_the_third_of_a_market_s_life(
    opens: float | None, closes: float | None, said: str
) -> None:
    born, due = (None if hours is None else at(hours) for hours in (opens, closes))
    with asked(listed=(replace(market(), opens_at=born, closes_at=due),)) as game:
        over(game, {RAIN: YES_WINS}, 40)
        assert words(evidence(game).labels["stage"]) == [said]


@pytest.mark.parametrize(
    ("mid", "band"),
    [
        ("0.01", "0 to 10 c"),
        ("0.10", "10 to 30 c"),
        ("0.30", "30 to 70 c"),
        ("0.69", "30 to 70 c"),
        ("0.70", "70 to 90 c"),
        ("0.90", "90 to 100 c"),
    ],
)
def test_the_band_is_that_of_the_price_that_was_shown(mid: str, band: str) -> None:
    with asked(at_price(mid)) as game:
        over(game, {RAIN: YES_WINS}, 30)
        assert words(evidence(game).labels["price_band"]) == [band]


def test_facts_of_a_market_are_labels() -> None:
    facts = (
        replace(market(RAIN), event=EventId("storm"), category="sky"),
        replace(market(SNOW), event=EventId("storm")),
    )
    with asked(listed=facts) as game:
        over(game, {RAIN: YES_WINS, SNOW: NO_WINS}, 30)
        found = evidence(game)
    assert words(found.event) == ["storm", "storm"]
    assert words(found.labels["venue"]) == ["here", "here"]
    assert words(found.labels["cohort"]) == ["c", "c"]
    said = dict(zip(words(found.market), words(found.labels["category"]), strict=True))
    assert said == {"rain": "sky", "snow": "(none)"}


def test_labels_of_contestants_are_added() -> None:
    with asked() as game:
        over(game, {RAIN: YES_WINS}, 30)
        found = evidence(game, who={ADA: Entrant(ADA, provider="us"), BEN: Entrant(BEN)})
        assert words(found.labels["provider"]) == ["us"]
        assert words(found.labels["model"]) == ["(none)"]
        assert "provider" not in evidence(game).labels


def test_one_cohort_can_be_asked_for_alone(game: Game) -> None:
    everything = evidence(game)
    parts = [evidence(game, cohort=CohortId(name)) for name in (COHORT, "longer", "none")]
    assert len(everything) == sum(map(len, parts)) > 0
    assert set(words(parts[0].labels["cohort"])) == {COHORT}
    assert len(parts[2]) == 0


def test_a_bet_has_three_more_probabilities_a_fill() -> None:
    ada, ben = buys((RAIN, Side.YES, 500), rain=0.7, snow=0.2), buys((RAIN, Side.NO, 1000))
    with started({ADA: {1: ada}, BEN: {1: ben}}) as game:
        over(game, {RAIN: YES_WINS, SNOW: NO_WINS}, 24)
        said = {way: evidence(game, way) for way in Saying}
        rows = game.store.db.rows("SELECT contestant, stated, kelly, linear FROM fills")
    fills = {row["contestant"]: row for row in rows}
    assert said[Saying.FORECAST].p.tolist() == [0.7, 0.2]
    assert words(said[Saying.STATED].contestant) == ["ada"]
    assert said[Saying.STATED].p.tolist() == [0.7]
    for way in (Saying.KELLY, Saying.LINEAR):
        found = said[way]
        assert words(found.contestant) == ["ada", "ben"]
        assert found.p.tolist() == [fills["ada"][way.value], fills["ben"][way.value]]
        assert found.outcome.tolist() == [1, 1]
        assert found.market_p.tolist() == [0.5, 0.5]


def test_before_anything_was_said_there_is_nothing() -> None:
    with playing({ADA: {}}) as game:
        assert len(evidence(game)) == 0


def test_all_that_bets_say_is_what_each_reading_says(game: Game) -> None:
    found, _ = SqliteEvidence(game.store.db).bets()
    for saying, bets in some(found.items()):
        alone = evidence(game, saying)
        assert len(alone) == len(bets) > 0
        assert words(alone.contestant) == words(bets.contestant)
        assert words(alone.market) == words(bets.market)
        for column in ("p", "outcome", "market_p", "at"):
            assert getattr(alone, column).tolist() == getattr(bets, column).tolist()


def test_a_bet_is_won_by_the_side_that_came_true() -> None:
    script = {1: buys((RAIN, Side.YES, 100), (SNOW, Side.NO, 100), (HAIL, Side.NO, 100))}
    with started({ADA: script}) as game:
        over(game, {RAIN: YES_WINS, SNOW: YES_WINS, HAIL: NO_WINS}, 24)
        found, won = SqliteEvidence(game.store.db).bets()
    bets = found[Saying.KELLY]
    assert by_market(bets, won) == {"rain": True, "snow": False, "hail": True}


def test_a_market_s_resolution_has_its_moment_until_it_is_taken_back() -> None:
    with asked() as game:
        over(game, {RAIN: YES_WINS}, 24)
        assert SqliteEvidence(game.store.db).resolved_at() == {"rain": at(24)}
        game.hear(RAIN, State.DISPUTED, 30)
        assert SqliteEvidence(game.store.db).resolved_at() == {}


def test_the_ledger_has_the_days_of_each_forecast() -> None:
    model = Entrant(ADA, knowledge_until=at(24).date(), released=at(0).date())
    listed = (replace(market(), opens_at=at(-48), closes_at=at(90)),)
    with asked(days=3, listed=listed) as game:
        for hours in (24, 48):
            game.tick(hours)
        over(game, {RAIN: YES_WINS}, 60)
        found = evidence(game, who={ADA: model})
    ledger = present(found.ledger)
    before, after = "asked before the cut-off, ended after it", "asked after the cut-off"
    assert words(found.labels["memory"]) == [before, before, after]
    (cutoff,) = set(ledger.cutoff.tolist())
    assert cutoff == naive(48) - timedelta(microseconds=1)
    assert set(ledger.released.tolist()) == {naive(0)}
    assert set(ledger.opened.tolist()) == {naive(-48)}
    assert ledger.asked.tolist() == [naive(0), naive(24), naive(48)]
    assert set(ledger.closes.tolist()) == {naive(90)}
    assert set(ledger.known.tolist()) == {naive(60)}


def test_a_market_tells_the_outcome_of_those_that_it_excludes() -> None:
    model = Entrant(ADA, knowledge_until=at(24).date())
    listed = tuple(
        replace(market(name, event="storm"), exclusive=True) for name in (RAIN, SNOW)
    )
    with asked(listed=listed) as game:
        over(game, {RAIN: YES_WINS}, 24)
        over(game, {SNOW: NO_WINS}, 96)
        found = evidence(game, who={ADA: model})
    assert words(found.labels["memory"]) == ["ended before the cut-off"] * 2


def test_what_a_file_says_nothing_of_is_not_known_and_a_baseline_has_no_model() -> None:
    with asked() as game:
        over(game, {RAIN: YES_WINS}, 24)
        assert words(evidence(game).labels["memory"]) == ["cut-off not known"]
        who = {ADA: Entrant(ADA, reference=True)}
        assert words(evidence(game, who=who).labels["memory"]) == ["no model"]


def naive(hours: float) -> datetime:
    return at(hours).replace(tzinfo=None)
