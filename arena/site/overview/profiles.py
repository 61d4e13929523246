"""What is estimated of each contestant, by itself: scores, calibration, parts, money."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.metrics.bets.offered import OfferedMarket
from arena.metrics.bets.returns import realised_return
from arena.metrics.bets.shadow import OWN, Judged, PlayedBook, judged, play
from arena.metrics.calibration import KEYS, Reliability, reliability
from arena.metrics.explain import row_digests
from arena.metrics.metric_values import ADJUSTED, computable, measure
from arena.metrics.scorecard import MOST_PARTS, ScorecardLine, broken_down, scorecard
from arena.records.estimate import Estimate, State
from arena.records.grade import Standing
from arena.scoring.table import Factor, Flags, Floats, Forecasts
from arena.site.overview.records import LEVEL, Part
from arena.stats.columns import moment_codes
from arena.stats.labels import EVENTS
from arena.stats.losses import growth_interval
from arena.stats.regression.clusters import interval
from arena.store.scores.evidence import BANDS, EDGES, FURTHER, HORIZONS, Saying

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


def unscored(forecasts: Forecasts) -> Scores:
    """The scores of a contestant without a resolved forecast."""
    return dict.fromkeys((*_keys(forecasts), "forecast"), NOTHING)


def _keys(forecasts: Forecasts) -> Sequence[str]:
    """Every score of forecasts but the one that a model of all questions makes."""
    return [key for key in computable(forecasts) if key != ADJUSTED]


def unbet() -> Scores:
    """The bet scores of a contestant without a resolved bet."""
    return dict.fromkeys((*(saying.value for saying in OF_BETS), "win_rate"), NOTHING)


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


def of_money(money: Money | None) -> Scores:
    """The estimates about a contestant's own bets; EMPTY without any bet."""
    if money is None:
        return dict.fromkeys(("ev_clv", "clv", "sharpe_clv", "realised_return"), NOTHING)
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
