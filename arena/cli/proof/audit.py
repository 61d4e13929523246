"""`arena audit`: prove the books."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from arena.cli import FINDINGS
from arena.cli.options import database_option, existing, json_option
from arena.cli.say import one_line, say_json
from arena.errors import ArenaError
from arena.records.report import Audit, Finding

MOST: Final = 5  # of what breaks one law


@click.command()
@database_option
@json_option
@click.pass_context
def audit(context: click.Context, database: Path | None, *, as_json: bool) -> None:
    """Prove the ledger's laws over the whole database, in SQL and again in code.

    Of a damaged file it says which tables cannot be read, and what brings each of them back.
    What breaks one law is one line, with the first of it and how many there are; --json has
    them all. Exits with 3 when a law does not hold somewhere.
    """
    report, head = looked(context.obj.config, database)
    say_audit(report, head, as_json=as_json)
    context.exit(FINDINGS if report.findings else 0)


def looked(config: Path, database: Path | None) -> tuple[Audit, str | None]:
    """Check every law, and read the journal's digest; None where that cannot be read."""
    from arena.store.audit import audit as audit_store

    try:
        with existing(config, database) as store:
            report = audit_store(store.db)
            try:
                return report, store.journal.head()
            except ArenaError:  # what is damaged is among the findings
                return report, None
    except ArenaError as error:
        if error.code != "store.damaged":
            raise
        hint = "no table of it can be read; `arena restore` brings a backup back"
        raise ArenaError(error.code, error.message, hint=hint) from error


def say_audit(
    report: Audit, head: str | None, notes: Sequence[str] = (), *, as_json: bool
) -> None:
    """Print what was found, and what could not be compared."""
    if as_json:
        say_json(ok=not report.findings, journal=head, audit=report, notes=notes)
        return
    broken: dict[str, list[Finding]] = {}
    for finding in report.findings:
        broken.setdefault(finding.law, []).append(finding)
    for law, number in report.checked:
        checked = "cannot be read" if number is None else f"{number} checked"
        click.echo(f"{'BROKEN' if law in broken else 'holds '}  {law} ({checked})")
    for law in report.left_out:
        click.echo(f"skipped {law} (texts are left out of this copy)")
    for findings in broken.values():
        for finding in _first_of_each_detail(findings):
            parts = (finding.law, finding.where, finding.detail)
            click.echo(f"  {': '.join(one_line(part) for part in parts)}")
        more = len(findings) - len(_first_of_each_detail(findings))
        if more:
            click.echo(f"  {findings[0].law}: {more:,} more of this kind")
    for words in notes:
        click.echo(f"note    {one_line(words)}")
    click.echo(f"journal {head or 'cannot be read'}")


def _first_of_each_detail(findings: Sequence[Finding]) -> Sequence[Finding]:
    """One finding for each detail, in order, at most `MOST`."""
    return list({finding.detail: finding for finding in reversed(findings)}.values())[::-1][
        :MOST
    ]
