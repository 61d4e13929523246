"""From a briefing to words: what a model is told, and nothing else.

The rules of the game are the system message. What venues wrote is hostile, so all of it
goes into one JSON block of the user message, without the characters that could close the
block, hide text or imitate a chat's own marks.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal

from arena.errors import ArenaError
from arena.records.answer import Question
from arena.records.briefing import Briefing, Holding, Offer
from arena.records.market import EventId, Side
from arena.records.money import usd
from arena.render import Environment, load, render

DEFAULT = "decide"
LONGEST_QUESTION = 200
LONGEST_RULES = 2_000
LONGEST_CATEGORY = 60

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_BLANK = re.compile(r"[ \t\r\f\v\u2028\u2029\u0085]+")
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs"})
# letters and marks that show nothing, and so can carry hidden text or break words up
_SILENT = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0000-\U000e0fff]"
)
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&`"}


def question_for(briefing: Briefing, env: Environment, prompt: str = DEFAULT) -> Question:
    """Put a briefing into words.

    The same offers at the same moment give the same bytes up to the portfolio, whoever is
    asked, so that providers can reuse what they have read.

    Args:
        briefing: What the contestant may know.
        env: The folder of templates.
        prompt: Which prompt: `prompts/<prompt>.system.md.j2` and `.user.md.j2`.

    Raises:
        ArenaError: The prompt's templates are missing or broken.
    """
    system, user = templates_of(prompt)
    return Question(
        system=render(env, system, rules=briefing.rules),
        user=render(env, user, data=told(briefing)),
    )


def templates_of(prompt: str) -> tuple[str, str]:
    """Name the templates of a prompt: the system's and the user's.

    Raises:
        ArenaError: That cannot be the name of a prompt.
    """
    if not _NAME.fullmatch(prompt):
        raise ArenaError(
            "prompt.name",
            f"{prompt!r} is not the name of a prompt",
            hint="a name has the letters a to z, digits, - and _",
            status=2,
        )
    return f"prompts/{prompt}.system.md.j2", f"prompts/{prompt}.user.md.j2"


def check_prompt(env: Environment, prompt: str) -> None:
    """Make sure that a prompt's templates are there and can be compiled.

    Raises:
        ArenaError: They are not, or cannot.
    """
    for template in templates_of(prompt):
        load(env, template)


def told(briefing: Briefing) -> str:
    """Write a briefing as JSON in ASCII, the portfolio last.

    The characters `<`, `>`, `&` and backtick are escaped too: no text of a market can look
    like the end of the block, a tag or a fence.
    """
    events: dict[EventId, str] = {}
    for offer in briefing.offers:
        events.setdefault(offer.market.event, f"E{len(events) + 1}")
    said = {
        "as_of": briefing.at.isoformat(),
        "markets": [_offer(offer, events[offer.market.event]) for offer in briefing.offers],
        "portfolio": _portfolio(briefing),
    }
    return json.dumps(said, ensure_ascii=True, sort_keys=True, indent=1).translate(_ESCAPES)


def clean(text: str, longest: int) -> str:
    r"""Keep what a reader of a venue's text would see, at most `longest` characters of it.

    Control, zero-width, direction and tag characters go, line breaks stay.

    >>> clean("Will it\u200b rain?\u202e", 8)
    'Will...'
    """
    plain = _SILENT.sub("", _BLANK.sub(" ", text[: 10 * longest]))
    kept = (c for c in plain if c == "\n" or unicodedata.category(c) not in _INVISIBLE)
    seen = "".join(kept).strip()
    return seen if len(seen) <= longest else f"{seen[: longest - 3].rstrip()}..."


def _offer(offer: Offer, event: str) -> Mapping[str, object]:
    market, quote = offer.market, offer.quote
    return {
        "market_id": offer.alias,
        "question": clean(market.question, LONGEST_QUESTION),
        "rules": clean(market.rules, LONGEST_RULES),
        "category": clean(market.category, LONGEST_CATEGORY),
        "yes_bid": _number(quote.sell(Side.YES)),
        "yes_ask": _number(quote.buy(Side.YES)),
        "no_bid": _number(quote.sell(Side.NO)),
        "no_ask": _number(quote.buy(Side.NO)),
        "volume": _number(quote.volume),
        "closes_at": market.closes_at.isoformat() if market.closes_at else None,
        "event": event,
        "exclusive": market.exclusive,
    }


def _portfolio(briefing: Briefing) -> Mapping[str, object]:
    return {
        "cash": _number(briefing.cash),
        "smallest_stake": _number(briefing.floor),
        "largest_stake": _number(briefing.cap),
        "holdings": [_holding(holding) for holding in briefing.holdings],
    }


def _holding(holding: Holding) -> Mapping[str, object]:
    worth = holding.worth
    return {
        "market_id": holding.alias,
        "question": clean(holding.question, LONGEST_QUESTION),
        "side": holding.side,
        "shares": _number(holding.shares),
        "cost": _number(holding.cost),
        "worth_a_share": _number(worth),
        "worth": None if worth is None else _number(usd(holding.shares * worth)),
    }


def _number(amount: Decimal | None) -> float | int | None:
    """Give an amount as JSON shows it best: 50, 0.38, null."""
    if amount is None:
        return None
    return int(amount) if amount == amount.to_integral_value() else float(amount)
