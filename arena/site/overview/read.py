"""From a store to its overview."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

import numpy as np

from arena.metrics.contest import Contest
from arena.metrics.daily import with_daily
from arena.metrics.groups import GroupBoard, groups
from arena.metrics.league import League, league
from arena.metrics.measures import terms
from arena.records.cohort import ContestantId, MarkRule
from arena.records.entrant import Entrant
from arena.records.grade import Standing
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
from arena.site.overview.records import LEVEL, Basis, Overview, Profile
from arena.site.overview.standings import (
    Standings,
    Times,
    headline_of,
    moment_of,
    over_time,
    standings,
)
from arena.store import Store
from arena.store.evidence import UNKNOWN, SqliteEvidence
from arena.store.lines import SqliteLines
from arena.store.worth import SqliteWorth

Cast = Mapping[ContestantId, Entrant]


def read_overview(store: Store, cast: Cast) -> Overview:
    """Work out everything that is estimated, from all of history.

    The numbers are those that `arena score`, `arena compare`, `arena calibration` and `arena
    shadow` give; what is resampled is so 500 times. The draws follow from names.

    Args:
        store: An open store; it is only read.
        cast: Who plays: their providers and families, and who is a reference.
    """
    lines = {line.contestant: line for line in store.boards.overall().standings}
    newest = newest_change(store)
    if newest is None or not lines:
        return Overview()
    names = tuple(sorted(lines))
    forecasts = SqliteEvidence(store.db).forecasts(who=_labels(cast))
    headline = headline_of(forecasts)
    came = _came(store, forecasts)
    found = standings(names, forecasts, headline)
    competing = [name for name in names if not (name in cast and cast[name].reference)]
    return Overview(
        headline=headline,
        as_of=_as_of(forecasts, came),
        made_at=newest.at,
        forecasts=len(forecasts),
        markets=forecasts.market.used(),
        events=forecasts.event.used(),
        basis=_basis(forecasts, headline),
        left_out=forecasts.left_out,
        profiles=_profiles(store, lines, forecasts, (found, newest.at)),
        order=found.order,
        tied=found.tied,
        contest=_daily(found.contest, forecasts),
        league=_league(forecasts, headline) if found.contest else None,
        market=calibration_of_price(forecasts),
        ranks=over_time(names, forecasts, headline, came),
        flip=flip(forecasts, headline, competing),
        providers=_groups(forecasts, "provider", headline),
        families=_groups(forecasts, "family", headline),
    )


def _labels(cast: Cast) -> Mapping[str, Mapping[str, str]]:
    """What forecasts are broken down by, as the commands have it."""
    return {
        name: {
            "agent": one.agent,
            "prompt": one.prompt,
            "provider": one.provider,
            "family": one.family,
            "model": one.model,
            "release": one.release,
        }
        for name, one in cast.items()
    }


def _basis(forecasts: Forecasts, headline: str) -> Basis:
    if not headline:
        return Basis()
    known = forecasts.take(~np.isnan(terms(headline, forecasts)))
    return Basis(len(known), known.market.used(), known.event.used())


def _came(store: Store, forecasts: Forecasts) -> Times:
    """When each forecast's market resolved."""
    known = SqliteEvidence(store.db).resolved_at()
    market = forecasts.market
    when = [
        known[name].replace(tzinfo=None) if name in known else None for name in market.names
    ]
    return np.array(when, dtype="datetime64[us]")[market.codes]


def _as_of(forecasts: Forecasts, came: Times) -> datetime | None:
    """The newest forecast, or the newest resolution of one."""
    waiting = forecasts.waiting
    told = [forecasts.at, came] if waiting is None else [forecasts.at, waiting.at, came]
    every = np.concatenate([column.astype("datetime64[us]") for column in told])
    return moment_of(every.max()) if every.size else None


def _daily(found: Contest | None, forecasts: Forecasts) -> Contest | None:
    """What the tests of all pairs say, also to those who look at the board every day."""
    return with_daily(found, forecasts, by_moment=True) if found else None


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
) -> Mapping[ContestantId, Profile]:
    """Everybody's profile, best place first."""
    found, until = stands
    newest = store.boards.newest_spec()
    days = days_of(store, newest.rules.mark if newest else MarkRule.BID, until)
    bare = replace(forecasts, labels={}, due=None, waiting=None)
    said, curves, parts = scores_of(bare), calibrated(bare, lines), parts_of(forecasts)
    bets = bet_scores(*SqliteEvidence(store.db).bets())
    money = money_of(SqliteLines(store.db).placed(until))
    digests = digests_of(bare, headline_of(forecasts))
    seconds = SqliteWorth(store.db).latencies()
    return {
        name: Profile(
            contestant=name,
            place=found.places[name],
            scores={
                **said.get(name, unscored(forecasts)),
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
        for name in found.order
    }
