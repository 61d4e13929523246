"""What is estimated of each contestant, by itself, and the standings by the headline metric."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.metrics.calibration import KEYS, Reliability, reliability
from arena.metrics.claims.questions import MarketTests, questions_of
from arena.metrics.explain import row_digests
from arena.metrics.metric_values import ADJUSTED, computable, lower_is_better, measure, terms
from arena.metrics.returns import realised_return
from arena.metrics.scorecard import MOST_PARTS, ScorecardLine, broken_down, scorecard
from arena.metrics.shadow import OWN, Judged, OfferedMarket, PlayedBook, judged, play
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, State
from arena.records.grade import Standing
from arena.scoring.table import Factor, Flags, Floats, Forecasts
from arena.site.overview.records import LEVEL, Part, RankPlace, RanksAt
from arena.stats import EVENTS
from arena.stats.columns import moment_codes
from arena.stats.comparisons.ranks import ranks
from arena.stats.mean_intervals import growth_interval, interval
from arena.store.scores.evidence import BANDS, EDGES, FURTHER, HORIZONS, Saying

MOMENTS: Final = 16

Times = NDArray[np.datetime64]
Open = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Standings:
    """Everybody's place, best first, and who may be the leader."""

    places: Mapping[ContestantId, RankPlace]
    order: tuple[ContestantId, ...]
    tied: tuple[ContestantId, ...]


def headline_of(forecasts: Forecasts) -> str:
    """The metric of the ranks: alpha where a price is known, else Brier; "" of no forecast."""
    if not len(forecasts):
        return ""
    return "brier" if np.isnan(forecasts.market_p).all() else "alpha"


def values_of(forecasts: Forecasts, headline: str) -> Mapping[str, Estimate]:
    """The estimate of the headline metric of each contestant that has one, by name."""
    if not headline:
        return {}
    estimates = measure((headline,), forecasts)[headline]
    return dict(zip(forecasts.contestant.names, estimates, strict=True))


def questions_by(forecasts: Forecasts, headline: str) -> Mapping[str, int]:
    """How many questions the headline is the mean over, by name."""
    if not headline:
        return {}
    names = forecasts.contestant.names
    return dict(zip(names, question_counts(forecasts, headline), strict=True))


def question_counts(forecasts: Forecasts, headline: str) -> Sequence[int]:
    """How many questions the headline is the mean over, in the order of the contestants."""
    bare = replace(forecasts, labels={}, waiting=None, prices=None)
    scored = bare.take(~np.isnan(terms(headline, forecasts)))
    return [int(n) for n in questions_of(scored)]


def placed(  # noqa: PLR0913  who is ranked, by what, and whether at all
    names: Iterable[ContestantId],
    values: Mapping[str, Estimate],
    left: Open,
    headline: str,
    references: Collection[str] = (),
    *,
    enough: bool = True,
) -> Standings:
    """Places by value. Equal values share a place; a contestant without a value has none.

    References are ordered by their value and have no place. Who has no value comes last.

    Args:
        names: Everybody.
        values: Estimates of the headline metric, by name.
        left: The ranks that claims leave open; all of them where nothing is said.
        headline: The metric.
        references: Baselines.
        enough: Whether there is enough evidence to rank anyone.
    """
    everybody = sorted(names)
    known_values = {n: e.value for n, e in values.items() if e.value is not None}
    ranked = [name for name in everybody if name in known_values and name not in references]
    column = np.array([known_values[name] for name in ranked], np.float64)
    higher = bool(headline) and not lower_is_better(headline)
    order = ranks(column, higher_is_better=higher).tolist()
    places = {name: RankPlace(None, 1, max(1, len(ranked))) for name in everybody}
    for name, rank in zip(ranked if enough else (), order if enough else (), strict=True):
        low, high = left.get(name, (1, len(ranked)))
        places[name] = RankPlace(rank, min(low, rank), max(high, rank))
    sign = -1.0 if higher else 1.0
    best_first = sorted(
        everybody,
        key=lambda n: (
            sign * known_values[n] if n in known_values else np.inf,
            n in references,
            n,
        ),
    )
    tied = tuple(n for n in best_first if places[n].rank and places[n].low == 1)
    return Standings(places, tuple(best_first), tied)


def place_of_price(
    against: MarketTests | None,
    order: Standings,
    values: Mapping[str, Estimate],
    references: Collection[str],
) -> RankPlace | None:
    """Where the market's price stands among those who compete: its gain over itself is 0."""
    if against is None:
        return None
    competing = [n for n, place in order.places.items() if place.rank is not None]
    above = sum((values[name].value or 0.0) > 0 for name in competing)
    verdicts = [t.verdict for t in against.tests if t.contestant not in references]
    low = 1 + verdicts.count("better")
    high = 1 + len(competing) - verdicts.count("worse")
    return RankPlace(1 + above, min(low, 1 + above), max(high, 1 + above))


