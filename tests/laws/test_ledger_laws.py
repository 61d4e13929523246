from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ledger.journal import payout
from arena.ledger.order_limits import Judgement, judge
from arena.ledger.positions import balances
from arena.records.cohort import ConfidenceBase, FeeRule, FillRule, MarkRule, Rules
from arena.records.decision import Decision
from arena.records.market import FeeModel, Outcome, Quote, Side
from arena.records.money import MICRO, Shares, shares_from_micro, usd, usd_from_micro
from arena.records.trade import Position, PositionState
from tests.build import ADA, COHORT, MARKETS, RAIN
from tests.laws.seasons import (
    FIRST,
    MILLION,
    Season,
    Trading,
    Word,
    decisions,
    fees,
    outcomes,
    played,
    rules,
    season,
    steps,
    tight_quotes,
    tradings,
)
from tests.sizes import size

Steps = Sequence[Trading | Word]
law = settings(max_examples=size(20, 80))


@law
@given(agreed=rules, fee=fees, taken=steps)
def test_each_entry_and_all_accounts_together_add_up_to_nothing(
    agreed: Rules, fee: FeeModel, taken: Steps
) -> None:
    entries = played(agreed, fee, taken).books.entries
    assert {sum(p.amount for p in entry.postings) for entry in entries} == {0}
    assert sum(balances(entries).values()) == 0


@law
@given(agreed=rules, fee=fees, taken=steps)
def test_cash_and_debt_are_never_below_nothing_and_never_both(
    agreed: Rules, fee: FeeModel, taken: Steps
) -> None:
    going = season(agreed, fee)
    for step in (FIRST, *taken):
        going.take(step)
        assert going.books.cash >= 0
        assert going.books.owed >= 0
        assert not (going.books.cash and going.books.owed)


@law
@given(agreed=rules, fee=fees, taken=steps)
def test_what_is_there_is_the_capital_and_what_was_made_of_it(
    agreed: Rules, fee: FeeModel, taken: Steps
) -> None:
    going = season(agreed, fee)
    for step in (FIRST, *taken):
        going.take(step)
        books = going.books
        there = books.cash - books.owed + books.open_cost
        assert there == agreed.capital + books.realised - books.fees


@law
@given(agreed=rules, fee=fees, taken=steps)
def test_what_is_closed_holds_no_shares_and_no_cost(
    agreed: Rules, fee: FeeModel, taken: Steps
) -> None:
    for position in played(agreed, fee, taken).books.positions:
        assert position.shares >= 0
        assert position.cost >= 0
        if position.state is not PositionState.OPEN:
            assert (position.shares, position.cost) == (Shares(Decimal(0)), usd(0))
        else:
            assert position.shares > 0


@law
@given(agreed=rules, fee=fees, taken=steps)
def test_a_position_realises_what_it_brought_less_what_it_cost(
    agreed: Rules, fee: FeeModel, taken: Steps
) -> None:
    books = played(agreed, fee, taken).books
    assert sum(p.realised for p in books.positions) == books.realised


def judged(going: Season, trading: Trading) -> Judgement:
    return judge(going.decision(trading), going.books.desk(*going.shown(trading)))


@law
@given(agreed=rules, fee=fees, taken=steps, last=tradings)
def test_every_order_is_answered_once_and_none_is_resized(
    agreed: Rules, fee: FeeModel, taken: Steps, last: Trading
) -> None:
    going = played(agreed, fee, taken)
    found, wish = judged(going, last), going.decision(last)
    answered = [f.bet for f in found.fills] + [s.bet for s in found.sales]
    answered += [r.order.id for r in found.rejections]
    wished = [b.id for b in wish.bets] + [s.id for s in wish.sales]
    assert sorted(answered) == sorted(wished)
    stakes = {b.id: b.stake for b in wish.bets}
    assert all(fill.cost == stakes[fill.bet] for fill in found.fills)


@law
@given(agreed=rules, fee=fees, taken=steps, last=tradings)
def test_no_more_is_sold_than_is_held(
    agreed: Rules, fee: FeeModel, taken: Steps, last: Trading
) -> None:
    going = played(agreed, fee, taken)
    held = {(p.market, p.side): p.shares for p in going.books.held}
    for sale in judged(going, last).sales:
        held[sale.market, sale.side] = Shares(held[sale.market, sale.side] - sale.shares)
    assert all(left >= 0 for left in held.values())


@law
@given(agreed=rules, fee=fees, taken=steps, last=tradings)
def test_a_fill_leaves_something_to_win_and_says_probabilities(
    agreed: Rules, fee: FeeModel, taken: Steps, last: Trading
) -> None:
    for fill in judged(played(agreed, fee, taken), last).fills:
        assert fill.cost + fill.fee < fill.shares
        assert all(0 <= p <= 1 for p in (fill.confidence, fill.linear, fill.kelly))


def permuted(decision: Decision, order: Sequence[int]) -> Decision:
    return replace(
        decision,
        bets=tuple(decision.bets[n] for n in order if n < len(decision.bets)),
        sales=tuple(decision.sales[n] for n in order if n < len(decision.sales)),
    )


