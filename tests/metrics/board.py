"""Boards of forecasts that have dates, prices day by day and categories."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np

from arena.records.claim import Scope, Season
from arena.scoring.table import DailyPrices, Floats, Forecasts
from tests.metrics.rounds import rounds

START = date(2026, 1, 5)
FIRST = (START - date(1970, 1, 1)).days
DAY = timedelta(days=1)
YEAR = Season(START)


def board(  # noqa: PLR0913  each is one thing that a test is about
    p: Floats,
    outcome: Sequence[float] | Floats,
    *,
    asked: Sequence[int],
    due: Sequence[int],
    names: Sequence[str] | None = None,
    price: Floats | None = None,
    event: Sequence[int] | None = None,
) -> Forecasts:
    """A question a row and a contestant a column, with days of asking and of knowing.

    An outcome of NaN is one that nobody knows: such rows wait.
    """
    came = np.asarray(outcome, dtype=np.float64)
    truth = np.where(np.isnan(came), 0, came).astype(np.intp)
    shown = np.full(len(p), 0.5) if price is None else price
    every = rounds(p, truth, names=names, event=event, market_p=shown)
    question = every.market.codes
    began, until = (
        np.datetime64(START, "us") + np.asarray(days) * np.timedelta64(1, "D")
        for days in (asked, due)
    )
    every = replace(every, at=began[question], due=until[question], ended=until[question])
    known = ~np.isnan(came)[question]
    waiting = replace(every.take(~known), ended=np.full(int((~known).sum()), "NaT", "M8[us]"))
    return replace(every.take(known), waiting=waiting)


def priced(found: Forecasts, days: int, *, every: int = 1, price: float = 0.5) -> Forecasts:
    """The same with a price of each market on each of some days from the first on."""
    read = np.arange(0, days, every)
    markets = len(found.market.names)
    return replace(
        found,
        prices=DailyPrices(
            np.repeat(np.arange(markets), read.size),
            np.tile(FIRST + read, markets),
            np.full(markets * read.size, price),
        ),
    )


def on(day: int, season: Season | None = YEAR, references: Sequence[str] = ()) -> Scope:
    """The board as it is read so many days after the start."""
    return Scope(START + day * DAY, season, frozenset(references))


def apart(seed: int, weeks: int, each: int = 4, k: int = 2) -> tuple[Floats, Floats]:
    """Forecasts and outcomes of questions, so many a week; the first knows nearly all."""
    rng = np.random.default_rng(seed)
    n = weeks * each
    came = (rng.random(n) < 0.5).astype(np.float64)
    said = np.clip(0.5 + rng.normal(0, 0.05, (n, k)), 0.01, 0.99)
    said[:, 0] = np.clip(0.2 + 0.6 * came + rng.normal(0, 0.05, n), 0.01, 0.99)
    return said, came


def weekly(weeks: int, each: int = 4) -> list[int]:
    """The days of questions that are spread over weeks."""
    return [7 * (n // each) + n % each for n in range(weeks * each)]


def in_weeks(  # noqa: PLR0913  each is one thing that a test is about
    seed: int,
    weeks: int,
    *,
    k: int = 2,
    lasting: int = 1,
    until: float = np.inf,
    names: Sequence[str] | None = None,
) -> Forecasts:
    """Four questions a week by `apart`, due some days after; known if due before a day."""
    said, came = apart(seed, weeks, k=k)
    asked = np.array(weekly(weeks))
    due = asked + lasting
    known = np.where(due < until, came, np.nan)
    return board(said, known, asked=asked.tolist(), due=due.tolist(), names=names)
