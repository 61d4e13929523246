"""Turns as they went, and which of them may be told differently."""

from arena.records.answer import Answer, Completion, Question, Trouble
from arena.records.cohort import CohortId
from arena.records.market import YES_WINS, MarketId, Side
from arena.store.pages.cards import TurnId
from arena.store.pages.showcase import Showcase
from arena.store.pages.turns import SqliteTurns, turns_of
from tests.build import ADA, BEN, COHORT, HAIL, RAIN, SNOW, spec
from tests.plans import listening, plans
from tests.present import present
from tests.stage import Game, buys, playing, started

LONGER = CohortId("longer")


def turns(game: Game) -> SqliteTurns:
    return SqliteTurns(game.store.db)


def test_a_turn_has_its_forecasts_its_fills_and_its_words(game: Game) -> None:
    (ada, _) = turns(game).of_round(COHORT, 1)
    assert ada.id == TurnId(COHORT, 1, ADA)
    assert {f.market: f.probability for f in ada.turn.forecasts} == {RAIN: 0.7, SNOW: 0.2}
    assert [(f.market, f.side) for f in ada.bought] == [(RAIN, Side.YES), (SNOW, Side.NO)]
    assert '"action":"BET"' in present(present(ada.answer).text)


def test_a_turn_has_its_sales(game: Game) -> None:
    ada = turns(game).of_round(COHORT, 2)[0]
    assert [(s.market, s.side) for s in ada.sold] == [(RAIN, Side.YES)]
    assert ada.bought == ()


def test_a_turn_has_the_digest_of_its_entry(game: Game) -> None:
    (ada, _) = turns(game).of_round(COHORT, 1)
    assert Showcase(game.store.db).digest_at(ada.entry) == ada.digest


def test_a_turn_that_failed_has_its_reason_and_its_trouble(game: Game) -> None:
    ada = turns(game).of_round(COHORT, 3)[0]
    assert ada.turn.failure
    answer = present(ada.answer)
    assert (answer.trouble, answer.text) == (Trouble.CRASHED, None)


def test_fills_of_a_cohort_whose_name_begins_like_anothers_are_not_mixed_up() -> None:
    cohorts = (spec("c", (ADA,)), spec("c/1", (ADA,)))
    with started({ADA: {1: buys((RAIN, Side.YES, 500))}}, *cohorts) as game:
        (one,) = turns(game).of_round(CohortId("c"), 1)
        assert len(one.bought) == 1


def test_every_round_names_who_was_judged(game: Game) -> None:
    assert turns(game).rounds(COHORT) == {1: [ADA, BEN], 2: [ADA, BEN], 3: [ADA, BEN]}


def test_positions_are_those_of_the_contestant_and_the_market(game: Game) -> None:
    held = turns(game).positions(COHORT, [(ADA, RAIN)])
    assert list(held) == [(ADA, RAIN, Side.YES)]
    assert turns(game).positions(COHORT, [(ADA, MarketId("none"))]) == {}


def test_a_text_is_read_by_its_digest_and_so_is_its_size() -> None:
    asked = Answer(Completion("no"), Question("rules", "round"))
    with started({ADA: {1: asked}}, spec(COHORT, (ADA,))) as game:
        (card,) = turns(game).of_round(COHORT, 1)
        user = present(present(card.answer).user)
        assert turns(game).text(user) == "round"
        assert turns(game).sizes([user, "0" * 64]) == {user: 5}
        assert turns(game).text("0" * 64) is None


def test_everything_is_new_since_the_beginning(game: Game) -> None:
    every = game.store.db.value("SELECT count(*) FROM turns")
    assert len(turns(game).since(0)) == every
    assert Showcase(game.store.db).since(0, None).turns == turns(game).since(0)


def test_nothing_is_new_since_the_last_entry(game: Game) -> None:
    assert turns(game).since(Showcase(game.store.db).head()[0]) == ()


def test_a_new_round_changes_itself_and_the_round_before() -> None:
    with started({ADA: {}}, spec(COHORT, (ADA,), days=4)) as game:
        game.tick(24)
        before = Showcase(game.store.db).head()[0]
        game.tick(48)
        assert [one.round for one in turns(game).since(before)] == [2, 3]


def test_a_ruling_changes_the_turns_that_spoke_of_the_market_and_no_other() -> None:
    script = {1: buys((RAIN, Side.YES, 500)), 2: buys((SNOW, Side.YES, 500), hail=0.5)}
    scripts = {ADA: script, BEN: {3: buys((SNOW, Side.NO, 60))}}
    with playing(scripts, spec(COHORT, (ADA, BEN), days=5)) as game:
        for hours in (0, 24, 48):
            game.tick(hours)
        for market, told in ((RAIN, [(1, ADA)]), (HAIL, [(2, ADA)])):
            before = Showcase(game.store.db).head()[0]
            game.hear(market, YES_WINS, 49 if market == RAIN else 50)
            since = turns(game).since(before)
            assert [(one.round, one.contestant) for one in since] == told


def test_a_sale_changes_the_turn_that_bought(game: Game) -> None:
    entry = game.store.db.value("SELECT seq FROM journal_entries WHERE kind = 'sale'")
    since = turns(game).since(entry - 1)
    assert TurnId(COHORT, 1, ADA) in since


def test_no_question_about_turns_reads_a_table_of_history_whole(game: Game) -> None:
    bounded = {"json_each", "listed", "named", "fresh", "judged", "ruled", "moved"}
    head = Showcase(game.store.db).head()[0]
    with listening(game.store) as said:
        turns(game).since(head - 3)
        turns(game).of_round(COHORT, 1)
        turns(game).rounds(COHORT)
        turns(game).positions(COHORT, [(ADA, RAIN)])
        turns(game).sizes(["0" * 64])
    scanned = {plan.split()[1] for plan, _ in plans(game.store, said) if plan[:5] == "SCAN "}
    assert scanned <= bounded


def test_turns_come_by_cohort_and_round() -> None:
    several = [TurnId(LONGER, 1, BEN), TurnId(COHORT, 2, BEN), TurnId(COHORT, 2, ADA)]
    assert list(turns_of(several)) == [
        (COHORT, 2, frozenset({ADA, BEN})),
        (LONGER, 1, frozenset({BEN})),
    ]
