"""How a command that could not do its work says so: what, where, and what to do."""

import errno

import click

from arena.cli.say import error_json, plain
from arena.errors import ArenaError

INTERRUPTED = 130
KEPT = "what was done is kept; run the same command again"
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


def explain(error: BaseException, *, as_json: bool) -> int:
    """Say on standard error what went wrong: in words, or as one JSON document.

    Returns:
        The exit code that it means.
    """
    found = in_our_words(error)
    if as_json:
        click.echo(error_json(found), err=True)
    elif isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    elif found.code == "interrupted":
        click.echo(f"interrupted: {KEPT}", err=True)
    else:
        if isinstance(error, click.UsageError) and error.ctx:
            click.echo(error.ctx.get_usage(), err=True)
        complain_of(found)
    return found.status


def complain_of(error: ArenaError) -> None:
    """Say an error in words on standard error."""
    click.echo(f"error[{error.code}]: {plain(error.message)}", err=True)
    if error.hint:
        click.echo(f"  hint: {plain(error.hint)}", err=True)


def in_our_words(error: BaseException) -> ArenaError:
    """Turn what a command can end with into an error that has a code and a hint."""
    if isinstance(error, ArenaError):
        return error
    if isinstance(error, click.ClickException):
        return _usage(error)
    if isinstance(error, OSError):
        return _disk(error)
    return ArenaError("interrupted", "interrupted", hint=KEPT, status=INTERRUPTED)


def _usage(error: click.ClickException) -> ArenaError:
    code = "usage.command" if isinstance(error, NoSuchCommandError) else "usage.invalid"
    code = next((code for kind, code in _USAGE if isinstance(error, kind)), code)
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context else "arena"
    return ArenaError(
        code, error.format_message(), hint=f"try `{command} --help`", status=error.exit_code
    )


def _disk(error: OSError) -> ArenaError:
    code, hint = _DISK.get(error.errno or 0, ("disk.failed", ""))
    where = f"{error.filename}: " if error.filename else ""
    return ArenaError(code, f"{where}{error.strerror or error}", hint=hint)
