"""How contestants conducted their turns, added up as the journal tells it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import settings as law
from hypothesis import strategies as st

from arena.records.answer import Answer, Call, Caller, Completion, Question, Trouble
from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Action, Drop, Dropped
from arena.records.market import MarketId
from arena.records.trade import Conduct, Entry, Turn
from arena.steps.play import opening
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.journal.packed import rebuild
from arena.store.pages.turns import ConductTotals
from tests.build import ADA, BEN, T0, spec
from tests.sizes import size
from tests.stage import Game, playing
from tests.store.spending import MODEL

COHORTS = ("a", "b")
COUNTS = tuple(f.name for f in fields(ConductTotals) if f.name != "contestant")

conducts = st.builds(
    Conduct,
    calls=st.integers(0, 30),
    reasks=st.integers(0, 5),
    repaired=st.integers(0, 5),
    dropped=st.lists(
        st.builds(Dropped, st.integers(0, 9), st.sampled_from(Drop)), max_size=3
    ).map(tuple),
    against=st.lists(st.just(MarketId("m")), max_size=3).map(tuple),
    halved=st.booleans(),
    bait=st.none() | st.booleans(),
)
turns = st.lists(
    st.tuples(
        st.sampled_from(COHORTS),
        st.sampled_from([ADA, BEN]),
        conducts,
        st.none() | st.just("timeout"),
    ),
    max_size=12,
)


def counted(turn: Turn) -> Counter[str]:
    """Count one turn by itself."""
    said = turn.conduct
    return Counter(
        turns=1,
        failed=int(turn.failure is not None),
        calls=said.calls,
        reasks=said.reasks,
        repaired=said.repaired,
        dropped=len(said.dropped),
        against=len(said.against),
        halved=int(said.halved),
        baited=int(said.bait is not None),
        bait_taken=int(said.bait is True),
    )


def recounted(store: Store, cohort: str | None = None) -> dict[ContestantId, Counter[str]]:
    """Count every turn of the journal again."""
    found: dict[ContestantId, Counter[str]] = {}
    for _, _, entry in store.journal.entries():
        who, event = entry.contestant, entry.event
        if isinstance(event, Turn) and who and cohort in {None, entry.cohort}:
            found.setdefault(who, Counter()).update(counted(event))
    return found


def told(store: Store, cohort: str | None = None) -> dict[ContestantId, Counter[str]]:
    totals = store.conduct.totals(None if cohort is None else CohortId(cohort))
    return {
        one.contestant: Counter({name: getattr(one, name) for name in COUNTS}) for one in totals
    }


@pytest.fixture
def game() -> Iterator[Game]:
    """Two cohorts in which Ada asks a model and is asked again, and Ben fails."""
    mended = '```json\n{"action":"HOLD","bets":[],"reasoning":"","forecasts":{}}\n```'
    asked = Question("rules", "facts")
    calls = tuple(
        Call(name, asked, Completion(text))
        for name, text in (("decide", "no words"), ("decide/again", mended))
    )
    ada = Answer(Completion(mended), asked, calls)
    ben = Answer(Completion(None, trouble=Trouble.TIMEOUT))
    agreed = (spec("a", (ADA, BEN), days=2), spec("b", (ADA,)))
    with playing({ADA: {}, BEN: {}}, *agreed) as game:
        game.agents[ADA].script = {1: ada, 2: ada}
        game.agents[BEN].script = {1: ben}
        with game.store.write():
            for cohort in COHORTS:
                for one in calls:
                    record(game.store, cohort, one)
        game.tick(0)
        game.tick(24)
        yield game


def record(store: Store, cohort: str, call: Call) -> None:
    who = Caller(CohortId(cohort), 1, ADA, call.name)
    store.tape.calls.record_ask(who, T0, MODEL.name, None)
    store.tape.calls.record(who, T0, MODEL, "r", call)


def test_counts_are_those_of_the_turns(game: Game) -> None:
    (ada, ben) = game.store.conduct.totals(CohortId("a"))
    assert (ada.turns, ada.failed, ada.calls, ada.reasks, ada.repaired) == (2, 0, 2, 1, 2)
    assert (ben.contestant, ben.turns, ben.failed, ben.calls) == (BEN, 2, 1, 0)


def test_one_contestant_is_told_as_among_all(game: Game) -> None:
    for one in game.store.conduct.totals():
        assert game.store.conduct.of(one.contestant) == one
    assert game.store.conduct.of(ContestantId("nobody")) is None


def test_a_count_that_was_tampered_with_is_found(game: Game) -> None:
    game.store.db.run("UPDATE conduct SET reasks = 0 WHERE cohort = ''")
    (finding,) = audit(game.store.db).findings
    assert finding.where == "conduct"


def test_who_is_seated_and_was_not_judged_yet_is_not_told(store: Store) -> None:
    store.journal.append(opening(spec("a", (ADA,)), T0))
    assert store.conduct.totals() == store.conduct.totals(CohortId("a")) == []
    assert store.conduct.of(ADA) is None


@law(max_examples=size(8, 30))
@given(played=turns)
def test_whatever_turns_there_were_their_counts_add_up_and_a_rebuild_agrees(
    played: list[tuple[str, ContestantId, Conduct, str | None]],
) -> None:
    with open_store(None) as store:
        for name in COHORTS:
            store.journal.append(opening(spec(name, (ADA, BEN)), T0))
        for number, (name, who, conduct, failure) in enumerate(played, 1):
            turn = Turn(number, Action.HOLD, (), (), 0, failure, conduct)
            entry = Entry(f"turn:{number}", T0, turn, CohortId(name), who)
            store.journal.append([entry])
        for cohort in (*COHORTS, None):
            assert {who: +c for who, c in told(store, cohort).items()} == {
                who: +c for who, c in recounted(store, cohort).items()
            }
        assert rebuild(store.db).changed == ()
