"""Manifold's words for the world: its markets, what else its lists hold, and its bets.

Source: https://docs.manifold.markets/api and
https://github.com/manifoldmarkets/manifold (common/src/api/market-types.ts).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from string import ascii_letters, digits

from arena.records.market import Outcome, Verdict
from arena.venues.simulated.world import LONGEST_WAIT
from tests.standins.venues.dialect import draw, hex_id, millis
from tests.standins.venues.world import MOST_EVENTS, WorldMarket

Row = dict[str, object]

SITE = "https://manifold.markets"
CREATORS = ("Maren Oak", "Tobias Fell", "Ilka Storm", "Jon Reed", "Bea Holt", "Nils Grove")
UNSURE_FOR = timedelta(hours=3)  # a resolution that is given anew is taken back for so long
NEVER_CLOSES = 300_000_000_000_000  # milliseconds: long past the year 9999
OLD_KIND = 6  # of 9 kinds that an event may have beside its markets
UNDATED_RATE, NEVER_RATE, PERSONAL_RATE = 0.02, 0.02, 0.03  # of markets

_ALPHABET = digits + ascii_letters
_LENGTH = 10
_MODULUS = 2**59  # below 62 to the 10th
_FACTOR = 291_736_182_927_465_373  # odd, so that numbers can be had back
_LARGEST = (MOST_EVENTS + 1) * 4_000_000 * 10


@dataclass(frozen=True, slots=True)
class Curve:
    """The market maker's pool; `probability` follows from it."""

    yes: float
    no: float
    p: float
    liquidity: float

    @property
    def probability(self) -> float:
        """The price of the next, tiny share of YES.

        Source: common/src/calculate-cpmm.ts.
        """
        return self.p * self.no / ((1 - self.p) * self.yes + self.p * self.no)


def own_id(number: int) -> str:
    """Give the id of a market; numbers that end in 0 are of an event's own row."""
    left, letters = number * _FACTOR % _MODULUS, ""
    for _ in range(_LENGTH):
        left, place = divmod(left, len(_ALPHABET))
        letters = _ALPHABET[place] + letters
    return letters


def number_of(own: str) -> int | None:
    """Find a number from such an id; None where it cannot be one."""
    if len(own) != _LENGTH or set(own) - set(_ALPHABET):
        return None
    found = 0
    for letter in own:
        found = found * len(_ALPHABET) + _ALPHABET.index(letter)
    number = found * pow(_FACTOR, -1, _MODULUS) % _MODULUS
    return number if number < _LARGEST and own_id(number) == own else None


def curve(market: WorldMarket) -> Curve:
    """Make the pool whose probability is the middle of the world's spread.

    Where a side of the spread is empty, its end is 0 or 1. After the close it stands still.
    """
    bid = 0.0 if market.bid is None else float(market.bid)
    ask = 1.0 if market.ask is None else float(market.ask)
    odds = (bid + ask) / (2 - bid - ask)
    u = draw("p", market.number)
    p = 0.5 + (u - 0.5) * 1e-15 if u < 1 / 2 else 0.3 + 0.4 * u
    liquidity = (100.0, 250.0, 1000.0, 5000.0)[int(draw("pool", market.number) * 4)]
    ratio = odds * (1 - p) / p  # of NO to YES
    yes = liquidity / ratio ** (1 - p)
    return Curve(yes, yes * ratio, p, liquidity)


def resolved(market: WorldMarket, at: datetime) -> Outcome | None:
    """Give the outcome that Manifold shows now.

    One that came later than a plain one can is another than before, or was in dispute:
    its creator has taken the first back and takes some hours to give the second.
    """
    if market.outcome is None or market.resolved_at is None:
        return None
    waited = market.resolved_at - (market.closed_at or market.resolved_at)
    unsure = waited > timedelta(hours=LONGEST_WAIT) and at < market.resolved_at + UNSURE_FOR
    return None if unsure else market.outcome


