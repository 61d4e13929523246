import json
import os
from pathlib import Path

import pytest

from arena.metrics.bands import BANDS
from arena.metrics.registry import METRICS


@pytest.mark.parametrize(
    ("key", "spoken"),
    [
        ("alpha", "Brier gain over the market"),
        ("brier", "Brier score"),
        ("holm_p", "p-value of one look"),
        ("pnl_luck", "P/L from luck"),
        ("strength", "Bradley-Terry strength"),
        ("win_rate", "win rate"),
    ],
)
def test_a_name_inside_a_sentence_keeps_the_capitals_of_people(key: str, spoken: str) -> None:
    assert METRICS[key].spoken == spoken


def test_every_metric_is_written_as_it_was() -> None:
    found = {
        key: [metric.shown(0.0123456789), metric.shown(-12.3456789), metric.better.value]
        for key, metric in METRICS.items()
    }
    assert found == held("metrics", found)


def test_bands_are_those_of_their_sources() -> None:
    found = {
        f"{bands.metric}, {bands.source}": [
            [band.words, band.low, band.high, band.when] for band in bands.bands
        ]
        for bands in BANDS
    }
    assert found == held("bands", found)


def held(name: str, found: object) -> object:
    """What a golden file holds; with ARENA_UPDATE_GOLDEN=1 it is written instead."""
    file = Path(__file__).parent / f"{name}.golden.json"
    if os.environ.get("ARENA_UPDATE_GOLDEN"):
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return json.loads(file.read_text("utf-8"))
