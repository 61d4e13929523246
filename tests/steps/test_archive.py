"""What others said and how it ended: nothing from after the moment of asking."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as law
from hypothesis import strategies as st

from arena.ports import BaseRate
from arena.records.answer import Answer, Briefing, Completion, Trouble
from arena.records.cohort import CohortId
from arena.records.market import NO_WINS, VOIDED, YES_WINS, Outcome, Side, State
from arena.records.money import price
from arena.steps.markets.archive import StoreArchive
from arena.steps.rounds.decide import decide
from tests.build import ADA, BEN, COHORT, HAIL, HOUR, PEERS, RAIN, SNOW, at, market, spec
from tests.sizes import size
from tests.stage import Game, Says, Script, buys, playing, sells, started

YES = Side.YES
LATER = Answer(Completion(None, trouble=Trouble.PENDING))
PATIENT = replace(PEERS, answer_within=12 * HOUR)


def archive(game: Game) -> StoreArchive:
    return StoreArchive(game.store)


@contextmanager
def half_played(script: Script) -> Iterator[Game]:
    """A round in which Ada's answer is on the tape and nothing has been judged yet."""
    scripts = {ADA: script, BEN: {1: KeyboardInterrupt()}}
    with playing(scripts, spec(COHORT, (ADA, BEN), PATIENT, days=5)) as game:
        with pytest.raises(KeyboardInterrupt):
            game.tick(0)
        yield game


# What was said in a round.


def test_who_has_not_answered_has_said_nothing_yet() -> None:
    with half_played({}) as game:
        assert archive(game).said(COHORT, 1, BEN) is None


def test_a_round_or_a_contestant_that_is_not_there_has_said_nothing() -> None:
    with half_played({}) as game:
        assert archive(game).said(COHORT, 2, ADA) is None
        assert archive(game).said(CohortId("x"), 1, ADA) is None


@pytest.mark.parametrize(
    "said",
    [
        Says(),
        "no words that can be read",
        Answer(Completion(None, trouble=Trouble.TIMEOUT)),
        ValueError("it broke"),
    ],
)
def test_an_answer_without_probabilities_says_nothing_of_any_market(
    said: Says | str | Answer | ValueError,
) -> None:
    with half_played({1: said}) as game:
        assert archive(game).said(COHORT, 1, ADA) == {}
        finish(game)
        assert archive(game).said(COHORT, 1, ADA) == {}


def finish(game: Game) -> None:
    """Let Ben answer, and everybody be judged."""
    game.agents[BEN].script = {}
    assert game.tick(0.5).turns == 2


def test_probabilities_are_given_as_the_words_say_them() -> None:
    with half_played({1: buys((RAIN, YES, 100), rain=0.7, snow=0.123456789)}) as game:
        stated = {RAIN: 0.7, SNOW: 0.123456789}
        assert archive(game).said(COHORT, 1, ADA) == stated
        finish(game)
        assert archive(game).said(COHORT, 1, ADA) == stated


def test_stakes_that_were_lost_leave_the_probabilities() -> None:
    def words(shown: Briefing) -> str:
        return Says(forecasts={RAIN: 0.7}).words(shown)

    with half_played({1: LATER}) as game:
        assert archive(game).said(COHORT, 1, ADA) is None
        shown = game.agents[ADA].shown[0]
        lost = Answer(Completion(words(shown), detail="no stakes: timeout"))
        game.agents[ADA].script = {1: lost}
        game.agents[BEN].script = {1: LATER}
        game.tick(0.5)
        assert archive(game).said(COHORT, 1, ADA) == {RAIN: 0.7}


def test_what_is_said_of_markets_that_everybody_is_not_asked_about_is_left_out() -> None:
    script: Script = {1: buys((RAIN, YES, 100)), 2: Says(forecasts={RAIN: 0.9, HAIL: 0.4})}
    with started({ADA: script}, spec(COHORT, days=3)) as game:
        game.venue.listed = [market(HAIL)]
        game.tick(24)
        assert archive(game).said(COHORT, 2, ADA) == {HAIL: 0.4}