def close_time(market: WorldMarket) -> int | None:
    """Give the time of closing in milliseconds; None, or absurdly far, for a few."""
    if market.closed_at is not None:
        return millis(market.closed_at)
    u = draw("close", market.number)
    if u < UNDATED_RATE:
        return None
    return NEVER_CLOSES if u < UNDATED_RATE + NEVER_RATE else millis(market.closes_at)


def lite_row(market: WorldMarket, at: datetime) -> Row:
    """Describe a market as lists do."""
    pool = curve(market)
    updated = min(at, market.closed_at or at).replace(minute=0, second=0, microsecond=0)
    row: Row = {
        **_about(market.number, market.question, market.opens_at),
        "closeTime": close_time(market),
        "pool": {"NO": pool.no, "YES": pool.yes},
        "probability": pool.probability,
        "p": pool.p,
        "totalLiquidity": pool.liquidity,
        "outcomeType": "BINARY",
        "mechanism": "cpmm-1",
        "volume": float(market.volume),
        "volume24Hours": float(market.volume_24h),
        "isResolved": False,
        "uniqueBettorCount": 3 + int(draw("bettors", market.number) * 200),
        "lastUpdatedTime": millis(updated),
        "lastBetTime": millis(updated),
        "token": "MANA",
        **_resolution(market, at),
    }
    if row["closeTime"] is None:
        del row["closeTime"]
    return row


def full_row(market: WorldMarket, at: datetime) -> Row:
    """Describe a market as its own page does: with its rules and topics."""
    paragraph = {"type": "paragraph", "content": [{"type": "text", "text": market.rules}]}
    personal = draw("personal", market.number) < PERSONAL_RATE
    return lite_row(market, at) | {
        "description": {"type": "doc", "content": [paragraph]},
        "textDescription": market.rules,
        "groupSlugs": [market.category, *(("personal-goals",) if personal else ())],
    }


def other_row(markets: tuple[WorldMarket, ...]) -> Row | None:
    """Describe what a search finds besides: for some events a market of an old mechanism."""
    first = markets[0]
    if first.siblings > 1 or int(draw("kind", first.event_number) * 9) != OLD_KIND:
        return None
    number = first.event_number * 10
    row: Row = {
        **_about(number, first.event_title, first.opens_at),
        "closeTime": millis(first.closed_at or first.closes_at),
        "volume": float(first.volume),
        "volume24Hours": float(first.volume_24h),
        "isResolved": first.outcome is not None,
        "uniqueBettorCount": 40,
        "lastUpdatedTime": millis(first.opens_at),
        "token": "MANA",
    }
    if first.outcome is not None and first.resolved_at is not None:
        row |= {"resolution": "MKT", "resolutionTime": millis(first.resolved_at)}
    return row | {"outcomeType": "BINARY", "mechanism": "dpm-2", "pool": 120.5}


def _about(number: int, question: str, opened: datetime) -> Row:
    name = CREATORS[number // 10 % len(CREATORS)]
    username = name.replace(" ", "")
    words = "".join(c if c.isalnum() else " " for c in question.lower()).split()
    slug = "-".join([*words[:8], own_id(number)])
    return {
        "id": own_id(number),
        "creatorId": hex_id(28, "creator", name),
        "creatorUsername": username,
        "creatorName": name,
        "createdTime": millis(opened) + number % 997,
        "creatorAvatarUrl": f"{SITE}/{username}.jpg",
        "question": question,
        "slug": slug,
        "url": f"{SITE}/{username}/{slug}",
    }


def _resolution(market: WorldMarket, at: datetime) -> Row:
    outcome, when = resolved(market, at), market.resolved_at
    if outcome is None or when is None:
        return {}
    words = {Verdict.YES: "YES", Verdict.NO: "NO", Verdict.VOID: "CANCEL"}
    row: Row = {
        "isResolved": True,
        "resolution": words.get(outcome.verdict, "MKT"),
        "resolutionTime": millis(when),
        "resolverId": hex_id(28, "resolver", market.number),
        "closeTime": min(close_time(market) or millis(when), millis(when)),
    }
    if outcome.verdict is Verdict.FRACTION and outcome.yes_pays is not None:
        row["resolutionProbability"] = float(outcome.yes_pays)
    return row
