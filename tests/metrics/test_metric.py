import pytest

from arena.metrics.registry import METRICS


@pytest.mark.parametrize(
    ("key", "spoken"),
    [
        ("alpha", "Brier gain over the market"),
        ("brier", "Brier score of one forecast"),
        ("holm_p", "p-value of one look"),
        ("pnl_luck", "P/L from luck"),
        ("strength", "Bradley-Terry strength"),
        ("win_rate", "win rate"),
    ],
)
def test_a_name_inside_a_sentence_keeps_the_capitals_of_people(key: str, spoken: str) -> None:
    assert METRICS[key].spoken == spoken
