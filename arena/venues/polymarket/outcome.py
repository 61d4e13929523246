"""How a market ended, by the words of Gamma, the CLOB and the Data API; ids of all three."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from operator import attrgetter

from arena.records.market import NO_WINS, YES_WINS, LeftOut, Outcome
from arena.records.money import Price, price
from arena.venues.reading import (
    MOST,
    Read,
    first_of_each,
    flag,
    json_list,
    mappings,
    number,
    text,
    unit_price,
    unreadable,
)

PAYLOAD = "the payload"
LONGEST_SAYING = 200

_CONDITION = re.compile(r"0x[0-9a-fA-F]{64}")
_TOKEN = re.compile(r"[0-9]{1,100}")
_OWN = re.compile(r"0|[1-9][0-9]{0,19}")


def own_number(value: object) -> str:
    """Read Gamma's own id of a market, a short number in text; "" where there is none."""
    return value if isinstance(value, str) and _OWN.fullmatch(value) else ""


def condition(value: object) -> str:
    """Read a condition id, which names a market on the chain; "" where there is none."""
    return value.lower() if isinstance(value, str) and _CONDITION.fullmatch(value) else ""


def token(value: object) -> str:
    """Read the id of an outcome's shares: digits in text, far more than a number can hold."""
    return value if isinstance(value, str) and _TOKEN.fullmatch(value) else ""


def wrong_shape(payload: object, wanted: str) -> LeftOut:
    """Say that a payload does not hold what was wanted, and what it says instead."""
    body = payload if isinstance(payload, dict) else {}
    messages = (text(body.get(key)) for key in ("error", "message", "detail"))
    words = next(
        (f': it says "{message[:LONGEST_SAYING]}"' for message in messages if message), ""
    )
    return unreadable(PAYLOAD, f"it holds no {wanted}{words}")


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a market's outcomes: its name, its price, and the id of its shares."""

    name: str
    price: Price | None
    token: str | None = None


def choices(market: Mapping[str, object]) -> tuple[Choice, ...]:
    """List a market's named outcomes, in its order, with their prices and token ids.

    Names, prices and ids are three parallel lists, bare or as JSON in strings. A market
    without names there may list `tokens` that carry all three.
    """
    names = json_list(market.get("outcomes"))
    prices = json_list(market.get("outcomePrices"))
    tokens = json_list(market.get("clobTokenIds"))
    listed = [
        Choice(name, unit_price(_nth(prices, n)), _name(_nth(tokens, n)))
        for n, outcome_name in enumerate(names)
        if (name := text(outcome_name))
    ]
    return tuple(listed) or tuple(
        Choice(name, unit_price(token.get("price")), _name(token.get("token_id")))
        for token in mappings(market.get("tokens"))
        if (name := text(token.get("outcome")))
    )


def yes_index(listed: Sequence[Choice]) -> int | None:
    """Say which outcome is our YES: the one of that name, else the first."""
    named = (n for n, choice in enumerate(listed) if choice.name.casefold() == "yes")
    return next(named, 0 if listed else None)


def _nth(values: Sequence[object], n: int) -> object:
    return values[n] if n < len(values) else None


def _name(value: object) -> str | None:
    return text(value) or None


DECISIVE = Decimal("0.999")  # old final payouts are near 0 and 1, not at them
HALF = Decimal("0.5")
FINAL = ("resolved", "settled")  # the oracle's last words
DISPUTED = "disputed"
PROPOSED = "proposed"


@dataclass(frozen=True, slots=True)
class LastWord:
    """What a service says of a market's end.

    `oracle` is where the oracle is, empty where nothing is said of it; `by_history` where only
    the list of its stages says so, which may lack the last ones. `winners` are the names of
    the outcomes that are called winners.
    """

    closed: bool | None
    oracle: str
    choices: tuple[Choice, ...]
    winners: tuple[str, ...] = ()
    by_history: bool = False

    @property
    def payouts(self) -> tuple[Price | None, ...]:
        """What each outcome's share is paid, once the market is final."""
        return tuple(choice.price for choice in self.choices)


def last_word(market: Mapping[str, object]) -> LastWord:
    """Read what a payload of Gamma, or of the CLOB's `/markets`, says of a market's end.

    Where the numbers of prices and of outcomes differ, no outcome is given a price.
    """
    listed, paid = choices(market), json_list(market.get("outcomePrices"))
    if paid and len(paid) != len(listed):
        listed = tuple(replace(choice, price=None) for choice in listed)
    won = (token for token in mappings(market.get("tokens")) if token.get("winner") is True)
    oracle_status, latest = text(market.get("umaResolutionStatus")).lower(), _latest(market)
    return LastWord(
        flag(market.get("closed")),
        oracle_status or latest,
        listed,
        tuple(text(token.get("outcome")) for token in won),
        by_history=bool(latest) and not oracle_status,
    )


