"""Who is asked when: after whom, until when, and what stops everything."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as law
from hypothesis import strategies as st

from arena.errors import ArenaError, StopError
from arena.ports import Agent
from arena.records.answer import Answer, Briefing, Completion, Trouble
from arena.records.cohort import ContestantId
from arena.records.market import Side
from arena.records.trade import Turn
from arena.secrets import Secrets
from arena.steps.play import tick
from arena.steps.rounds.decide import Asked, decide
from arena.store import Store
from tests.build import ADA, BEN, COHORT, HOUR, PEERS, RAIN, T0, at, spec
from tests.present import present
from tests.sizes import size
from tests.stage import FREE, Game, buys, playing, started
from tests.store.spending import Came, caller, put

YES = Side.YES
HOLD = '{"forecasts":{},"action":"HOLD","bets":[],"reasoning":""}'
LATER = Answer(Completion(None, trouble=Trouble.PENDING, detail="it waits"))
CAT, DAN = ContestantId("cat"), ContestantId("dan")
PATIENT = replace(PEERS, answer_within=12 * HOUR)

After = Mapping[ContestantId, tuple[ContestantId, ...]]


@dataclass(slots=True)
class Onlooker:
    """A contestant that remembers who had answered when it was asked."""

    store: Store
    seen: list[frozenset[ContestantId]] = field(default_factory=list)

    async def answer(self, briefing: Briefing) -> Answer:
        self.seen.append(self.store.tape.answered(briefing.cohort, briefing.round))
        await asyncio.sleep(0)  # whoever is asked at the same time is asked before it ends
        return Answer(Completion(HOLD, usage=FREE))


@dataclass(slots=True)
class Flushing:
    """Says what it was given to say when it is asked to hand in, and remembers how often."""

    says: bool
    count: int = 0

    async def __call__(self) -> bool:
        self.count += 1
        return self.says


class SpeechlessError(Exception):
    """An error that cannot even be shown."""

    def __str__(self) -> str:
        raise ValueError("no words")


def looking_on(after: After, order: Sequence[ContestantId]) -> dict[ContestantId, set[str]]:
    """Play a round, and tell whose answers were there when each was asked."""
    with playing({}, spec(COHORT, tuple(order))) as game:
        agents = {who: Onlooker(game.store) for who in order}
        doors = replace(game.doors, agents=agents, after=after)
        report = asyncio.run(tick(doors, T0))
        assert report.answers == len(order)
        assert all(len(agent.seen) == 1 for agent in agents.values())
        return {who: set(agent.seen[0]) for who, agent in agents.items()}


def run(game: Game, hours: float, **doors: Any) -> Asked:  # noqa: ANN401  some doors
    """Ask at so many hours after the start, in rounds that were laid out before."""
    game.venue.clock.at = at(hours)
    return asyncio.run(decide(replace(game.doors, **doors), at(hours)))


def among(game: Game, who: ContestantId, agent: Agent) -> dict[ContestantId, Agent]:
    """The game's contestants, with another one in the place of one of them."""
    return {**game.agents, who: agent}


def said(game: Game, who: ContestantId = ADA, number: int = 1) -> Completion | None:
    answer = game.store.tape.answer(COHORT, number, who)
    return answer.completion if answer else None


# Who is made from whom.


def test_contestants_of_their_own_are_asked_at_the_same_time() -> None:
    seen = looking_on({}, (ADA, BEN, CAT))
    assert seen == {ADA: set(), BEN: set(), CAT: set()}


@pytest.mark.parametrize("order", [(ADA, BEN, CAT), (CAT, BEN, ADA)])
def test_a_derived_contestant_is_asked_after_those_it_is_made_from(
    order: Sequence[ContestantId],
) -> None:
    seen = looking_on({CAT: (ADA, BEN)}, order)
    assert seen == {ADA: set(), BEN: set(), CAT: {ADA, BEN}}


def test_who_is_made_from_derived_ones_comes_after_these() -> None:
    seen = looking_on({DAN: (CAT,), CAT: (BEN,)}, (DAN, CAT, BEN, ADA))
    assert seen[CAT] >= {BEN}
    assert seen[DAN] >= {CAT, BEN}


