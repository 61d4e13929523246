"""From a store to its overview."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

import numpy as np

from arena.metrics.arms import designs_of
from arena.metrics.bets.shadow import Sum, board
from arena.metrics.claims.adjusted_gain import ADJUSTED_GAIN, GAIN, adjusted_gains
from arena.metrics.claims.board_claims import BoardClaims, board_claims
from arena.metrics.comparisons.groups import GroupBoard, groups
from arena.metrics.comparisons.rank_sets import League, league
from arena.metrics.insights import Insights, insights
from arena.metrics.metric_values import terms
from arena.records.claim import Scope, Season
from arena.records.cohort import ContestantId, MarkRule
from arena.records.estimate import Estimate
from arena.records.grade import Standing
from arena.records.settings import Entrant
from arena.scoring.table import Forecasts
from arena.site.overview.days import days_of, fallen, path_scores, thinned
from arena.site.overview.flips import flip
from arena.site.overview.newest import newest_change
from arena.site.overview.profiles import (
    bet_scores,
    calibrated,
    calibration_of_price,
    digests_of,
    effort_of,
    money_of,
    of_money,
    parts_of,
    scores_of,
    unbet,
    unscored,
)
from arena.site.overview.records import LEVEL, Basis, ContestantProfile, Overview
from arena.site.overview.standings import (
    Standings,
    Times,
    headline_of,
    moment_of,
    over_time,
    place_of_price,
    placed,
    questions_by,
    values_of,
)
from arena.site.overview.windows import coverage_of, is_uneven, windows_of
from arena.store import Store
from arena.store.codec import read_moment
from arena.store.scores.daily_values import SqliteWorth
from arena.store.scores.evidence import UNKNOWN, SqliteEvidence
from arena.store.scores.offered_markets import SqliteLines
from arena.store.tape.daily_prices import with_outcomes, with_prices
from arena.store.tape.ladders import with_ladders

SIZED: Final = timedelta(days=90)  # so that a longer history costs no more
Cast = Mapping[ContestantId, Entrant]


def read_overview(store: Store, cast: Cast, season: Season | None = None) -> Overview:
    """Work out everything that is estimated, from all of history.

    The numbers are those of the commands; what is resampled is so 500 times, by names.

    Args:
        store: An open store; it is only read.
        cast: Who plays: their providers and families, and who is a reference.
        season: The first season of the board; None for an endless one.
    """
    lines = {line.contestant: line for line in store.boards.overall().standings}
    newest = newest_change(store)
    if newest is None or not lines:
        return Overview()
    names = tuple(sorted(lines))
    forecasts = with_prices(store.db, SqliteEvidence(store.db).forecasts(who=_labels(cast)))
    headline = headline_of(forecasts)
    came = _came(store, forecasts)
    references = frozenset(name for name in names if name in cast and cast[name].reference)
    scope = Scope(today_of(store), season, references)
    claims = board_claims(forecasts, headline, level=LEVEL, by_moment=True, scope=scope)
    coverage = coverage_of(forecasts)
    adjusted = adjusted_gains(forecasts, by_moment=True) if headline == GAIN else {}
    competing = [name for name in names if name not in references]
    uneven = bool(adjusted) and is_uneven(coverage, competing)
    values = adjusted if uneven else values_of(forecasts, headline)
    enough = claims.basis.minimum.met
    standings = placed(names, values, _ranks(claims), headline, references, enough=enough)
    return Overview(
        headline=headline,
        ranked_by=ADJUSTED_GAIN if uneven else headline,
        as_of=_as_of(forecasts, came),
        made_at=newest.at,
        forecasts=len(forecasts),
        markets=forecasts.market.used(),
        events=forecasts.event.used(),
        basis=_basis(forecasts, headline),
        left_out=forecasts.left_out,
        profiles=_completed(
            _profiles(store, lines, forecasts, (standings, newest.at)),
            coverage,
            adjusted,
            questions_by(forecasts, headline),
        ),
        order=standings.order,
        tied=standings.tied,
        contest=claims.contest,
        league=_league(forecasts, headline) if claims.contest else None,
        market=calibration_of_price(forecasts),
        ranks=over_time(names, forecasts, headline, came, references),
        flip=flip(forecasts, headline, competing),
        providers=_groups(forecasts, "provider", headline),
        families=_groups(forecasts, "family", headline),
        claims=claims.basis,
        against=claims.against,
        market_place=place_of_price(claims.against, standings, values, references),
        windows=windows_of(names, forecasts, headline, newest.at),
        insights=_insights(store, forecasts, references, cast),
        sizing=_sizing(store, newest.at),
    )


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


def _ranks(claims: BoardClaims) -> Mapping[str, tuple[int, int]]:
    return claims.contest.ranks if claims.contest else {}


def _labels(cast: Cast) -> Mapping[str, Mapping[str, str]]:
    """The labels that forecasts are broken down by, the same as in the commands."""
    return {
        name: {
            "agent": entrant.agent,
            "prompt": entrant.prompt,
            "provider": entrant.provider,
            "family": entrant.family,
            "model": entrant.model,
            "release": entrant.release,
        }
        for name, entrant in cast.items()
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


def _league(forecasts: Forecasts, headline: str) -> League:
    return league(forecasts, headline, level=LEVEL, by_moment=True)


def _groups(forecasts: Forecasts, label: str, headline: str) -> GroupBoard | None:
    """Groups of a label of which at least two were named."""
    column = forecasts.labels.get(label)
    if column is None or not headline:
        return None
    named = {column.names[code] for code in np.unique(column.codes).tolist()} - {UNKNOWN}
    if len(named) <= 1:
        return None
    return groups(forecasts, label, headline, level=LEVEL, by_moment=True)


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
    return {
        name: ContestantProfile(
            contestant=name,
            place=standings.places[name],
            scores={
                **scores.get(name, unscored(forecasts)),
                **(curves[name].scores if name in curves else {}),
                **bets.get(name, unbet()),
                **of_money(money.get(name)),
                **path_scores(days[name]),
                **effort_of(lines[name], seconds.get(name)),
            },
            reliability=curves.get(name),
            parts=parts.get(name, {}),
            money=money[name].judged if name in money else None,
            closes=money[name].closes if name in money else (),
            days=thinned(fallen(days[name])),
            digests=digests.get(name, {}),
        )
        for name in standings.order
    }
