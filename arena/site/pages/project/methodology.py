"""The page of methods, made from the list of metrics and from what is in force."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Final

from arena.metrics import figures
from arena.metrics.bands import BANDS, MetricBand, MetricBands
from arena.metrics.calibration import Reliability
from arena.metrics.claims.questions import MOST
from arena.metrics.metric import BetterDirection, Metric, MetricUnit
from arena.metrics.metric_values import ADJUSTED
from arena.metrics.registry import CHAPTERS, METRICS, SYMBOLS
from arena.metrics.registry.scores import CALIBRATION, PROPER, SKILL
from arena.records.cohort import CohortId, ContestantId, FillRule, MarkRule, Rules
from arena.records.estimate import Estimate
from arena.records.grade import Standing
from arena.site import Document, Page, places
from arena.site.estimates import counted_n, estimated, formula, metric_cell
from arena.site.pages.cohorts.agreements import agreement
from arena.site.pages.leaderboard.standings import KEYS
from arena.site.pages.parts import Cell, Fact, Head, Link
from arena.site.reading import LABEL, Reading, cohort_link, shown_moment
from arena.site.sanitize import one_line

_TOKEN = re.compile(r"\s*([A-Za-z]+|[0-9]+(?:\.[0-9]+)?|[()^_/*+=,Σ-])")
_SHOWN = {"-": "\N{MINUS SIGN}", "*": "\N{MULTIPLICATION SIGN}"}
_GREEK = {
    "alpha": "\N{GREEK SMALL LETTER ALPHA}",
    "beta": "\N{GREEK SMALL LETTER BETA}",
    "epsilon": "\N{GREEK SMALL LETTER EPSILON}",
}
_RELATIONS = ("=", ",")
_SUMS = ("+", "-")


class FormulaError(ValueError):
    """A formula of ours is misspelt: a defect in this program."""


def mathml(formula: str) -> str:
    """Turn a formula into a `<math>` element.

    Known are names of letters (`alpha` is shown as the Greek one), numbers,
    `= , + - * / ^ _ Σ` and round brackets; what
    stands next to a slash on either side becomes a fraction.

    Raises:
        FormulaError: It is spelt in another way.

    >>> mathml("P / K")
    '<math displaystyle="true" alttext="P / K"><mfrac><mi>P</mi><mi>K</mi></mfrac></math>'
    """
    reader = _FormulaReader(list(_words(formula)))
    inside = reader.chain(_RELATIONS)
    if reader.ahead:
        raise FormulaError(f"cannot read {formula!r} from {reader.ahead!r} on")
    return f'<math displaystyle="true" alttext="{formula}">{inside}</math>'


def _words(formula: str) -> Iterator[str]:
    at = 0
    while at < len(formula):
        match = _TOKEN.match(formula, at)
        if match is None:
            raise FormulaError(f"cannot read {formula!r} from character {at} on")
        yield match[1]
        at = match.end()


@dataclass(slots=True)
class _FormulaReader:
    """Reads words from the front, binding tightest last."""

    words: list[str]

    @property
    def ahead(self) -> str:
        return self.words[0] if self.words else ""

    def take(self) -> str:
        if not self.words:
            raise FormulaError("a formula ends too early")
        return self.words.pop(0)

    def chain(self, operators: tuple[str, ...]) -> str:
        """Terms with operators between them: relations of sums, or sums of products."""
        inner = self.sum if operators is _RELATIONS else self.product
        text = inner()
        while self.ahead in operators and self.ahead:
            text += _operator(self.take()) + inner()
        return text

    def sum(self) -> str:
        sign = _operator(self.take()) if self.ahead == "-" else ""
        return sign + self.chain(_SUMS)

    def product(self) -> str:
        factors = [self.power()]
        while self.ahead in {"*", "/"}:
            if self.take() == "/":
                over, under = _bare(factors.pop()), _bare(self.power())
                factors.append(f"<mfrac>{over}{under}</mfrac>")
            else:
                factors.append(self.power())
        return _operator("*").join(factors)

    def power(self) -> str:
        text = self.atom()
        if self.ahead == "^":
            self.take()
            text = f"<msup>{text}{self.atom()}</msup>"
        return text

    def atom(self) -> str:
        word = self.take()
        if word == "Σ":
            return f"<mrow><mo>Σ</mo>{self.power()}</mrow>"
        if word == "(":
            return self.bracket()
        if word[0].isdigit():
            return f"<mn>{word}</mn>"
        if not word.isalpha():
            raise FormulaError(f"{word!r} stands where a name or a number should")
        return self.name(word)

    def name(self, word: str) -> str:
        text = f"<mi>{_GREEK.get(word, word)}</mi>"
        if self.ahead == "_":
            self.take()
            text = f"<msub>{text}{self.atom()}</msub>"
        if self.ahead == "(":
            self.take()
            text = f"<mrow>{text}{self.bracket()}</mrow>"
        return text

    def bracket(self) -> str:
        inside = self.chain(_RELATIONS)
        if self.take() != ")":
            raise FormulaError("a bracket is not closed")
        return f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>"


def _operator(sign: str) -> str:
    return f"<mo>{_SHOWN.get(sign, sign)}</mo>"


def _bare(text: str) -> str:
    """Drop the brackets that a fraction's bar stands for."""
    opening, closing = "<mrow><mo>(</mo>", "<mo>)</mo></mrow>"
    if text.startswith(opening) and text.endswith(closing) and text.count("<mo>(</mo>") == 1:
        return f"<mrow>{text[len(opening) : -len(closing)]}</mrow>"
    return text


