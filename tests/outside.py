"""An arena in a file with a contestant from outside, moved by hand."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path, PurePath

from arena.agents.outside import submitted_from_settings
from arena.agents.reply import ReplyReading, write_reply
from arena.clock import HandClock
from arena.ports import Agent, Backstage
from arena.records.answer import Briefing, Trouble
from arena.records.cohort import CohortSpec, ContestantId, Rules
from arena.records.decision import Action
from arena.records.market import MarketId, Outcome, Side, State, Status
from arena.records.report import TickReport
from arena.records.settings import ContestantSettings, Schedule
from arena.records.trade import Position, Turn
from arena.steps.doors import Doors
from arena.steps.markets.archive import StoreArchive
from arena.steps.play import tick
from arena.steps.submit import Due, submit, turns_due
from arena.store import Store, open_store
from tests.build import ADA, BEN, COHORT, GRADING, HERE, MARKETS, T0, at, at_price, market, spec
from tests.stage import ScriptedAgent, ScriptedVenue

PATIENT = Rules(answer_within=timedelta(hours=12))
OFTEN = Schedule(poll_every=timedelta(minutes=10))
HOLD = write_reply(Action.HOLD)


@dataclass(slots=True)
class Outside:
    """Ada is in the house and holds; Ben's answers are handed in.

    Whatever is done opens the file anew, as processes of their own would.
    """

    file: Path
    venue: ScriptedVenue
    spec: CohortSpec

    def tick(self, hours: float) -> TickReport:
        """Tick so many hours after the start."""
        self.venue.clock.at = at(hours)
        with self.open() as store:
            ben = submitted_from_settings(
                ContestantSettings(BEN, "submitted"),
                Backstage({}, {}, PurePath(), StoreArchive(store)),
            )
            agents: dict[ContestantId, Agent] = {ADA: ScriptedAgent({}), BEN: ben}
            doors = Doors(
                store, {HERE: self.venue}, agents, (self.spec,), OFTEN, grading=lambda: GRADING
            )
            return asyncio.run(tick(doors, at(hours)))

    def due(self, hours: float) -> Due:
        """Ben's one open turn."""
        with self.open() as store:
            (found,) = turns_due(store, BEN, at(hours))
        return found

    def hand_in(self, text: str, hours: float) -> ReplyReading:
        """Hand in Ben's answer to his one open turn."""
        with self.open() as store:
            (found,) = turns_due(store, BEN, at(hours))
            return submit(store, found, text, at(hours))

    def says(self, name: MarketId, word: Outcome | State) -> None:
        """Let the venue say what a market has become."""
        outcome = word if isinstance(word, Outcome) else None
        state = State.RESOLVED if isinstance(word, Outcome) else word
        self.venue.said[name] = Status(name, state, self.venue.clock.at, outcome)

    def moves(self, price: str, name: MarketId) -> None:
        """Let a market's price move."""
        self.venue.quoted[name] = at_price(price, name)

    def turn(self, number: int = 1) -> Turn:
        """What became of Ben's turn."""
        with self.open() as store:
            return next(
                entry.event
                for _, _, entry in store.journal.entries()
                if isinstance(entry.event, Turn)
                and (entry.contestant, entry.event.round) == (BEN, number)
            )

    def held(self) -> Mapping[MarketId, Position]:
        with self.open() as store:
            return {p.market: p for p in store.books.held_by(COHORT, BEN)}

    def trouble(self, number: int = 1) -> Trouble | None:
        """What stands on the tape in the place of words."""
        with self.open() as store:
            answer = store.tape.answer(COHORT, number, BEN)
        assert answer
        return answer.completion.trouble

    @contextmanager
    def open(self) -> Iterator[Store]:
        with open_store(self.file) as store:
            yield store


def outside(folder: Path, *, rules: Rules = PATIENT, honeypot: bool = False) -> Outside:
    """Set up an arena of three markets at one half, with a round a day for three days."""
    venue = ScriptedVenue(
        HandClock(T0),
        [replace(market(name), closes_at=at(1000)) for name in MARKETS],
        {name: at_price("0.5", name) for name in MARKETS},
        {name: Status(name, State.OPEN, T0) for name in MARKETS},
    )
    agreed = replace(spec(COHORT, (ADA, BEN), rules, days=3), honeypot=honeypot)
    return Outside(folder / "arena.db", venue, agreed)


def alias(briefing: Briefing, name: MarketId) -> str:
    """What a turn calls a market."""
    offers = briefing.offers + briefing.sell_only
    return next(offer.alias for offer in offers if offer.market.id == name)


def bets(briefing: Briefing, stake: str, *names: MarketId, p: float = 0.7) -> str:
    """Words that call these markets likely, and stake so much on each."""
    called = [alias(briefing, name) for name in names]
    return write_reply(
        Action.BET,
        forecasts=dict.fromkeys(called, p),
        bets=[(one, Side.YES, Decimal(stake)) for one in called],
    )
