"""Contestants made from others: what their probabilities are worth, mended or together.

Each factory here is an entry point of the group `arena.agents`. They read what the
contestants that they are made `of` said in the same round, and what came of earlier
forecasts by then; nothing from after the round. They bet a fraction of Kelly on it, at no
cost, and say so in the words of everybody else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.agents.aggregate import from_log_odds, log_odds
from arena.agents.kelly_stakes import kelly_stakes
from arena.agents.options import Options
from arena.agents.recalibration import ENOUGH, Method, recalibration
from arena.agents.reply import write_reply
from arena.errors import ArenaError
from arena.ports import Agent, Archive, Backstage
from arena.records.answer import FREE, Answer, Completion, Trouble
from arena.records.briefing import Briefing
from arena.records.cohort import ContestantId
from arena.records.decision import Action
from arena.records.market import MarketId
from arena.records.settings import ContestantSettings

QUARTER = 0.25
LEAST_KELLY = 0.01
MOST_PAST = 100_000

Said = Mapping[ContestantId, Mapping[MarketId, float]]


@dataclass(frozen=True, slots=True)
class View:
    """P(YES) by market, and how it came about."""

    probabilities: Mapping[MarketId, float]
    reasoning: str


Rule = Callable[[Said, Briefing], View]


@dataclass(frozen=True, slots=True)
class Derived:
    """A contestant made from others by a rule. `kelly` is the part of Kelly that it stakes."""

    name: str
    of: tuple[ContestantId, ...]
    archive: Archive
    rule: Rule
    kelly: float = QUARTER

    async def answer(self, briefing: Briefing) -> Answer:
        """Apply the rule to what the others said; wait for those who have not answered.

        One whose answer holds no probability of this round's markets is left out.
        """
        turn = briefing.cohort, briefing.round
        said = {who: self.archive.said(*turn, who) for who in self.of}
        if silent := [who for who, words in said.items() if words is None]:
            return self._without_words(Trouble.PENDING, f"it waits for {', '.join(silent)}")
        offered = [offer.market.id for offer in briefing.offers]
        known = {
            who: {market: words[market] for market in offered if market in words}
            for who, words in said.items()
            if words
        }
        heard = {who: words for who, words in known.items() if words}
        if not heard:
            names = ", ".join(self.of)
            return self._without_words(Trouble.EMPTY, f"no probability was stated by {names}")
        words = self._words(self.rule(heard, briefing), briefing)
        return Answer(Completion(text=words, model=self._model, usage=FREE))

    @property
    def _model(self) -> str:
        return f"derived/{self.name}"

    def _words(self, view: View, briefing: Briefing) -> str:
        stated = view.probabilities
        beliefs = {
            o.alias: stated[o.market.id] for o in briefing.offers if o.market.id in stated
        }
        legs = kelly_stakes(briefing, beliefs, self.kelly)
        action = Action.BET if legs else Action.HOLD
        return write_reply(action, forecasts=beliefs, bets=legs, reasoning=view.reasoning)

    def _without_words(self, trouble: Trouble, detail: str) -> Answer:
        return Answer(
            Completion(None, model=self._model, usage=FREE, trouble=trouble, detail=detail)
        )


def ensemble(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Pool the probabilities of several contestants.

    Options: `aggregate` (median by default) and `extremise`, as of a prompted contestant's
    samples, and `kelly`.

    Raises:
        ArenaError: An option is wrong, or it is made of fewer than two.
    """
    options = Options(settings, known=("aggregate", "extremise", "kelly"))
    others = len(set(settings.of))
    if others < 2:  # noqa: PLR2004  one is no ensemble
        raise options.wrong(f"it is made of two or more, not of {others}")
    pooling = options.pooling()

    def rule(said: Said, _: Briefing) -> View:
        stated: dict[MarketId, list[float]] = {}
        for words in said.values():
            for market, p in words.items():
                stated.setdefault(market, []).append(p)
        pooled = {market: pooling.of(values) for market, values in stated.items()}
        return View(pooled, f"The {pooling.rule} of {', '.join(said)}.")

    return _derived(options, settings, backstage, rule)


def blend(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Mix one contestant's probabilities with the market's mid price, in log-odds.

    Options: `weight`, the contestant's part in [0, 1], one half by default; `kelly`. A market
    without a mid price has no probability.

    Raises:
        ArenaError: An option is wrong, or it is not made of exactly one.
    """
    options = Options(settings, known=("kelly", "weight"))
    _made_of_one(options, settings)
    weight = options.number("weight", 0.5, least=0, most=1)

    def rule(said: Said, briefing: Briefing) -> View:
        ((who, words),) = said.items()
        mids = {offer.market.id: offer.quote.mid for offer in briefing.offers}
        mixed = {
            market: from_log_odds(weight * log_odds(p) + (1 - weight) * log_odds(float(mid)))
            for market, p in words.items()
            if (mid := mids[market]) is not None
        }
        return View(mixed, f"{weight:g} parts {who}, {1 - weight:g} parts the market's price.")

    return _derived(options, settings, backstage, rule)


def recalibrated(settings: ContestantSettings, backstage: Backstage) -> Agent:
    """Bend one contestant's probabilities to what came of its earlier ones.

    Options: `method` (platt or isotonic), `minimum`, the resolved markets below which they
    pass through unchanged (30 by default), and `kelly`. The curve is fitted anew each round,
    on markets that were resolved by then; those that paid a part are left out.

    Raises:
        ArenaError: An option is wrong, or it is not made of exactly one.
    """
    options = Options(settings, known=("kelly", "method", "minimum"))
    _made_of_one(options, settings)
    method = options.choice("method", Method, Method.PLATT)
    minimum = options.whole("minimum", ENOUGH, least=1, most=MOST_PAST)
    archive = _archive(settings, backstage)

    def rule(said: Said, briefing: Briefing) -> View:
        ((who, words),) = said.items()
        graded = archive.graded(who, briefing.at)
        past = [(p, paid) for p, paid in graded if paid in {0, 1}]
        if len(past) < minimum:
            why = f"{len(past)} of its markets are resolved, {minimum} are needed"
            return View(words, f"{who} unchanged: {why}.")
        curve = recalibration(past, method)
        if curve is None:
            return View(words, f"{who} unchanged: its past shows no {method} curve.")
        bent = {market: curve(p) for market, p in words.items()}
        return View(bent, f"{who} by a {method} curve over {len(past)} resolved markets.")

    return _derived(options, settings, backstage, rule)


def _derived(
    options: Options, settings: ContestantSettings, backstage: Backstage, rule: Rule
) -> Agent:
    kelly = options.number("kelly", QUARTER, least=LEAST_KELLY, most=1)
    return Derived(settings.agent, settings.of, _archive(settings, backstage), rule, kelly)


def _made_of_one(options: Options, settings: ContestantSettings) -> None:
    if len(settings.of) != 1:
        raise options.wrong(f"it is made of one contestant, not of {len(settings.of)}")


def _archive(settings: ContestantSettings, backstage: Backstage) -> Archive:
    if backstage.archive is None:
        what = f"{settings.id}: nothing is kept here of what others said"
        raise ArenaError("agent.archive", what, status=2)
    return backstage.archive
