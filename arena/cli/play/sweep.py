"""`arena sweep`: many replays of one recording, and how their arms compare."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import PARTIAL, CommandGroup, say
from arena.cli.options import EXISTING_FILE, FOLDER, json_option
from arena.cli.tables import AS_IT_IS, TableLayout, table, table_options
from arena.metrics import figures
from arena.process import interrupted_by_sigterm

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from arena.records.settings import JobFailure, SweepJob
    from arena.sweeps.jobs import FinishedJob, SweepFolder


class SweepGroup(CommandGroup):
    """A group whose command `run` need not be named: `arena sweep PLAN.yaml`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `run` before anything that is no command and asks for no help."""
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=SweepGroup)
def sweep() -> None:
    """Play many replays of one recording, and compare their arms.

    `arena sweep PLAN.yaml` is `arena sweep run PLAN.yaml`.
    """


@sweep.command()
@click.argument("plan", type=EXISTING_FILE)
@click.option(
    "--on",
    "engine",
    default="local",
    metavar="ENGINE",
    help="local, dask or ray; with :N so many processes, else one a core; with :ADDRESS a "
    "Dask or Ray cluster that is there, which sees the same files.",
)
@click.option("--out", type=FOLDER, default=Path("sweep"), help="The folder for results.")
@json_option
@click.pass_context
def run(context: click.Context, plan: Path, *, engine: str, out: Path, as_json: bool) -> int:
    """Play every replay of PLAN that has no result in the folder yet.

    PLAN names a cohort file, a recording and what is varied: examples/sweep.yaml has one.
    Results are Parquet files by the digest of all that determines them, so that a sweep that
    was stopped goes on, and one whose plan has grown plays what is new. A replay that fails
    stops no other, and is tried again by the next run. Each replay has the configured budgets
    for itself: models that are not invented are paid in every one.
    """
    from arena.bundle import here_or_bundled
    from arena.config.sweep import load_plan
    from arena.sweeps.jobs import SweepFolder, may_remember, planned_jobs
    from arena.sweeps.run import engine_of, run_sweep

    chosen = engine_of(engine)
    jobs = planned_jobs(load_plan(plan), here_or_bundled(context.obj.config))
    folder = SweepFolder(out)
    folder.plan(jobs)
    before = folder.done(job.digest for job in jobs)
    known = may_remember(jobs)
    if not as_json:
        for leak in known:
            say.note(f"warning: {leak}")
    failures: Sequence[JobFailure] = ()
    if len(before) < len(jobs):
        with (
            interrupted_by_sigterm(),
            chosen as started,
            say.progress("sweeping", len(jobs), done=len(before), quiet=as_json) as step,
        ):
            failures = run_sweep(
                jobs, started, folder, lambda job, result: step(_line(job, result))
            )
    _say_run(folder, jobs, before, failures, known if as_json else None)
    return PARTIAL if failures else 0


def _line(job: "SweepJob", result: "FinishedJob | JobFailure") -> str:
    """A job that ended, in one line."""
    from arena.records.settings import JobFailure

    if isinstance(result, JobFailure):
        return say.one_line(f"{job}: failed: {result.message}")
    cost = "" if not result.cost else f", ${result.cost:.2f}"
    return say.one_line(f"{job}: {result.cpu_seconds:.1f} s of CPU{cost}")


def _say_run(
    folder: "SweepFolder",
    jobs: "Sequence[SweepJob]",
    before: "Collection[str]",
    failures: "Sequence[JobFailure]",
    known: "Sequence[str] | None",
) -> None:
    """Say what there is; as JSON, with who may remember, where that is given."""
    lines = folder.finished(job.digest for job in jobs)
    if known is not None:
        say.say_json(
            folder=str(folder.path),
            planned=len(jobs),
            played=len(lines) - len(before),
            finished=lines,
            failures=failures,
            may_remember=known,
        )
        return
    for failure in failures:
        click.echo(say.one_line(f"failed: {failure.job}: {failure.message}"), err=True)
    seconds = sum(line.cpu_seconds for line in lines)
    costs = [line.cost for line in lines if line.cost is not None]
    unknown = f", unknown of {len(lines) - len(costs)}" if len(costs) < len(lines) else ""
    click.echo(
        f"{len(lines)} of {len(jobs)} replays have results, {len(lines) - len(before)} of them "
        f"new: {seconds:.1f} s of CPU, {figures.dollars(sum(costs), 2)} for models{unknown}"
    )
    click.echo(f"results {say.one_line(str(folder.path))}")


@sweep.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@table_options
@json_option
def report(folder: Path, *, layout: TableLayout, as_json: bool) -> None:
    """Compare the arms of a sweep, as far as it is played, and write FOLDER/report.html.

    Every contestant is compared with itself between every two arms, on the questions that it
    was asked in both. Replays of one arm that differ in their seed are replicates: their
    forecasts of a question are averaged. --columns, --sort and --limit shape the table of arms.
    """
    from arena.sweeps.jobs import SweepFolder
    from arena.sweeps.report import ARMS, headline, report_page, report_tables, sweep_report

    compared = sweep_report(SweepFolder(folder))
    page = folder / "report.html"
    page.write_text(report_page(compared), encoding="utf-8")
    if as_json:
        say.say_json(report=compared, page=str(page))
        return
    click.echo(say.one_line(headline(compared)))
    for each in report_tables(compared):
        click.echo(f"\n{each.title}")
        rows = [[say.one_line(cell) for cell in row] for row in each.rows]
        shape = layout if each.key == ARMS else AS_IT_IS
        table(each.head, rows, shape, names=each.names)
        click.echo(each.note)
    click.echo(f"\npage    {page.resolve().as_uri()}")
