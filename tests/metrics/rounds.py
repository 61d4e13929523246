"""Rounds in which everybody is asked the same questions, as columns of forecasts."""

import json
import struct
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Never

import numpy as np

from arena.cli.say import as_plain
from arena.scoring.table import Factor, Floats, Forecasts, Whole

START = np.datetime64("2026-01-05T09:00:00", "us")
DAY = np.timedelta64(1, "D")


def rounds(  # noqa: PLR0913  each is one thing that a test is about
    p: Floats,
    outcome: Sequence[int] | Whole,
    *,
    names: Sequence[str] | None = None,
    event: Sequence[int] | Whole | None = None,
    day: Sequence[int] | Whole | None = None,
    market_p: Floats | None = None,
) -> Forecasts:
    """Forecasts from a table: a question a row and a contestant a column, NaN for none.

    Or (n, k, K) probabilities of K options. Each question is an event of its own and of one
    day unless said otherwise.
    """
    options = p.ndim == 3
    there = ~np.isnan(p[:, :, 0] if options else p)
    question, who = np.nonzero(there)
    truth = np.asarray(outcome, dtype=np.intp)[question]
    events = np.arange(len(p)) if event is None else np.asarray(event, dtype=np.intp)
    days = np.zeros(len(p), dtype=np.intp) if day is None else np.asarray(day, dtype=np.intp)
    price = np.full(len(question), np.nan) if market_p is None else market_p[question]
    return Forecasts(
        contestant=Factor(tuple(names or numbered("c", p.shape[1])), who),
        market=Factor(numbered("m", len(p)), question),
        event=Factor(numbered("e", int(events.max(initial=-1)) + 1), events[question]),
        at=START + DAY * days[question],
        p=np.full(len(question), np.nan) if options else p[there],
        outcome=truth,
        market_p=price,
        close_p=np.full(len(question), np.nan),
        options=p[there] if options else None,
    )


def numbered(letter: str, many: int) -> tuple[str, ...]:
    return tuple(f"{letter}{n:03}" for n in range(many))


def labelled(whole: Forecasts, label: str, of: Sequence[str]) -> Forecasts:
    """Give each contestant a label, in the order of their names."""
    names = tuple(dict.fromkeys(of))
    codes = np.array([names.index(said) for said in of], dtype=np.intp)
    return replace(whole, labels={label: Factor(names, codes[whole.contestant.codes])})


def equals(rng: np.random.Generator, questions: int, contestants: int) -> tuple[Floats, Whole]:
    """Contestants of one ability: calibrated, but for noise of their own."""
    truth = rng.random((questions, 1))
    outcome = (rng.random(questions) < truth[:, 0]).astype(np.intp)
    noise = rng.normal(0, 0.1, (questions, contestants))
    return np.clip(truth + noise, 0.01, 0.99), outcome


def strict(found: object) -> Any:  # noqa: ANN401  what JSON holds
    """What JSON makes of a record; NaN and infinity are refused."""
    return json.loads(json.dumps(as_plain(found)), parse_constant=_refuse)


def _refuse(word: str) -> Never:
    raise AssertionError(f"{word} is not JSON")


def of_rows(rows: Sequence[Sequence[Any]]) -> str:
    """The digest of printed rows, as somebody else would work it out from the JSON."""
    digests = []
    for column in zip(*rows, strict=True):
        if any(isinstance(cell, str) for cell in column):
            body = json.dumps(column, separators=(",", ":")).encode()
        else:
            numbers = [float("nan") if cell is None else cell for cell in column]
            body = struct.pack(f"<{len(numbers)}d", *numbers)
        digests.append(sha256(body).digest())
    return sha256(b"".join(digests)).hexdigest()