def test_a_honeypot_is_none_of_them() -> None:
    def all_of_them(shown: Briefing) -> str:
        stated = ",".join(f'"{o.alias}":0.5' for o in shown.offers)
        return f'{{"forecasts":{{{stated}}},"action":"HOLD","bets":[],"reasoning":""}}'

    baiting = replace(spec(COHORT, (ADA, BEN), PATIENT), honeypot=True)
    with playing({ADA: {1: all_of_them}, BEN: {1: LATER}}, baiting) as game:
        asyncio.run(decide(game.doors, at()))
        game.tick(0)
        assert archive(game).said(COHORT, 1, ADA) == {RAIN: 0.5, SNOW: 0.5, HAIL: 0.5}


@pytest.mark.parametrize("settled", [False, True])
def test_what_was_said_stays_when_what_was_sold_is_gone(*, settled: bool) -> None:
    """Ada sells what the round does not offer, and another one is asked after that."""

    def sells_it(shown: Briefing) -> str:
        said = sells((RAIN, YES, 100)).words(shown)
        (hail,) = [o.alias for o in shown.offers if o.market.id == HAIL]
        return said.replace('"forecasts":{}', f'"forecasts":{{"{hail}":0.4}}')

    script: Script = {1: buys((RAIN, YES, 100)), 2: sells_it}
    waits: Script = {2: LATER}
    with started({ADA: script, BEN: waits}, spec(COHORT, (ADA, BEN), PATIENT, days=3)) as game:
        game.venue.listed = [market(HAIL)]
        if settled:
            game.agents[ADA].script = {2: LATER}
        game.tick(24)
        if settled:
            game.hear(RAIN, YES_WINS, 25)
            game.agents[ADA].script = script
            asyncio.run(decide(game.doors, at(26)))
        assert game.held(ADA) == []
        assert archive(game).said(COHORT, 2, ADA) == {HAIL: 0.4}


def test_what_was_said_does_not_change_with_what_comes_out() -> None:
    with half_played({1: Says(forecasts={RAIN: 0.7, SNOW: 0.2})}) as game:
        before = archive(game).said(COHORT, 1, ADA)
        finish(game)
        game.say(RAIN, YES_WINS)
        game.say(SNOW, VOIDED)
        for hours in (1, 24, 48):
            game.tick(hours)
        assert archive(game).said(COHORT, 1, ADA) == before == {RAIN: 0.7, SNOW: 0.2}


def test_what_was_handed_in_is_given_word_for_word() -> None:
    with half_played({}) as game:
        assert archive(game).submitted(COHORT, 1, BEN) is None
        game.store.tape.calls.record_submission(COHORT, 1, BEN, at(), "my words")
        assert archive(game).submitted(COHORT, 1, BEN) == Completion("my words")


# What came of what was said.


def forecasting(*days: dict[str, float]) -> Script:
    return {n: buys(**said) for n, said in enumerate(days, 1)}


def test_only_what_was_resolved_by_the_moment_is_graded() -> None:
    script = forecasting({"rain": 0.7, "snow": 0.2, "hail": 0.5})
    with started({ADA: script}, spec(COHORT, days=5)) as game:
        game.hear(RAIN, YES_WINS, 1)
        game.hear(SNOW, NO_WINS, 24)
        graded = archive(game).graded
        assert graded(ADA, at(0.99)) == ()
        assert graded(ADA, at(1)) == ((0.7, 1.0),)
        assert graded(ADA, at(23.99)) == ((0.7, 1.0),)
        assert sorted(graded(ADA, at(24))) == [(0.2, 0.0), (0.7, 1.0)]
        assert graded(BEN, at(99)) == ()


def test_the_first_forecast_of_a_market_counts_in_whatever_cohort() -> None:
    script = forecasting({"rain": 0.7}, {"rain": 0.9})
    agreed = (spec("a", days=5), spec("b", days=5))
    with started({ADA: script}, *agreed) as game:
        game.tick(24)
        game.hear(RAIN, YES_WINS, 25)
        assert archive(game).graded(ADA, at(25)) == ((0.7, 1.0),)


