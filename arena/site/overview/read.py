"""From a store to its overview."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from math import ceil
from typing import Final

import numpy as np

from arena.metrics.claims.adjusted_gain import ADJUSTED_GAIN, GAIN, adjusted_gains
from arena.metrics.claims.board_claims import board_claims
from arena.metrics.groups import GroupBoard, groups
from arena.metrics.insights.arms import designs_of
from arena.metrics.insights.leaks import memory_of
from arena.metrics.insights.report import Insights, insights
from arena.metrics.metric_values import lower_is_better, measure, terms
from arena.metrics.rank_sets import league
from arena.metrics.returns import risks
from arena.metrics.shadow import Sum, board
from arena.records.claim import Scope, Season
from arena.records.cohort import ContestantId, MarkRule
from arena.records.estimate import Estimate
from arena.records.grade import Standing
from arena.records.settings import Entrant
from arena.scoring.table import Factor, Floats, Forecasts
from arena.site.overview.profiles import (
    Standings,
    Times,
    bet_scores,
    calibrated,
    calibration_of_price,
    digests_of,
    effort_of,
    empty_scores,
    headline_of,
    moment_of,
    money_of,
    of_money,
    over_time,
    parts_of,
    place_of_price,
    placed,
    question_counts,
    questions_by,
    scores_of,
    values_of,
)
from arena.site.overview.records import (
    LEVEL,
    Basis,
    ContestantProfile,
    Flip,
    Overview,
    Part,
    Window,
    Worth,
)
from arena.stats.columns import compact, moment_codes
from arena.stats.comparisons.ranks import ranks
from arena.store import Store
from arena.store.codec import read_moment
from arena.store.pages.seat_pages import Change, SqliteWorth
from arena.store.scores.evidence import UNKNOWN, SqliteEvidence, with_outcomes, with_prices
from arena.store.scores.offered_markets import SqliteLines
from arena.store.tape.taped import with_ladders

SIZED: Final = timedelta(days=90)  # so that a longer history costs no more
DAILY: Final = 183  # newest days that are all kept
OLDER: Final = 217  # points that what is before them is thinned to
WEEK: Final = 7
MICRO: Final = 1_000_000


def days_of(store: Store, mark: MarkRule, until: datetime) -> Mapping[str, Sequence[Worth]]:
    """Every day of each contestant from its first cohort on, up to a moment.

    A seat whose cohort is complete keeps what it was worth last.

    Args:
        store: An open store.
        mark: The price that open positions are valued at.
        until: The last moment that counts.
    """
    changes_by_contestant: defaultdict[str, dict[date, Change]] = defaultdict(dict)
    for change in SqliteWorth(store.db).changes(mark, until):
        changes_by_contestant[change.contestant][change.day] = change
    last = until.astimezone(UTC).date()
    return {name: _path(changes, last) for name, changes in changes_by_contestant.items()}


def _path(changes: Mapping[date, Change], last: date) -> tuple[Worth, ...]:
    days, capital, realised, worth, unpriced = [], 0, 0, 0, 0
    first = min(changes)
    for day in (first + timedelta(days=n) for n in range((last - first).days + 1)):
        if change := changes.get(day):
            capital, realised = capital + change.capital, realised + change.realised
            worth, unpriced = worth + change.worth, unpriced + change.unpriced
        days.append(
            Worth(
                datetime.combine(day, time(), UTC),
                capital / MICRO,
                (capital + realised) / MICRO,
                None if unpriced else worth / MICRO,
            )
        )
    return tuple(days)


def fallen(days: Sequence[Worth]) -> tuple[Worth, ...]:
    """The same days, each with its drawdown from the best day before; a loss is below 0.

    A day's return is its worth over that of the day before and the capital that came in
    since, less one. Nothing can be said where more was lost than there was.
    """
    with_falls, path, best, had, began = [], 1.0, 1.0, 0.0, 0.0
    for day in days:
        base = had + day.capital - began
        if day.worth is None:
            with_falls.append(day)
            continue
        if base <= 0 or day.worth < 0:
            return tuple(days)
        path *= day.worth / base
        best = max(best, path)
        with_falls.append(replace(day, fall=path / best - 1))
        had, began = day.worth, day.capital
    return tuple(with_falls)


def thinned(days: Sequence[Worth]) -> tuple[Worth, ...]:
    """At most 400 days and the deepest: the newest half year, of what is older some weeks."""
    older = days[:-DAILY]
    step = WEEK * max(1, ceil(len(older) / (OLDER * WEEK)))
    kept = set(range(len(older) - 1, -1, -step))
    deepest = min(range(len(older)), key=lambda n: older[n].fall or 0.0, default=0)
    if older and older[deepest].fall:
        kept.add(deepest)
    return (*(older[n] for n in sorted(kept)), *days[-DAILY:])


def path_scores(days: Sequence[Worth]) -> Mapping[str, Estimate]:
    """Drawdown, volatility and the worst day of a whole path."""
    return risks([day.capital for day in days], [day.worth for day in days])


# Entries that move no estimate: prices that were read again, and what is done with.
STILL: Final = (
    "marked", "round closed", "completed", "reopened", "sealed", "restored", "adapter set",
)  # fmt: skip

_NEWEST = f"""
SELECT seq, digest, at FROM journal_entries WHERE kind NOT IN ({", ".join("?" * len(STILL))})
ORDER BY seq DESC LIMIT 1
"""  # noqa: S608  # our own words


@dataclass(frozen=True, slots=True)
class Newest:
    """The journal's last entry that moved an estimate; its digest stands for all before it."""

    seq: int
    digest: str
    at: datetime


