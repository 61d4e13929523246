"""How results and progress are printed: tables, JSON, and one plain line after another.

The error of a command says what failed, where, and what to do.
"""

import errno
import json
import sys
import traceback
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import click

from arena.cli import Globals
from arena.clock import SystemClock
from arena.errors import ArenaError, did_you_mean, nearest
from arena.metrics import figures

if TYPE_CHECKING:
    from arena.metrics.metric import Metric
    from arena.ports import Clock
    from arena.records.estimate import Estimate, Interval
    from arena.records.grade import Score
    from arena.records.report import TickReport


SCHEMA_VERSION = 1
MISSING = "n/a"
SYSTEM = SystemClock()
SECOND = timedelta(seconds=1)
STEPS = 20  # in which something is told that has many more


def plain(text: str) -> str:
    """Make text from outside harmless to a terminal: no control or direction characters.

    >>> plain("rain" + chr(27) + "[2J" + chr(8238) + "?")
    'rain[2J?'
    """
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in _UNSAFE)


def one_line(text: str) -> str:
    """Make text from outside harmless, and no longer than the line it is in.

    >>> one_line("rain" + chr(10) + "error: forged" + chr(8232))
    'rain error: forged'
    """
    return " ".join(plain(text).split())


_UNSAFE = {"Cc", "Cf", "Cs", "Co"}


def as_plain(value: object) -> Any:  # noqa: ANN401  # whatever JSON has words for
    """Turn a record into what JSON has words for; amounts stay exact, as text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple | list):
        return [as_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(key): as_plain(v) for key, v in value.items()}
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value


_collecting: ContextVar[list[dict[str, Any]] | None] = ContextVar("collecting", default=None)


@contextmanager
def collected() -> Iterator[list[dict[str, Any]]]:
    """Collect what `say_json` would print, in this thread or task alone."""
    documents: list[dict[str, Any]] = []
    token = _collecting.set(documents)
    try:
        yield documents
    finally:
        _collecting.reset(token)


def say_json(**document: object) -> None:
    """Print one JSON document to standard output."""
    content = as_plain({"schema_version": SCHEMA_VERSION, **document})
    documents = _collecting.get()
    if documents is not None:
        documents.append(content)
        return
    click.echo(json.dumps(content, indent=2, allow_nan=False))


def say_line(**document: object) -> None:
    """Print one JSON document in a line of its own, at once."""
    click.echo(json.dumps(as_plain({"schema_version": SCHEMA_VERSION, **document})))


def error_json(error: ArenaError, details: Mapping[str, object]) -> str:
    """An error as one JSON document."""
    body = {"code": error.code, "message": error.message, "hint": error.hint}
    return json.dumps({"schema_version": SCHEMA_VERSION, "error": {**body, "details": details}})


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody may be watching; a stream that was closed is None."""
    return stream is not None and stream.isatty()


