"""`arena seal`: lay down how a cohort is graded, before its first forecast."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import FINDINGS
from arena.cli.options import NEW_FILE, existing, json_option
from arena.cli.say import SCHEMA_VERSION, as_plain, one_line, say_json, unknown_name
from arena.cli.scores.evidence import grader
from arena.clock import SystemClock
from arena.errors import ArenaError
from arena.records.cohort import Cadence, CohortId, CohortSpec
from arena.records.seal import Sealing, SealState
from arena.records.settings import Settings

if TYPE_CHECKING:
    from arena.steps.seal import NewSeal
    from arena.store import Store

SEALS = "seals"
NEXT = "the next cohort"


@click.command()
@click.argument("cohort")
@click.option("--reason", default="", metavar="TEXT", help="Why this version is made.")
@click.option(
    "--out",
    type=NEW_FILE,
    help="The document; seals/COHORT-VERSION.json beside the configuration if left out.",
)
@click.option("--late", is_flag=True, help="Seal it though its one cohort has begun.")
@click.option("--check", is_flag=True, help="Make nothing: say whether the seal holds.")
@json_option
@click.pass_context
def seal(  # noqa: PLR0913  each is an option of the command
    context: click.Context,
    cohort: str,
    reason: str,
    out: Path | None,
    *,
    late: bool,
    check: bool,
    as_json: bool,
) -> None:
    """Write down how COHORT is graded, with a digest, before its first forecast.

    COHORT is a file of the cohorts folder, without its `.yaml`. Its constants, tests,
    directions, alpha families, code and library versions become an entry of the journal and a
    document to publish. What changes afterwards needs a new version; where none was made, the
    grading stops. With --check it exits with 3 when a seal is broken.
    """
    from arena.config import load_settings
    from arena.site.engine.site_folder import write_whole
    from arena.steps.seal import make_seal
    from arena.store import open_store

    if check and (reason or out or late):
        raise click.UsageError("--check makes nothing: leave --reason, --out and --late out")
    settings = load_settings(context.obj.config)
    if check:
        hint = f"nothing is sealed yet: `arena seal {cohort}` seals it"
        with existing(context.obj.config, None, hint=hint) as store:
            states = _look(store, settings, cohort)
        context.exit(_say_states(states, as_json=as_json))
    spec = _configured(settings, cohort)
    if spec is None:
        raise _unknown(settings, cohort)
    with open_store(settings.database) as store:
        at = SystemClock().now().replace(microsecond=0)
        now = grader(settings)
        made = make_seal(store, spec, at, reason=reason, late=late, now=now)
        document = _document(store, made)
    version = made.kept.seal.version
    file = out or Path(settings.root) / SEALS / f"{cohort}-{version}.json"
    content = as_plain({"schema_version": SCHEMA_VERSION, **document})
    write_whole(file, f"{json.dumps(content, indent=2)}\n".encode())
    if as_json:
        say_json(made=made.is_new, begun=made.begun, document=str(file), **document)
    else:
        _say_made(made, file)


def _configured(settings: Settings, name: str) -> CohortSpec | None:
    return next((spec for spec in settings.cohorts if spec.name == name), None)


def _unknown(settings: Settings, name: str) -> ArenaError:
    names = [spec.name for spec in settings.cohorts]
    return unknown_name("cohort.unknown", f"there is no cohort file {name}.yaml", name, names)


def _document(store: "Store", made: "NewSeal") -> dict[str, object]:
    """What anybody needs to check a seal: it follows from the journal, byte for byte."""
    kept = made.kept
    row = store.db.row("SELECT id, at, digest FROM journal_entries WHERE seq = ?", kept.number)
    entry = dict(row) if row else {}
    journal = {"entry": kept.number, **entry}
    return {"digest": kept.digest, "seal": kept.seal, "journal": journal}


def _say_made(made: "NewSeal", file: Path) -> None:
    sealed = made.kept.seal
    registered, grading = sealed.grading.registration, sealed.grading
    done = "sealed" if made.is_new else "is already sealed"
    click.echo(f"{sealed.name} {done} as version {sealed.version}")
    click.echo(f"  digest    {made.kept.digest}")
    click.echo(f"  constants {len(registered.constants)}")
    for test in registered.tests:
        click.echo(
            f"  test      {test.name}: {test.metric}, {test.direction}, family {test.family}"
        )
    for look in grading.looks:
        click.echo(f"  look      {look.name}: alpha spent by then {look.value}")
    click.echo(f"  code      {grading.code}")
    versions = ", ".join(f"{library.name} {library.value}" for library in grading.libraries)
    click.echo(f"  libraries {versions}")
    click.echo(f"  document  {one_line(str(file))}")
    for cohort in made.begun:
        click.echo(f"  cohort {cohort} had begun: for it this version is exploratory")


def _look(store: "Store", settings: Settings, name: str) -> Sequence[tuple[str, Sealing]]:
    """How the seals of a file's running cohorts stand, and that of its next one."""
    from arena.steps.seal import outlook, states_of

    spec = _configured(settings, name)
    running = [c.id for c in store.books.running() if c.spec.name == name]
    states: list[tuple[str, Sealing]] = [
        (f"cohort {cohort}", sealing)
        for cohort, sealing in states_of(store, running, grader(settings))
    ]
    if spec is None and not running:
        raise _unknown(settings, name)
    if spec is not None:
        once = spec.start.cadence is Cadence.ONCE
        if not once or store.books.cohort(CohortId(spec.name)) is None:
            states.append((NEXT, outlook(store, spec, grader(settings))))
    return states


def _say_states(states: Sequence[tuple[str, Sealing]], *, as_json: bool) -> int:
    broken = any(sealing.state is SealState.BROKEN for _, sealing in states)
    if as_json:
        say_json(ok=not broken, seals=[{"of": name, "seal": s} for name, s in states])
    else:
        for name, sealing in states:
            click.echo(f"{sealing.state:8}  {name}: {one_line(sealing.words)}")
        if not states:
            click.echo("no cohort of this file is running or will start")
    return FINDINGS if broken else 0
