"""What the page of insights shows, as cards: drift, errors, prices, arms, copies and stakes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.metrics import figures
from arena.metrics.insights.arms import ArmPair
from arena.metrics.insights.drift import ProbeDrift, drifts, wealth_words
from arena.metrics.registry import METRICS
from arena.metrics.shadow import Sum
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate
from arena.scoring.bets.shadow import POLICIES
from arena.site import places
from arena.site.charts.spans import spans
from arena.site.charts.subjects import Curve, Flag, LineWeight, Point, Scale, Span, Tile, Words
from arena.site.charts.tiles import tiles
from arena.site.charts.timed import curves
from arena.site.estimates import Versus, claims_of, count_cell, estimated, formula, metric_cell
from arena.site.pages.compare.compare import pair_row
from arena.site.pages.contestants.holdings import linked
from arena.site.pages.leaderboard.leaderboard import TAGS
from arena.site.pages.parts import Cell, Fact, Field, Figure, Head, Link, Table
from arena.site.reading import LABEL, Reading
from arena.site.sanitize import one_line


@dataclass(frozen=True, slots=True)
class InsightCard:
    """One insight: what it shows, how it is read, its picture and its values.

    `values` are of all contestants together. `missing` says why there is nothing to show.
    `more` are the rows that only the twin has room for, and `note` says so.
    """

    key: str
    title: str
    shows: str
    reading: str
    figure: Figure | None = None
    table: Table | None = None
    values: Table | None = None
    more: Table | None = None
    note: str = ""
    missing: str = ""


@dataclass(frozen=True, slots=True)
class InsightsPage:
    """templates/site/insights.html. `contents` lead to the cards."""

    head: Head
    lead: str
    level: str
    facts: tuple[Fact, ...]
    contents: tuple[Link, ...]
    cards: tuple[InsightCard, ...]


MOST_ROWS: Final = 10  # of a card's table and picture; the twin has all
MOST_TILES: Final = 7  # contestants whose errors are shown pair by pair
PERSON: Final = TAGS["submitted"]
TENFOLD: Final = 9.0  # a return
_ITSELF: Final = "\N{EN DASH}"
_DRAWN: Final = ("flat", "kelly_quarter", "crra_1", "edge_proportional")
_RULES: Final = {
    "flat": "Flat stake",
    "kelly_quarter": "Quarter Kelly",
    "edge_proportional": "Proportional to edge",
}
_SPLIT: Final = ("pnl_forecast", "pnl_sizing", "pnl_luck", "pnl_costs")


def with_table(card: InsightCard, table: Table) -> InsightCard:
    """A card with the first rows of its values, and the others for the twin."""
    first, rest = table.rows[:MOST_ROWS], table.rows[MOST_ROWS:]
    note = f"The first {MOST_ROWS} of {figures.count(len(table.rows))}; the JSON file has all."
    return replace(
        card,
        table=replace(table, rows=first),
        more=replace(table, rows=rest) if rest else None,
        note=note if rest else "",
    )


def independence(reading: Reading) -> InsightCard:
    """How the errors of each pair go together, and how many forecasters that leaves."""
    insights = reading.overview.insights
    card = InsightCard(
        "independence",
        "Do contestants err together?",
        "The correlation of two contestants' errors over the questions that both answered.",
        "Every error contains the chance of the outcome, so even the errors of perfect "
        "forecasters are correlated. An average reduces only the rest.",
        missing="It takes two contestants, without baselines, that forecast the same markets.",
    )
    pairs = {
        frozenset((ContestantId(pair.a), ContestantId(pair.b))): pair.correlation
        for pair in insights.pairs
    }
    mean = insights.values["error_correlation"].value if insights.values else None
    if mean is None:
        return card
    named = reading.in_order({name for pair in pairs for name in pair})[:MOST_TILES]
    shown = METRICS["error_correlation"].shown
    squares = [
        Tile(f"{n}. {reading.label(a)}", str(m), value, shown(value) if a != b else _ITSELF)
        for n, a in enumerate(named, 1)
        for m, b in enumerate(named, 1)
        for value in (pairs.get(frozenset((a, b))),)
    ]
    words = Words(
        "independence-values",
        METRICS["error_correlation"].name,
        f"Tinted from the mean of all pairs, {shown(mean)}.",
    )
    return replace(
        card,
        missing="",
        figure=tiles(words, squares, Scale("Contestant", shown, base=mean)),
        values=_values(f"All {insights.together} contestants together", insights.values),
    )


def _values(label: str, values: Mapping[str, Estimate]) -> Table:
    rows = (
        (Cell(METRICS[key].name, href=formula(key, "")), estimated(key, estimate, counted=True))
        for key, estimate in values.items()
    )
    return Table(label, (Field("Together", "one"), Field("Value")), tuple(rows))


def crowd(reading: Reading) -> InsightCard:
    """People and prices as rows beside models."""
    insights = reading.overview.insights
    card = InsightCard(
        "crowd",
        "How do people and prices compare?",
        "How much lower the Brier score is than that of the closing price.",
        "The closing price contains news from after the forecast, so few values are above 0. "
        "The leaderboard says who is shown to beat the price at the forecast.",
        missing="No market that was forecast has closed with a price.",
    )
    own = {ContestantId(row.contestant): row for row in insights.contestants}
    listed = [name for name in reading.in_order(own) if own[name].values["close_gain"].n]
    people = [name for name in listed if _kind(name, reading) == PERSON]
    listed = [*people, *(name for name in listed if name not in people)]
    if not listed:
        return card
    profiles = {name: reading.profile(name).scores for name in listed}
    prices = (
        ("Price when the forecasts were made", insights.crowd["price"]),
        ("Closing price", insights.crowd["close"]),
    )
    rows = (
        *(
            (Cell(name), Cell("price"), estimated("brier", e), Cell(""), Cell(""))
            for name, e in prices
        ),
        *(
            (
                linked(reading.contestant(name, "")),
                Cell(_kind(name, reading)),
                *(estimated(key, profiles[name].get(key)) for key in ("brier", "alpha")),
                estimated("close_gain", own[name].values["close_gain"], counted=True),
            )
            for name in listed
        ),
    )
    fields = (
        Field("Forecaster", "one"),
        Field("Kind", "one"),
        *(Field(METRICS[key].name, "n", formula(key, "")) for key in ("brier", "alpha")),
        Field(METRICS["close_gain"].name, "n", formula("close_gain", "")),
    )
    metric = METRICS["close_gain"]
    drawn = [span_of(name, own[name].values["close_gain"], reading) for name in listed]
    words = Words("crowd-values", metric.name, f"Whiskers are intervals: {metric.interval}.")
    figure = spans(words, drawn[:MOST_ROWS], Scale(metric.name, metric.shown, base=0.0))
    return with_table(
        replace(card, missing="", figure=figure, values=_people(people, reading)),
        Table(card.title, fields, rows),
    )


def _people(people: Sequence[ContestantId], reading: Reading) -> Table | None:
    """Each person or outside system against each other contestant, by the board's claims."""
    contest = reading.overview.contest
    claims = claims_of(contest.claims) if contest else {}
    rows = []
    for person in people:
        for other in reading.in_order(reading.overview.profiles):
            claim = claims.get(frozenset((person, other)))
            if claim is not None and other not in people:
                versus = Versus(person, other, claim, reading.overview.level)
                name = f"{reading.label(person)} and {reading.label(other)}"
                row = pair_row(versus, Link(name), reading)
                rows.append((Cell(name), row.difference, row.common, Cell(row.verdict)))
    fields = (
        Field("Pair", "words"),
        Field(METRICS["difference"].name, "n", formula("difference", "")),
        Field(METRICS["common"].name, "n", formula("common", "")),
        Field("Verdict", "one"),
    )
    shown = tuple(rows[:MOST_ROWS])
    return Table("People against contestants", fields, shown) if shown else None