def utc(at: datetime) -> str:
    """A moment to the minute."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def percent(value: float | None, *, signed: bool = False) -> str:
    """A share as a percentage, as the pages have it: with two decimals if signed, else one."""
    return figures.percent(value, 2 if signed else 1, signed=signed)


def score(mean: "Score") -> str:
    """A mean score with four decimals."""
    return MISSING if mean.value is None else f"{mean.value:.4f}"


def with_interval(estimate: "Estimate", metric: "Metric") -> tuple[str, str]:
    """An estimate as its metric is written, and its interval; what is missing is n/a."""
    return metric.shown(estimate.value), between(estimate.interval, metric)


def between(interval: "Interval | None", metric: "Metric") -> str:
    """An interval as its metric is written."""
    if interval is None:
        return MISSING
    return f"{metric.shown(interval.low)} to {metric.shown(interval.high)}"


def call_cost(amount: Decimal | None) -> str:
    """Dollars of a call, with six decimals."""
    return MISSING if amount is None else f"{amount:.6f}"


def p_value(p: float | None) -> str:
    """A p-value with four decimals, never as 0."""
    if p is None:
        return MISSING
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"  # noqa: PLR2004  what four decimals show


def p_equals(p: float | None) -> str:
    """A p-value in a sentence.

    >>> p_equals(0.0312), p_equals(1e-9)
    ('p = 0.0312', 'p < 0.0001')
    """
    return f"p = {p_value(p)}".replace("= <", "< ")


def report_line(report: "TickReport") -> str:
    """One tick in one line: only what happened is named."""
    counts = {
        "cohort(s) started": len(report.enrolled),
        "venue(s) polled": len(report.polled),
        "round(s)": len(report.rounds),
        "answer(s)": report.answers,
        "pending answer(s)": report.pending,
        "fill(s)": report.fills,
        "sale(s)": report.sales,
        "refused order(s)": report.refused,
        "failed turn(s)": len(report.failed_turns),
        "market(s) resolved": len(report.resolved),
        "market(s) reopened": len(report.reopened),
        "position(s) settled": report.settled,
        "cohort(s) completed": len(report.completed),
        "page(s)": report.pages,
    }
    happened = ", ".join(
        f"{n} {name.replace('(s)', '' if n == 1 else 's')}" for name, n in counts.items() if n
    )
    return f"{utc(report.at)}: {happened or 'nothing was due'}"


class ProgressReporter(Protocol):
    """Prints one step of a long task."""

    def __call__(self, line: str) -> None:
        """Say what the step did."""


@contextmanager
def progress(
    title: str, steps: int, *, done: int = 0, quiet: bool = False, clock: "Clock" = SYSTEM
) -> Iterator[ProgressReporter]:
    """Show a bar on a terminal, and plain lines elsewhere; both on standard error.

    Of lines there are those of the first and the last step, and of others one a second at
    most. `done` steps of all were made in an earlier run.
    """
    global_options = _global_options()
    if quiet or (global_options and global_options.quiet):
        yield lambda line: None  # noqa: ARG005
    elif is_terminal(sys.stderr) and (global_options is None or global_options.bar):
        with _bar(title, steps, done) as advance:
            yield advance
    else:
        width = len(str(steps))
        number, printed_at = done, datetime.min.replace(tzinfo=UTC)
        if done:
            click.echo(f"going on after {done} of {steps} steps", err=True)

        def say(line: str) -> None:
            nonlocal number, printed_at
            number = min(number + 1, steps)
            now = clock.now()
            if number == steps or abs(now - printed_at) >= SECOND:
                printed_at = now
                click.echo(f"[{number:{width}}/{steps}] {line}", err=True)

        yield say


def note(line: str) -> None:
    """Print a remark on standard error, unless --quiet was given."""
    global_options = _global_options()
    if global_options is None or not global_options.quiet:
        click.echo(plain(line), err=True)


def _global_options() -> "Globals | None":
    """The global options; None outside of a command."""
    context = click.get_current_context(silent=True)
    global_options: Globals | None = context.find_root().obj if context else None
    return global_options


@contextmanager
def in_steps(
    title: str, things: str, *, quiet: bool = False
) -> Iterator[Callable[[int, int], None]]:
    """Report progress in a fixed number of steps, however many things are to do."""
    with progress(title, STEPS, quiet=quiet) as line:
        lines_printed = 0

        def tell(done: int, of: int) -> None:
            nonlocal lines_printed
            while lines_printed < STEPS * done // of:
                lines_printed += 1
                line(f"{done} of {of} {things}")

        yield tell


@contextmanager
def _bar(title: str, steps: int, done: int) -> Iterator[ProgressReporter]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    global_options = _global_options()
    console = Console(
        stderr=True, no_color=(global_options.color is False if global_options else None)
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=steps, completed=done)
        yield lambda line: bar.advance(task)  # noqa: ARG005


INTERRUPTED = 130
KEPT = "what was done is kept; run the same command again"
DEFECT = "this is a defect of the arena: run it again as `arena --debug ...` and report that"
_DISK = {
    errno.ENOSPC: ("disk.full", "free some space and run the same command again"),
    errno.EDQUOT: ("disk.full", "free some space and run the same command again"),
    errno.EACCES: ("disk.forbidden", "give this user the right to write there"),
    errno.EPERM: ("disk.forbidden", "give this user the right to write there"),
    errno.EROFS: ("disk.forbidden", "choose a place that may be written to"),
}
_USAGE = (
    (click.NoSuchOption, "usage.option"),
    (click.BadOptionUsage, "usage.option"),
    (click.MissingParameter, "usage.missing"),
    (click.BadParameter, "usage.value"),
)


def usage_error(code: str, message: str, *, hint: str = "") -> ArenaError:
    """What was asked for or configured is wrong: the command ends with 2."""
    return ArenaError(code, message, hint=hint, status=2)


def unknown_name(code: str, message: str, name: str, names: Iterable[str]) -> ArenaError:
    """There is nothing of a name; those of `names` are offered."""
    return usage_error(code, message, hint=did_you_mean(name, names))


class NoSuchCommandError(click.UsageError):
    """The command line names a command that is not there."""


def explain(error: BaseException, global_options: Globals) -> int:
    """Say on standard error what went wrong: in words, or as one JSON document.

    Where in the program it was raised is told with --debug alone.

    Returns:
        The exit code that it means.
    """
    from arena.secrets import Secrets
    from arena.wiring import secrets_near

    ours = isinstance(error, click.ClickException | click.Abort | KeyboardInterrupt)
    secrets = Secrets() if ours else secrets_near(global_options.config)
    failure, details = in_our_words(error).reworded(secrets.text), _details(error)
    trace = (
        secrets.text("".join(traceback.format_exception(error))) if global_options.debug else ""
    )
    if global_options.as_json:
        more = {"traceback": trace} if trace else {}
        click.echo(error_json(failure, {**details, **more}), err=True)
        return failure.status
    if trace and not isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(plain(trace), err=True, nl=False)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    elif failure.code == "interrupted":
        click.echo(f"interrupted: {KEPT}", err=True)
    else:
        if isinstance(error, click.UsageError) and error.ctx:
            click.echo(error.ctx.get_usage(), err=True)
        _complain(failure, color=global_options.color)
    return failure.status


def _complain(error: ArenaError, *, color: bool | None = None) -> None:
    """Say an error in words on standard error."""
    label = click.style(f"error[{error.code}]:", fg="red", bold=True)
    click.echo(f"{label} {plain(error.message)}", err=True, color=color)
    if error.hint:
        label = click.style("hint:", fg="cyan")
        click.echo(f"  {label} {plain(error.hint)}", err=True, color=color)


def in_our_words(error: BaseException) -> ArenaError:
    """Turn any exception of a command into an error with a code and a hint."""
    if isinstance(error, ArenaError):
        return error
    if isinstance(error, click.ClickException):
        return _usage(error)
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return ArenaError("interrupted", "interrupted", hint=KEPT, status=INTERRUPTED)
    if isinstance(error, OSError):
        return _disk(error)
    what = one_line(f"{type(error).__name__}: {error}")
    return ArenaError("internal", what.removesuffix(": "), hint=DEFECT)


def _details(error: BaseException) -> Mapping[str, object]:
    """The parts of an error that a program reads by key."""
    if isinstance(error, click.UsageError) and error.ctx:
        return {"command": error.ctx.command_path}
    if isinstance(error, OSError) and not isinstance(error, ArenaError):
        return {"file": error.filename and str(error.filename), "errno": error.errno}
    return {}


def _usage(error: click.ClickException) -> ArenaError:
    code = "usage.command" if isinstance(error, NoSuchCommandError) else "usage.invalid"
    code = next((code for kind, code in _USAGE if isinstance(error, kind)), code)
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context else "arena"
    hint = f"try `{command} --help`"
    if isinstance(error, click.NoSuchOption) and context:
        hint = _moved(error, context) or hint
    if isinstance(error, click.BadParameter):
        hint = _nearest(error) or hint
    return ArenaError(code, error.format_message(), hint=hint, status=error.exit_code)


def _nearest(error: click.BadParameter) -> str:
    """The choice that was meant, if one is near to what was given."""
    kind = error.param and error.param.type
    if not isinstance(kind, click.Choice):
        return ""
    given = error.message.split("'")[1:2]  # click has it nowhere else
    meant = nearest("".join(given), map(str, kind.choices))
    return f"did you mean {meant}?" if meant else ""


def _moved(error: click.NoSuchOption, context: click.Context) -> str:
    """A hint that a global option stands before the command; empty for other options."""
    top = context.find_root()
    top_options = {name for parameter in top.command.params for name in parameter.opts}
    if context is top or error.option_name not in top_options:
        return ""
    rest = context.command_path.removeprefix("arena ")
    return f"it is for all commands and stands first: `arena {error.option_name} {rest}`"


def _disk(error: OSError) -> ArenaError:
    other = "disk.failed", "name another path" if error.filename else ""
    code, hint = _DISK.get(error.errno or 0, other)
    where = f"{error.filename}: " if error.filename else ""
    return ArenaError(code, f"{where}{error.strerror or error}", hint=hint)
