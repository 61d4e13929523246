"""`arena site check` and `arena site diff`: built sites, read from their files alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli import FINDINGS
from arena.cli.options import json_option
from arena.cli.say import in_steps, one_line, say_json
from arena.cli.tables import AS_IT_IS, TableLayout, table, table_options
from arena.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.secrets import Secrets
    from arena.site.checks.budget import BudgetLine
    from arena.site.checks.check import ChangedFile, Checked, Difference, Value

SHOWN: Final = 50  # findings, files and values that are named; --json has all
LONGEST: Final = 100  # letters of a value

_folder = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("folder", metavar="[DIR]", type=_folder, required=False)
@json_option
@click.pass_context
def check(context: click.Context, folder: Path | None, *, as_json: bool) -> None:
    """Check every file of a built site: the configured one, or that of DIR.

    Links and the places on pages that they lead to; the policy of each page and what breaks
    it; headings, titles and ids; JSON, feeds and drawings that cannot be read; digests; keys
    that must not be published, those in the environment among them; sizes. Ends with 3 where
    something was found.
    """
    from arena.site.checks.check import check_site

    out = _site_folder(context, folder)
    with in_steps("checking", "files", quiet=as_json) as tell:
        checked = check_site(out, _secrets(context.obj.config), tell)
    if as_json:
        say_json(ok=checked.ok, **_plain(checked))
    else:
        _say(checked)
    if not checked.ok:
        context.exit(FINDINGS)


@click.command()
@click.argument("folder", metavar="[DIR]", type=_folder, required=False)
@table_options
@json_option
@click.pass_context
def budget(
    context: click.Context, folder: Path | None, *, layout: TableLayout, as_json: bool
) -> None:
    """Hold the configured site, or that of DIR, against what a site may weigh.

    Pages, the first view, folders and what hosts take, as `arena site build` says it. Ends
    with 3 where a page or the site is over.
    """
    from arena.site.checks.check import check_site

    out = _site_folder(context, folder)
    with in_steps("measuring", "files", quiet=as_json) as on_progress:
        lines = check_site(out, told=on_progress).budget
    if as_json:
        say_json(folder=str(out), budget=lines)
    else:
        say_budget(lines, layout)
    if any(line.over and not line.warning for line in lines):
        context.exit(FINDINGS)


@click.command()
@click.argument("old", type=_folder)
@click.argument("new", type=_folder)
@json_option
@click.pass_context
def diff(context: click.Context, old: Path, new: Path, *, as_json: bool) -> None:
    """Say what makes the site in NEW another than that in OLD: files, and numbers in them.

    Ends with 0 where they are the same to the byte, else with 3.
    """
    from arena.site.checks.check import compare

    difference = compare(_existing_folder(old), _existing_folder(new))
    if as_json:
        say_json(difference=difference)
    else:
        _say_difference(difference)
    if not difference.is_none:
        context.exit(FINDINGS)


def _site_folder(context: click.Context, folder: Path | None) -> Path:
    """The folder that is named, or the configured site."""
    from arena.config import load_settings

    return _existing_folder(folder or Path(load_settings(context.obj.config).site))


def _existing_folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise ArenaError(
            "site.none",
            f"there is no site at {folder}",
            hint="`arena site build` makes it",
            status=2,
        )
    return folder


def _secrets(config: Path) -> "Secrets":
    """What may never be on a page: the keys of this arena, where there is one."""
    from arena.config import load_settings
    from arena.secrets import Secrets
    from arena.wiring import secrets_of

    if not config.is_file():
        return Secrets()
    return secrets_of(load_settings(config))


def _plain(checked: "Checked") -> dict[str, object]:
    return {
        "pages": checked.pages,
        "files": checked.files,
        "findings": checked.findings,
        "budget": checked.budget,
    }


def _say(checked: "Checked") -> None:
    for finding in checked.findings[:SHOWN]:
        click.echo(one_line(f"{finding.path}: {finding.rule}: {finding.what}"))
    _say_more(len(checked.findings))
    for line in checked.budget:
        if line.over:
            kind = "warning" if line.warning else "over budget"
            where = f" ({line.where})" if line.where and line.where != line.name else ""
            measurement = f"{line.measured:,} {line.unit}, may be {line.limit:,}"
            click.echo(one_line(f"{kind}: {line.name}{where}: {measurement}"))
    over = sum(line.over and not line.warning for line in checked.budget)
    click.echo(
        f"{checked.pages} pages, {checked.files} files: {len(checked.findings)} findings, "
        f"{over} over budget"
    )


def _say_difference(difference: "Difference") -> None:
    for sign, paths in (("+", difference.added), ("-", difference.removed)):
        for path in paths[:SHOWN]:
            click.echo(one_line(f"{sign} {path}"))
        _say_more(len(paths))
    _say_changed(difference.changed)
    click.echo(
        f"{len(difference.added)} files added, {len(difference.removed)} removed, "
        f"{len(difference.changed)} changed"
    )


def _say_changed(files: "Sequence[ChangedFile]") -> None:
    for file in files[:SHOWN]:
        click.echo(one_line(f"~ {file.path}"))
        for value in file.values[:SHOWN]:
            click.echo(f"    {_line(value)}")
        _say_more(len(file.values))
    _say_more(len(files))


def _line(value: "Value") -> str:
    old, new = (one_line(repr(side))[:LONGEST] for side in (value.old, value.new))
    return f"{one_line(value.where)}: {old} -> {new}"


def _say_more(count: int) -> None:
    if count > SHOWN:
        click.echo(f"... and {count - SHOWN} more")


def say_budget(lines: "Sequence[BudgetLine]", layout: TableLayout = AS_IT_IS) -> None:
    """Print what was measured beside its limits."""
    rows = [
        [
            line.name,
            line.where,
            f"{line.measured:,}",
            f"{line.limit:,}",
            line.unit,
            ("over the host's limit" if line.warning else "OVER") if line.over else "",
        ]
        for line in lines
    ]
    table(("measure", "where", "is", "may be", "unit", "over"), rows, layout)
