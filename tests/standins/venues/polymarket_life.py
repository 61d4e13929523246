"""Where a market is in its life, in Polymarket's words: several services, not always agreed.

Source: https://docs.polymarket.com/developers/resolution/UMA
"""

from dataclasses import dataclass
from decimal import Decimal

from arena.records.market import Outcome, State
from arena.records.money import ONE, Price, price
from tests.standins.venues.dialect import draw
from tests.standins.venues.world import WorldMarket, WorldView

HALF = price("0.5")
NEARLY = price("0.9995")  # the price of what is proposed, before it is final
DUST = Decimal("0.0000010245")  # what the loser of an old market is still said to be worth
WRONG_PROPOSALS = 0.1

Pair = tuple[Decimal, Decimal]


@dataclass(frozen=True, slots=True)
class Word:
    """What Polymarket says of a market's life.

    `oracle` and `past` are Gamma's status and its history; None is a field that is not sent.
    `pays` is what is paid for the first outcome, once that is final, and `prices` what Gamma
    shows for both, final or not. `row` is the status in the Data API, None where it has no
    row, and `payouts` says whether that row has them.
    """

    closed: bool
    accepting: bool
    oracle: str | None
    past: tuple[str, ...]
    pays: Price | None
    prices: Pair
    row: str | None
    payouts: bool = False
    proposed: Price | None = None


def pays(outcome: Outcome) -> Price:
    """Say what Polymarket pays for YES: 1, 0, or one half where it cannot be told."""
    return HALF if outcome.truth is None else price(outcome.truth)


def is_closed(market: WorldMarket) -> bool:
    """Say whether a market is called closed: it has its outcome, or it just is, at times."""
    if market.state is State.RESOLVED:
        return True
    return market.closed_at is not None and draw("closed", market.number) < 1 / 2


def word_of(market: WorldMarket, view: WorldView) -> Word:
    """Put a market's state into Polymarket's words; the same market, the same quirks."""
    if market.state is State.RESOLVED:
        return _final(market)
    closed = market.closed_at is not None
    word = Word(
        closed=is_closed(market),
        accepting=market.state is State.OPEN,
        oracle=None,
        past=(),
        pays=None,
        prices=_shown(market),
        row="posed" if draw("posed", market.number) < 1 / 2 else None,
    )
    return _proposed(word, market, view) if closed else word


def _shown(market: WorldMarket) -> Pair:
    middle = market.mid if market.mid is not None else market.last
    shown = HALF if middle is None else middle
    return shown, 1 - shown


def _proposed(word: Word, market: WorldMarket, view: WorldView) -> Word:
    """Say what is proposed, for a market that has closed and has no final word yet."""
    if market.state not in {State.PROPOSED, State.DISPUTED}:
        return word
    last = pays(view.course(market.number)[-1].outcome or Outcome(HALF))
    wrong = draw("proposal", market.number) < WRONG_PROPOSALS
    proposed = Price(ONE - last) if wrong else last
    near = {ONE: Decimal(NEARLY), HALF: Decimal(HALF)}
    first = near.get(proposed, 1 - NEARLY)
    disputed = market.state is State.DISPUTED
    said = "disputed" if disputed else "proposed"
    return Word(
        word.closed,
        accepting=False,
        oracle=None if draw("silent", market.number) < 1 / 5 else said,
        past=("proposed", "disputed") if disputed else ("proposed",),
        pays=None,
        prices=(first, 1 - first),
        row=said,
        proposed=proposed,
    )


def _final(market: WorldMarket) -> Word:
    paid = pays(market.outcome or Outcome(HALF))
    row = draw("row", market.number)
    sure = paid == HALF and row >= 3 / 4
    u = draw("oracle", market.number)
    said = "resolved" if sure or u < 7 / 10 else "settled" if u < 3 / 4 else None
    said = "" if said is None and u < 4 / 5 else said
    past = ("proposed", "resolved") if draw("past", market.number) < 1 / 2 else ("proposed",)
    first = Decimal(paid)
    if draw("dust", market.number) < 1 / 20 and paid != HALF:
        first = DUST if paid == 0 else 1 - DUST
    return Word(
        closed=True,
        accepting=said is None and draw("accepting", market.number) < 1 / 2,
        oracle=said,
        past=past if said else (),
        pays=paid,
        prices=(first, 1 - first),
        row="resolved" if row < 19 / 20 else None,
        payouts=row < 3 / 4,
        proposed=paid,
    )
