"""Small tables of forecasts, made by chance from a seed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from arena.scoring.table import Factor, Floats, Forecasts, Whole

NAMES = ("ada", "ben", "cy")
START = np.datetime64("2026-01-05T00:00:00", "us")


def factor(said: Sequence[object]) -> Factor:
    names = tuple(dict.fromkeys(map(str, said)))
    return Factor(names, np.array([names.index(str(s)) for s in said], dtype=np.intp))


def season(  # noqa: PLR0913  each is one thing that a test is about
    seed: int = 1,
    names: Sequence[str] = NAMES,
    *,
    events: int = 30,
    markets: int = 2,
    missing: float = 0.1,
    noise: Sequence[float] = (0.05, 0.1, 0.6),
) -> Forecasts:
    """Contestants who see the truth through noise; a market of an event is asked in a day."""
    rng = np.random.default_rng(seed)
    rows = []
    for event in range(events):
        chance = rng.uniform(0.05, 0.95)
        for market in range(markets):
            came = int(rng.random() < chance)
            seen = float(np.clip(chance + rng.normal(0, 0.1), 0.01, 0.99))
            for number, name in enumerate(names):
                told = float(np.clip(chance + rng.normal(0, noise[number % len(noise)]), 0, 1))
                if rng.random() >= missing:
                    asked = (name, f"m{event}.{market}", f"e{event}", event)
                    rows.append((*asked, told, came, seen))
    who, market_names, event_names, days, p, truth, price = zip(*rows, strict=True)
    return Forecasts(
        contestant=factor(who),
        market=factor(market_names),
        event=factor(event_names),
        at=START + np.array(days) * np.timedelta64(1, "D"),
        p=np.array(p),
        outcome=np.array(truth, dtype=np.intp),
        market_p=np.array(price),
        close_p=np.array(price) ** 1.1,
        labels={"topic": factor(["sun" if day % 3 else "rain" for day in days])},
    )


def over_options(seed: int = 2, options: int = 3) -> Forecasts:
    """The same questions with options in place of yes and no."""
    rng = np.random.default_rng(seed)
    found = season(seed)
    said = rng.dirichlet(np.ones(options), len(found))
    outcomes = rng.integers(0, options, len(found.market.names))
    return replace(
        found,
        p=np.full(len(found), np.nan),
        options=said,
        outcome=outcomes[found.market.codes].astype(np.intp),
    )


def shuffled(found: Forecasts, seed: int = 3) -> Forecasts:
    """The same rows in another order, under names in another order."""
    rng = np.random.default_rng(seed)
    whole = found.take(rng.permutation(len(found)))

    def anew(column: Factor) -> Factor:
        order = rng.permutation(len(column.names))
        place = np.argsort(order)
        return Factor(tuple(column.names[n] for n in order), place[column.codes])

    return replace(
        whole,
        contestant=anew(whole.contestant),
        market=anew(whole.market),
        event=anew(whole.event),
        labels={key: anew(label) for key, label in whole.labels.items()},
    )


def renamed(found: Forecasts, **names: str) -> Forecasts:
    column = found.contestant
    return replace(
        found, contestant=Factor(tuple(names.get(n, n) for n in column.names), column.codes)
    )


def timeless(found: Forecasts) -> Forecasts:
    """The same rows without their moments."""
    return replace(found, at=np.full(len(found), "NaT", "M8[us]"))


def twice(found: Forecasts) -> Forecasts:
    """Every event happens again, under another name."""
    both = found.take(np.concatenate([np.arange(len(found))] * 2))
    again = np.repeat([0, 1], len(found))

    def apart(column: Factor) -> Factor:
        names = (*column.names, *(f"{name} again" for name in column.names))
        return Factor(names, column.codes + again * len(column.names))

    return replace(both, market=apart(both.market), event=apart(both.event))


def among_many(found: Forecasts) -> Forecasts:
    """The same rows, where so many events could be named that no table holds them all."""
    names = (*found.event.names, *("nobody's",) * 7_000_000)
    return replace(found, event=Factor(names, found.event.codes))


def frame(found: Forecasts) -> pd.DataFrame:
    """The rows for pandas."""
    names = {
        key: np.array(column.names)[column.codes]
        for key, column in (
            ("who", found.contestant),
            ("market", found.market),
            ("event", found.event),
            *found.labels.items(),
        )
    }
    return pd.DataFrame(
        {**names, "p": found.p, "o": found.outcome, "m": found.market_p, "at": found.at}
    )


def column(values: Sequence[float]) -> Floats:
    return np.array(values, dtype=np.float64)


def codes(values: Sequence[int]) -> Whole:
    return np.array(values, dtype=np.intp)
