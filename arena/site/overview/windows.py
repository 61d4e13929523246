"""Parts of the board that may be chosen instead of all of it, and who answered how much."""

from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Final

import numpy as np

from arena.metrics.metric_values import LEVEL, lower_is_better, measure
from arena.records.cohort import ContestantId
from arena.scoring.table import Forecasts
from arena.site.overview.records import Part, Window
from arena.site.overview.standings import questions_by
from arena.stats.columns import compact
from arena.store.scores.evidence import UNKNOWN

DAYS: Final = (90, 30)
CATEGORIES: Final = 12  # the largest of them
UNEVEN: Final = 0.05  # of shares of answers: from there on who answered what decides the order


def windows_of(
    names: Collection[ContestantId], forecasts: Forecasts, headline: str, until: datetime
) -> tuple[Window, ...]:
    """The last 90 and 30 days by when forecasts were made, and the largest categories.

    A length of time that would hold everything is left out, and so is a single category.

    Args:
        names: Everybody.
        forecasts: What has resolved.
        headline: The metric of the ranks; there is no window by "".
        until: The last moment.
    """
    if not headline or not len(forecasts):
        return ()
    windows = [
        _window(names, part, headline, (key, label, since))
        for part, key, label, since in _parts(forecasts, until)
    ]
    return tuple(window for window in windows if window.order)


def _parts(
    forecasts: Forecasts, until: datetime
) -> Iterator[tuple[Forecasts, str, str, date | None]]:
    first = forecasts.at.astype("datetime64[D]").min()
    for days in DAYS:
        since = until.date() - timedelta(days=days)
        if np.datetime64(since) > first:
            recent = forecasts.at >= np.datetime64(since)
            yield forecasts.take(recent), f"{days}-days", f"{days} days", since
    category = forecasts.labels["category"]
    counts = np.bincount(category.codes, minlength=len(category.names))
    largest = [code for code in np.argsort(-counts, kind="stable").tolist() if counts[code]]
    named = [code for code in largest if category.names[code] != UNKNOWN][:CATEGORIES]
    for code in named if len(named) > 1 else ():
        name = category.names[code]
        yield forecasts.take(category.codes == code), f"category-{name}", name, None


def _window(
    names: Collection[ContestantId],
    part: Forecasts,
    headline: str,
    description: tuple[str, str, date | None],
) -> Window:
    keys = tuple(dict.fromkeys((headline, "brier")))
    estimates = measure(keys, part, level=LEVEL)
    question_counts = questions_by(part, headline)
    lines: dict[ContestantId, Part] = {}
    for code, name in enumerate(part.contestant.names):
        scores = {key: estimates[key][code] for key in keys}
        value = scores[headline]
        if value.value is not None and name in names:
            who = ContestantId(name)
            lines[who] = Part(name, value.n, value.events, scores, question_counts[name])
    sign = 1.0 if lower_is_better(headline) else -1.0
    order = sorted(
        lines, key=lambda who: (sign * (lines[who].scores[headline].value or 0.0), who)
    )
    key, label, since = description
    return Window(
        key=key,
        label=label,
        since=since,
        forecasts=len(part),
        markets=part.market.used(),
        events=part.event.used(),
        order=tuple(order),
        lines=lines,
    )


def coverage_of(forecasts: Forecasts) -> Mapping[str, float]:
    """The share of the questions of its cohorts that each contestant answered.

    A question is a market at a moment in a cohort, of what has resolved.
    """
    if not len(forecasts):
        return {}
    cohort = forecasts.labels["cohort"]
    moment = np.unique(forecasts.at, return_inverse=True)[1]
    width, markets = int(moment.max()) + 1, len(forecasts.market.names)
    cell = (cohort.codes * markets + forecasts.market.codes) * width + moment
    question, place = compact(cell)
    of_cohort = np.bincount(question // (markets * width), minlength=len(cohort.names))
    who = forecasts.contestant
    shares: dict[str, float] = {}
    for code, name in enumerate(who.names):
        own = who.codes == code
        questions = int(of_cohort[np.unique(cohort.codes[own])].sum())
        if questions:
            shares[name] = len(np.unique(place[own])) / questions
    return shares


def is_uneven(coverage: Mapping[str, float], competing: Collection[str]) -> bool:
    """Whether coverage differs so much between competitors that it may change the order."""
    shares = [share for name, share in coverage.items() if name in competing]
    return max(shares, default=0.0) - min(shares, default=0.0) > UNEVEN
