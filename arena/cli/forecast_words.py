"""What a person types, as the words of an answer: probabilities, orders, and why."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

import click

from arena.agents.reply import write_reply
from arena.records.briefing import Briefing
from arena.records.decision import Action
from arena.records.market import Side

Order = tuple[str, Side, Decimal]

T = TypeVar("T")

_PROBABILITY = re.compile(r"[01](?:\.[0-9]{0,17})?|\.[0-9]{1,17}", re.ASCII)
_AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?", re.ASCII)
_LEAST = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Typed:
    """The options of an answer, as they were typed."""

    stated: Sequence[str] = ()
    bets: Sequence[str] = ()
    sells: Sequence[str] = ()
    hold: bool = False
    because: str = ""

    def __bool__(self) -> bool:
        return bool(self.stated or self.bets or self.sells or self.hold or self.because)


def words_of(typed: Typed, briefing: Briefing) -> str:
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
    known = [*offered, *(offer.alias for offer in briefing.sell_only)]
    forecasts = dict(_once(_stated(one, offered) for one in typed.stated))
    option = "--bet" if typed.bets else "--sell"
    orders = [
        order
        for _, order in _once(
            (order[0], order)
            for one in typed.bets or typed.sells
            for order in [_order(one, offered if typed.bets else known, option)]
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
    said = text.strip()
    if not _PROBABILITY.fullmatch(said) or float(said) > 1:
        raise click.BadParameter(
            f"{text.strip()!r} is not a probability from 0 to 1, such as 0.62", param_hint="--p"
        )
    return float(said)


def amount(text: str, option: str) -> Decimal:
    """Read dollars, or a percentage.

    Raises:
        click.BadParameter: It is neither.
    """
    said = text.strip()
    if not _AMOUNT.fullmatch(said) or Decimal(said) < _LEAST:
        kind = "an amount of dollars" if option == "--bet" else "a percentage"
        raise click.BadParameter(f"{said!r} is not {kind}, such as 50", param_hint=option)
    return Decimal(said)


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


def _stated(text: str, known: Sequence[str]) -> tuple[str, float]:
    name, mark, value = text.partition("=")
    if not mark:
        raise click.BadParameter(f"{text!r} is not such as M1=0.62", param_hint="--p")
    return _alias(name, known, "--p"), probability(value)


def _order(text: str, known: Sequence[str], option: str) -> Order:
    parts = text.split(":")
    if len(parts) != 3:  # noqa: PLR2004  a market, a side and an amount
        shape = "M1:YES:120" if option == "--bet" else "M1:YES:50"
        raise click.BadParameter(f"{text!r} is not such as {shape}", param_hint=option)
    name, which, much = parts
    return _alias(name, known, option), side(which, option), amount(much, option)


def _alias(text: str, known: Sequence[str], option: str) -> str:
    said = text.strip().casefold()
    found = next((alias for alias in known if alias.casefold() == said), None)
    if found is None:
        there = ", ".join(known) or "none"
        raise click.BadParameter(
            f"{text.strip()!r} is no market of this turn: {there}", param_hint=option
        )
    return found


def _once(pairs: Iterable[tuple[str, T]]) -> list[tuple[str, T]]:
    found: dict[str, T] = {}
    for name, one in pairs:
        if name in found:
            raise click.UsageError(f"{name} is named twice")
        found[name] = one
    return list(found.items())
