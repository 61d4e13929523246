"""Which orders the rules let through, and at what price."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_FLOOR, Decimal

from arena.ledger.positions import sold as after_sale
from arena.ledger.price import NoTrade, PricedTrade, price_buy, price_sale, trouble_with
from arena.odds.implied import implied
from arena.records.cohort import BatchRule, ConfidenceBase, Rules
from arena.records.decision import Bet, Decision, Refusal, Rejection, Sale
from arena.records.market import Market, MarketId, Quote, Side
from arena.records.money import Usd, shares_down, usd, usd_down
from arena.records.trade import Fill, Position, SoldFill

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Tradable:
    """A market and its quote at the round; `is_open` is False once it has closed.

    One that the round does not offer (`offered` is False) can only be sold.
    """

    market: Market
    quote: Quote | None
    is_open: bool = True
    offered: bool = True


@dataclass(frozen=True, slots=True)
class DecisionDesk:
    """What a contestant's decision is judged by: its books when the decision started."""

    round: int
    at: datetime
    cash: Usd
    markets: Mapping[MarketId, Tradable]
    positions: Mapping[tuple[MarketId, Side], Position]
    rules: Rules

    @property
    def cap(self) -> Usd:
        """The largest stake, which also bounds the stakes of one decision together."""
        return usd(self.cash * self.rules.max_bet_fraction)

    @property
    def floor(self) -> Usd:
        """The smallest stake; where the cap is below the rule's, the cap is the minimum.

        It is then whole cents, rounded down, because a stake is.
        """
        if self.cap >= self.rules.min_bet:
            return self.rules.min_bet
        return usd(self.cap.quantize(CENT, ROUND_FLOOR))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a decision: one fill, sale or rejection for each order."""

    fills: tuple[Fill, ...] = ()
    sales: tuple[SoldFill, ...] = ()
    rejections: tuple[Rejection, ...] = ()


def judge(decision: Decision, desk: DecisionDesk) -> Judgement:
    """Price every order, then let it through or turn it down; none is ever resized.

    Which orders trade does not depend on the order they are written in: each is judged
    alone, then the stakes together against the cap, and sales together against the holding.
    """
    if decision.sales:
        return _judge_sales(decision.sales, desk)
    return _judge_bets(decision, desk)


def _judge_bets(decision: Decision, desk: DecisionDesk) -> Judgement:
    staked: dict[tuple[MarketId, Side], Decimal] = defaultdict(Decimal)
    for bet in decision.bets:
        staked[bet.market, bet.side] += max(bet.stake, Decimal(0))
    priced = [(b, _price_bet(b, staked[b.market, b.side], desk)) for b in decision.bets]
    trades = [(bet, trade) for bet, trade in priced if isinstance(trade, PricedTrade)]
    refused = [
        Rejection(bet, no.reason, no.detail) for bet, no in priced if isinstance(no, NoTrade)
    ]
    together = _refuse_together(trades, desk)
    if refused and desk.rules.batch is BatchRule.ATOMIC:
        together = NoTrade(Refusal.BATCH, refused[0].reason)
    if together:
        refused += [Rejection(bet, together.reason, together.detail) for bet, _ in trades]
        return Judgement(rejections=tuple(refused))
    stated = {f.market: f.probability for f in decision.forecasts}
    return Judgement(_fills(trades, stated, desk), (), tuple(refused))


def _price_bet(bet: Bet, staked: Decimal, desk: DecisionDesk) -> PricedTrade | NoTrade:
    """Price one bet; `staked` is what the decision stakes on its claim in all."""
    tradable = desk.markets.get(bet.market)
    if tradable is None:
        return NoTrade(Refusal.NOT_OFFERED)
    if not tradable.is_open:
        return NoTrade(Refusal.CLOSED)
    if not tradable.offered:
        return NoTrade(Refusal.NOT_OFFERED, "it is held, and can be sold")
    if bet.stake <= 0:
        return NoTrade(Refusal.NOT_POSITIVE)
    if bet.stake > desk.cap:
        return NoTrade(Refusal.TOO_LARGE, f"at most {desk.cap}")
    if bet.stake < desk.floor:
        return NoTrade(Refusal.TOO_SMALL, f"at least {desk.floor}")
    trouble = trouble_with(tradable.quote, desk.rules, desk.at)
    if trouble or tradable.quote is None:
        return trouble or NoTrade(Refusal.NO_QUOTE)
    return price_buy(
        bet.stake,
        bet.side,
        tradable.quote,
        tradable.market,
        desk.rules,
        beside=staked - bet.stake,
    )


def _refuse_together(
    trades: Sequence[tuple[Bet, PricedTrade]], desk: DecisionDesk
) -> NoTrade | None:
    stakes = sum((bet.stake for bet, _ in trades), Decimal(0))
    if stakes > desk.cap:
        return NoTrade(Refusal.BATCH_TOO_LARGE, f"{stakes} is more than {desk.cap}")
    needed = sum((trade.dollars + trade.fee for _, trade in trades), Decimal(0))
    if needed > desk.cash:
        return NoTrade(Refusal.NO_CASH, f"{needed} is more than {desk.cash}")
    return None


def _fills(
    trades: Sequence[tuple[Bet, PricedTrade]],
    stated: Mapping[MarketId, float],
    desk: DecisionDesk,
) -> tuple[Fill, ...]:
    fills: list[Fill] = []
    left = Decimal(desk.cash)
    for bet, trade in trades:
        sequential = desk.rules.confidence_base is ConfidenceBase.SEQUENTIAL
        base = usd(left) if sequential else desk.cash
        says = implied(
            bet.side,
            bet.stake,
            paid=(trade.dollars + trade.fee) / trade.shares,
            base=base,
            max_bet_fraction=desk.rules.max_bet_fraction,
        )
        quote = desk.markets[bet.market].quote
        fills.append(
            Fill(
                bet=bet.id,
                round=desk.round,
                market=bet.market,
                side=bet.side,
                shares=trade.shares,
                price=trade.price,
                cost=trade.dollars,
                fee=trade.fee,
                cap=desk.cap,
                base=base,
                confidence=float(says.confidence),
                linear=float(says.linear),
                kelly=float(says.kelly),
                stated=stated.get(bet.market),
                spoken=quote.mid if quote else None,
                levels=trade.levels,
                best=trade.best,
            )
        )
        left -= trade.dollars + trade.fee
    return tuple(fills)


def _judge_sales(sales: Iterable[Sale], desk: DecisionDesk) -> Judgement:
    total_percents: dict[tuple[MarketId, Side], Decimal] = defaultdict(Decimal)
    for sale in sales:
        total_percents[sale.market, sale.side] += max(sale.percent, Decimal(0))
    left = dict(desk.positions)
    sold: list[SoldFill] = []
    refused: list[Rejection] = []
    for sale in sales:
        key = sale.market, sale.side
        result = _price_sale(sale, total_percents[key], left.get(key), desk)
        if isinstance(result, NoTrade):
            refused.append(Rejection(sale, result.reason, result.detail))
        else:
            sold.append(result)
            left[key] = after_sale(left[key], result)
    if refused and desk.rules.batch is BatchRule.ATOMIC:
        others = {s.bet for s in sold}
        refused += [Rejection(s, Refusal.BATCH) for s in sales if s.id in others]
        sold = []
    return Judgement((), tuple(sold), tuple(refused))


def _price_sale(
    sale: Sale, total_percent: Decimal, left: Position | None, desk: DecisionDesk
) -> SoldFill | NoTrade:
    """Price a part of what was held at first; what empties `left` takes all its cost along."""
    if left is None:
        return NoTrade(Refusal.NOT_HELD)
    held = desk.positions[sale.market, sale.side]
    if sale.percent <= 0 or total_percent > 100:  # noqa: PLR2004  # percent
        return NoTrade(Refusal.BAD_PERCENT, f"{total_percent} in all")
    tradable = desk.markets.get(sale.market)
    if tradable is None or not tradable.is_open:
        return NoTrade(Refusal.CLOSED if tradable else Refusal.NOT_OFFERED)
    trouble = trouble_with(tradable.quote, desk.rules, desk.at)
    if trouble or tradable.quote is None:
        return trouble or NoTrade(Refusal.NO_QUOTE)
    part = sale.percent / 100
    number = held.shares if part == 1 else shares_down(held.shares * part)
    if not number:
        return NoTrade(Refusal.BAD_PERCENT, "it comes to no shares")
    trade = price_sale(
        number,
        sale.side,
        tradable.quote,
        tradable.market,
        desk.rules,
        beside=max(held.shares * total_percent / 100 - number, Decimal(0)),
    )
    if isinstance(trade, NoTrade):
        return trade
    basis = left.cost if number == left.shares else usd_down(held.cost * part)
    return SoldFill(
        bet=sale.id,
        round=desk.round,
        market=sale.market,
        side=sale.side,
        shares=number,
        price=trade.price,
        proceeds=trade.dollars,
        basis=basis,
        fee=trade.fee,
        levels=trade.levels,
        best=trade.best,
    )
