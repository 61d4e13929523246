"""A turn's orders and forecasts as lines of tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.decision import Action, Dropped
from arena.records.market import MarketId, Quote, Side
from arena.records.money import Price, usd
from arena.records.trade import Fill, PositionState, Refused, SoldFill
from arena.scoring.leaderboard import brier_score
from arena.site.pages.decisions.view import ForecastRow, OrderRow, RefusedRow
from arena.site.pages.parts import Cell, Link
from arena.site.reading import Reading, outcome_words
from arena.site.sanitize import one_line
from arena.store.pages.cards import TurnId
from arena.store.pages.turns import Held

REASON = 300
NOTHING = Cell(figures.MISSING)
OPEN = Cell("open")

_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class _Known:
    """A market on the pages of a round; `mid` is the price that the round showed."""

    market: Link
    mid: Cell
    outcome: str
    truth: int | None


@dataclass(slots=True)
class Counter:
    """What a round's orders were made against: prices as they were shown, and what is held."""

    reading: Reading
    root: str
    quotes: Mapping[MarketId, Quote]
    held: Mapping[tuple[str, str, str], Sequence[Held]]
    _known: dict[MarketId, _Known] = field(default_factory=dict)

    def known(self, name: MarketId) -> _Known:
        """The market's cells beside every order and forecast, made once."""
        if name not in self._known:
            quote, outcome = self.quotes.get(name), self.reading.outcome(name)
            self._known[name] = _Known(
                self.reading.market(name, self.root),
                price_cell(quote.mid if quote else None),
                outcome_words(outcome) if outcome else "",
                outcome.truth if outcome else None,
            )
        return self._known[name]

    def bought(self, of: TurnId, fill: Fill) -> OrderRow:
        """A bet that traded."""
        quote, of_market = self.quotes.get(fill.market), self.known(fill.market)
        seen = quote.buy(fill.side) if quote else None
        slipped = fill.slippage if fill.best is not None else _slipped(fill, seen)
        linear = METRICS["linear_p"].shown(fill.linear)
        return OrderRow(
            of_market.market,
            f"bought {fill.side.value}",
            _dollars(fill.cost, fill.shares),
            price_cell(seen),
            _filled(fill.price, slipped, fill.fee),
            _cell("stated_p", fill.stated),
            _cell("kelly_p", fill.kelly, f"linear {linear}"),
            _edge(fill),
            of_market.outcome,
            self._result(of, fill.market, fill.side),
        )

    def sold(self, of: TurnId, sale: SoldFill) -> OrderRow:
        """A sale that traded."""
        quote, of_market = self.quotes.get(sale.market), self.known(sale.market)
        seen = quote.sell(sale.side) if quote else None
        slipped = sale.slippage
        if sale.best is None and seen is not None:
            slipped = usd(sale.shares * (seen - sale.price))
        return OrderRow(
            of_market.market,
            f"sold {sale.side.value}",
            _dollars(sale.proceeds, sale.shares),
            price_cell(seen),
            _filled(sale.price, slipped, sale.fee),
            NOTHING,
            NOTHING,
            NOTHING,
            of_market.outcome,
            self._result(of, sale.market, sale.side),
        )

    def refused(self, order: Refused, action: Action | None) -> RefusedRow:
        """An order that the rules turned down."""
        is_sale = action is Action.SELL
        amount = order.amount
        return RefusedRow(
            self.known(order.market).market,
            f"{'sell' if is_sale else 'buy'} {order.side.value}",
            f"{amount.normalize():f}%" if is_sale else METRICS["amount"].shown(amount),
            one_line(
                f"{order.reason}: {order.detail}" if order.detail else order.reason, REASON
            ),
        )

    def forecast(self, name: MarketId, probability: float) -> ForecastRow:
        """A stated probability, and how it was scored once the truth is known."""
        of = self.known(name)
        return ForecastRow(
            of.market,
            of.mid,
            _cell("stated_p", probability),
            of.outcome,
            brier_cell(probability, of.truth),
        )

    def _result(self, of: TurnId, name: MarketId, side: Side) -> Cell:
        """The realised profit of the position, once it is closed."""
        several = self.held.get((of.contestant, name, side), ())
        if not several:
            return NOTHING
        if any(position.state is PositionState.OPEN for position in several):
            return OPEN
        realised = sum((position.realised for position in several), _ZERO)
        last = several[-1].state.value.lower()
        note = last if len(several) == 1 else f"{len(several)} positions"
        return Cell(METRICS["realised"].shown(realised), note, realised)


def dropped_row(dropped: Dropped) -> RefusedRow:
    """An order that was left out before the rules were asked."""
    reason = f"{dropped.reason.value.replace('_', ' ')}: {dropped.detail}"
    return RefusedRow(Link(""), f"order {dropped.index + 1}", "", one_line(reason, REASON))


def price_cell(value: Price | None) -> Cell:
    """A price, or n/a."""
    return Cell(METRICS["price"].shown(value), "", value)


def brier_cell(probability: float | None, truth: int | None) -> Cell:
    """The Brier score of a forecast; n/a where there is nothing to score."""
    if probability is None or truth is None:
        return NOTHING
    score = brier_score(probability, truth)
    return Cell(METRICS["brier"].shown(score), "", score)


def _cell(key: str, value: float | None, note: str = "") -> Cell:
    return Cell(METRICS[key].shown(value), note, value)


def _dollars(amount: Decimal, shares: Decimal) -> Cell:
    note = f"{METRICS['shares'].shown(shares)} shares"
    return Cell(METRICS["amount"].shown(amount), note, amount)


def _slipped(fill: Fill, seen: Price | None) -> Decimal | None:
    return None if seen is None else usd(fill.shares * (fill.price - seen))


def _filled(price: Price, slipped: Decimal | None, fee: Decimal) -> Cell:
    shown = METRICS["fees"].shown
    slippage = figures.dollars(slipped, 2, signed=True)
    return Cell(METRICS["price"].shown(price), f"slippage {slippage}, fee {shown(fee)}", price)


def _edge(fill: Fill) -> Cell:
    """What a share of the side is worth by the stated probability, above what it cost."""
    if fill.stated is None:
        return NOTHING
    worth = fill.stated if fill.side is Side.YES else 1 - fill.stated
    edge = worth - float(fill.price)
    return Cell(figures.number(edge, METRICS["price"].decimals, signed=True), "", edge)