def test_the_oldest_comes_first() -> None:
    script = forecasting({"snow": 0.1}, {"rain": 0.2}, {"hail": 0.3})
    with playing({ADA: script}, spec(COHORT, days=5)) as game:
        for hours in (0, 24, 48):
            game.tick(hours)
        for name in (HAIL, RAIN, SNOW):
            game.say(name, YES_WINS)
        game.tick(49)
        assert [p for p, _ in archive(game).graded(ADA, at(49))] == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    ("word", "paid"),
    [
        (YES_WINS, [1.0]),
        (NO_WINS, [0.0]),
        (Outcome(price("0.25")), [0.25]),
        (Outcome(price("0.333333")), [0.333333]),
        (VOIDED, []),
        (State.DISPUTED, []),
    ],
)
def test_an_outcome_is_what_yes_paid_and_a_void_is_none(
    word: Outcome | State, paid: list[float]
) -> None:
    with started({ADA: forecasting({"rain": 0.7})}, spec(COHORT, days=5)) as game:
        game.hear(RAIN, word, 1)
        assert [round(one, 12) for _, one in archive(game).graded(ADA, at(1))] == paid


def test_a_whole_outcome_is_exactly_whole() -> None:
    """What fits a curve takes those alone that paid all or nothing."""
    with started({ADA: forecasting({"rain": 0.7, "snow": 0.3})}, spec(COHORT, days=5)) as game:
        game.say(RAIN, YES_WINS)
        game.hear(SNOW, NO_WINS, 1)
        assert {paid for _, paid in archive(game).graded(ADA, at(1))} == {0, 1}


def test_a_word_that_was_taken_back_is_none() -> None:
    with started({ADA: forecasting({"rain": 0.7})}, spec(COHORT, days=9)) as game:
        game.hear(RAIN, YES_WINS, 1)
        game.hear(RAIN, State.DISPUTED, 3)
        assert archive(game).graded(ADA, at(3)) == ()
        game.hear(RAIN, NO_WINS, 5)
        assert archive(game).graded(ADA, at(4)) == ()
        assert archive(game).graded(ADA, at(5)) == ((0.7, 0.0),)


@law(max_examples=size(8, 15))
@given(
    outcomes=st.lists(
        st.tuples(st.integers(1, 60), st.sampled_from([YES_WINS, NO_WINS, VOIDED])),
        min_size=3,
        max_size=3,
    )
)
def test_whatever_comes_later_changes_nothing_about_a_moment(
    outcomes: list[tuple[int, Outcome]],
) -> None:
    """The past is read at each moment as it happens, and once more when all is over."""
    script = forecasting({"rain": 0.7, "snow": 0.2, "hail": 0.5})
    names = (RAIN, SNOW, HAIL)
    due = dict(zip(names, outcomes, strict=True))
    with started({ADA: script}, spec(COHORT, days=9)) as game:
        live = {}
        for hours in sorted({hours for hours, _ in outcomes}):
            for name, (when, word) in due.items():
                if when == hours:
                    game.say(name, word)
            game.tick(hours)
            live[hours] = archive(game).graded(ADA, at(hours))
        assert {hours: archive(game).graded(ADA, at(hours)) for hours in live} == live
        assert archive(game).graded(ADA, at(0)) == ()


def test_a_base_rate_counts_what_had_resolved_by_the_moment_and_no_void() -> None:
    script = forecasting({"rain": 0.7, "snow": 0.2, "hail": 0.5})
    with started({ADA: script}, spec(COHORT, days=5)) as game:
        game.hear(RAIN, YES_WINS, 1)
        game.say(SNOW, NO_WINS)
        game.hear(HAIL, VOIDED, 24)
        rate, venue = archive(game).base_rate, market(RAIN).venue
        assert rate(at(0.99), "", "") == BaseRate(0, 0.0)
        assert rate(at(1), venue, "") == BaseRate(1, 1.0)
        assert rate(at(24), "", market(RAIN).category.upper()) == BaseRate(2, 1.0)
        assert rate(at(24), "elsewhere", "") == rate(at(24), "", "other") == BaseRate(0, 0.0)