@dataclass(frozen=True, slots=True)
class Example:
    """A number of this arena and how anybody can make it again; `command` may be empty."""

    contestant: Link
    value: Cell
    over: str
    command: str


@dataclass(frozen=True, slots=True)
class Method:
    """How one number comes about. `formulas` are MathML of our own making, not escaped."""

    key: str
    name: str
    symbol: str
    formulas: tuple[str, ...]
    words: str
    facts: str
    source: str
    caveat: str
    example: Example | None


@dataclass(frozen=True, slots=True)
class MethodChapter:
    """A heading and the numbers below it."""

    key: str
    title: str
    methods: tuple[Method, ...]


@dataclass(frozen=True, slots=True)
class BandRow:
    """A band of values and what a source calls it."""

    span: str
    words: str


@dataclass(frozen=True, slots=True)
class BandTable:
    """How one source reads one metric, with what is to be said against it."""

    metric: Link
    source: str
    rows: tuple[BandRow, ...]
    caveat: str
    here: str


@dataclass(frozen=True, slots=True)
class MethodologyPage:
    """templates/site/methodology.html.

    `newest` is the cohort whose `rules` are shown; `limit` says what they make of prices.
    More than `most` contestants are not compared in pairs.
    """

    head: Head
    example: str
    level: str
    headline: Link | None
    most: str
    newest: Link | None
    rules: tuple[Fact, ...]
    chapters: tuple[MethodChapter, ...]
    bands: tuple[BandTable, ...]
    limit: str
    symbols: tuple[Fact, ...]


def bands(market: Reliability | None) -> tuple[BandTable, ...]:
    """Published bands of good scores, with the market's own score on the same questions."""
    return tuple(_bands(metric_bands, market) for metric_bands in BANDS)


def limit_of(rules: Rules) -> str:
    """What the rules in force make of prices."""
    return (
        f"{_fills(rules)} {_marks(rules)} Bets need a price that is at most "
        f"{figures.span(rules.max_quote_age)} old."
    )


def _bands(metric_bands: MetricBands, market: Reliability | None) -> BandTable:
    metric = METRICS[metric_bands.metric]
    return BandTable(
        Link(metric.name, formula(metric.key, "")),
        metric_bands.source,
        tuple(BandRow(_span(band, metric), band.words) for band in metric_bands.bands),
        metric_bands.caveat,
        _reference_band(metric, market),
    )


def _reference_band(metric: Metric, market: Reliability | None) -> str:
    """What costs no skill on the questions of this arena."""
    if metric.key != "forecast" or market is None or "unc" not in market.scores:
        return ""
    shown = metric.shown
    return (
        "On the questions of this arena always saying the base rate scores "
        f"{shown(market.scores['unc'].value)}, and the market's price "
        f"{shown(market.scores['brier'].value)}."
    )


def _span(band: MetricBand, metric: Metric) -> str:
    if band.when:
        return band.when
    low, high = (None if end is None else _end(end, metric) for end in (band.low, band.high))
    if low == high:
        return str(low)
    if low is None:
        return f"below {high}"
    return f"{low} and above" if high is None else f"{low} to {high}"


def _end(value: float, metric: Metric) -> str:
    """A limit of a band in as few figures as its source writes, percentages as such."""
    if metric.unit is MetricUnit.PERCENT:
        return figures.percent(value, 0)
    return f"{round(value, 4):g}"


def _fills(rules: Rules) -> str:
    if rules.fill is FillRule.MID:
        return "Bets trade at the middle of the book, which nobody gets in earnest."
    if rules.fill is FillRule.ASK:
        return "Bets trade at the best offer, whatever their size."
    return "Bets trade against the book as it was shown."


def _marks(rules: Rules) -> str:
    if rules.mark is MarkRule.MID:
        return "Open positions are worth the middle of the book, more than they would bring."
    return "Open positions are worth the bid: what they would bring, were they small."


