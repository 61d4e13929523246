"""A study's report as tables: the terminal, the page and the LaTeX print the same."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import normalize

from arena.metrics.figures import MISSING, count, number
from arena.metrics.study.protocol import StudyScore
from arena.metrics.study.report import StudyReport
from arena.records.estimate import Interval

Cells = tuple[str, ...]
NUMBERS: Final = "number: name, published, right, errata"
MEANS: Final = "Brier: brier, RPS: rps, log: log_loss"
P_VALUES: Final = frozenset({"p", "Holm", "BH", "Bonf."})  # words of their headings
SMALLEST_P: Final = 0.0001
LARGEST: Final = 1e6  # a seed, or nonsense as published
PAIR, STATEMENT, NAME = 24, 40, 46  # letters of the first columns where text is printed


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


@dataclass(frozen=True, slots=True)
class _Form:
    """How a table is made: where its records are, and of each column what is in a record.

    `records` and what stands behind a heading are fields as `str.format` has them; a heading
    alone is the field of its name.
    """

    key: str
    title: str
    records: str
    columns: str
    note: str = ""
    names: int = 1
    room: int = 16


_FORMS: Final = (
    _Form(
        "ablation",
        "Ablation table",
        "ablation",
        f"model, n, {MEANS}, p baseline: p_baseline, p market: p_market",
        "Mean losses: lower is better. p: Diebold-Mariano on the Brier score, one step ahead.",
    ),
    _Form(
        "ablation-market",
        "Ablation table: market and bets",
        "ablation",
        "model, LR: lr, p: lr_p, bets, CLV: clv, Sharpe: sharpe, label",
        "LR: efficiency at the protocol's prices. The label is by event; NO_EDGE is no proof "
        "that there is no edge.",
    ),
    _Form(
        "accuracy",
        "Accuracy",
        "score_lines",
        "model: line.model, score: of.score, n: line.n, mean: of.mean, median: of.median, "
        "published: of.published, by event: of.right",
        "Intervals of {0.share}: published resamples rows (percentile), by event whole "
        "events (BCa). Log losses clipped: {0.clipped}.",
    ),
    _Form("stages", "Accuracy by stage", "stages", f"stage, model, n, {MEANS}", names=2),
    _Form(
        "reliability",
        "Reliability",
        "reliability",
        "model: contestant, n, mean stated less frequency: bias.value, p: test.p",
        "Of the second of two options, or of the likeliest of more. p: miscalibration beyond "
        "chance, by event.",
    ),
    _Form(
        "tests",
        "Diebold-Mariano tests",
        "comparisons",
        "pair, score, difference: textbook.estimate, paper p: published.p, p: textbook.p, "
        "event p: by_event.p, rejects: rejected",
        "Below 0 the first of the pair loses less. paper p takes the bandwidth for the horizon "
        "(C7); p is for one step ahead; event p is clustered. rejects: p is below the "
        "registered level of the pair.",
        room=PAIR,
    ),
    _Form(
        "corrections",
        "Corrections for several tests",
        "comparisons",
        "pair, score, family, level, Bonf.: bonferroni, Holm: holm, BH: bh, holds",
        "holds: rejected by Holm's correction within the family; BH: by that of Benjamini and "
        "Hochberg alone, for exploration.",
        room=PAIR,
    ),
    _Form("families", "What the levels come to", "families", NUMBERS, room=NAME),
    _Form(
        "kill",
        "The kill rule, read both ways",
        "kill.rules",
        "rule, n, difference: mean_difference, SE: se, gap in SE: gap_in_se, fires: fired",
        "On log loss, champion less baseline. The stop rule fires when the champion clearly "
        "loses more, the promotion gate unless it clearly loses less (C3).",
    ),
    _Form("worth", "What the kill rule is worth", "kill.numbers", NUMBERS, room=NAME),
    _Form(
        "power",
        "Events needed, were the champion right",
        "powers",
        "events, P less Q: deviation, for the Brier score: events_for_score, "
        "for the slope: events_for_slope",
        "P less Q: root mean square over all options. Power 80 %, at the market's level.",
        names=0,
    ),
    _Form("quoted", "Standard errors behind quoted gaps", "quoted", "gap, implied: error"),
    _Form(
        "efficiency",
        "Market efficiency and encompassing",
        "efficiency",
        "model, prices, LR: test.statistic, p: test.p, boot p: bootstrap_p, "
        "weight: weight.value, p of 0: adds_nothing.p, p of 1: suffices.p",
        "LR: the model's coefficients beside the market's are 0. weight: the model's share in "
        "log odds, 0 if it adds nothing, 1 if it suffices. Below 60 questions look at boot p.",
        names=2,
    ),
    _Form(
        "wald",
        "The same by Wald's test",
        "efficiency",
        "model, prices, coded p: wald[hc3 as coded].p, HC3 p: wald[hc3].p, "
        "HC0 p: wald[hc0].p, event p: wald[clustered].p",
        "coded p is the paper's HC3, which never rejects (C6).",
        names=2,
    ),
    _Form("criticals", "Critical values", "criticals", NUMBERS, room=NAME),
    _Form(
        "prices",
        "Are prices the true odds?",
        "prices",
        "prices, n: test.n, LR: test.statistic, p: test.p",
    ),
    _Form(
        "books",
        "Bookmakers' opening odds, power method",
        "books",
        "book, books, refused, out of band: out_of_band, overround, exponent, moved",
        "moved: legs that the bias constants changed.",
    ),
    _Form("shin", "The power method beside Shin's", "book_numbers", NUMBERS, room=NAME),
    _Form(
        "gate",
        "Gate",
        "gate.rules",
        "rule, fired, no data: abstained",
        "Of {0.gate.questions} questions; a rule without data lets everything through.",
        room=STATEMENT,
    ),
    _Form("edges", "The champion's edges", "edges", NUMBERS, room=NAME),
    _Form(
        "stakes",
        "The champion's stakes, added up",
        "stake_lines",
        "bets, full Kelly: full, part: fractional, capped, final, bankroll, mode",
        "As parts of the bankroll: of full Kelly, capped alone, then by event and day.",
        names=0,
    ),
    _Form("caps", "Caps on events and days", "stakes.numbers", NUMBERS, room=NAME),
    _Form(
        "bets",
        "Bets and the close",
        "bets",
        "model, rule, bets, events, stake, CLV: clv, EV-CLV: ev_clv",
        "rules sizes as the protocol says; as coded and long shots by p are the paper's replay "
        "(C10). EV-CLV is at the odds taken, or at the fair price where there are none.",
        names=2,
    ),
    _Form(
        "labels",
        "Three states",
        "bets",
        "model, rule, Z: closing.source_c.z.z, Sharpe: closing.source_c.sharpe, "
        "published: closing.source_c.label, by event: label",
        "published mirrors the block bootstrap (C9) and answers however few bets there are; by "
        "event withholds the label below 30 bets or 20 events.",
        names=2,
    ),
    _Form("closing", "The champion's closing line", "bets[0].numbers", NUMBERS, room=NAME),
    _Form(
        "predictions",
        "Registered predictions",
        "ledger.predictions",
        "id, statement, value, result",
        "{0.ledger.hits} HIT, {0.ledger.misses} MISS. All count alike; n/a is open.",
        names=2,
        room=STATEMENT,
    ),
    _Form(
        "misses",
        "The champion's most confident misses",
        "ledger.worst",
        "question, likeliest: option, came, P: p",
        "The likeliest option came in {0.ledger.forecast_hits} of {0.ledger.forecasts} "
        "questions.",
        names=3,
    ),
)


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
    return tuple(_tables(report))


def _tables(report: StudyReport) -> Iterator[StudyTable]:
    for form in _FORMS:
        columns = [column.partition(": ") for column in form.columns.split(", ")]
        rows = tuple(
            tuple(_cell(head, _field(record, path or head)) for head, _, path in columns)
            for record in _field(report, form.records) or ()
        )
        if rows:
            head, note = tuple(column[0] for column in columns), form.note.format(report)
            yield StudyTable(form.key, form.title, head, rows, note, form.names, form.room)


def _field(record: object, path: str) -> Any:  # noqa: ANN401  whatever stands there
    """What stands at a path such as `dm.p` or `wald[hc3]`; None below what is missing.

    Raises:
        AttributeError: A record has no field of that name: the path is wrong.
    """
    value: Any = record
    for name, key in _STEPS.findall(path):
        if value is None:
            return None
        value = getattr(value, name) if name else _item(value, key)
    return value


def _item(values: Mapping[str, object] | Sequence[object], key: str) -> object:
    """What stands under a key, or at a place; None where there is no such one."""
    if isinstance(values, Mapping):
        return values.get(key)
    return values[int(key)] if int(key) < len(values) else None


def _cell(head: str, value: object) -> str:
    """A value as its kind is written; below a heading with a p stands a p-value."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Interval):
        return f"{number(value.low, 3)} to {number(value.high, 3)}"
    if isinstance(value, StudyScore):
        return value.words.removesuffix(" loss")
    if isinstance(value, float):
        return _number(head, value)
    return count(value) if isinstance(value, int) else str(value)


def _number(head: str, value: float) -> str:
    if P_VALUES & {*head.split()}:
        return f"{value:.4f}" if value >= SMALLEST_P else "<.0001"
    decimals = 6 if head == "implied" else 4
    return f"{value:.4g}" if abs(value) >= LARGEST else number(value, decimals)


_STEPS: Final = re.compile(r"(\w+)|\[([^\]]+)\]")  # a field, or a key
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
        " & ".join(_latex_cell(getattr(row, path)) for path in _LATEX.values())
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
