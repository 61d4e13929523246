"""A study's report as tables: the terminal, the page and the LaTeX print the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final
from unicodedata import normalize

from arena.metrics.figures import MISSING, count, number
from arena.metrics.study.protocol import StudyScore
from arena.metrics.study.report import NumberPair, StudyReport
from arena.records.estimate import Interval

Cells = tuple[str, ...]
Columns = Mapping[str, str]  # where a column's value is in a record, by its heading
NUMBERS: Final = {
    "number": "name",
    "published": "published",
    "right": "right",
    "errata": "errata",
}
MEANS: Final = {"Brier": "brier", "RPS": "rps", "log": "log_loss"}
WALD: Final = ("hc3 as coded", "hc3", "hc0", "clustered")
P_VALUES: Final = frozenset({"p", "Holm", "BH", "Bonf."})  # words of their headings
SMALLEST_P: Final = 0.0001
LARGEST: Final = 1e6  # a seed, or nonsense as published
PAIR: Final = 24


@dataclass(frozen=True, slots=True)
class StudyTable:
    """A table of text. The first `names` columns are names, cut at `room` letters in text."""

    key: str
    title: str
    head: Cells
    rows: tuple[Cells, ...]
    note: str = ""
    names: int = 1
    room: int = 16


def headline(report: StudyReport) -> Cells:
    """What a report is of, in sentences."""
    options = ", ".join(report.options)
    of = (
        f"{report.protocol}: champion {report.champion}, baseline {report.baseline}, market "
        f"{report.market}; options {options}. {count(report.questions)} questions in "
        f"{count(report.events)} events."
    )
    looks = []
    if report.planned is not None:
        differs = "" if report.planned == report.questions else ", which this is not"
        looks.append(f"The registered look is at {count(report.planned)} questions{differs}.")
    if report.look:
        looks.append(f"Its registered date is {report.look}.")
    return (of, *looks)


def study_tables(report: StudyReport) -> tuple[StudyTable, ...]:
    """Every table of a report that has rows, in the order of the protocol."""
    parts = (_ablation, _accuracy, _comparisons, _kill, _efficiency, _market, _bets, _ledger)
    return tuple(table for part in parts for table in part(report) if table.rows)


def _table(  # noqa: PLR0913  a table and how it is printed
    key: str,
    title: str,
    records: Sequence[Any] | None,
    columns: Columns,
    note: str = "",
    *,
    names: int = 1,
    room: int = 16,
) -> StudyTable:
    """A table of records: of each column the attribute that is named, written by its kind."""
    rows = tuple(
        tuple(_cell(head, attrgetter(path)(record)) for head, path in columns.items())
        for record in records or ()
    )
    return StudyTable(key, title, tuple(columns), rows, note, names, room)


def _cell(head: str, value: object) -> str:
    """A value as its kind is written; one below a heading that begins with p is a p-value."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, Interval):
        return f"{number(value.low, 3)} to {number(value.high, 3)}"
    if not isinstance(value, float):
        return (
            value.words.removesuffix(" loss") if isinstance(value, StudyScore) else str(value)
        )
    if P_VALUES & {*head.split()}:
        return f"{value:.4f}" if value >= SMALLEST_P else "<.0001"
    return f"{value:.4g}" if abs(value) >= LARGEST else number(value, 4)


def _numbers(
    key: str, title: str, pairs: Sequence[NumberPair] | None, note: str = ""
) -> StudyTable:
    return _table(key, title, pairs, NUMBERS, note, room=46)


def _ablation(report: StudyReport) -> Iterator[StudyTable]:
    losses = {"model": "model", "n": "n"} | MEANS
    tests = {"p baseline": "p_baseline", "p market": "p_market"}
    market = {"model": "model", "LR": "lr", "p": "lr_p", "bets": "bets", "CLV": "clv"}
    yield _table(
        "ablation",
        "Ablation table",
        report.ablation,
        losses | tests,
        "Mean losses: lower is better. p: Diebold-Mariano on the Brier score, one step ahead.",
    )
    yield _table(
        "ablation-market",
        "Ablation table: market and bets",
        report.ablation,
        market | {"Sharpe": "sharpe", "label": "label"},
        "LR: efficiency at the protocol's prices. The label is by event; NO_EDGE is no proof "
        "that there is no edge.",
    )


@dataclass(frozen=True, slots=True)
class _ScoreLine:
    """A model's summary of a score, for a row of its own."""

    line: Any
    of: Any


