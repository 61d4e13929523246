"""`arena verify`: check what the arena says for yourself."""

from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import FINDINGS, CommandGroup
from arena.cli.options import EXISTING_FILE, database_option, existing, json_option
from arena.cli.pages.site import check as check_files
from arena.cli.say import one_line, say_json
from arena.records.cohort import CohortId, ContestantId

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.store import Store


@click.group(cls=CommandGroup)
def verify() -> None:
    """Check a published site, a decision, files or the database for yourself.

    Each exits with 3 when something is not as it should be.
    """


@verify.command()
@click.argument("place", metavar="DIR|URL")
@click.option(
    "--against", "older", metavar="DIR|URL", help="An older copy, of which nothing may be lost."
)
@click.option(
    "--tsa-cert",
    "authority",
    type=EXISTING_FILE,
    help="The root certificate, in PEM, of the authority that stamps heads.",
)
@json_option
@click.pass_context
def bundle(
    context: click.Context,
    place: str,
    *,
    older: str | None,
    authority: Path | None,
    as_json: bool,
) -> None:
    """Work a published site out again from its own files, and compare.

    No database, configuration or key is needed. Every file against its digest; the chain of
    the journal and the laws of the books, in a database that is made of the bundle; scores,
    intervals and ranks on the pages of the leaderboard, contestants, providers, pairs and
    calibration, each number against what this program makes of the bundle; the tables in data.
    """
    from arena.bundle import templates
    from arena.cli.proof.audit import say_audit
    from arena.site.bundle.bundle_check import check_bundle
    from arena.site.bundle.published_site import published_site

    past = published_site(older) if older else None
    certificates = authority.read_bytes() if authority else None
    checked = check_bundle(published_site(place), templates(), past, certificates)
    say_audit(checked.report, checked.head, checked.notes, as_json=as_json)
    context.exit(FINDINGS if checked.report.findings else 0)


@verify.command()
@click.argument("cohort")
@click.argument("number", metavar="ROUND", type=click.IntRange(1))
@click.argument("contestant")
@click.option(
    "--bundle", "place", metavar="DIR|URL", help="A published site instead of the database."
)
@database_option
@json_option
@click.pass_context
def decision(  # noqa: PLR0913  each is an argument or an option
    context: click.Context,
    cohort: str,
    number: int,
    contestant: str,
    *,
    place: str | None,
    database: Path | None,
    as_json: bool,
) -> None:
    """Work a turn out again from the tape, and compare it with what was booked.

    Prompt and reply against their digests, the entry against the chain of the journal, the
    round against the prices on the tape, and the reply's words against the orders, refusals
    and fills in the books. Of a published site texts that are not in it are left out.
    """
    from arena.steps.verify import verify_decision

    if place and database:
        raise click.UsageError("--bundle and --database are two places: name one")
    turn = (CohortId(cohort), number, ContestantId(contestant))
    with _store_with(context, place, database, turn) as store:
        checks = verify_decision(store, *turn)
    is_well = all(check.ok for check in checks)
    if as_json:
        say_json(ok=is_well, checks=checks)
    else:
        for check in checks:
            mark = "ok  " if check.ok else "DIFF"
            click.echo(f"{mark}  {one_line(f'{check.what}: {check.detail}')}")
    context.exit(0 if is_well else FINDINGS)


@contextmanager
def _store_with(
    context: click.Context,
    place: str | None,
    database: Path | None,
    turn: tuple[CohortId, int, ContestantId],
) -> "Iterator[Store]":
    """The database, or one that is made of a published site, with the texts of a turn."""
    from arena.site.bundle.bundle_check import keep_texts, opened
    from arena.site.bundle.published_site import published_site, refused
    from arena.steps.verify import texts_of_turn

    if place is None:
        with existing(context.obj.config, database) as store:
            yield store
        return
    with opened(published_site(place)) as site:
        if site.findings:
            raise refused(f"{site.findings[0].where}: {site.findings[0].detail}")
        with site.store() as store:
            keep_texts(site, store, texts_of_turn(store, *turn))
            yield store


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
