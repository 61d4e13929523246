"""`arena study`: a registered protocol over forecasts of several models and their market."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import FINDINGS, say
from arena.cli.options import NEW_FILE, json_option
from arena.cli.say import usage_error
from arena.cli.scores.evidence import column_by_heading, map_option
from arena.cli.tables import table

if TYPE_CHECKING:
    from arena.metrics.study.report import StudyReport
    from arena.metrics.study.tables import StudyTable
    from arena.sheets.study import StudySheet
    from arena.steps.study_seal import StudySealing

WIDTH = 80

COLUMNS = """\b
FILE is what `arena score` reads: a row a model and question. Beside contestant, market,
event, at, outcome and p_1, p_2, ... (or p of two options) these columns are known; what
is not there leaves its part of the report out, with the reason. Of several forecasts of
a model and question the last counts.
  stage, fold          where a question belongs; the fold of a cross-validation
  class                the market's class, such as 1x2 or corners, for the threshold
  open_1, ...          the market's fair probabilities at the opening
  close_1, ...         and at the close; of p: market_p and close_p
  odds_BOOK_open_1, .. decimal odds of a book that the protocol names; odds_BOOK_close_1
  host                 the number of the option that is a win of the host
  stake, backed        a bet that was made, and the number of its option
  before_1, ...        for the gate: prices half an hour before
  exchange_1, ...      and those of an exchange; volume in dollars a day, quoted_at,
                       news_at (times with spaces between them, or none)