def over_time(
    names: Sequence[ContestantId],
    forecasts: Forecasts,
    headline: str,
    came: Times,
    references: Collection[str] = (),
) -> tuple[RanksAt, ...]:
    """Everybody's rank at up to 16 moments, each after a market resolved.

    It is by value alone: no pairs are tested again.

    Args:
        names: Everybody.
        forecasts: What has come out.
        headline: The metric.
        came: (n,) when each row's market resolved; the last is the last moment.
        references: Baselines.
    """
    if not len(forecasts):
        return ()
    times = np.unique(came)
    picked = np.unique(np.linspace(0, len(times) - 1, MOMENTS).round().astype(np.intp))
    values, who = terms(headline, forecasts), forecasts.contestant
    has_value = ~np.isnan(values)
    history = []
    for at in times[picked]:
        rows = has_value & (came <= at)
        n = np.bincount(who.codes[rows], minlength=len(who.names))
        sums = np.bincount(who.codes[rows], values[rows], minlength=len(who.names))
        means = {
            name: Estimate(float(sums[code] / n[code]), int(n[code]), 0)
            for code, name in enumerate(who.names)
            if n[code]
        }
        made = placed(names, means, {}, headline, references).places
        ranked = {name: _untested(place) for name, place in made.items()}
        history.append(RanksAt(moment_of(at), ranked))
    return tuple(history)


def _untested(place: RankPlace) -> RankPlace:
    return place if place.rank is None else RankPlace(place.rank, place.rank, place.rank)


def moment_of(at: np.datetime64) -> datetime:
    """A moment of a numpy column, in UTC."""
    moment: datetime = at.astype("datetime64[us]").item()
    return moment.replace(tzinfo=UTC)


DRAWS: Final = 500  # of the intervals of what is no mean; each interval says how many
LABELS: Final = ("category", "horizon", "price_band", "venue")
OF_PARTS: Final = ("alpha", "brier")
PRICE: Final = "the market's price"
SCALE: Final = {name: n for n, name in enumerate((*(name for _, name in HORIZONS), FURTHER))}

OF_BETS: Final = (Saying.STATED, Saying.KELLY, Saying.LINEAR)
NOTHING: Final = Estimate(None, 0, 0, state=State.EMPTY)

Scores = dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class Money:
    """The evidence behind a contestant's own bets, and their profit so far."""

    judged: Judged
    realised: Estimate
    closes: tuple[Part, ...] = ()


def scores_of(forecasts: Forecasts) -> Mapping[str, Scores]:
    """Every score of forecasts that has one, by contestant, as `arena score` gives them.

    What `arena calibration` gives intervals to is without them here.
    """
    if not len(forecasts):
        return {}
    keys = [key for key in _keys(forecasts) if key == "brier" or key not in KEYS]
    overall = scorecard(forecasts, keys, rank_by="brier", level=LEVEL, draws=DRAWS)
    return {
        line.name: {**line.scores, "forecast": line.scores["brier"]} for line in overall.lines
    }


def empty_scores(forecasts: Forecasts) -> Scores:
    """The scores of a contestant without a resolved forecast and without a bet."""
    of_bets = (saying.value for saying in OF_BETS)
    money = ("win_rate", "ev_clv", "clv", "sharpe_clv", "realised_return")
    return dict.fromkeys((*_keys(forecasts), "forecast", *of_bets, *money), NOTHING)


def _keys(forecasts: Forecasts) -> Sequence[str]:
    """Every score of forecasts but the one that a model of all questions makes."""
    return [key for key in computable(forecasts) if key != ADJUSTED]


def calibrated(forecasts: Forecasts, names: Iterable[str]) -> Mapping[str, Reliability]:
    """The calibration of those who have a forecast, as `arena calibration` gives it."""
    who = forecasts.contestant
    there = {who.names[code] for code in np.unique(who.codes).tolist()}
    return {
        name: reliability(forecasts, name, level=LEVEL, draws=DRAWS)
        for name in names
        if name in there
    }


def calibration_of_price(forecasts: Forecasts) -> Reliability | None:
    """The calibration of the market's price, once for each market and moment forecast."""
    priced = np.flatnonzero(~np.isnan(forecasts.market_p))
    moment = moment_codes(forecasts.at[priced])
    width = int(moment.max(initial=0)) + 1
    _, first = np.unique(forecasts.market.codes[priced] * width + moment, return_index=True)
    rows = priced[np.sort(first)]
    if not len(rows):
        return None
    questions = forecasts.take(rows)
    nobody = Factor((PRICE,), np.zeros(len(rows), dtype=np.intp))
    price_forecasts = replace(questions, contestant=nobody, p=questions.market_p)
    return reliability(price_forecasts, PRICE, level=LEVEL, draws=DRAWS)


