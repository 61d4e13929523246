"""The progress of a cohort, and what its scores exclude."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.market import MarketId, Verdict
from arena.site.estimates import formula
from arena.site.pages.cohorts.seats import Played
from arena.site.pages.cohorts.view import Progress
from arena.site.pages.parts.parts import Cell, Kpi
from arena.site.reading import ruling_words
from arena.store.journal.books import Ruling
from arena.store.pages.cards import RoundCard

MOST_VOID: Final = 100


def verdicts(rulings: Mapping[MarketId, Ruling], offered: Sequence[MarketId]) -> Counter[str]:
    """How many of the markets are open, resolved and void."""
    counts: Counter[str] = Counter()
    for market in offered:
        ruling = rulings.get(market)
        if ruling is None or ruling.outcome is None:
            counts["open"] += 1
        elif ruling.outcome.verdict is Verdict.VOID:
            counts["void"] += 1
        else:
            counts["resolved"] += 1
    return counts


def kpis(played: Played, offered: Sequence[MarketId], root: str) -> tuple[Kpi, ...]:
    """The key numbers of a cohort."""
    lines, rules = played.board.standings, played.card.spec.rules
    ended = verdicts(played.rulings, offered)
    positions = sum(line.open for line in lines)
    breakdown = ", ".join(
        f"{figures.count(ended[name])} {name}" for name in ("open", "resolved", "void")
    )
    fills = sum(line.buys for line in lines)
    costs = [line.cost for line in lines if line.cost is not None]
    unknown = len(lines) - len(costs)
    cost = METRICS["cost"].shown(sum(costs)) if costs else "unknown"
    over = f"{figures.many(unknown, 'contestant')} without a known cost" if unknown else ""
    count = figures.count
    return (
        Kpi("Contestants", Cell(count(len(lines)), value=len(lines))),
        Kpi("Capital each", Cell(figures.dollars(rules.capital, 0), value=rules.capital)),
        Kpi("Markets offered", Cell(count(len(offered)), value=len(offered)), breakdown),
        Kpi("Fills", Cell(count(fills), value=fills)),
        Kpi(
            "Open positions",
            Cell(count(positions), value=positions),
            href=formula("open", root),
        ),
        Kpi(
            "Cost", Cell(cost, value=sum(costs) if costs else None), over, formula("cost", root)
        ),
    )


def progress(
    played: Played, rounds: Sequence[RoundCard], offered: Sequence[MarketId]
) -> tuple[Progress, ...]:
    """The progress of a cohort in rounds, markets and forecasts."""
    spec = played.card.spec
    due = max(-(-spec.decide_for // spec.decide_every), 1)
    closed = sum(card.closed for card in rounds)
    ended = verdicts(played.rulings, offered)
    done = ended["resolved"] + ended["void"]
    forecasts = [forecast for seat in played.said.values() for forecast in seat]
    scored = sum(forecast.n for forecast in forecasts if forecast.brier is not None)
    void = sum(
        forecast.n
        for forecast in forecasts
        if forecast.brier is None and _is_ruled(forecast.market, played)
    )
    total = sum(forecast.n for forecast in forecasts)
    words = f"{figures.count(scored)} of {figures.count(total)} scored"
    left = f", {figures.count(void)} excluded" if void else ""
    return (
        Progress("Rounds", closed, due, f"{closed} of {due} played"),
        Progress(
            "Markets",
            done,
            len(offered),
            f"{figures.count(done)} of {figures.count(len(offered))} have resolved",
        ),
        Progress("Forecasts", scored + void, total, words + left),
    )


def _is_ruled(market: MarketId, played: Played) -> bool:
    ruling = played.rulings.get(market)
    return ruling is not None and ruling.outcome is not None


def exclusions(played: Played, offered: Sequence[MarketId]) -> tuple[str, ...]:
    """What is excluded from scores, and why."""
    lines = played.board.standings
    sentences = []
    excluded = sum(line.excluded for line in lines)
    if excluded:
        what = figures.many(excluded, "fill or forecast", "fills and forecasts")
        sentences.append(f"{what} of markets that were void or paid a fraction.")
    void = [
        m
        for m in offered
        if (r := played.rulings.get(m)) and r.outcome and r.outcome.truth is None
    ]
    sentences += [
        f"{played.question(market)} ({ruling_words(played.rulings[market])})"
        for market in void[:MOST_VOID]
    ]
    failed = sum(line.turns_failed for line in lines)
    if failed:
        words = figures.many(failed, "turn")
        sentences.append(f"{words} could not be read: nothing was traded or scored in them.")
    refused = sum(line.refused for line in lines)
    if refused:
        sentences.append(f"{figures.many(refused, 'order')} broke the rules and did not trade.")
    return tuple(sentences)