def _kind(name: ContestantId, reading: Reading) -> str:
    entrant = reading.entrant(name)
    if entrant.reference:
        return "baseline"
    return TAGS.get(entrant.agent) or ("model" if entrant.model else "other")


def span_of(name: ContestantId, estimate: Estimate, reading: Reading) -> Span:
    """A contestant's row of a card's picture."""
    return Span.of(
        reading.label(name),
        estimate,
        weight=reading.weight(name),
        href=places.contestant(name),
    )


def arms(reading: Reading) -> InsightCard:
    """Pairs of one model that differ in one setting."""
    card = InsightCard(
        "arms",
        "What does a setting change?",
        "How far two contestants of one model are apart that differ in one setting, such as "
        "whether they see the price.",
        "The distance is the change of the forecasts. The difference of Brier scores is the "
        "change of the score. Below 0 the first contestant has the better score.",
        missing="No two contestants of one model differ in one setting alone.",
    )
    pairs = [pair for pair in reading.overview.insights.arms.pairs if pair.setting]
    return _paired(card, pairs, reading)


def noise(reading: Reading) -> InsightCard:
    """Copies of one model, and how much of what is said is the chance of a sample."""
    insights = reading.overview.insights
    card = InsightCard(
        "noise",
        "How much of it is chance?",
        "How far two copies of one model are apart, with the same prompt and settings.",
        "Copies differ by chance alone. A difference between two models that is no larger may "
        "be chance too.",
        missing="No model is entered more than once (replicates in the configuration).",
    )
    pairs = [pair for pair in insights.arms.pairs if not pair.setting]
    made = _paired(card, pairs, reading)
    if made.missing:
        return made
    return replace(made, values=_values("Copies and models", insights.arms.values))


