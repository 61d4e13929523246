"""The worked examples of Forecaster Arena (v1), by the functions that the ledger uses."""

from decimal import Decimal

from arena.ledger.mark import mark
from arena.odds.implied import confidence, kelly, linear
from arena.records.market import NO_WINS, YES_WINS, Side
from arena.records.money import usd
from arena.scoring.proper import expected_brier
from tests.build import DAY, T0, Books, at_price, bet, deciding
from tests.present import present
from tests.vectors import near, source

QUARTER = Decimal("0.25")
ALL = Decimal(10_000)


def _dec(number: float) -> Decimal:
    return Decimal(str(number))


def test_s001_shares() -> None:
    v = source("s001.shares")
    given = v["input"]
    found: dict[str, float] = {}
    for name, outcome in (("win", YES_WINS), ("lose", NO_WINS)):
        books = Books()
        quoted = at_price(str(given["price"]))
        books.decide(deciding(bet(given["amount"], Side[given["side"]])), quoted)
        found["shares"] = float(books.held[0].shares)
        before = books.cash
        books.settle(outcome)
        found[f"settle_{name}"] = float(books.cash - before)
        found[f"pnl_{name}"] = float(books.realised)
    assert near(found, v["expected"], v["tol"])


def test_s001_no_side() -> None:
    v = source("s001.no_side")
    given = v["input"]
    books = Books()
    quoted = at_price(str(given["yes_price"]))
    filled = books.decide(deciding(bet(given["amount"], Side.NO)), quoted).fills[0]
    later = mark(books.held[0], at_price(str(given["later_yes_price"])), at=T0, max_age=DAY)
    mid = present(later.mid)
    found = {
        "entry_price": float(filled.price),
        "shares": float(filled.shares),
        "mark": float(mid),
        "unrealized": float(mid - usd(given["amount"])),
    }
    assert near(found, v["expected"], v["tol"])


def test_s001_bet_size_brier_is_improper() -> None:
    v = source("s001.bet_size_brier_is_improper")
    p, paid = _dec(v["input"]["true_p"]), _dec(v["input"]["price"])
    least = confidence(Decimal(50), ALL, QUARTER)
    assert least == _dec(v["input"]["min_bet_confidence"])
    reported = linear(Side.YES, least)
    no_stake, truthful = Decimal(0), p * QUARTER
    assert kelly(Side.YES, confidence(no_stake, ALL, QUARTER), paid) == p
    assert linear(Side.YES, confidence(truthful * ALL, ALL, QUARTER)) == p
    found = {
        "f_yes_if_min_YES_bet": float(reported),
        "expected_brier": expected_brier(float(reported), float(p)).item(),
        "honest_expected_brier": expected_brier(float(p), float(p)).item(),
        "kelly_stake_at_fair_price": float(no_stake),
        "stake_fraction_needed_to_report_0_6": float(truthful),
    }
    assert near(found, v["expected"], v["tol"])


def test_s001_kelly_vs_report() -> None:
    v = source("s001.kelly_vs_report")
    p, paid = _dec(v["input"]["true_p"]), _dec(v["input"]["price"])
    whole = (p - paid) / (1 - paid)
    assert kelly(Side.YES, whole, paid) == p
    truthful = p * QUARTER
    assert linear(Side.YES, confidence(truthful * ALL, ALL, QUARTER)) == p
    found = {
        "kelly_fraction": float(whole),
        "stake_that_reports_truth": float(truthful),
        "implied_f_from_kelly_capped": float(
            linear(Side.YES, confidence(whole * ALL, ALL, QUARTER))
        ),
    }
    assert near(found, v["expected"], v["tol"])