@pytest.mark.parametrize(
    "after", [{ADA: (BEN,), BEN: (ADA,)}, {ADA: (ADA,)}, {CAT: (BEN,), BEN: (CAT, ADA)}]
)
def test_a_circle_ends_and_everybody_is_asked_once(after: After) -> None:
    looking_on(after, (ADA, BEN, CAT))


def test_one_who_does_not_play_here_is_not_waited_for() -> None:
    seen = looking_on({BEN: (DAN,)}, (ADA, BEN))
    assert seen[BEN] == set()


@law(max_examples=size(8, 25))
@given(
    after=st.dictionaries(
        st.integers(0, 5), st.lists(st.integers(0, 5), max_size=4).map(tuple), max_size=6
    )
)
def test_whoever_can_come_after_its_own_does(after: dict[int, tuple[int, ...]]) -> None:
    """Where nobody is made from a later one, all are asked after those they are made from."""
    names = [ContestantId(f"n{n}") for n in range(6)]
    earlier = {names[n]: tuple(names[one] for one in of if one < n) for n, of in after.items()}
    seen = looking_on(earlier, names)
    assert all(seen[who] >= set(of) for who, of in earlier.items())


# Answers that are still to come.


def test_who_has_not_decided_is_asked_again_and_nothing_is_recorded_meanwhile() -> None:
    with playing({ADA: {1: LATER}, BEN: {}}, spec(COHORT, (ADA, BEN), PATIENT)) as game:
        report = game.tick(0)
        assert (report.answers, report.pending, report.turns) == (1, 1, 1)
        assert said(game) is None
        for hours in (1, 2):
            assert game.tick(hours).pending == 1
        game.agents[ADA].script = {}
        report = game.tick(3)
        assert (report.answers, report.pending, report.turns) == (1, 0, 1)
        assert report.failed_turns == ()
        assert len(game.agents[ADA].shown) == 4
        assert len(game.agents[BEN].shown) == 1


def test_a_late_answer_trades_at_the_round_s_own_prices() -> None:
    with started({ADA: {1: LATER}}, spec(COHORT, rules=PATIENT)) as game:
        game.venue.quoted = {}
        game.agents[ADA].script = {1: buys((RAIN, YES, 500))}
        assert game.tick(11).fills == 1
        (held,) = game.held(ADA)
        assert [held.cost, held.shares] == [500, 1000]


def test_the_last_moment_is_in_time_and_the_next_is_not() -> None:
    with started({ADA: {1: LATER}}, spec(COHORT, rules=PATIENT)) as game:
        assert game.tick(12).pending == 1
        report = game.tick(12 + 1 / 3600)
        missed = "round missed: no answer came before the round's deadline"
        assert report.failed_turns == ((ADA, missed),)
        assert len(game.agents[ADA].shown) == 2
        found = present(said(game))
        assert found.trouble is Trouble.MISSED


def test_who_has_missed_a_round_is_not_asked_about_it_again() -> None:
    with started({ADA: {1: LATER}}, spec(COHORT, rules=PATIENT)) as game:
        game.tick(13)
        report = game.tick(14)
        assert (report.turns, report.pending) == (0, 0)
        assert game.store.books.open_rounds() == []


def test_where_nobody_waits_an_answer_may_come_while_prices_are_fresh() -> None:
    with started({ADA: {1: LATER}}) as game:
        assert game.tick(1).pending == 1
        ((_, why),) = game.tick(1.01).failed_turns
        assert why == (
            "round missed: the round was interrupted, and its prices are too old to ask about"
        )


def test_what_was_handed_in_before_the_deadline_counts_after_it() -> None:
    """The tick that would have taken it in time never came."""
    with started({ADA: {1: LATER}}, spec(COHORT, rules=PATIENT)) as game:
        game.store.tape.calls.record_submission(COHORT, 1, ADA, at(11), HOLD)
        game.agents[ADA].script = {1: HOLD}
        assert game.tick(30).failed_turns == ()