def _paired(card: InsightCard, pairs: list[ArmPair], reading: Reading) -> InsightCard:
    """A card of pairs: their distance is drawn, and their difference is that of the claims."""
    if not pairs:
        return card
    drawn = []
    for pair in pairs:
        first, second = _labels(pair, reading)
        short = second if pair.setting else f"{first} and {_last_word(first, second)}"
        drawn.append(Span.of(short, pair.distance))
    distance = METRICS["forecast_distance"]
    words = Words(
        f"{card.key}-values", distance.name, f"Whiskers are intervals: {distance.interval}."
    )
    scale = Scale(distance.name, distance.shown, low=0.0, base=0.0)
    figure = spans(words, drawn[:MOST_ROWS], scale)
    table = pair_table(card.title, pairs, reading, "")
    return with_table(replace(card, missing="", figure=figure), table)


def pair_table(title: str, pairs: Sequence[ArmPair], reading: Reading, root: str) -> Table:
    """Pairs of one model: what they differ in, how far they are apart, and who loses less."""
    contest = reading.overview.contest
    claims = claims_of(contest.claims) if contest and contest.metric in _BRIER else {}
    rows = []
    for pair in pairs:
        a, b = ContestantId(pair.a), ContestantId(pair.b)
        claim = claims.get(frozenset((a, b)))
        difference = estimated("difference", pair.difference)
        if claim is not None and contest is not None:
            order = (b, a) if contest.metric == "alpha" else (a, b)
            shown = Versus(*order, claim, reading.overview.level).shown()
            difference = replace(shown, note=f"n {figures.count(claim.test.n)}")
        setting = f"{pair.setting}: {pair.a_has or 'not set'}, {pair.b_has or 'not set'}"
        rows.append(
            (
                Cell(" and ".join(_labels(pair, reading))),
                Cell(one_line(setting, LABEL) if pair.setting else "nothing"),
                estimated("forecast_distance", pair.distance, counted=True),
                difference,
            )
        )
    fields = (
        Field("Pair", "words"),
        Field("Differ in", "one"),
        Field(METRICS["forecast_distance"].name, "n", formula("forecast_distance", root)),
        Field("Difference of Brier scores", "n", formula("difference", root)),
    )
    return Table(title, fields, tuple(rows))


def _labels(pair: ArmPair, reading: Reading) -> tuple[str, str]:
    return reading.label(ContestantId(pair.a)), reading.label(ContestantId(pair.b))


def _last_word(first: str, second: str) -> str:
    """The last word of a name that differs from another in that word alone."""
    start, _, last = second.rpartition(" ")
    return last if first.rpartition(" ")[0] == start else second


_BRIER: Final = ("alpha", "brier")  # whose differences are those of Brier scores


def sizing(reading: Reading) -> InsightCard:
    """What forecasts come to under each rule of stakes, beside the contestant's own bets."""
    card = InsightCard(
        "sizing",
        "Is it the forecast or the bet?",
        "What the forecasts of the newest 90 days return under each rule of stakes, beside the "
        "contestant's own bets of all time.",
        "If a contestant gains under all rules, the reason is its forecasts or luck. If only "
        "its own bets gain, the reason is their sizes or luck.",
        missing="Nobody has forecast a market in the newest 90 days.",
    )
    sums = {ContestantId(name): own for name, own in reading.overview.sizing.items()}
    listed = [name for name in reading.in_order(sums) if sums[name].keys() & POLICIES.keys()]
    if not listed:
        return card
    shown = METRICS["returned"].shown
    squares = [
        Tile(reading.label(name), _rule(rule), value, shown(value), short=_short(value))
        for name in listed[:MOST_ROWS]
        for rule in _DRAWN
        for value in (_returned(sums[name].get(rule)),)
    ]
    words = Words(
        "sizing-values",
        "Return by rule of stakes",
        "Compounded returns on one capital. The darkest tint is a return of 100% or more. "
        "These returns ignore market impact.",
    )
    rows = []
    for name in listed:
        money = reading.profile(name).money
        split = money.split if money and money.split.bets else None
        parts = (split.forecast, split.sizing, split.luck, split.costs) if split else ()
        cells = [
            metric_cell(key, value)
            for key, value in zip(_SPLIT, parts or (None,) * len(_SPLIT), strict=True)
        ]
        own = money.returned if money and split else None
        cells.insert(0, Cell(shown(own), value=own))
        returns = [_returned(sums[name].get(rule)) for rule in POLICIES]
        rows.append(
            (
                linked(reading.contestant(name, "")),
                *cells,
                *(Cell(shown(r), value=r) for r in returns),
            )
        )
    fields = (
        Field("Contestant", "one"),
        Field("Own bets"),
        *(Field(METRICS[key].name, "n", formula(key, "")) for key in _SPLIT),
        *(Field(_rule(rule)) for rule in POLICIES),
    )
    scale = Scale("Contestant", shown, low=-1.0, high=1.0, base=0.0)
    return with_table(
        replace(card, missing="", figure=tiles(words, squares, scale)),
        Table(card.title, fields, tuple(rows)),
    )