# What `arena explain` takes apart: sums of the books, and scores of yes/no forecasts.
BOOKED: Final = (
    "total", "returned", "returned_last", "pnl", "realised", "unrealised", "fees", "win_rate",
    "break_even", "cost", "tokens",
)  # fmt: skip
BETS: Final = ("ev_clv", "clv", "realised_return")
DAYS: Final = ("max_drawdown", "volatility", "worst_day")
SAID: Final = ("forecast", "stated", "kelly", "linear")
OPTIONS: Final = {"brier_sum", "rps"}  # of questions with several options
SCORED: Final = (
    "brier",
    *(one.key for one in PROPER + SKILL + CALIBRATION if one.key not in OPTIONS),
    ADJUSTED,
)
EXPLAINED: Final = frozenset((*BOOKED, *SAID, *SCORED, *BETS, *DAYS))


@dataclass(frozen=True, slots=True)
class _ShownMetric:
    """The contestant whose numbers stand as examples: the first by order that has any."""

    name: ContestantId
    about: Link
    scores: Mapping[str, Estimate]
    line: Standing | None


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of methods."""
    yield Page(places.METHODOLOGY, "methodology.html", methodology_page(reading))


def methodology_page(reading: Reading) -> MethodologyPage:
    """Every number of the site with its formula, its meaning and where it comes from."""
    shown, newest, overview = _shown_metric(reading), _newest(reading), reading.overview
    as_of = reading.store.boards.as_of()
    return MethodologyPage(
        head=Head(
            "Methods",
            places.root_of(places.METHODOLOGY),
            "methodology",
            "Formulas, rules, limits and sources of every number of this site.",
            shown_moment(as_of) if as_of else None,
        ),
        example=shown.about.text if shown else "",
        level=figures.percent(overview.level, 0),
        headline=Link(METRICS[overview.headline].name, f"#{overview.headline}")
        if overview.headline
        else None,
        most=figures.count(MOST),
        newest=cohort_link(newest, "") if newest else None,
        rules=agreement(reading.spec(newest)) if newest else (),
        chapters=tuple(
            MethodChapter(
                chapter.key, chapter.title, tuple(_method(m, shown) for m in chapter.metrics)
            )
            for chapter in CHAPTERS
        ),
        bands=bands(overview.market),
        limit=limit_of(reading.spec(newest).rules) if newest else "",
        symbols=tuple(Fact(symbol, words) for symbol, words in SYMBOLS),
    )


def _newest(reading: Reading) -> CohortId | None:
    count = reading.show.cohort_count()
    cards = reading.show.cohorts(count, count)
    return cards[0].id if cards else None


def _shown_metric(reading: Reading) -> _ShownMetric | None:
    lines = {line.contestant: line for line in reading.store.boards.overall().standings}
    for name in reading.overview.order:
        profile = reading.profile(name)
        calibration = profile.reliability
        scores = {**(calibration.scores if calibration else {}), **profile.scores}
        if scores and not reading.entrant(name).reference:
            return _ShownMetric(name, reading.contestant(name, ""), scores, lines.get(name))
    return None


def _method(metric: Metric, shown: _ShownMetric | None) -> Method:
    return Method(
        key=metric.key,
        name=metric.name,
        symbol=mathml(metric.symbol) if metric.symbol else "",
        formulas=tuple(mathml(formula) for formula in metric.formulas),
        words=metric.words,
        facts=_facts(metric),
        source=metric.source,
        caveat=metric.caveat,
        example=_example(metric, shown) if shown else None,
    )


def _facts(metric: Metric) -> str:
    """What a table cannot say in its head, in short sentences."""
    sentences = []
    if metric.unit is not MetricUnit.NONE:
        places_of = figures.many(metric.decimals, "decimal") if metric.decimals else "whole"
        sentences.append(f"Unit: {metric.unit.value}, {places_of}.")
    if metric.better is not BetterDirection.NEITHER:
        sentences.append(f"{metric.better.value.capitalize()}.")
    if metric.reference:
        sentences.append(f"Measured against {metric.reference}.")
    if metric.interval:
        sentences.append(f"Interval: {metric.interval}.")
    if metric.key in KEYS:
        sentences.append("On the leaderboard.")
    return " ".join(sentences)


def _example(metric: Metric, shown: _ShownMetric) -> Example | None:
    """A metric's value of the contestant shown; None where it has none."""
    cell, over = _value(metric.key, shown)
    if cell is None or cell.value is None:
        return None
    command = ""
    if metric.key in EXPLAINED:
        command = f"arena explain {one_line(quote(shown.name), 2 * LABEL)} {metric.key}"
    return Example(shown.about, cell, over, command)


def _value(key: str, shown: _ShownMetric) -> tuple[Cell | None, str]:
    score = shown.scores.get(key)
    if score is not None:
        events = f", {figures.many(score.events, 'event')}" if score.events else ""
        return estimated(key, score), counted_n(score.n) + events
    line = shown.line
    if line is None:
        return None, ""
    if key in {*SAID, "win_rate"}:
        mean = getattr(line, key)
        return metric_cell(key, mean.value), counted_n(mean.n)
    if key in BOOKED:
        return metric_cell(key, getattr(line, key)), ""
    return None, ""
