"""`arena completion`: what lets a shell complete the command."""

import click
from click.shell_completion import get_completion_class

from arena.cli import COMPLETES

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