orders = st.permutations(range(4))


@law
@given(agreed=rules, fee=fees, taken=steps, last=tradings, order=orders)
def test_the_order_of_legs_changes_nothing_that_trades_and_no_balance(
    agreed: Rules, fee: FeeModel, taken: Steps, last: Trading, order: Sequence[int]
) -> None:
    one, other = (played(agreed, fee, taken) for _ in range(2))
    swapped = replace(last, decision=permuted(last.decision, order))
    found, again = judged(one, last), judged(other, swapped)
    assert {f.bet for f in found.fills} == {f.bet for f in again.fills}
    assert {(s.bet, s.proceeds, s.fee) for s in found.sales} == {
        (s.bet, s.proceeds, s.fee) for s in again.sales
    }
    one.take(last)
    other.take(swapped)
    assert balances(one.books.entries) == balances(other.books.entries)


@law
@given(agreed=rules, fee=fees, last=tradings, order=orders)
def test_the_order_of_legs_changes_no_score(
    agreed: Rules, fee: FeeModel, last: Trading, order: Sequence[int]
) -> None:
    ours = replace(agreed, confidence_base=ConfidenceBase.DECISION)
    swapped = replace(last, decision=permuted(last.decision, order))
    found = judged(season(ours, fee), last).fills
    again = judged(season(ours, fee), swapped).fills
    assert sorted(found, key=lambda f: f.bet) == sorted(again, key=lambda f: f.bet)


@law
@given(agreed=rules, taken=st.lists(decisions(), max_size=5), shown=tight_quotes(RAIN))
def test_a_trade_at_the_mark_leaves_the_total_as_it_was(
    agreed: Rules, taken: Sequence[Decision], shown: Quote
) -> None:
    peers = replace(agreed, fill=FillRule.MID, fees=FeeRule.NONE, mark=MarkRule.MID)
    going = season(replace(peers, max_spread=Decimal(1)), FeeModel())
    prices = tuple(replace(shown, market=name) for name in MARKETS)
    for decision in (FIRST.decision, *taken):
        before = going.books.total(*prices)
        found = going.books.decide(going.decision(Trading(decision, prices)), *prices)
        trades = len(found.fills) + len(found.sales)
        moved = abs(going.books.total(*prices) - before)
        assert moved <= MICRO * (trades + 6)  # shares and marks are rounded to a millionth


@law
@given(
    agreed=rules,
    fee=fees,
    taken=steps,
    outcome=outcomes,
    between=st.lists(tradings, max_size=2),
)
def test_a_word_taken_back_and_said_again_restores_everything(
    agreed: Rules, fee: FeeModel, taken: Steps, outcome: Outcome, between: list[Trading]
) -> None:
    going = played(agreed, fee, taken)
    going.hear(Word(RAIN, outcome))
    for step in between:
        going.take(step)
    before = going.books.cash, going.books.owed, going.books.realised, going.books.positions
    going.hear(Word(RAIN, None))
    going.hear(Word(RAIN, outcome))
    after = going.books.cash, going.books.owed, going.books.realised, going.books.positions
    assert before == after


@law
@given(agreed=rules, fee=fees, taken=steps, outcome=outcomes)
def test_a_word_taken_back_leaves_what_was_there_before(
    agreed: Rules, fee: FeeModel, taken: Steps, outcome: Outcome
) -> None:
    going = played(agreed, fee, [s for s in taken if isinstance(s, Trading)])
    before = going.books.cash, going.books.realised, going.books.positions
    going.hear(Word(RAIN, outcome))
    going.hear(Word(RAIN, None))
    assert (going.books.cash, going.books.realised, going.books.positions) == before


@law
@given(
    number=st.integers(1, 10**6 * MILLION),
    outcome=outcomes,
    costs=st.tuples(st.integers(0, 10**12), st.integers(0, 10**12)),
)
def test_one_yes_and_one_no_are_worth_a_dollar_or_their_cost(
    number: int, outcome: Outcome, costs: tuple[int, int]
) -> None:
    pair = [
        Position(COHORT, ADA, RAIN, side, shares_from_micro(number), usd_from_micro(cost))
        for side, cost in zip(Side, costs, strict=True)
    ]
    paid = sum(payout(p, outcome) for p in pair)
    if outcome.yes_pays is None:
        assert paid == sum(p.cost for p in pair)
    else:
        assert abs(paid - shares_from_micro(number)) <= MICRO


@law
@given(agreed=rules, fee=fees, taken=st.lists(tradings, max_size=4), said=st.lists(outcomes))
def test_the_order_in_which_markets_resolve_changes_no_balance(
    agreed: Rules, fee: FeeModel, taken: Steps, said: Sequence[Outcome]
) -> None:
    one, other = (played(agreed, fee, taken) for _ in range(2))
    heard = [Word(name, outcome) for name, outcome in zip(MARKETS, said, strict=False)]
    for word in heard:
        one.hear(word)
    for word in reversed(heard):
        other.hear(word)
    assert balances(one.books.entries) == balances(other.books.entries)
