"""`arena completion`: what lets a shell complete the command.

It completes the names of cohorts, contestants and metrics, as they are here.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem, get_completion_class

from arena.cli import COMPLETES
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.records.settings import Settings


class CompletedText(click.types.StringParamType):
    """Text that may be anything, and is completed with the names there are."""

    def __init__(self, names: Callable[[click.Context], Iterable[str]]) -> None:
        self._names = names

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002  click's order
        incomplete: str,
    ) -> list[CompletionItem]:
        """Offer the names that begin so; none where the arena cannot be read."""
        try:
            names = sorted(set(self._names(ctx)))
        except (ArenaError, OSError):
            return []
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def offer(command: click.Command) -> None:
    """Let a command's parameters be completed that take one of the names."""
    for parameter in command.params:
        names = _NAMES.get(parameter.name or "")
        if names and isinstance(parameter.type, click.types.StringParamType):
            parameter.type = CompletedText(names)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            offer(inner)


def _cohorts(context: click.Context) -> Iterable[str]:
    """Those of the database, and their files' names for what plays a round of them."""
    yield from _stored_names(context, "SELECT cohort FROM cohorts")
    if "agent" in {parameter.name for parameter in context.command.params}:
        yield from (spec.name for spec in _settings(context).cohorts)


def _contestants(context: click.Context) -> Iterable[str]:
    yield from _stored_names(context, "SELECT DISTINCT contestant FROM seats")
    if not context.params.get("database"):
        yield from (contestant.id for contestant in _settings(context).contestants)


def _metrics(context: click.Context) -> Iterable[str]:
    from arena.cli.scores.explain import OWN
    from arena.metrics.registry import METRICS, PAIRED

    if context.info_name == "compare":
        return PAIRED
    own = OWN if context.info_name == "explain" else ()
    return (*METRICS, *own)


def _stored_names(context: click.Context, sql: str) -> Iterable[str]:
    """A column of the database, which is only read; nothing where there is none."""
    from arena.store.sqlite import read_only

    given = context.params.get("database")
    file = Path(given) if given else _in_folder(context, Path(_settings(context).database))
    if not file.is_file():
        return []
    with read_only(file) as raw:
        return [str(row[0]) for row in raw.execute(sql)]


def _settings(context: click.Context) -> "Settings":
    from arena.config import load_settings

    config = context.find_root().params.get("config") or Path("config.yaml")
    return load_settings(_in_folder(context, Path(config)))


def _in_folder(context: click.Context, file: Path) -> Path:
    """A file as --directory has it; while a line is completed nobody goes there."""
    return Path(context.find_root().params.get("directory") or "") / file


_NAMES: Final[Mapping[str, Callable[[click.Context], Iterable[str]]]] = {
    "cohort": _cohorts,
    "agent": _contestants,
    "champion": _contestants,
    "contestant": _contestants,
    "first": _contestants,
    "second": _contestants,
    "metric": _metrics,
    "metrics": _metrics,
    "rank_by": _metrics,
}


WHERE = {
    "bash": "~/.local/share/bash-completion/completions/arena",
    "zsh": "a file _arena in a folder of $fpath",
    "fish": "~/.config/fish/completions/arena.fish",
}
EPILOG = "\b\nWrite it to:\n" + "\n".join(f"  {name:5} {to}" for name, to in WHERE.items())


@click.command(epilog=EPILOG)
@click.argument("shell", type=click.Choice(list(WHERE)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that lets SHELL complete commands, options and their values.

    Cohorts, contestants and metrics are completed by name, as the configuration and the
    database have them. Try it with `eval "$(arena completion bash)"`, or for fish `arena
    completion fish | source`.
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise AssertionError(f"click knows {shell}")
    top = context.find_root()
    click.echo(kind(top.command, {}, "arena", COMPLETES).source())