def newest_change(store: Store) -> Newest | None:
    """Find the last entry that moved an estimate; None where there is none.

    It reads the journal from its end, and no further than the marks since that entry.
    """
    row = store.db.row(_NEWEST, *STILL)
    return Newest(row["seq"], row["digest"], read_moment(row["at"])) if row else None


def overview_key(store: Store) -> str:
    """A key that changes whenever an overview of the store might change.

    It changes with turns, trades, settlements, resolutions, what is taken back, and starts of
    rounds and cohorts; not with a poll or a mark. An overview stands as of that change.
    """
    change = newest_change(store)
    return f"{change.seq}:{change.digest}" if change else ""


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


MOST: Final = 25  # events
MOST_MARKETS: Final = 4  # of an event that are named


@dataclass(frozen=True, slots=True, eq=False)
class _SumsTable:
    """Sums and numbers of rows, (k, G) of contestants by events; smaller sums are better."""

    names: tuple[str, ...]
    sums: Floats
    counts: Floats


def flip(
    forecasts: Forecasts, headline: str, competing: Collection[ContestantId]
) -> Flip | None:
    """The fewest events that were found without which somebody else stood first.

    For each other contestant the event is dropped that helps it most, then the next, until it
    passes the first. Where all forecast the same questions no smaller set does it. What is
    found is worked out again from the rows that are left.

    Args:
        forecasts: What has come out.
        headline: A mean over rows, or "".
        competing: Who may stand first: no references.

    Returns:
        None where fewer than two of them have a value.
    """
    table = _table(forecasts, headline, competing)
    if len(table.names) <= 1:
        return None
    means = table.sums.sum(axis=1) / table.counts.sum(axis=1)
    leaders = np.flatnonzero(ranks(means) == 1).tolist()
    first = leaders[0]
    if len(leaders) > 1:
        return _found(table, first, leaders[1])
    fewest: list[int] | None = None
    for other in np.argsort(means, kind="stable").tolist():
        most = MOST if fewest is None else len(fewest) - 1
        if other != first and (dropped := _dropped(table, first, other, most)):
            fewest = dropped
    if fewest is None:
        return _found(table, first, None)
    left = ~np.isin(forecasts.event.codes, fewest)
    best = _best(forecasts.take(left), headline, table.names)
    names = forecasts.event.names
    return Flip(
        ContestantId(table.names[first]),
        ContestantId(best),
        tuple(names[e] for e in fewest),
        tuple(_markets(forecasts, e) for e in fewest),
    )