def _accuracy(report: StudyReport) -> Iterator[StudyTable]:
    mean = {"model": "line.model", "score": "of.score", "n": "line.n", "mean": "of.mean"}
    yield _table(
        "accuracy",
        "Accuracy",
        [_ScoreLine(line, summary) for line in report.accuracy for summary in line.scores],
        mean | {"median": "of.median", "published": "of.published", "by event": "of.right"},
        f"Intervals of {100 * report.level:g} %: published resamples rows (percentile), by "
        "event whole events (BCa). "
        f"Log losses clipped: {sum(line.clipped for line in report.accuracy)}.",
    )
    yield _table(
        "stages",
        "Accuracy by stage",
        report.stages,
        {"stage": "stage", "model": "model", "n": "n"} | MEANS,
        names=2,
    )
    yield _table(
        "reliability",
        "Reliability",
        report.reliability,
        {"model": "contestant", "n": "n", "mean stated less frequency": "bias.value"}
        | {"p": "test.p"},
        "Of the second of two options, or of the likeliest of more. p: miscalibration beyond "
        "chance, by event.",
    )


def _comparisons(report: StudyReport) -> Iterator[StudyTable]:
    lines, pair = report.comparisons, {"pair": "pair", "score": "score"}
    yield _table(
        "tests",
        "Diebold-Mariano tests",
        lines,
        pair
        | {"difference": "textbook.estimate", "paper p": "published.p"}
        | {"p": "textbook.p", "event p": "by_event.p", "rejects": "rejected"},
        "Below 0 the first of the pair loses less. paper p takes the bandwidth for the horizon "
        "(C7); p is for one step ahead; event p is clustered. rejects: p is below the "
        "registered level of the pair.",
        room=PAIR,
    )
    yield _table(
        "corrections",
        "Corrections for several tests",
        lines,
        pair
        | {"family": "family", "level": "level", "Bonf.": "bonferroni"}
        | {"Holm": "holm", "BH": "bh", "holds": "held"},
        "holds: rejected by Holm's correction within the family. BH is for exploration.",
        room=PAIR,
    )
    yield _numbers("families", "What the levels come to", report.families)


def _kill(report: StudyReport) -> Iterator[StudyTable]:
    rules = (report.kill.stop, report.kill.gate) if report.kill else ()
    yield _table(
        "kill",
        "The kill rule, read both ways",
        rules,
        {"rule": "rule", "n": "n", "difference": "mean_difference", "SE": "se"}
        | {"gap in SE": "gap_in_se", "fires": "fired"},
        "On log loss, champion less baseline. The stop rule fires when the champion is worse, "
        "the promotion gate unless it is better (C3).",
    )
    numbers = report.kill.numbers if report.kill else ()
    yield _numbers("kill-numbers", "What the kill rule is worth", numbers)
    yield _table(
        "power",
        "Events needed, were the champion right",
        [report.power] if report.power and report.power.deviation is not None else (),
        {"events": "events", "P less Q": "deviation"}
        | {"for the Brier score": "events_for_score", "for the slope": "events_for_slope"},
        "P less Q: root mean square over all options. Power 80 %, at the market's level.",
        names=0,
    )
    gaps = tuple((name, number(se, 6)) for name, se in report.quoted.items())
    yield StudyTable("quoted", "Standard errors behind quoted gaps", ("gap", "implied"), gaps)


def _efficiency(report: StudyReport) -> Iterator[StudyTable]:
    model = {"model": "model", "prices": "prices"}
    yield _table(
        "efficiency",
        "Market efficiency and encompassing",
        report.efficiency,
        model
        | {"LR": "test.statistic", "p": "test.p", "boot p": "bootstrap_p"}
        | {"weight": "weight.value", "p of 0": "adds_nothing.p", "p of 1": "suffices.p"},
        "LR: the model's coefficients beside the market's are 0. weight: the model's share in "
        "log odds, 0 if it adds nothing, 1 if it suffices.",
        names=2,
    )
    rows = tuple(
        (e.model, e.prices, *(_cell("p", e.wald[k].p if k in e.wald else None) for k in WALD))
        for e in report.efficiency or ()
    )
    note = "hc3 as coded is the paper's, and never rejects (C6)."
    head = ("model", "prices", *WALD)
    yield StudyTable("wald", "The same by Wald's test: p", head, rows, note, names=2)
    yield _numbers("criticals", "Critical values", report.criticals)
    yield _table(
        "prices",
        "Are prices the true odds?",
        report.prices,
        {"prices": "prices", "n": "test.n", "LR": "test.statistic", "p": "test.p"},
    )


def _market(report: StudyReport) -> Iterator[StudyTable]:
    yield _table(
        "books",
        "Bookmakers' opening odds, power method",
        report.books,
        {"book": "book", "books": "books", "refused": "refused"}
        | {"out of band": "out_of_band", "overround": "overround"}
        | {"exponent": "exponent", "moved": "moved"},
        "moved: legs that the bias constants changed.",
    )
    for b in report.books or ():
        yield _numbers(f"book-{b.book}", f"{b.book}: power method beside Shin's", b.numbers)
    gate = report.gate
    if gate:
        rows = tuple(
            (r, count(gate.fired.get(r, 0)), count(gate.abstained.get(r, 0)))
            for r in sorted({*gate.fired, *gate.abstained})
        )
        note = f"Of {gate.questions} questions; a rule without data lets everything through."
        yield StudyTable("gate", "Gate", ("rule", "fired", "no data"), rows, note, room=40)
    yield _numbers("edges", "The champion's edges", report.edges)