def _short(value: float | None) -> str:
    """A return where there is little room: from ten times the capital on, how many times."""
    if value is None or value < TENFOLD:
        return figures.percent(value, 0, signed=True)
    return f"\N{MULTIPLICATION SIGN}{figures.number(1 + value, 0)}"


def _rule(rule: str) -> str:
    return _RULES.get(rule) or rule.replace("_", " ").upper()


def _returned(made: Sum | None) -> float | None:
    return made.returned if made and made.bets else None


JOINT_CARDS: Final[tuple[Callable[[Reading], InsightCard], ...]] = (
    independence,
    crowd,
    arms,
    noise,
    sizing,
)


MOST_DRAWN: Final = 6
_NONE: Final = "No file of answers to the same questions is configured (site.probes)."


def drift(reading: Reading) -> InsightCard:
    """How far each model's answers are from its first ones, and when that is no chance."""
    card = InsightCard(
        "drift",
        "Does a model still answer as it did?",
        "How far the answers to a fixed set of questions are from those of the first day, in "
        "log odds.",
        "An alarm means that the distance is larger than sampling noise. If a model does not "
        "change, the chance of an alarm within 52 weekly looks is at most 1 in 20.",
        missing=_NONE,
    )
    file = reading.edition.site.probes
    if not file:
        return card
    try:
        drifted = _drifts(Path(file))
    except ArenaError as error:
        return _lacking(card, f"The file of answers cannot be used: {error.message}.")
    if not drifted:
        return _lacking(card, "The file of answers has none yet.")
    return with_table(
        replace(card, missing="", figure=_drawn(drifted)),
        _table(card.title, drifted),
    )


def _lacking(card: InsightCard, why: str) -> InsightCard:
    return replace(card, missing=one_line(why, 3 * LABEL))


def _drifts(file: Path) -> tuple[ProbeDrift, ...]:
    """Those with an alarm first; nobody's where there is no file yet."""
    from arena.sheets.reading import read_probes  # noqa: PLC0415  pandas, only where it is needed

    if not file.exists():
        return ()
    drifted = drifts(read_probes(file)[0])
    return tuple(sorted(drifted, key=lambda own: (own.alarm is None, own.contestant)))


def _table(title: str, drifted: tuple[ProbeDrift, ...]) -> Table:
    distance, wealth = METRICS["drift"], METRICS["drift_e"]
    rows = []
    for own in drifted:
        last = own.looks[-1] if own.looks else None
        off, e = (last.distance, last.e) if last else (None, None)
        silent = "none" if last else "too early"
        rows.append(
            (
                Cell(one_line(own.contestant, LABEL)),
                count_cell(own.questions),
                Cell(distance.shown(off), value=off),
                Cell(distance.shown(own.replicates), value=own.replicates),
                Cell(wealth_words(e), value=e),
                Cell(str(own.alarm) if own.alarm else silent),
            )
        )
    fields = (
        Field("Model", "one"),
        Field("Questions"),
        Field(distance.name, "n", formula("drift", "")),
        Field("Of two first answers", "n", formula("drift", "")),
        Field(wealth.name, "n", formula("drift_e", "")),
        Field("Alarm", "one"),
    )
    return Table(title, fields, tuple(rows))


def _drawn(drifted: tuple[ProbeDrift, ...]) -> Figure | None:
    """The distance look by look, with a mark where an alarm began."""
    metric = METRICS["drift"]
    shown = drifted[:MOST_DRAWN]
    lines = [
        Curve(
            one_line(own.contestant, LABEL),
            tuple(Point(_moment(look.day), look.distance) for look in own.looks),
            LineWeight.MAIN,
        )
        for own in shown
        if own.looks
    ]
    flags = [
        Flag(_moment(own.alarm), f"{one_line(own.contestant, LABEL)}: alarm")
        for own in shown
        if own.alarm
    ]
    words = Words(
        "drift-values",
        metric.name,
        "The mean absolute difference of log odds. A mark is the first day of an alarm.",
    )
    return curves(words, lines, Scale("Log odds", metric.shown, low=0.0, base=0.0), flags)


def _moment(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