def _markets(forecasts: Forecasts, event: int) -> tuple[str, ...]:
    """The first markets of an event."""
    codes = np.unique(forecasts.market.codes[forecasts.event.codes == event]).tolist()
    return tuple(sorted(forecasts.market.names[code] for code in codes)[:MOST_MARKETS])


def _found(table: _SumsTable, first: int, instead: int | None) -> Flip:
    other = None if instead is None else ContestantId(table.names[instead])
    return Flip(ContestantId(table.names[first]), other, ())


def _table(forecasts: Forecasts, headline: str, competing: Collection[str]) -> _SumsTable:
    if not headline:
        return _SumsTable((), np.zeros((0, 0)), np.zeros((0, 0)))
    sign = 1.0 if lower_is_better(headline) else -1.0
    values = sign * terms(headline, forecasts)
    who, event = forecasts.contestant, forecasts.event
    rows = np.flatnonzero(~np.isnan(values))
    shape = (len(who.names), len(event.names))
    cell = who.codes[rows] * shape[1] + event.codes[rows]
    size = shape[0] * shape[1]
    counts = np.bincount(cell, minlength=size).reshape(shape).astype(np.float64)
    added = np.bincount(cell, values[rows], minlength=size).astype(np.float64, copy=False)
    sums = added.reshape(shape)
    kept = [
        code
        for code in np.argsort(np.array(who.names, dtype=np.str_)).tolist()
        if who.names[code] in competing and counts[code].any()
    ]
    return _SumsTable(tuple(who.names[code] for code in kept), sums[kept], counts[kept])


def _dropped(table: _SumsTable, first: int, other: int, most: int) -> list[int] | None:
    """Events without which one contestant passes the other; None if that takes too many."""
    rows = [first, other]
    sums, counts = table.sums[rows], table.counts[rows]
    total, number = sums.sum(axis=1, keepdims=True), counts.sum(axis=1, keepdims=True)
    gone: list[int] = []
    for _ in range(most):
        left = number - counts
        means = np.divide(total - sums, left, out=np.zeros_like(left), where=left > 0)
        ahead = np.where((left > 0).all(axis=0), means[0] - means[1], -np.inf)
        ahead[gone] = -np.inf
        event = int(np.argmax(ahead))
        if not np.isfinite(ahead[event]):
            return None
        gone.append(event)
        total, number = total - sums[:, [event]], number - counts[:, [event]]
        if ranks((total / number).ravel()).tolist() == [2, 1]:
            return gone
    return None


def _best(forecasts: Forecasts, headline: str, names: Sequence[str]) -> str:
    """Who ranks first by the mean of the headline; of equals, the first by name."""
    values = dict(
        zip(forecasts.contestant.names, measure((headline,), forecasts)[headline], strict=True)
    )
    means = {name: e.value for name in names if (e := values[name]).value is not None}
    column = np.array(list(means.values()), np.float64)
    order = ranks(column, higher_is_better=not lower_is_better(headline))
    return next(name for name, rank in zip(means, order.tolist(), strict=True) if rank == 1)


Cast = Mapping[ContestantId, Entrant]