def test_what_a_model_said_before_the_deadline_counts_after_it() -> None:
    """Its call came back, and the process died before its turn was kept."""
    with started({ADA: {1: LATER}}, spec(COHORT, rules=PATIENT)) as game:
        put(game.store, caller(), Came("0.01"))
        game.agents[ADA].script = {1: HOLD}
        report = game.tick(30)
        assert (report.turns, report.failed_turns) == (1, ())


def test_who_still_has_not_decided_after_the_deadline_has_missed_the_round() -> None:
    with started({ADA: {1: LATER}}, spec(COHORT, rules=PATIENT)) as game:
        put(game.store, caller(), Came("0.01"))
        ((_, why),) = game.tick(30).failed_turns
        assert why.startswith("round missed: ")


def test_who_is_made_from_others_needs_no_later_news_and_is_asked_after_the_deadline() -> None:
    agreed = spec(COHORT, (ADA, BEN), PATIENT)
    with started({ADA: {1: LATER}, BEN: {1: LATER}}, agreed) as game:
        game.agents[BEN].script = {}
        assert run(game, 30, after={BEN: (ADA,)}) == Asked(2)
        ada, ben = present(said(game, ADA)), present(said(game, BEN))
        assert (ada.trouble, ben.trouble) == (Trouble.MISSED, None)


def test_a_derived_contestant_waits_for_the_ones_that_it_is_made_from() -> None:
    agreed = spec(COHORT, (BEN, ADA), PATIENT)
    with playing({ADA: {1: LATER}, BEN: {1: LATER}}, agreed) as game:
        assert run(game, 0) == Asked(0)
        game.tick(0)
        game.agents[ADA].script = {}
        assert run(game, 1, after={BEN: (ADA,)}) == Asked(1, 1)


def test_a_round_that_waits_does_not_hold_up_the_next_one() -> None:
    patient = replace(PEERS, answer_within=24 * HOUR)
    with started({ADA: {1: LATER}}, spec(COHORT, rules=patient, days=3)) as game:
        report = game.tick(24)
        assert (report.rounds, report.pending, report.answers) == (((COHORT, 2),), 1, 1)
        assert game.tick(25).turns == 1
        numbers = [e.event.round for e in game.entries if isinstance(e.event, Turn)]
        assert numbers == [2, 1]


# What is collected and handed in together.


def test_what_was_collected_is_handed_in_once_after_all_were_asked() -> None:
    with started({ADA: {1: LATER}, BEN: {1: LATER}}, spec(COHORT, (ADA, BEN), PATIENT)) as game:
        flush = Flushing(says=False)
        assert run(game, 1, flush=flush) == Asked(0, 2)
        assert flush.count == 1
        assert len(game.agents[ADA].shown) == 2


def test_where_everybody_has_decided_nothing_is_handed_in() -> None:
    with playing({ADA: {}}) as game:
        flush = Flushing(says=True)
        asyncio.run(tick(replace(game.doors, flush=flush), T0))
        assert flush.count == 0


def test_where_some_were_refused_for_good_those_who_wait_are_asked_once_more() -> None:
    @dataclass(slots=True)
    class Refused:
        """Waits, until it is told that its question was refused."""

        flush: Flushing

        async def answer(self, briefing: Briefing) -> Answer:
            if not self.flush.count:
                return LATER
            detail = f"refused in round {briefing.round}"
            return Answer(Completion(None, trouble=Trouble.REQUEST, detail=detail))

    flush = Flushing(says=True)
    with playing({ADA: {}, BEN: {1: LATER}}, spec(COHORT, (ADA, BEN), PATIENT)) as game:
        agents = among(game, ADA, Refused(flush))
        doors = replace(game.doors, agents=agents, flush=flush)
        report = asyncio.run(tick(doors, T0))
        assert report.failed_turns == ((ADA, "request refused: refused in round 1"),)
        assert (report.pending, flush.count) == (1, 1)
        assert len(game.agents[BEN].shown) == 2


# What goes wrong.


