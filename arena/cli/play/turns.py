"""Turns that wait for an answer from outside, and the text of an answer that a person types.

Probabilities, orders and a reason are typed; they become what a model would have written.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypeVar

import click

from arena.agents.reply import write_reply
from arena.cli.models.reply import lines_of
from arena.cli.options import no_cohort
from arena.cli.say import MISSING, one_line, plain, usage_error, utc
from arena.errors import ArenaError
from arena.records.answer import Briefing, Holding, Offer
from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Action
from arena.records.market import Side
from arena.records.money import Price
from arena.records.settings import Settings
from arena.steps.submit import (
    Coming,
    Due,
    Prospect,
    answer_data,
    coming,
    handed_in,
    turn_at,
    turns_due,
)
from arena.store import Store

MOST_TOLD = 3  # moments to come that are named


@dataclass(frozen=True, slots=True)
class TurnSelection:
    """Whose turns a command is about, of which cohort (None: any), and when."""

    who: ContestantId
    cohort: str | None
    at: datetime


def open_turns(store: Store, settings: Settings, asking: TurnSelection) -> tuple[Due, ...]:
    """The turns that wait for a contestant's answer, the most urgent first.

    Raises:
        ArenaError: There is no cohort, and no cohort file, of the name that was given.
    """
    cohort = asking.cohort
    named = {spec.name for spec in settings.cohorts} | {None}
    if cohort not in named and not (
        cohort and cohort.isascii() and store.books.cohort(CohortId(cohort))
    ):
        raise no_cohort(store, cohort or "", [spec.name for spec in settings.cohorts])
    return turns_due(store, asking.who, asking.at, cohort)


def one_turn(store: Store, settings: Settings, asking: TurnSelection) -> Due:
    """The turn that an answer is meant for.

    Raises:
        ArenaError: No turn is open, or turns of several cohorts are.
    """
    turns, who = open_turns(store, settings, asking), asking.who
    cohorts = list(dict.fromkeys(due.briefing.cohort for due in turns))
    if len(cohorts) > 1:
        raise usage_error(
            "usage.cohort",
            f"{who} has open turns in {len(cohorts)} cohorts",
            hint=f"say which with --cohort: {', '.join(cohorts)}",
        )
    if turns:
        return turns[0]
    for played in store.books.open_rounds():
        cohort = store.books.cohort(played.cohort)
        named = {cohort.id, cohort.spec.name, None} if cohort else set()
        if cohort and who in cohort.spec.contestants and asking.cohort in named:
            turn_at(store, who, cohort.id, played.number, asking.at)  # says why it is not open
    raise ArenaError(
        "submission.none",
        f"no round waits for an answer of {who}: nothing was handed in",
        hint=next_words(coming(store, settings.cohorts, who, asking.at)),
    )


def waiting_words(store: Store, who: ContestantId) -> Iterator[str]:
    """Name the rounds that were answered and are still to be judged, a line each."""
    for played in handed_in(store, who):
        yield (f"round {played.number} of {played.cohort} is answered: the next tick judges it")


def next_words(ahead: Sequence[Coming]) -> str:
    """Say when a contestant is asked next.

    >>> next_words([])
    'no cohort that it plays in, and that waits for answers, has a round to come'
    """
    if not ahead:
        return "no cohort that it plays in, and that waits for answers, has a round to come"
    rounds = [
        f"{coming_round.cohort} at {utc(coming_round.at)}" for coming_round in ahead[:MOST_TOLD]
    ]
    return f"next round: {', '.join(rounds)}, once the arena is ticked"


def prospect_lines(outcome: Prospect) -> Iterator[str]:
    """Describe how an answer was read, and which orders the rules would refuse."""
    yield from lines_of(outcome.reading)
    if outcome.refused:
        yield "the rules would refuse:"
    for line in outcome.refused:
        yield f"  {one_line(line)}"


def answer_json(due: Due, outcome: Prospect) -> dict[str, object]:
    """Give as JSON how an answer was read, and which orders the rules would refuse."""
    return {**answer_data(due, outcome.reading), "would_refuse": list(outcome.refused)}


def turn_lines(due: Due, now: datetime, *, with_rules: bool) -> Iterator[str]:
    """Describe a turn: its deadline, the cash, and one paragraph a market."""
    briefing = due.briefing
    yield (
        f"round {briefing.round} of {briefing.cohort} for {briefing.contestant}: "
        f"prices of {utc(briefing.at)}"
    )
    yield f"answer by {utc(due.deadline)} ({left(due.deadline - now)} left)"
    yield (
        f"cash {dollars(briefing.cash)}; "
        f"a bet is {dollars(briefing.floor)} to {dollars(briefing.cap)}, "
        f"and all bets together are at most {dollars(briefing.cap)}"
    )
    for offer in briefing.offers:
        yield ""
        yield from _offer(offer, briefing, is_closed=offer.alias in due.closed)
        if with_rules:
            yield from _rules(offer)
    for offer in briefing.sell_only:
        yield ""
        yield from _offer(
            offer, briefing, is_closed=offer.alias in due.closed, is_sold_only=True
        )
    waiting = [h for h in briefing.holdings if h.alias is None]
    if waiting:
        yield ""
        yield "held, and not to be sold now:"
    for holding in waiting:
        yield f"    {one_line(holding.question)}: {_held(holding)}"


def head_of(offer: Offer) -> str:
    """A market in one line, with what its sides are where they have names."""
    sides = zip(Side, offer.market.labels, strict=False)
    called = ", ".join(f"{side}: {one_line(label)}" for side, label in sides)
    return f"{offer.alias}  {one_line(offer.market.question)}" + (
        f" ({called})" if called else ""
    )


def prices_of(offer: Offer) -> str:
    """The bid and the ask of each side, in dollars a share."""
    quote = offer.quote
    return "; ".join(
        f"{side} sells at {_price(quote.sell(side))}, costs {_price(quote.buy(side))}"
        for side in Side
    )


def left(time: timedelta) -> str:
    """A time span, to the minute.

    >>> left(timedelta(hours=26, minutes=5, seconds=59))
    '26h 5m'
    """
    minutes = max(0, int(time.total_seconds() // 60))
    return f"{minutes // 60}h {minutes % 60}m"


def dollars(amount: Decimal) -> str:
    """An amount with cents."""
    return f"${amount:,.2f}"


def _offer(
    offer: Offer, briefing: Briefing, *, is_closed: bool = False, is_sold_only: bool = False
) -> Iterator[str]:
    market = offer.market
    yield head_of(offer)
    facts = [one_line(market.category)] if market.category else []
    facts.append(f"closes {utc(market.closes_at)}" if market.closes_at else "no closing time")
    if is_sold_only:
        facts.append("can only be sold")
    yield f"    {'; '.join(facts)}"
    if is_closed:
        yield "    it trades no more: nothing that is said of it counts"
        return
    yield f"    {prices_of(offer)}"
    for holding in briefing.holdings:
        if holding.alias == offer.alias:
            yield f"    you hold {_held(holding)}"


def _held(holding: Holding) -> str:
    shares = f"{holding.shares:,.2f} {holding.side} that cost {dollars(holding.cost)}"
    if holding.is_closed:
        return f"{shares}; it waits for its outcome"
    return f"{shares} and sell at {_price(holding.worth)}"


def _rules(offer: Offer) -> Iterator[str]:
    for line in plain(offer.market.rules).splitlines():
        if line.strip():
            yield f"    | {one_line(line)}"


def _price(price: Price | None) -> str:
    return MISSING if price is None else f"{price.normalize():f}"


Order = tuple[str, Side, Decimal]

T = TypeVar("T")

_PROBABILITY = re.compile(r"[01](?:\.[0-9]{0,17})?|\.[0-9]{1,17}", re.ASCII)
_AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?", re.ASCII)
_LEAST = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class TypedAnswer:
    """The options of an answer, as they were typed."""

    stated: Sequence[str] = ()
    bets: Sequence[str] = ()
    sells: Sequence[str] = ()
    hold: bool = False
    because: str = ""

    def __bool__(self) -> bool:
        return bool(self.stated or self.bets or self.sells or self.hold or self.because)


def words_of(typed: TypedAnswer, briefing: Briefing) -> str:
    """Put typed options into the reply format.

    Raises:
        click.UsageError: An option cannot be read, or two of them contradict each other.
    """
    kinds = [
        name
        for name, given in (
            ("--bet", typed.bets),
            ("--sell", typed.sells),
            ("--hold", typed.hold),
        )
        if given
    ]
    if len(kinds) > 1:
        raise click.UsageError(f"{' and '.join(kinds)} exclude each other")
    if typed.because and not (kinds or typed.stated):
        raise click.UsageError("--because alone is no answer: add --p, --bet, --sell or --hold")
    offered = [offer.alias for offer in briefing.offers]
    sellable = [*offered, *(offer.alias for offer in briefing.sell_only)]
    forecasts = dict(_once(_stated(text, offered) for text in typed.stated))
    option = "--bet" if typed.bets else "--sell"
    orders = [
        order
        for _, order in _once(
            (order[0], order)
            for text in typed.bets or typed.sells
            for order in [_order(text, offered if typed.bets else sellable, option)]
        )
    ]
    return composed(forecasts, orders, typed.because, is_sale=bool(typed.sells))


def composed(
    forecasts: dict[str, float], orders: Sequence[Order], because: str, *, is_sale: bool
) -> str:
    """Say an answer in the reply format; without orders it holds."""
    action = Action.HOLD if not orders else Action.SELL if is_sale else Action.BET
    return write_reply(action, forecasts=forecasts, bets=orders, reasoning=because)


def probability(text: str) -> float:
    """Read a probability.

    Raises:
        click.BadParameter: It is none.

    >>> probability(".62")
    0.62
    """
    stripped = text.strip()
    if not _PROBABILITY.fullmatch(stripped) or float(stripped) > 1:
        raise click.BadParameter(
            f"{text.strip()!r} is not a probability from 0 to 1, such as 0.62", param_hint="--p"
        )
    return float(stripped)


def amount(text: str, option: str) -> Decimal:
    """Read dollars, or a percentage.

    Raises:
        click.BadParameter: It is neither.
    """
    stripped = text.strip()
    if not _AMOUNT.fullmatch(stripped) or Decimal(stripped) < _LEAST:
        kind = "an amount of dollars" if option == "--bet" else "a percentage"
        raise click.BadParameter(f"{stripped!r} is not {kind}, such as 50", param_hint=option)
    return Decimal(stripped)


def side(text: str, option: str) -> Side:
    """Read a side, in letters of any size.

    Raises:
        click.BadParameter: It is none.
    """
    try:
        return Side(text.strip().upper())
    except ValueError:
        raise click.BadParameter(
            f"{text.strip()!r} is not a side: YES or NO", param_hint=option
        ) from None


def _stated(text: str, aliases: Sequence[str]) -> tuple[str, float]:
    name, mark, value = text.partition("=")
    if not mark:
        raise click.BadParameter(f"{text!r} is not such as M1=0.62", param_hint="--p")
    return _alias(name, aliases, "--p"), probability(value)


def _order(text: str, aliases: Sequence[str], option: str) -> Order:
    parts = text.split(":")
    if len(parts) != 3:  # noqa: PLR2004  a market, a side and an amount
        shape = "M1:YES:120" if option == "--bet" else "M1:YES:50"
        raise click.BadParameter(f"{text!r} is not such as {shape}", param_hint=option)
    name, which, much = parts
    return _alias(name, aliases, option), side(which, option), amount(much, option)


def _alias(text: str, aliases: Sequence[str], option: str) -> str:
    folded = text.strip().casefold()
    match = next((alias for alias in aliases if alias.casefold() == folded), None)
    if match is None:
        there = ", ".join(aliases) or "none"
        raise click.BadParameter(
            f"{text.strip()!r} is no market of this turn: {there}", param_hint=option
        )
    return match


def _once(pairs: Iterable[tuple[str, T]]) -> list[tuple[str, T]]:
    by_name: dict[str, T] = {}
    for name, value in pairs:
        if name in by_name:
            raise click.UsageError(f"{name} is named twice")
        by_name[name] = value
    return list(by_name.items())


Ask = Callable[[str], str]


def asked(due: Due, ask: Ask, say: Callable[[str], None]) -> str:
    """Ask for an answer, and put it into the reply format.

    First a probability and a bet for each market, then, where there is no bet, what is to be
    sold of what is held. An empty line skips; what cannot be read is asked for again.
    """
    forecasts: dict[str, float] = {}
    bets: list[Order] = []
    for offer in due.briefing.offers:
        if offer.alias in due.closed:
            continue
        say(f"{head_of(offer)}\n    {prices_of(offer)}")
        p = _until_read(ask, say, "    probability of YES, 0 to 1", probability)
        if p is not None:
            forecasts[offer.alias] = p
        bet = _until_read(ask, say, "    bet, such as YES 120", _bet_on(offer.alias))
        if bet is not None:
            bets.append(bet)
    sales = [] if bets else _sales(due, ask, say)
    because = ask("why, in a few words")
    return composed(forecasts, bets or sales, because, is_sale=not bets)


def _sales(due: Due, ask: Ask, say: Callable[[str], None]) -> list[Order]:
    sales: list[Order] = []
    for holding in due.briefing.holdings:
        if holding.alias is None or holding.alias in due.closed:
            continue
        alias, which = holding.alias, holding.side
        if any(sold == alias for sold, _, _ in sales):
            continue  # an answer has one order a market

        def percent(text: str) -> Order:
            return alias, which, amount(text, "--sell")  # noqa: B023  used at once

        asking = f"    sell of {alias} {which}, in percent of the position"
        sale = _until_read(ask, say, asking, percent)
        if sale is not None:
            sales.append(sale)
    return sales


def _bet_on(alias: str) -> Callable[[str], Order]:
    def read(text: str) -> Order:
        which, _, much = text.strip().partition(" ")
        return alias, side(which, "--bet"), amount(much, "--bet")

    return read


def _until_read(
    ask: Ask, say: Callable[[str], None], asking: str, read: Callable[[str], T]
) -> T | None:
    while text := ask(asking).strip():
        try:
            return read(text)
        except click.BadParameter as error:
            say(f"    {error.message}")
    return None
