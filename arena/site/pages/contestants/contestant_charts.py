"""What is estimated of one contestant, drawn: over time, by how sure it was, part by part."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Final, Protocol, TypeVar

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.metrics.shadow import Judged
from arena.records.settings import Entrant
from arena.scoring.bets.luck import QUANTILES
from arena.site.charts.axis import even
from arena.site.charts.reliability import reliability
from arena.site.charts.spans import spans, splits
from arena.site.charts.subjects import (
    Curve,
    Flag,
    LineWeight,
    Point,
    Scale,
    Span,
    Split,
    Words,
)
from arena.site.charts.timed import curves
from arena.site.estimates import count_cell, estimated, formula, p_words, scale_of
from arena.site.overview.records import ContestantProfile, Part, Worth
from arena.site.pages.parts import Cell, Fact, Field, Figure, Table
from arena.site.reading import LABEL, Reading
from arena.site.sanitize import one_line
from arena.stats import Edge
from arena.store.pages.cards import CohortCard
from arena.store.scores.evidence import UNKNOWN

MOMENTS: Final = 90  # of a curve: a year is drawn in steps of four days or five
WHOLE: Final = 30  # newest moments that it keeps, where the last days can be chosen
FALLS: Final = 45  # moments of the drawdown
RANGES: Final = (90, 30, 7)  # days
MOST_PARTS: Final = 12
PARTS: Final = (
    ("category", "By category"),
    ("horizon", "By time to the close"),
    ("price_band", "By the market's price"),
    ("venue", "By venue"),
)
PART_KEYS: Final = ("alpha", "brier", "brier_skill")
SPLIT: Final = (
    ("forecast", "pnl_forecast"),
    ("sizing", "pnl_sizing"),
    ("luck", "pnl_luck"),
    ("spread", "pnl_costs"),
    ("fees", "pnl_costs"),
)
# One contestant's interval, not corrected for how many there are: no claim that it has an edge.
_EDGES: Final = {
    Edge.GENUINE_EDGE: "its 95% interval is above 0",
    Edge.WEAK_EDGE: "its 90% interval is above 0",
    Edge.NO_EDGE: "not shown",
    Edge.INSUFFICIENT_DATA: "too few bets",
}


class _Timed(Protocol):
    @property
    def at(self) -> datetime: ...


T = TypeVar("T", bound=_Timed)


def thinned(series: Sequence[T], most: int) -> tuple[T, ...]:
    """At most `most` records of a time series, evenly spaced in time, with both ends."""
    kept = even([record.at for record in series], most)
    return tuple(record for record in series if record.at in kept)


def recent(things: Sequence[T], most: int = MOMENTS) -> tuple[T, ...]:
    """At most so many of a series: the newest whole, and of what is older so many evenly."""
    return (*thinned(things[:-WHOLE], most - WHOLE), *things[-WHOLE:])


def equity(
    profile: ContestantProfile, reading: Reading, cards: Iterable[CohortCard] = ()
) -> Figure | None:
    """Equity less capital over time, mark-to-market, above what was realised of it."""
    days = recent(profile.days)
    if len(days) < 2:  # noqa: PLR2004  # a line has two ends
        return None
    tone = reading.tone(profile.contestant)
    settled = tuple(Point(day.at, day.settled - day.capital) for day in days)
    lines = [
        Curve("Mark-to-market", _points(days), tone=tone),
        Curve("Realised", settled, LineWeight.QUIET),
        *_references(profile, reading),
    ]
    last = days[-1]
    words = Words(
        "equity",
        "Profit and loss",
        f"Equity of all cohorts, mark-to-market, less ${last.capital:,.0f} of opening capital "
        f"by {last.at:%Y-%m-%d}. Grey is what was realised, less fees.",
    )
    flags = (*_releases(reading.entrant(profile.contestant), days), *_changes(cards, days))
    return curves(words, lines, _dollars("P/L"), flags, ranges=RANGES)


def drawdown(profile: ContestantProfile, tone: int | None = None) -> Figure | None:
    """How far compounded daily returns stood below their best so far."""
    days = [day for day in profile.days if day.fall is not None]
    if len(days) < 2:  # noqa: PLR2004  # a line has two ends
        return None
    words = Words(
        "drawdown",
        "Drawdown",
        "The compounded daily returns, relative to their peak so far. New capital is neither "
        "gain nor loss. Days on which a position had no price are left out.",
    )
    deepest = min(days, key=lambda day: day.fall or 0.0)
    drawn = sorted({*thinned(days, FALLS), deepest}, key=lambda day: day.at)
    points = tuple(Point(day.at, day.fall) for day in drawn)
    scale = Scale("Below the best", lambda v: figures.percent(v, 1), high=0.0, base=0.0)
    return curves(words, [Curve("Drawdown", points, tone=tone)], scale)


def reliable(profile: ContestantProfile, tone: int | None = None) -> Figure | None:
    """The reliability diagram of all its resolved forecasts."""
    calibration = profile.reliability
    if calibration is None or not calibration.bins:
        return None
    few = " Too few to say much." if calibration.few else ""
    words = Words(
        "reliability",
        "Reliability",
        f"Share of YES by forecast: {figures.many(calibration.n, 'forecast')} of "
        f"{figures.many(calibration.events, 'event')}. A calibrated contestant's bins lie in "
        f"the band {figures.percent(calibration.level, 0)} of the time, each taken alone.{few}",
    )
    return reliability(words, calibration.bins, tone=tone or 0)


def parts_figure(label: str, title: str, parts: Sequence[Part], key: str) -> Figure | None:
    """A metric of each part of its forecasts, with its interval."""
    metric = METRICS[key]
    rows = [
        Span.of(_named(part), estimate)
        for part in parts[:MOST_PARTS]
        if (estimate := part.scores.get(key)) and estimate.value is not None
    ]
    if not rows:
        return None
    words = Words(
        f"by-{label.replace('_', '-')}",
        title,
        f"{metric.name}: {metric.better}. Whiskers are intervals over events.",
    )
    return spans(words, rows, scale_of(metric))


def parts_table(profile: ContestantProfile, root: str) -> Table | None:
    """Every score of every part of its forecasts."""
    labelled_parts = [
        (title.removeprefix("By "), part)
        for label, title in PARTS
        for part in profile.parts.get(label, ())[:MOST_PARTS]
    ]
    keys = [key for key in PART_KEYS if any(key in part.scores for _, part in labelled_parts)]
    if not labelled_parts or not keys:
        return None
    return Table(
        "Every score of every part",
        (
            Field("Part", "words"),
            Field("By", "one"),
            Field("Forecasts"),
            Field("Events"),
            *(Field(METRICS[key].short, "n", formula(key, root)) for key in keys),
        ),
        tuple(
            (
                Cell(_named(part)),
                Cell(label),
                count_cell(part.n),
                count_cell(part.events),
                *(estimated(key, part.scores.get(key), counted=True) for key in keys),
            )
            for label, part in labelled_parts
        ),
    )


def _named(part: Part) -> str:
    """What a part is called; what has no such label, or had no price, is not known."""
    return "not known" if part.name == UNKNOWN else one_line(part.name, LABEL)


def split_figure(name: str, money: Judged | None) -> Figure | None:
    """Where its profit and loss came from."""
    if money is None or not money.split.bets:
        return None
    parts = tuple((part, float(getattr(money.split, part))) for part, _ in SPLIT)
    words = Words(
        "split",
        "Where the P/L came from",
        f"{figures.many(money.split.bets, 'settled bet')}. Forecast is the gain from price "
        "moves up to the close. Sizing is the gain from larger stakes where prices moved more. "
        "Luck is the gain of the outcomes over the closing prices.",
    )
    return splits(words, [Split(name, parts, money.split.pnl)], _dollars("P/L"))


def luck_words(money: Judged | None) -> str:
    """What chance alone would have made of its bets, in a sentence."""
    if money is None or not money.bets:
        return "No bet has resolved yet."
    luck, shown = money.luck, METRICS["pnl_luck"].shown
    if luck.upper is None or not luck.markets:
        return "No bet has resolved yet."
    if not luck.sd:
        return "At the prices of the bets only one result was possible."
    return (
        f"The profit or loss of its bets on {figures.many(luck.markets, 'market')}, held to "
        f"the end, is {shown(luck.pnl)}. If the prices at the bets were right, the expected "
        f"value is {shown(luck.mean)} and the standard deviation is "
        f"{figures.dollars(Decimal(luck.sd), 0)}. The probability of a value at least as high "
        f"is then {p_words(luck.upper).replace('<', 'less than ')}."
    )


def luck_figure(money: Judged | None) -> Figure | None:
    """What bets made beside what chance alone would have made of them; None without chance."""
    if money is None or not money.luck.markets or not money.luck.sd:
        return None
    luck = money.luck
    low, high = sorted(luck.quantiles[QUANTILES.index(share)] for share in (0.025, 0.975))
    rows = [
        Span("chance alone", luck.mean, low, high, luck.markets, "", LineWeight.REFERENCE),
        Span("its bets", luck.pnl, None, None, luck.markets),
    ]
    words = Words(
        "luck",
        "Luck or skill",
        "P/L of its bets, held to the end. The whisker holds 95% of what chance alone gives "
        "if the prices at the bets were right. n counts markets, of "
        f"{figures.many(luck.events, 'event')}.",
    )
    return spans(words, rows, _dollars("P/L"))


def money_facts(money: Judged | None, root: str) -> tuple[Fact, ...]:
    """Closing line value of its bets and what follows from it."""
    if money is None or not money.bets:
        return ()
    n = f"{figures.many(money.bets, 'bet')}, {figures.many(money.events, 'event')}"
    without = money.bets - money.ev_clv.n
    if without:
        n += f"; {figures.count(without)} of these bets have no close and are not in it"
    facts = []
    for key in ("ev_clv", "clv", "sharpe_clv"):
        cell = estimated(key, getattr(money, key), counted=True)
        facts.append(Fact(METRICS[key].name, cell.text, _over(cell), formula(key, root)))
    facts.append(Fact("Edge at the close", _EDGES[money.label], n, formula("ev_clv", root)))
    evidence = METRICS["betting_e"]
    words = f"from {figures.many(money.remarked.steps, 'price move')}"
    facts.append(
        Fact(evidence.name, evidence.shown(money.remarked.e), words, formula("betting_e", root))
    )
    return tuple(facts)


def _over(cell: Cell) -> str:
    return ", ".join(
        words for words in (cell.between.text if cell.between else "", cell.note) if words
    )


def _points(days: Sequence[Worth]) -> tuple[Point, ...]:
    return tuple(
        Point(day.at, None if day.worth is None else day.worth - day.capital) for day in days
    )


def _references(profile: ContestantProfile, reading: Reading) -> list[Curve]:
    """Baselines that bet with as much capital, the best and the worst of them."""
    capital = profile.days[-1].capital
    baselines = [
        other
        for name in reading.overview.order
        if name != profile.contestant
        and reading.entrant(name).reference
        and (other := reading.profile(name)).money is not None
        and other.days
        and other.days[-1].capital == capital
    ]
    ends = baselines if len(baselines) < 3 else [baselines[0], baselines[-1]]  # noqa: PLR2004  # best, worst
    return [
        Curve(
            reading.label(baseline.contestant),
            _points(recent(baseline.days)),
            LineWeight.REFERENCE,
        )
        for baseline in ends
    ]


def _releases(who: Entrant, days: Sequence[Worth]) -> list[Flag]:
    """The release and retirement of its model, if they fall on days of the figure."""
    ends = who.retires_on.isoformat() if who.retires_on else ""
    flags = []
    for text, what in ((who.release, "released"), (ends, "retires")):
        at = _day(text)
        if at is not None and days[0].at <= at <= days[-1].at:
            flags.append(Flag(at, what))
    return flags


def _day(text: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError:
        return None


def _changes(cards: Iterable[CohortCard], days: Sequence[Worth]) -> list[Flag]:
    """When the rules of a cohort file differ from those of the cohort before."""
    digests: dict[str, str] = {}
    flags = []
    for card in sorted(cards, key=lambda card: card.number):
        name = card.spec.name
        changed = digests.get(name, card.digest) != card.digest
        if changed and days[0].at <= card.started_at <= days[-1].at:
            flags.append(Flag(card.started_at, f"new rules of {one_line(name, LABEL)}"))
        digests[name] = card.digest
    return flags


def _dollars(label: str) -> Scale:
    return Scale(label, METRICS["pnl_luck"].shown, base=0.0)