def test_a_stop_stops_the_run_and_its_turn_is_not_recorded() -> None:
    stop = StopError("replay.miss", "it is not on the tape")
    with playing({ADA: {1: stop}, BEN: {}}) as game:
        with pytest.raises(StopError, match="not on the tape"):
            game.tick(0)
        assert said(game) is None
        assert game.store.tape.answered(COHORT, 1) <= {BEN}
        assert not [e for e in game.entries if isinstance(e.event, Turn)]


def test_a_run_that_was_stopped_goes_on_when_its_cause_is_gone() -> None:
    stop = StopError("replay.miss", "it is not on the tape")
    with playing({ADA: {1: stop}, BEN: {}}) as game:
        with pytest.raises(StopError):
            game.tick(0)
        game.agents[ADA].script = {}
        report = game.tick(0)
        assert (report.turns, report.failed_turns) == (2, ())
        assert len(game.agents[BEN].shown) == 1


def test_a_stop_lets_the_others_of_its_wave_end() -> None:
    """What they were paid for is on the tape."""
    stop = StopError("replay.miss", "no")
    with playing({ADA: {1: stop}}, spec(COHORT, (ADA, BEN))) as game:
        agents = among(game, BEN, Onlooker(game.store))
        with pytest.raises(StopError):
            asyncio.run(tick(replace(game.doors, agents=agents), T0))
        assert game.store.tape.answered(COHORT, 1) == {BEN}


def test_a_disk_that_is_full_is_no_crash_of_a_contestant() -> None:
    full = ArenaError("store.full", "arena.db cannot grow: the disk is full")
    with playing({ADA: {1: full}}) as game:
        with pytest.raises(ArenaError, match="the disk is full"):
            game.tick(0)
        assert game.store.tape.answered(COHORT, 1) == frozenset()


@pytest.mark.parametrize(
    ("raised", "why"),
    [
        (ValueError("no"), "agent crashed: ValueError"),
        (TimeoutError(), "timeout: no answer within 0:30:00"),
        (asyncio.CancelledError(), "agent crashed: it gave up on itself"),
        (SpeechlessError(), "agent crashed: SpeechlessError"),
    ],
)
def test_whatever_else_an_agent_raises_is_its_own_failure(raised: Exception, why: str) -> None:
    with playing({ADA: {1: raised}, BEN: {}}) as game:
        assert game.tick(0).failed_turns == ((ADA, why),)


def test_what_it_raised_is_in_the_log_without_keys(caplog: pytest.LogCaptureFixture) -> None:
    with playing({ADA: {1: ValueError("no\x1b[2J, my-own-key, sk-" + "a" * 20)}}) as game:
        secrets = Secrets(("my-own-key",))
        asyncio.run(tick(replace(game.doors, secrets=secrets), T0))
        assert "ValueError: no [2J, [key], [key]" in caplog.text


def test_what_a_contestant_says_is_kept_without_keys() -> None:
    words = HOLD.replace('"reasoning":""', '"reasoning":"my-own-key"')
    said = Answer(Completion(words, b"my-own-key", model="my-own-key", detail="my-own-key"))
    with playing({ADA: {1: said}}) as game:
        secrets = Secrets(("my-own-key",))
        asyncio.run(tick(replace(game.doors, secrets=secrets), T0))
        kept = present(game.store.tape.answer(COHORT, 1, ADA))
        assert (kept.completion.raw, kept.completion.model) == (b"[key]", "[key]")
        assert "my-own-key" not in repr(kept) + repr(game.entries)


def test_a_play_that_is_stopped_from_outside_stops() -> None:
    class Endless:
        """Never answers."""

        async def answer(self, briefing: Briefing) -> Answer:
            await asyncio.Event().wait()
            raise AssertionError(briefing)

    async def stop(game: Game) -> None:
        agents = among(game, ADA, Endless())
        playing_on = asyncio.create_task(tick(replace(game.doors, agents=agents), T0))
        for _ in range(50):
            await asyncio.sleep(0)
        playing_on.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing_on

    with playing({ADA: {}, BEN: {}}) as game:
        asyncio.run(stop(game))
        assert game.store.tape.answered(COHORT, 1) == {BEN}
