"""Books, the gate and bets of a study where they are at their ends."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from arena.metrics.study.bets import fair_book, gate_report, limits, placed, verdicts
from arena.metrics.study.evaluate import run_study
from arena.metrics.study.protocol import BookQuotes, GateColumns, OddsBook, StudyForecasts
from arena.odds.edge import GateReason
from arena.scoring.bets.clv import PseudoPassReason
from arena.stats import Edge
from tests.metrics.study.studies import betting, even, factor, quick, study_of, two
from tests.present import present, some

ACME = OddsBook("acme")
NEVER = np.zeros(1, np.bool_)
BEFORE = np.array([[0.44, 0.56]])


@pytest.mark.parametrize("stage", ["knockout", "group"])
def test_a_book_that_has_nothing_to_give_stays_as_it_is(stage: str) -> None:
    sure = np.array([[300.0, 1.0005, 400.0]])
    one = replace(even(["star"], 1), stage=factor(stage), host=np.array([1]))
    book = fair_book(one, quick(), ACME, sure)
    assert book.q.max() <= 1
    assert book.q.sum() == pytest.approx(1, abs=1e-6)


def test_a_book_that_cannot_be_solved_is_counted_and_has_no_prices() -> None:
    book = fair_book(even(["star"], 1), quick(), ACME, np.array([[1.000001, 1.1, 1.1]]))
    assert (book.report.books, book.report.refused) == (1, 1)
    assert np.isnan(book.q).all()


def test_fair_quotes_go_before_those_of_a_book() -> None:
    odds = BookQuotes(np.array([[2.0, 2.0]]), np.array([[2.0, 2.0]]))
    one = replace(betting([0.4], [0.45], p=0.6), odds={"acme": odds})
    numbers = present(run_study(one, quick(2, books=(ACME,))).bets)
    assert numbers[0].clv == pytest.approx(0.125)


def gated(**columns: object) -> StudyForecasts:
    """One question whose gate knows what is given, and nothing else."""
    at = np.array(["2026-06-11T09:00"], "datetime64[us]")
    nothing, never = np.full((1, 2), np.nan), np.full(1, "NaT", "datetime64[us]")
    gate = GateColumns(nothing, nothing, np.full(1, np.nan), never, at, (None,))
    one = study_of({"star": [[0.6, 0.4]]}, [0], opening=two([0.4]), closing=two([0.5]))
    return replace(one, gate=replace(gate, **columns))  # type: ignore[arg-type]


def moment(text: str) -> np.datetime64:
    return np.datetime64(datetime.fromisoformat(text), "us")


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"news": ((moment("2026-06-11T04:00"),),)}, GateReason.NAMED_EVENT_6H),
        ({"before": BEFORE}, GateReason.PRICE_DISCOVERY_INTRA_BOOK),
        ({"exchange": BEFORE}, GateReason.PRICE_DISCOVERY_CROSS_BOOK),
        ({"volume": np.array([49_999.0])}, GateReason.LIQUIDITY_POLYMARKET_LOW),
        (
            {"quoted_at": np.array([moment("2026-06-11T04:59")])},
            GateReason.LIQUIDITY_PINNACLE_STALE,
        ),
    ],
)
def test_each_rule_of_the_gate_keeps_a_question_out(
    columns: dict[str, object], reason: GateReason
) -> None:
    legs, out = verdicts(gated(**columns), quick(2), ())
    assert out.tolist() == [True]
    (rule,) = (rule for rule in gate_report(legs).rules if rule.fired)
    assert (rule.rule, rule.fired) == (reason, 1)
    by_rule = dict(placed(gated(**columns), quick(2), "star", out))
    assert by_rule["rules"].passed == {PseudoPassReason.GATE_FIRED: 1}


def test_a_gate_that_knows_nothing_lets_through_and_is_counted() -> None:
    legs, out = verdicts(gated(), quick(2), ())
    assert out.tolist() == [False]
    assert {rule.abstained for rule in gate_report(legs).rules} == {0, 1}


def test_the_threshold_follows_the_class_of_the_market() -> None:
    study = replace(betting([0.5] * 2, [0.5] * 2), kind=factor("1x2", "corners"))
    assert limits(study, quick(2)).tolist() == [0.03, 0.05]
    assert limits(replace(study, kind=None), quick(2)).tolist() == [0.03, 0.03]


def test_a_stated_bet_goes_before_the_rules_and_both_are_told() -> None:
    rules = [rule for rule, _ in placed(betting([0.4], [0.5]), quick(2), "star", NEVER)]
    assert rules == ["stated", "rules", "as coded", "long shots by p"]


def test_the_label_says_what_the_interval_beside_it_shows() -> None:
    moves = np.exp(np.random.default_rng(1).normal(0.05, 0.6, 40))
    report = run_study(betting([0.1] * 40, np.minimum(0.1 * moves, 0.9).tolist()), quick(2))
    book = some(report.bets or ())[0]
    assert present(book.closing.forms[0].mean.interval).low > 0
    assert book.label is Edge.GENUINE_EDGE


def test_a_bet_without_a_close_is_excluded_with_its_reason() -> None:
    report = run_study(betting([0.4, 0.4], [0.5, np.nan]), quick(2))
    book = some(report.bets or ())[0]
    assert (book.bets, book.events) == (2, 1)
    assert {str(why): n for why, n in book.closing.excluded.items()} == {"NO_CLOSE": 1}