def read_overview(
    store: Store, cast: Cast, season: Season | None = None, *, after_cutoff: bool = False
) -> Overview:
    """Work out everything that is estimated, from all of history, as the commands do.

    Args:
        store: An open store; it is only read.
        cast: Who plays: their providers and families, and who is a reference.
        season: The first season of the board; None for an endless one.
        after_cutoff: Whether only what was asked after a contestant's cut-off is read.
    """
    lines = {line.contestant: line for line in store.boards.overall().standings}
    newest = newest_change(store)
    if newest is None or not lines:
        return Overview()
    names = tuple(sorted(lines))
    forecasts = _forecasts(store, cast, after_cutoff=after_cutoff)
    headline = headline_of(forecasts)
    counted = _in_first_year(store, forecasts)
    came = _came(store, forecasts)
    references = frozenset(name for name in names if name in cast and cast[name].reference)
    scope = Scope(today_of(store), season, references)
    claims = board_claims(forecasts, headline, level=LEVEL, by_moment=True, scope=scope)
    coverage = coverage_of(forecasts)
    adjusted = adjusted_gains(forecasts, by_moment=True) if headline == GAIN else {}
    competing = [name for name in names if name not in references]
    uneven = bool(adjusted) and is_uneven(coverage, competing)
    values = adjusted if uneven else values_of(forecasts, headline)
    by_provider, by_family = _groups(counted, headline, references)
    enough = claims.basis.minimum.met
    left = claims.contest.ranks if claims.contest else {}
    standings = placed(names, values, left, headline, references, enough=enough)
    profiles = _profiles(store, lines, forecasts, (standings, newest.at))
    return replace(
        _basics(store, forecasts, headline, newest.at),
        ranked_by=ADJUSTED_GAIN if uneven else headline,
        as_of=_as_of(forecasts, came),
        profiles=_completed(profiles, coverage, adjusted, questions_by(forecasts, headline)),
        order=standings.order,
        tied=standings.tied,
        contest=claims.contest,
        league=league(forecasts, headline, level=LEVEL, by_moment=True)
        if claims.contest
        else None,
        ranks=over_time(names, forecasts, headline, came, references),
        flip=flip(forecasts, headline, competing),
        providers=by_provider,
        families=by_family,
        uncounted=len(forecasts) - len(counted),
        claims=claims.basis,
        against=claims.against,
        market_place=place_of_price(claims.against, standings, values, references),
        windows=windows_of(names, forecasts, headline, newest.at),
        insights=_insights(store, forecasts, references, cast),
    )


def _basics(store: Store, forecasts: Forecasts, headline: str, made_at: datetime) -> Overview:
    """What nobody is compared by: how much there is, and up to when."""
    return Overview(
        headline=headline,
        made_at=made_at,
        forecasts=len(forecasts),
        markets=forecasts.market.used(),
        events=forecasts.event.used(),
        basis=_basis(forecasts, headline),
        left_out=forecasts.left_out,
        market=calibration_of_price(forecasts),
        sizing=_sizing(store, made_at),
        entry=int(store.db.value("SELECT max(seq) FROM entry_index")),
        seen_at=store.db.value("SELECT max(at) FROM tape_polls") or "",
    )


def _forecasts(store: Store, cast: Cast, *, after_cutoff: bool) -> Forecasts:
    forecasts = with_prices(store.db, SqliteEvidence(store.db).forecasts(who=cast))
    return forecasts.after_cutoff() if after_cutoff else forecasts


def _insights(
    store: Store, forecasts: Forecasts, references: Collection[str], cast: Cast
) -> Insights:
    designs = designs_of(cast.values())
    return insights(with_ladders(store.db, forecasts), references, designs, level=LEVEL)


def _sizing(store: Store, until: datetime) -> Mapping[str, Mapping[str, Sum]]:
    """What the forecasts of the newest 90 days come to under each rule of stakes."""
    lines = SqliteLines(store.db)
    return board(lines.offered(until=until, since=until - SIZED), ()).sums


def today_of(store: Store) -> date:
    """The day of the newest reading or change; claims use what was known the day before."""
    moments = [
        read_moment(at)
        for table in ("tape_polls", "journal_entries")
        if (at := store.db.value(f"SELECT max(at) FROM {table}"))  # noqa: S608  our own words
    ]
    return max(moments, default=datetime.fromtimestamp(0, UTC)).date()


def _completed(
    profiles: Mapping[ContestantId, ContestantProfile],
    coverage: Mapping[str, float],
    adjusted: Mapping[str, Estimate],
    questions: Mapping[str, int],
) -> Mapping[ContestantId, ContestantProfile]:
    """Profiles with questions, shares of answers, and gains as if all answered everything."""
    return {
        name: replace(
            profile,
            coverage=coverage.get(name),
            questions=questions.get(name),
            scores={
                **profile.scores,
                **({ADJUSTED_GAIN: adjusted[name]} if name in adjusted else {}),
            },
        )
        for name, profile in profiles.items()
    }