Quotes belong to the question: they may stand in one of its rows or in all."""


@click.command(epilog=COLUMNS)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option(
    "--protocol", type=NEW_FILE, help="The protocol; the World Cup paper's if left out."
)
@click.option("--print-protocol", is_flag=True, help="Print that of the paper, to be edited.")
@map_option
@click.option("--html", type=NEW_FILE, help="Write the report as one page that needs no other.")
@click.option("--latex", type=NEW_FILE, help="Write the ablation table as LaTeX.")
@click.option("--seal", is_flag=True, help="Seal the protocol, before the first outcome.")
@click.option("--reason", default="", metavar="TEXT", help="Why the protocol is sealed again.")
@click.option(
    "--signature",
    "signatures",
    multiple=True,
    type=NEW_FILE,
    help="A signature of the seal, by ssh-keygen or minisign; again for several.",
)
@click.option(
    "--signers",
    type=NEW_FILE,
    help="Whose signatures count: ssh-keygen's allowed signers, or minisign's public key.",
)
@json_option
def study(  # noqa: PLR0913  a command's options are its arguments
    files: tuple[Path, ...],
    *,
    protocol: Path | None,
    print_protocol: bool,
    mapped: tuple[str, ...],
    html: Path | None,
    latex: Path | None,
    seal: bool,
    reason: str,
    signatures: tuple[Path, ...],
    signers: Path | None,
    as_json: bool,
) -> int:
    """Run a registered protocol over the forecasts of FILE, and report every test of it.

    Each number that the World Cup paper published stands beside the right one. Without FILE,
    --seal writes the seal and --print-protocol the protocol.
    """
    from arena.config.protocol import load_protocol, shipped_protocol
    from arena.metrics.study.evaluate import run_study
    from arena.metrics.study.protocol import StudyProtocol
    from arena.sheets.study import read_study
    from arena.steps.study_seal import seal_study, sealing_of

    if print_protocol:
        given = click.get_current_context().params
        if any(value for name, value in given.items() if name != "print_protocol"):
            raise click.UsageError("--print-protocol stands alone")
        click.echo(shipped_protocol(), nl=False)
        return 0
    rules = load_protocol(protocol) if protocol else StudyProtocol()
    if (seal or signatures) and protocol is None:
        raise usage_error(
            "study.seal",
            "a seal is of a protocol file, and none is named",
            hint="`arena study --print-protocol > study.yaml`, then --protocol study.yaml",
        )
    if seal and protocol:
        written = seal_study(protocol, rules, reason)
        say.note(f"sealed: {say.one_line(str(written))}")
    if not files:
        if not seal:
            raise click.UsageError("name a FILE of forecasts.")
        return 0
    sheet = read_study(files, rules, column_by_heading(mapped))
    sealing = sealing_of(protocol, rules, signatures, signers)
    report = run_study(sheet.forecasts, rules)
    _write(report, sealing, html, latex)
    if as_json:
        document = _document(files, sheet, sealing, report)
        click.echo(json.dumps(document, indent=2, sort_keys=True, allow_nan=False))
    elif not (html or latex):
        _say(report, sheet, sealing)
    return _complain(sheet)


def _write(
    report: "StudyReport", sealing: "StudySealing", html: Path | None, latex: Path | None
) -> None:
    from arena.metrics.study import tables

    if latex:
        _write_text(latex, tables.latex(report))
    if html:
        from arena.site.study import study_page

        _write_text(html, study_page(report, sealing.standing, sealing.words))


def _write_text(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise usage_error(
            "study.output", f"{file} cannot be written: {error.strerror}"
        ) from error
    say.note(f"written: {say.one_line(str(file))}")


def _document(
    files: tuple[Path, ...], sheet: "StudySheet", sealing: "StudySealing", report: "StudyReport"
) -> object:
    from hashlib import sha256

    from arena.steps.seal import libraries

    read = sheet.sheet
    return say.as_plain(
        {
            "schema_version": say.SCHEMA_VERSION,
            "where": ", ".join(map(str, files)),
            "read_as": read.said,
            "left_out": dict(read.forecasts.left_out),
            "faults": dict(sheet.faults),
            "replaced": sheet.replaced,
            "files": {str(file): sha256(file.read_bytes()).hexdigest() for file in files},
            "libraries": {library.name: library.value for library in libraries()},
            "standing": sealing.standing,
            "words": sealing.words,
            "seal": sealing,
            "report": report,
        }
    )


def _say(report: "StudyReport", sheet: "StudySheet", sealing: "StudySealing") -> None:
    from arena.metrics.study.tables import headline, study_tables

    for line in sheet.sheet.said:
        say.note(line)
    for line in (*headline(report), sealing.words, _left_out(sheet)):
        _paragraph(line)
    for each in study_tables(report):
        click.echo(f"\n{say.one_line(each.title)}")
        table(each.head, [_fitted(row, each) for row in each.rows], names=each.names)
        _paragraph(each.note)
    if report.missing:
        click.echo("\nNot in this report")
    for part, why in report.missing.items():
        _paragraph(f"{part}: {why}")


def _left_out(sheet: "StudySheet") -> str:
    """The rows that are not in the report, and why; nothing where all are."""
    counts = {**sheet.sheet.forecasts.left_out, **sheet.faults}
    if sheet.replaced:
        counts["replaced by a later forecast"] = sheet.replaced
    reasons = ", ".join(f"{n} {why.replace('_', ' ')}" for why, n in counts.items())
    return f"left out or missing: {reasons}" if reasons else ""


def _fitted(row: tuple[str, ...], of: "StudyTable") -> list[str]:
    """A row with its names cut to their room; the JSON has them whole."""
    cells = [say.one_line(cell) for cell in row]
    return [
        f"{cell[: of.room - 3]}..." if n < of.names and len(cell) > of.room else cell
        for n, cell in enumerate(cells)
    ]


def _paragraph(text: str) -> None:
    import textwrap

    if text:
        click.echo(textwrap.fill(say.one_line(text), WIDTH))


def _complain(sheet: "StudySheet") -> int:
    """Say what was faulty in the file; the exit code that it means."""
    if not (sheet.sheet.faulty or sheet.faults):
        return 0
    click.echo(f"warning: {say.one_line(_left_out(sheet))}", err=True)
    return FINDINGS