def decisive(prices: Sequence[Price | None]) -> int | None:
    """Say which single outcome a payout vector names: all but one are worth nothing."""
    if len(prices) < 2 or None in prices:  # noqa: PLR2004  one price alone decides nothing
        return None
    winners = [n for n, paid in enumerate(prices) if paid is not None and paid >= DECISIVE]
    losers = [paid for paid in prices if paid is not None and paid <= 1 - DECISIVE]
    return winners[0] if len(winners) == 1 and len(losers) == len(prices) - 1 else None


def paid_out(word: LastWord) -> Outcome | None:
    """Read a payout vector as an outcome, whether it is final or not: one side wins, or half.

    None where the prices are anything else.
    """
    winner = decisive(word.payouts)
    if winner is not None:
        return YES_WINS if winner == yes_index(word.choices) else NO_WINS
    return Outcome(price(HALF)) if _halves(word.payouts) else None


def decide_outcome(market: LastWord, clob: LastWord | None = None) -> Outcome | None:
    """Decide the final outcome of a closed market; None means wait and ask again.

    A price near 1 is not yet a result: the oracle must have spoken, or the CLOB must name
    the same winner. A market that is disputed is never decided.

    Args:
        market: Gamma's word, or the CLOB's.
        clob: The CLOB's word on the same market, if it was asked as well.

    Returns:
        What a YES share is paid: 1, 0, or 0.5 where both sides get half.
    """
    if market.closed is not True or market.oracle == DISPUTED:
        return None
    named = (clob or market).winners
    spoken = market.oracle in FINAL and not named
    winner = decisive(market.payouts)
    if winner is not None:
        agreed = spoken or named == (market.choices[winner].name,)
        return paid_out(market) if agreed else None
    return paid_out(market) if spoken else None


def _latest(market: Mapping[str, object]) -> str:
    """Read where the oracle was last by its history, which never says that it has ended."""
    history = json_list(market.get("umaResolutionStatuses"))
    latest = text(history[-1]).lower() if history else ""
    return latest if latest in {PROPOSED, DISPUTED} else ""


def _halves(payouts: Sequence[Price | None]) -> bool:
    near = [paid for paid in payouts if paid is not None and abs(paid - HALF) < 1 - DECISIVE]
    return len(near) == len(payouts) == 2  # noqa: PLR2004  both sides get half


NOT_SET = Decimal(69)  # how the oracle's contract writes that there is no price
SIDES = 2


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where the oracle is with a market.

    `payouts` are what a share of each outcome is paid, in millionths of a dollar. `answer` is
    the oracle's: 1 for the first outcome, 0 for the second, 0.5 for half each.
    """

    condition: str
    status: str
    payouts: tuple[Decimal, ...] | None = None
    answer: Decimal | None = None


def resolutions(payload: object) -> Read[Resolution]:
    """Read the answer to `/v2/resolutions`, or its bare list; unknown ids have no row."""
    rows = payload.get("data") if isinstance(payload, dict) else payload
    if not isinstance(rows, list):
        return Read((), (wrong_shape(payload, "list of resolutions"),))
    read = (_resolution(row if isinstance(row, dict) else {}) for row in rows)
    return first_of_each(read, attrgetter("condition"), "condition_id comes a second time")


def _resolution(row: Mapping[str, object]) -> Resolution | LeftOut:
    own, status = condition(row.get("condition_id")), text(row.get("status")).lower()
    if not own:
        return unreadable("a resolution", "condition_id is missing or cannot be read")
    if not status:
        return unreadable(own, "status is missing or cannot be read")
    payouts, paid = row.get("payouts"), _payouts(row.get("payouts"))
    if payouts is not None and paid is None:
        return unreadable(own, "payouts is no pair of amounts")
    answer = number(row.get("price"))
    return Resolution(own, status, paid, None if answer == NOT_SET else answer)


def _payouts(value: object) -> tuple[Decimal, ...] | None:
    paid = [number(amount) for amount in value] if isinstance(value, list) else []
    sound = tuple(amount for amount in paid if amount is not None and 0 <= amount <= MOST)
    return sound if len(sound) == len(paid) == SIDES else None
