"""Parts of the board that may be chosen instead of all of it, and who answered how much."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

import numpy as np

from arena.metrics.metric_values import LEVEL, lower_is_better, measure
from arena.records.cohort import ContestantId
from arena.scoring.table import Factor, Forecasts
from arena.site.overview.records import Part, Window
from arena.site.overview.standings import question_counts
from arena.stats.columns import compact, moment_codes
from arena.store.scores.evidence import UNKNOWN

DAYS: Final = (90, 30)
CATEGORIES: Final = 12  # the largest of them
Line = tuple[int, Part | None]

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
    windows = (
        *_recent(names, forecasts, headline, until),
        *_categories(names, forecasts, headline),
    )
    return tuple(window for window in windows if window.order)


def _recent(
    names: Collection[ContestantId], forecasts: Forecasts, headline: str, until: datetime
) -> Iterator[Window]:
    first = forecasts.at.astype("datetime64[D]").min()
    for days in DAYS:
        since = until.date() - timedelta(days=days)
        if np.datetime64(since) > first:
            part = forecasts.take(forecasts.at >= np.datetime64(since))
            lines = _lines(names, part, headline, part.contestant)
            size = (part.market.used(), part.event.used())
            yield _window((f"{days}-days", f"{days} days", since), headline, size, lines)


def _categories(
    names: Collection[ContestantId], forecasts: Forecasts, headline: str
) -> Iterator[Window]:
    """The largest categories; all of them are scored at once."""
    category, who = forecasts.labels["category"], forecasts.contestant
    counts = np.bincount(category.codes, minlength=len(category.names))
    largest = [code for code in np.argsort(-counts, kind="stable").tolist() if counts[code]]
    named = [code for code in largest if category.names[code] != UNKNOWN][:CATEGORIES]
    if len(named) <= 1:
        return
    width = len(who.names)
    cells = Factor(who.names * len(category.names), category.codes * width + who.codes)
    lines = _lines(names, forecasts, headline, cells)
    for code in named:
        name, rows = category.names[code], category.codes == code
        size = (forecasts.market.take(rows).used(), forecasts.event.take(rows).used())
        own = lines[code * width : (code + 1) * width]
        yield _window((f"category-{name}", name, None), headline, size, own)


def _lines(
    names: Collection[ContestantId], forecasts: Forecasts, headline: str, groups: Factor
) -> list[Line]:
    """Each group's rows, and its headline and Brier score; no part where it has no headline."""
    keys = tuple(dict.fromkeys((headline, "brier")))
    estimates = measure(keys, forecasts, by=groups, level=LEVEL)
    counts = np.bincount(groups.codes, minlength=len(groups.names)).tolist()
    questions = question_counts(replace(forecasts, contestant=groups), headline)
    lines: list[Line] = []
    for code, name in enumerate(groups.names):
        scores = {key: estimates[key][code] for key in keys}
        value = scores[headline]
        part = Part(name, value.n, value.events, scores, questions[code])
        known = value.value is not None and name in names
        lines.append((counts[code], part if known else None))
    return lines


def _window(
    description: tuple[str, str, date | None],
    headline: str,
    size: tuple[int, int],
    lines: Sequence[Line],
) -> Window:
    """A window of so many markets and events."""
    parts = {ContestantId(part.name): part for _, part in lines if part}
    sign = 1.0 if lower_is_better(headline) else -1.0
    order = sorted(
        parts, key=lambda who: (sign * (parts[who].scores[headline].value or 0.0), who)
    )
    key, label, since = description
    return Window(
        key=key,
        label=label,
        since=since,
        forecasts=sum(n for n, _ in lines),
        markets=size[0],
        events=size[1],
        order=tuple(order),
        lines=parts,
    )


def coverage_of(forecasts: Forecasts) -> Mapping[str, float]:
    """The share of the questions of its cohorts that each contestant answered.

    A question is a market at a moment in a cohort, of what has resolved.
    """
    if not len(forecasts):
        return {}
    cohort = forecasts.labels["cohort"]
    moment = moment_codes(forecasts.at)
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
