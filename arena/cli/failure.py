"""Prints the error of a command: what failed, where, and what to do."""

import errno
import traceback
from collections.abc import Mapping

import click

from arena.cli import Globals
from arena.cli.say import error_json, one_line, plain
from arena.errors import ArenaError, nearest

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
    code, hint = _DISK.get(error.errno or 0, ("disk.failed", ""))
    where = f"{error.filename}: " if error.filename else ""
    return ArenaError(code, f"{where}{error.strerror or error}", hint=hint)