def _bets(report: StudyReport) -> Iterator[StudyTable]:
    books = report.bets or ()
    yield _table(
        "stakes",
        "The champion's stakes, added up",
        [report.stakes] if report.stakes else (),
        {"bets": "bets", "full Kelly": "full", "part": "fractional", "capped": "capped"}
        | {"final": "final", "bankroll": "bankroll", "mode": "mode"},
        "As parts of the bankroll: of full Kelly, capped alone, then by event and day.",
        names=0,
    )
    numbers = report.stakes.numbers if report.stakes else ()
    yield _numbers("caps", "Caps on events and days", numbers)
    book = {"model": "model", "rule": "rule"}
    yield _table(
        "bets",
        "Bets and the close",
        books,
        book
        | {"bets": "bets", "events": "events", "stake": "stake"}
        | {"CLV": "clv", "EV-CLV": "ev_clv"},
        "rules sizes as the protocol says; as coded and long shots by p are the paper's replay "
        "(C10). EV-CLV is at the odds taken, or at the fair price where there are none.",
        names=2,
    )
    yield _table(
        "labels",
        "Three states",
        books,
        book
        | {"Z": "closing.source_c.z.z", "Sharpe": "closing.source_c.sharpe"}
        | {"published": "closing.source_c.label", "by event": "label"},
        "published mirrors the block bootstrap (C9) and answers however few bets there are; by "
        "event withholds the label below 30 bets or 20 events.",
        names=2,
    )
    if books:
        title = f"Closing line value of {books[0].model}"
        yield _numbers("closing", title, books[0].numbers)


def _ledger(report: StudyReport) -> Iterator[StudyTable]:
    book = report.ledger
    if book is None:
        return
    yield _table(
        "predictions",
        "Registered predictions",
        book.predictions,
        {"id": "id", "statement": "statement", "value": "value", "result": "result"},
        f"{book.hits} HIT, {book.misses} MISS. All count alike; n/a is open.",
        names=2,
        room=40,
    )
    yield _table(
        "misses",
        "The champion's most confident misses",
        book.worst,
        {"question": "question", "likeliest": "option", "came": "came", "P": "p"},
        f"The likeliest option came in {book.forecast_hits} of {book.forecasts} questions.",
        names=3,
    )


_SIGNS: Final = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "-": "{-}",
}
_LATEX: Final = {
    "model": "model",
    "n": "n",
    "Brier": "brier",
    "RPS": "rps",
    "log": "log_loss",
    "p base": "p_baseline",
    "p market": "p_market",
    "LR": "lr",
    "p LR": "lr_p",
    "bets": "bets",
    "CLV": "clv",
    "Sharpe": "sharpe",
}


def latex_text(text: str) -> str:
    r"""Text that LaTeX prints and never obeys: plain ASCII, letters without their accents.

    >>> latex_text("50 % of $x$")
    '50 \\% of \\$x\\$'
    """
    plain = normalize("NFKD", " ".join(text.split())).encode("ascii", "ignore").decode()
    return "".join(_SIGNS.get(sign, sign) for sign in plain if sign.isprintable())


def latex(report: StudyReport) -> str:
    r"""The ablation table as LaTeX: a document, or where `\studyinput` is defined a table.

    A missing number is `---`. Only LaTeX's own commands are used.
    """
    rows = [
        " & ".join(_latex_cell(attrgetter(path)(row)) for path in _LATEX.values())
        for row in report.ablation
    ]
    body = "\n".join(rf"{row} \\" for row in rows)
    counts = f"{report.questions} questions in {report.events} events"
    return rf"""% Compile this file, or put \def\studyinput{{}} before \input of it.
\ifdefined\studyinput\else\documentclass{{article}}\begin{{document}}\fi
\begin{{table}}[ht]
\centering\scriptsize\setlength{{\tabcolsep}}{{3pt}}
\begin{{tabular}}{{l{"r" * (len(_LATEX) - 1)}}}
\hline
{" & ".join(_LATEX)} \\
\hline
{body}
\hline
\end{{tabular}}
\caption{{{latex_text(report.protocol)}: {counts}.}}
\end{{table}}
\ifdefined\studyinput\else\end{{document}}\fi
"""


def _latex_cell(value: str | float | None) -> str:
    if value is None:
        return "---"
    if isinstance(value, str):
        return latex_text(value)
    return f"${value:.4f}$" if isinstance(value, float) else str(value)