def _basis(forecasts: Forecasts, headline: str) -> Basis:
    if not headline:
        return Basis()
    scored = forecasts.take(~np.isnan(terms(headline, forecasts)))
    return Basis(len(scored), scored.market.used(), scored.event.used())


def _came(store: Store, forecasts: Forecasts) -> Times:
    """When each forecast's market resolved."""
    resolved_at = SqliteEvidence(store.db).resolved_at()
    market = forecasts.market
    when = [
        resolved_at[name].replace(tzinfo=None) if name in resolved_at else None
        for name in market.names
    ]
    return np.array(when, dtype="datetime64[us]")[market.codes]


def _as_of(forecasts: Forecasts, came: Times) -> datetime | None:
    """The newest forecast, or the newest resolution of one."""
    waiting = forecasts.waiting
    columns = [forecasts.at, came] if waiting is None else [forecasts.at, waiting.at, came]
    every = np.concatenate([column.astype("datetime64[us]") for column in columns])
    return moment_of(every.max()) if every.size else None


_FIRST_YEAR: Final = "SELECT cohort FROM cohorts WHERE spec ->> '$.counts' = 'first_year'"


def _in_first_year(store: Store, forecasts: Forecasts) -> Forecasts:
    """Without what cohorts do not count for a provider: a model's later years."""
    limited = {row["cohort"] for row in store.db.rows(_FIRST_YEAR)}
    if forecasts.ledger is None or not limited:
        return forecasts
    cohort = forecasts.labels["cohort"]
    free = np.array([name not in limited for name in cohort.names], np.bool_)
    return forecasts.take(free[cohort.codes] | forecasts.ledger.in_first_year())


def _groups(
    forecasts: Forecasts, headline: str, references: Collection[str]
) -> list[GroupBoard | None]:
    """Providers and families that were named, at least two; references are in none."""
    who = forecasts.contestant
    competing = np.array([name not in references for name in who.names], np.bool_)
    boards: list[GroupBoard | None] = []
    for label in ("provider", "family"):
        column = forecasts.labels.get(label)
        if column is None or not headline:
            boards.append(None)
            continue
        named = np.array([name != UNKNOWN for name in column.names], np.bool_)
        rows = forecasts.take(np.flatnonzero(competing[who.codes] & named[column.codes]))
        boards.append(groups(rows, label, headline, level=LEVEL, by_moment=True))
    return boards


def _profiles(
    store: Store,
    lines: Mapping[ContestantId, Standing],
    forecasts: Forecasts,
    stands: tuple[Standings, datetime],
) -> Mapping[ContestantId, ContestantProfile]:
    """Everybody's profile, best place first."""
    standings, until = stands
    newest = store.boards.newest_spec()
    days = days_of(store, newest.rules.mark if newest else MarkRule.BID, until)
    category = {key: forecasts.labels[key] for key in ("category",) if key in forecasts.labels}
    bare = replace(forecasts, labels=category, waiting=None, prices=None)
    scores, curves, parts = scores_of(bare), calibrated(bare, lines), parts_of(forecasts)
    placed_bets, won = SqliteEvidence(store.db).bets()
    bets = bet_scores({s: with_outcomes(store.db, f) for s, f in placed_bets.items()}, won)
    money = money_of(SqliteLines(store.db).placed(until))
    digests = digests_of(bare, headline_of(forecasts))
    seconds = SqliteWorth(store.db).latencies()
    memory, empty = memory_of(forecasts, level=LEVEL), empty_scores(forecasts)
    return {
        name: ContestantProfile(
            contestant=name,
            place=standings.places[name],
            scores={
                **empty,
                **scores.get(name, {}),
                **(curves[name].scores if name in curves else {}),
                **bets.get(name, {}),
                **(of_money(money[name]) if name in money else {}),
                **path_scores(days[name]),
                **effort_of(lines[name], seconds.get(name)),
            },
            reliability=curves.get(name),
            parts=parts.get(name, {}),
            money=money[name].judged if name in money else None,
            closes=money[name].closes if name in money else (),
            days=thinned(fallen(days[name])),
            digests=digests.get(name, {}),
            memory=memory.get(name),
        )
        for name in standings.order
    }
