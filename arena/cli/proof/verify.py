"""`arena verify`: check what the arena says for yourself."""

from copy import copy
from pathlib import Path

import click

from arena.cli import FINDINGS, CommandGroup
from arena.cli.options import database_option, json_option
from arena.cli.pages.site_check import check as check_files
from arena.cli.say import one_line, say_json
from arena.records.cohort import CohortId, ContestantId


@click.group(cls=CommandGroup)
def verify() -> None:
    """Check a decision, a site's files or the database for yourself.

    Each exits with 3 when something is not as it should be.
    """


@verify.command()
@click.argument("cohort")
@click.argument("number", metavar="ROUND", type=click.IntRange(1))
@click.argument("contestant")
@database_option
@json_option
@click.pass_context
def decision(  # noqa: PLR0913  each is an argument or an option
    context: click.Context,
    cohort: str,
    number: int,
    contestant: str,
    *,
    database: Path | None,
    as_json: bool,
) -> None:
    """Work a turn out again from the tape, and compare it with what was booked.

    Prompt and reply against their digests, the entry against the chain of the journal, the
    round against the prices on the tape, and the reply's words against the orders, refusals
    and fills in the books.
    """
    from arena.cli.database import existing
    from arena.steps.verify import verify_decision

    with existing(context.obj.config, database) as store:
        checks = verify_decision(store, CohortId(cohort), number, ContestantId(contestant))
    is_well = all(check.ok for check in checks)
    if as_json:
        say_json(ok=is_well, checks=checks)
    else:
        for check in checks:
            mark = "ok  " if check.ok else "DIFF"
            click.echo(f"{mark}  {one_line(f'{check.what}: {check.detail}')}")
    context.exit(0 if is_well else FINDINGS)


@verify.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@json_option
@click.pass_context
def db(context: click.Context, file: Path | None, *, as_json: bool) -> None:
    """Prove the ledger's laws over the database, or over another FILE; as `arena audit`."""
    from arena.cli.proof.audit import looked, say_audit

    report, head = looked(context.obj.config, file)
    say_audit(report, head, as_json=as_json)
    context.exit(FINDINGS if report.findings else 0)


_site = copy(check_files)  # its options have variables of their own
_site.params = [copy(one) for one in check_files.params]
for _one in _site.params:
    _one.envvar = None
verify.add_command(_site, "site")
