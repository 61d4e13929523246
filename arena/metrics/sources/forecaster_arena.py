"""Worked examples of source B, Forecaster Arena's scoring (v1)."""

from collections.abc import Mapping
from decimal import Decimal

from arena.ledger.mark import profit, return_on, total_value
from arena.metrics.sources import Formula, Given, Values, alike
from arena.odds.implied import confidence, kelly, linear
from arena.records.market import Side
from arena.records.money import price, shares_down, usd
from arena.scoring.leaderboard import brier_score, mean_of_picos, skill_score
from arena.scoring.proper import expected_brier
from arena.scoring.published import band_as_coded, band_as_documented, mean_score_or_zero

LARGEST_BET = Decimal("0.25")  # of the cash
SMALLEST_BET = Decimal(50)
CAPITAL = Decimal(10_000)


def _decimal(number: float) -> Decimal:
    return Decimal(str(number))


def _confidence(given: Given) -> tuple[Values, Values]:
    rows = [(_decimal(row["bet"]), _decimal(row["cash"])) for row in given["rows"]]
    return alike(
        {
            "confidence": [float(confidence(bet, cash, LARGEST_BET)) for bet, cash in rows],
            "max_bet": [float(cash * LARGEST_BET) for _, cash in rows],
        }
    )


def _sides(given: Given) -> tuple[Values, Values]:
    stated = [float(linear(Side[row["side"]], _decimal(row["c"]))) for row in given["rows"]]
    outcomes = [row["yes_won"] for row in given["rows"]]
    scores = [brier_score(p, outcome) for p, outcome in zip(stated, outcomes, strict=True)]
    return alike({"brier": scores, "f_yes": stated})


def _skill(given: Given) -> tuple[Values, Values]:
    return alike({"bss": skill_score(given["bs"], given["ref"])})


def _rain(given: Given) -> tuple[Values, Values]:
    pairs = zip(given["f"], given["o"], strict=True)
    return alike({"terms": [brier_score(p, outcome) for p, outcome in pairs]})


def _shares(given: Given) -> tuple[Values, Values]:
    paid = usd(_decimal(given["amount"]))
    bought = shares_down(paid / price(_decimal(given["price"])))
    return alike(
        {
            "shares": float(bought),
            "settle_win": float(bought),
            "pnl_win": float(bought - paid),
            "settle_lose": 0.0,
            "pnl_lose": -float(paid),
        }
    )


def _portfolio(given: Given) -> tuple[Values, Values]:
    cash, positions, initial = (
        usd(_decimal(given[k])) for k in ("cash", "positions", "initial")
    )
    total = total_value(cash, usd(0), positions)
    gain = profit(total, initial)
    share = return_on(gain, initial)
    return alike(
        {
            "total": float(total),
            "pnl": float(gain),
            "return_pct": None if share is None else 100 * share,
        }
    )


def _no_side(given: Given) -> tuple[Values, Values]:
    entry = 1 - _decimal(given["yes_price"])
    paid = usd(_decimal(given["amount"]))
    bought = shares_down(paid / price(entry))
    value = usd(bought * (1 - _decimal(given["later_yes_price"])))
    return alike(
        {
            "entry_price": float(entry),
            "shares": float(bought),
            "mark": float(value),
            "unrealized": float(value - paid),
        }
    )


def _smallest_bet(given: Given) -> tuple[Values, Values]:
    p = _decimal(given["true_p"])
    stated = float(linear(Side.YES, confidence(SMALLEST_BET, CAPITAL, LARGEST_BET)))
    return {
        "f_yes_if_min_YES_bet": stated,
        "expected_brier": expected_brier(stated, float(p)).item(),
    }, {
        "honest_expected_brier": expected_brier(float(p), float(p)).item(),
        "kelly_stake_at_fair_price": float(p - _decimal(given["price"])),
        "stake_fraction_needed_to_report_0_6": float(p * LARGEST_BET),
    }


def _kelly(given: Given) -> tuple[Values, Values]:
    p, paid = _decimal(given["true_p"]), _decimal(given["price"])
    stake = (p - paid) / (1 - paid)
    stated = linear(Side.YES, confidence(stake * CAPITAL, CAPITAL, LARGEST_BET))
    return {"implied_f_from_kelly_capped": float(stated)}, {
        "implied_f_from_whole_kelly": float(kelly(Side.YES, stake, paid)),
        "kelly_fraction": float(stake),
        "stake_that_reports_truth": float(p * LARGEST_BET),
    }


def _no_bet(given: Given) -> tuple[Values, Values]:
    scores = given["scores"]
    return {"mean": mean_score_or_zero(scores)}, {"mean": mean_of_picos(0, len(scores))}


def _bands(given: Given) -> tuple[Values, Values]:
    return {
        "documented": [str(band_as_documented(score)) for score in given["scores"]],
        "coded": [str(band_as_coded(score)) for score in given["scores"]],
    }, {}


FORMULAS: Mapping[str, Formula] = {
    "s001.implied_confidence": _confidence,
    "s001.brier_table": _sides,
    "s001.bss": _skill,
    "s001.rain": _rain,
    "s001.shares": _shares,
    "s001.portfolio": _portfolio,
    "s001.no_side": _no_side,
    "s001.bet_size_brier_is_improper": _smallest_bet,
    "s001.kelly_vs_report": _kelly,
    "s001.no_resolved_bet": _no_bet,
    "s001.bands": _bands,
}
