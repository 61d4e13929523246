"""`arena audit`: prove the books."""

from pathlib import Path

import click

from arena.cli import FINDINGS, later
from arena.cli.options import database_option, json_option
from arena.cli.say import one_line, say_json
from arena.records.audit import Audit


@click.command()
@database_option
@json_option
@click.pass_context
def audit(context: click.Context, database: Path | None, *, as_json: bool) -> None:
    """Prove the ledger's laws over the whole database, in SQL and again in code.

    Exits with 3 when a law does not hold somewhere.
    """
    found, head = looked(context.obj.config, database)
    say_audit(found, head, as_json=as_json)
    context.exit(FINDINGS if found.findings else 0)


def looked(config: Path, database: Path | None) -> tuple[Audit, str]:
    """Check every law, and read the journal's digest."""
    with later.database.existing(config, database) as store:
        return later.audit.audit(store.db), store.journal.head()


def say_audit(found: Audit, head: str, *, as_json: bool) -> None:
    """Print what was found."""
    if as_json:
        say_json(ok=not found.findings, journal=head, audit=found)
        return
    broken = {f.law for f in found.findings}
    for law, number in found.checked:
        click.echo(f"{'BROKEN' if law in broken else 'holds '}  {law} ({number} checked)")
    for finding in found.findings:
        said = (finding.law, finding.where, finding.detail)
        click.echo(f"  {': '.join(one_line(part) for part in said)}")
    click.echo(f"journal {head}")
