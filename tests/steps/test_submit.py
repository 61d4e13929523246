"""An answer from outside, through whole ticks: until when, how often, at which prices."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from arena.agents.reply import write_reply
from arena.errors import ArenaError
from arena.records.answer import Trouble
from arena.records.cohort import Cadence, CohortId, ContestantId, Rules, Start
from arena.records.decision import Action, Status
from arena.records.market import YES_WINS, Side, State
from arena.records.settings import ContestantSettings, Schedule, Settings
from arena.steps.submit import (
    Coming,
    coming,
    entrant,
    handed_in,
    prospect,
    submit,
    turn_at,
    turn_data,
    turns_due,
)
from arena.store.audit import audit
from tests.build import ADA, BEN, COHORT, RAIN, SNOW, T0, at, spec
from tests.outside import HOLD, PATIENT, Outside, alias, bets, outside


@pytest.fixture
def opened(tmp_path: Path) -> Outside:
    """An arena whose first round waits for Ben."""
    made = outside(tmp_path)
    assert made.tick(0).pending == 1
    return made


def refusal(made: Outside, text: str, hours: float) -> str:
    """The code that a hand-in is refused with."""
    with pytest.raises(ArenaError) as refused, made.open() as store:
        submit(store, turn_at(store, BEN, COHORT, 1, at(hours)), text, at(hours))
    return refused.value.code


# A turn from its start to its end


def test_a_turn_waits_until_it_is_answered(opened: Outside) -> None:
    reports = [opened.tick(hours) for hours in (1, 2, 11.9)]
    assert [(r.pending, r.answers, r.turns) for r in reports] == [(1, 0, 0)] * 3
    assert opened.due(11.9).briefing.round == 1


def test_an_answer_trades_at_the_prices_of_its_round(opened: Outside) -> None:
    opened.moves("0.9", RAIN)
    opened.tick(3)
    opened.hand_in(bets(opened.due(3).briefing, "500", RAIN), 3)
    report = opened.tick(4)
    assert (report.answers, report.fills, report.pending) == (1, 1, 0)
    assert opened.held()[RAIN].shares == Decimal(1000)


def test_an_answer_is_read_as_it_was_handed_in(opened: Outside) -> None:
    text = f"Sure!\n```json\n{bets(opened.due(1).briefing, '500', RAIN, p=0.8)}\n```"
    assert opened.hand_in(text, 1).status is Status.REPAIRED
    opened.tick(2)
    turn = opened.turn()
    assert [(f.market, f.probability) for f in turn.forecasts] == [(RAIN, 0.8)]
    assert (turn.action, turn.failure, turn.accepted) == (Action.BET, None, 1)


def test_a_reading_names_markets_as_the_turn_does(opened: Outside) -> None:
    briefing = opened.due(1).briefing
    decision = opened.hand_in(bets(briefing, "500", SNOW), 1).decision
    assert decision
    assert [bet.market for bet in decision.bets] == [alias(briefing, SNOW)]


def test_until_it_is_judged_an_answer_is_waiting(opened: Outside) -> None:
    opened.hand_in(HOLD, 1)
    with opened.open() as store:
        assert [(r.cohort, r.number) for r in handed_in(store, BEN)] == [(COHORT, 1)]
        assert turns_due(store, BEN, at(1)) == ()
    opened.tick(2)
    with opened.open() as store:
        assert handed_in(store, BEN) == ()


def test_after_a_judged_turn_the_books_are_in_order(opened: Outside) -> None:
    opened.hand_in(bets(opened.due(1).briefing, "500", RAIN), 1)
    opened.tick(2)
    with opened.open() as store:
        assert audit(store.db).findings == ()


def test_the_next_round_shows_what_the_last_one_bought(opened: Outside) -> None:
    opened.hand_in(bets(opened.due(1).briefing, "500", RAIN), 1)
    opened.tick(24)
    holdings = opened.due(24).briefing.holdings
    assert [(h.market, h.shares) for h in holdings] == [(RAIN, Decimal(1000))]


# Too late, and twice


def test_who_answers_by_the_deadline_is_in_time(opened: Outside) -> None:
    opened.hand_in(HOLD, 12)
    opened.tick(13)
    assert opened.turn().failure is None


def test_after_the_deadline_nothing_is_taken(opened: Outside) -> None:
    assert refusal(opened, HOLD, 12.001) == "submission.late"
    with opened.open() as store:
        assert turns_due(store, BEN, at(12.001)) == ()


def test_who_has_not_answered_has_missed_the_round(opened: Outside) -> None:
    assert opened.tick(13).pending == 0
    assert opened.trouble() is Trouble.MISSED
    assert (opened.turn().action, opened.turn().forecasts) == (None, ())
    assert refusal(opened, HOLD, 13) == "submission.late"


def test_the_deadline_is_looked_at_again_when_the_answer_comes(opened: Outside) -> None:
    due = opened.due(1)
    with pytest.raises(ArenaError, match="took answers until"), opened.open() as store:
        submit(store, due, HOLD, at(12.001))


def test_an_answer_cannot_be_changed(opened: Outside) -> None:
    opened.hand_in(HOLD, 1)
    assert refusal(opened, "{}", 1) == "submission.again"
    opened.tick(2)
    assert refusal(opened, "{}", 2) == "submission.again"
    assert opened.turn().action is Action.HOLD


def test_of_two_that_were_about_to_be_handed_in_the_first_counts(opened: Outside) -> None:
    due = opened.due(1)
    with opened.open() as one, opened.open() as other:
        submit(one, due, HOLD, at(1))
        with pytest.raises(ArenaError, match="has answered round 1"):
            submit(other, due, bets(due.briefing, "500", RAIN), at(1))
    opened.tick(2)
    assert opened.turn().action is Action.HOLD


def test_a_rejected_answer_is_not_kept_and_may_be_mended(opened: Outside) -> None:
    text = bets(opened.due(1).briefing, "500", RAIN)
    rejected = opened.hand_in(text[:-1], 1)
    assert (rejected.status, rejected.decision) == (Status.REJECT, None)
    assert opened.tick(2).pending == 1
    assert opened.hand_in(text, 3).status is Status.OK
    assert opened.tick(4).fills == 1


def test_a_round_that_was_missed_leaves_the_next_one_open(opened: Outside) -> None:
    opened.tick(24)
    assert opened.due(24).briefing.round == 2
    assert opened.trouble(1) is Trouble.MISSED


# What closes in between


@pytest.mark.parametrize("word", [YES_WINS, State.HALTED, State.CLOSED_PENDING], ids=str)
def test_what_has_closed_is_neither_scored_nor_traded(word: State, opened: Outside) -> None:
    opened.says(RAIN, word)
    opened.tick(1)
    text = bets(opened.due(2).briefing, "500", RAIN, SNOW, p=0.99)
    opened.hand_in(text, 2)
    opened.tick(3)
    turn = opened.turn()
    assert [f.market for f in turn.forecasts] == [SNOW]
    assert [(r.market, r.reason) for r in turn.refused] == [(RAIN, "the market is closed")]
    assert set(opened.held()) == {SNOW}


def test_what_closed_before_the_answer_counts_for_nothing_before_any_other_poll(
    opened: Outside,
) -> None:
    opened.says(RAIN, YES_WINS)
    opened.hand_in(bets(opened.due(1).briefing, "500", RAIN, SNOW, p=0.99), 1)
    opened.tick(1.01)
    assert [f.market for f in opened.turn().forecasts] == [SNOW]
    assert set(opened.held()) == {SNOW}


def test_a_turn_names_what_has_closed(opened: Outside) -> None:
    opened.says(RAIN, YES_WINS)
    opened.tick(1)
    due = opened.due(2)
    assert due.closed == (alias(due.briefing, RAIN),)
    assert turn_data(due)["closed"] == [alias(due.briefing, RAIN)]


# What an answer would come to


def test_what_the_rules_would_refuse_is_told_before(opened: Outside) -> None:
    due = opened.due(1)
    found = prospect(due, bets(due.briefing, "2501", RAIN))
    assert found.reading.status is Status.OK
    name = alias(due.briefing, RAIN)
    why = "the stake exceeds the largest bet, at most 2500.000000"
    assert found.refused == (f"{name} YES $2501.00: {why}",)


def test_a_sale_of_what_is_not_held_would_be_refused(opened: Outside) -> None:
    due = opened.due(1)
    name = alias(due.briefing, RAIN)
    sale = write_reply(Action.SELL, bets=[(name, Side.YES, Decimal(50))])
    assert prospect(due, sale).refused == (f"{name} YES 50%: there is no such position",)


def test_looking_at_an_answer_keeps_nothing(opened: Outside) -> None:
    due = opened.due(1)
    assert prospect(due, HOLD).refused == ()
    assert prospect(due, "what?").reading.status is Status.REJECT
    assert opened.tick(2).pending == 1


def test_an_order_for_a_made_up_market_is_not_given_away(tmp_path: Path) -> None:
    made = outside(tmp_path, honeypot=True)
    made.tick(0)
    due = made.due(1)
    bait = next(o.alias for o in due.briefing.offers if o.market.venue == "honeypot")
    stakes = {
        stake: write_reply(Action.BET, bets=[(bait, Side.YES, Decimal(stake))])
        for stake in (100, 2501)
    }
    assert prospect(due, stakes[100]).refused == ()
    assert "the stake exceeds the largest bet" in prospect(due, stakes[2501]).refused[0]


# Which turns wait, and when the next ones come


def test_a_contestant_that_does_not_play_has_no_turns(opened: Outside) -> None:
    with opened.open() as store:
        assert turns_due(store, ContestantId("eve"), at(1)) == ()
        with pytest.raises(ArenaError, match="eve has no turn") as refused:
            turn_at(store, ContestantId("eve"), COHORT, 1, at(1))
    assert refused.value.code == "submission.unknown"


@pytest.mark.parametrize(("cohort", "number"), [("d", 1), ("c", 2), ("c", 0)])
def test_a_turn_that_is_not_there_is_said_to_be_unknown(
    cohort: str, number: int, opened: Outside
) -> None:
    with pytest.raises(ArenaError) as refused, opened.open() as store:
        turn_at(store, BEN, CohortId(cohort), number, at(1))
    assert refused.value.code == "submission.unknown"


@pytest.mark.parametrize(("cohort", "count"), [("c", 1), (None, 1), ("d", 0)])
def test_the_turns_of_one_cohort_are_asked_for(
    cohort: str | None, count: int, opened: Outside
) -> None:
    with opened.open() as store:
        assert len(turns_due(store, BEN, at(1), cohort)) == count


def test_the_next_round_is_known_beforehand(opened: Outside) -> None:
    with opened.open() as store:
        moments = [coming(store, (opened.spec,), BEN, at(hours)) for hours in (1, 25, 47, 49)]
    assert moments == [
        (Coming("c", at(24)),),
        (Coming("c", at(24)),),  # it has come, and waits for a tick
        (Coming("c", at(24)),),
        (Coming("c", at(48)),),
    ]


def test_after_the_last_round_none_is_to_come(opened: Outside) -> None:
    for hours in (24, 48):
        opened.tick(hours)
    with opened.open() as store:
        assert coming(store, (opened.spec,), BEN, at(49)) == ()


@pytest.mark.parametrize(
    ("cadence", "hours", "next_at"),
    [
        (Cadence.ONCE, -5, 0),
        (Cadence.WEEKLY, -5, 0),
        (Cadence.WEEKLY, 24 * 4, 24 * 7),
        (Cadence.DAILY, 24 * 9 + 1, 24 * 9),  # it has come, and waits for a tick
    ],
)
def test_the_next_start_of_a_cohort_file_is_known_beforehand(
    cadence: Cadence, hours: float, next_at: float, tmp_path: Path
) -> None:
    agreed = replace(spec("file", (BEN,), PATIENT), start=Start(cadence, T0))
    with outside(tmp_path).open() as store:
        assert coming(store, (agreed,), BEN, at(hours)) == (Coming("file", at(next_at)),)
        assert coming(store, (agreed,), ADA, at(hours)) == ()


def test_a_turn_holds_what_models_are_shown_and_the_schema(opened: Outside) -> None:
    said = turn_data(opened.due(1))
    assert (said["cohort"], said["round"], said["deadline"]) == ("c", 1, at(12).isoformat())
    briefing, schema = said["briefing"], said["schema"]
    assert isinstance(briefing, dict)
    assert isinstance(schema, dict)
    assert [m["market_id"] for m in briefing["markets"]] == ["M1", "M2", "M3"]
    assert briefing["portfolio"]["largest_stake"] == 2500
    assert list(schema["properties"]) == ["reasoning", "forecasts", "action", "bets"]


def test_where_the_rules_leave_no_time_nothing_is_taken(tmp_path: Path) -> None:
    made = outside(tmp_path, rules=Rules(max_quote_age=timedelta(hours=1)))
    made.tick(0)
    assert refusal(made, HOLD, 0.1) == "submission.late"
    with made.open() as store:
        assert turns_due(store, BEN, at(0.1)) == ()
        assert coming(store, (made.spec,), BEN, at(0.1)) == ()


# Who may hand in


def settings(*contestants: ContestantSettings) -> Settings:
    here = Path()
    return Settings(here, here, here, here, (), (), contestants, Schedule(), ())


def test_a_contestant_from_outside_is_found() -> None:
    me = ContestantSettings(ContestantId("me"), "submitted")
    assert entrant(settings(me), "me") is me


@pytest.mark.parametrize(
    ("name", "code", "hint"),
    [
        ("zoe", "agent.unknown", "handed in for: me"),
        ("bot", "agent.answers", "handed in for: me"),
        ("mee", "agent.unknown", "did you mean me?"),
        ("we", "agent.copies", "we-1, we-2"),
    ],
)
def test_nobody_hands_in_for_another(name: str, code: str, hint: str) -> None:
    named = settings(
        ContestantSettings(ContestantId("bot"), "market"),
        ContestantSettings(ContestantId("me"), "submitted"),
        *(
            ContestantSettings(ContestantId(f"we-{n}"), "prompted", copy_of="we")
            for n in (1, 2)
        ),
    )
    with pytest.raises(ArenaError) as refused:
        entrant(named, name)
    assert (refused.value.code, refused.value.status) == (code, 2)
    assert hint in refused.value.hint


def test_where_there_is_no_such_contestant_it_is_said_how_to_enter_one() -> None:
    with pytest.raises(ArenaError) as refused:
        entrant(settings(), "me")
    assert "contestants: {me: {agent: submitted}}" in refused.value.hint