def parts_of(forecasts: Forecasts) -> Mapping[str, Mapping[str, tuple[Part, ...]]]:
    """Each contestant's parts by label; a label of too many values is left out."""
    parts: dict[str, dict[str, tuple[Part, ...]]] = {}
    if not len(forecasts):
        return parts
    overall = scorecard(forecasts, OF_PARTS, level=LEVEL)
    for label in LABELS:
        if forecasts.labels[label].used() > MOST_PARTS:
            continue
        lines: dict[str, list[ScorecardLine]] = {}
        labels = {key: forecasts.labels[key] for key in (label, "category")}
        bare = replace(forecasts, labels=labels, waiting=None, prices=None)
        for line in broken_down(bare, overall, OF_PARTS, label).lines:
            lines.setdefault(line.name, []).append(line)
        for name, own_lines in lines.items():
            own_lines.sort(key=lambda line: (SCALE.get(line.part, len(SCALE)), line.part))
            parts.setdefault(name, {})[label] = tuple(
                Part(line.part, line.n, line.events, line.scores, line.questions)
                for line in own_lines
            )
    return parts


def bet_scores(bets: Mapping[Saying, Forecasts], won: Flags) -> Mapping[str, Scores]:
    """Brier scores of bets by each mapping, and the win rate, with intervals over events."""
    scores: dict[str, Scores] = {}
    for saying, forecasts in bets.items():
        values = measure(("brier",), forecasts, level=LEVEL)["brier"]
        for name, estimate in zip(forecasts.contestant.names, values, strict=True):
            scores.setdefault(name, {})[saying.value] = estimate
    every = bets[Saying.KELLY]
    event = every.event.in_order()
    for code, name in enumerate(every.contestant.names):
        own = every.contestant.codes == code
        _, codes = np.unique(event.codes[own], return_inverse=True)
        rate = interval(won[own].astype(np.float64), codes, LEVEL)
        scores[name]["win_rate"] = rate.within(0.0, 1.0)
    return scores


def money_of(offered: OfferedMarket) -> Mapping[str, Money]:
    """The evidence behind the bets of each contestant that bet, as `arena shadow` gives it.

    Lines without a bet are not read, so they do not count as passed.
    """
    money: dict[str, Money] = {}
    for name in offered.capital:
        played = play(offered, name, OWN)
        if played is not None:
            own = replace(judged(played, offered, level=LEVEL), passed={})
            money[name] = Money(own, realised_return(played, LEVEL), closes_of(played))
    return money


def closes_of(played: PlayedBook) -> tuple[Part, ...]:
    """Expected value at the close of the bets that have one, by the price paid a share.

    Below as many events as an edge label needs there is no interval: TOO_FEW.
    """
    book, lines = played.book, played.lines
    closed = book.closing_lines(lines)
    events = lines.event[book.rows][closed.rows]
    bands = np.searchsorted(EDGES, book.price[closed.rows], side="right")
    parts = []
    for n, name in enumerate(BANDS):
        own = bands == n
        if own.any():
            ev = growth_interval(closed.ev[own], events[own], LEVEL)
            if ev.events < EVENTS:
                ev = replace(ev, interval=None, se=None, state=State.TOO_FEW)
            parts.append(Part(name, ev.n, ev.events, {"ev_clv": ev}))
    return tuple(parts)


def of_money(money: Money) -> Scores:
    """The estimates about a contestant's own bets."""
    own = money.judged
    return {
        "ev_clv": own.ev_clv,
        "clv": own.clv,
        "sharpe_clv": own.sharpe_clv,
        "realised_return": money.realised,
    }


def effort_of(line: Standing, seconds: Floats | None) -> Scores:
    """The cost of a contestant's answers: dollars a resolved forecast, and seconds."""
    n = line.forecast.n
    cost = Estimate(None, n, 0, state=State.NOT_ESTIMABLE if n else State.EMPTY)
    if n and line.cost is not None:
        cost = Estimate(float(line.cost) / n, n, 0)
    waited = (
        NOTHING if seconds is None else Estimate(float(np.median(seconds)), len(seconds), 0)
    )
    return {"cost_per_forecast": cost, "latency": waited}


def digests_of(forecasts: Forecasts, headline: str) -> Mapping[str, Mapping[str, str]]:
    """Digests of the rows behind each contestant's headline and Brier score, by metric."""
    if not headline:
        return {}
    factor, keys = forecasts.contestant, dict.fromkeys((headline, "brier"))
    there = [factor.names[code] for code in np.unique(factor.codes).tolist()]
    return {name: row_digests(forecasts, name, keys) for name in there}
