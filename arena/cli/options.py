"""Options that several commands have, each told the same way everywhere, and their database."""

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import Globals
from arena.cli.say import is_terminal, unknown_name, usage_error
from arena.errors import ArenaError
from arena.records.cohort import CohortId

if TYPE_CHECKING:
    from arena.store import Store


def existing(
    config: Path, database: Path | None, *, hint: str = ""
) -> AbstractContextManager["Store"]:
    """Open a database that is there already: the one named, or the configured one.

    Args:
        config: The configuration.
        database: Another file than the configured one.
        hint: What to do where there is none, if it is anything special.

    Raises:
        ArenaError: There is none yet, or it cannot be read: also inside of the block.
    """
    from arena.store import MAKERS, existing_store

    return existing_store(database or configured(config), hint=hint or MAKERS)


def configured(config: Path) -> Path:
    """The database that the configuration names."""
    from arena.config import load_settings

    return Path(load_settings(config).database)


def known(store: "Store", cohort: str | None) -> CohortId | None:
    """The cohort of that name; None where none is named.

    Raises:
        ArenaError: There is none of that name.
    """
    if not cohort:
        return None
    if not (cohort.isascii() and store.books.cohort(CohortId(cohort))):
        raise no_cohort(store, cohort)
    return CohortId(cohort)


def no_cohort(store: "Store", name: str, files: Iterable[str] = ()) -> ArenaError:
    """What is said of a cohort that is not there; `files` are names that would do as well."""
    there = [row["cohort"] for row in store.db.rows("SELECT cohort FROM cohorts")]
    return unknown_name("cohort.unknown", f"there is no cohort {name}", name, [*there, *files])


EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
FILE_OR_DASH = click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)
NEW_FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


def remembered(context: click.Context, _: click.Parameter, value: bool) -> bool:  # noqa: FBT001  click's order
    """Remember that errors are wanted as JSON: they are printed after the command has ended."""
    global_options = context.find_root().obj
    if value and isinstance(global_options, Globals):
        global_options.as_json = True
    return value


class FiniteNumber(click.FloatRange):
    """A number in a range; "nan" is a float to click, and in every range."""

    def convert(
        self, value: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read it."""
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    is_eager=True,
    callback=remembered,
    help="Print one JSON document.",
)
database_option = click.option(
    "--database", type=click.Path(path_type=Path), help="Another arena's file."
)
yes_option = click.option("--yes", "is_sure", is_flag=True, help="Do it without asking.")


def host_and_port(address: str, option: str) -> tuple[str, int]:
    """Read HOST:PORT; an address of IPv6 stands in brackets there.

    Raises:
        UsageError: It is something else.
    """
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (host and port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise click.UsageError(f"{option} takes HOST:PORT, such as 127.0.0.1:8378")
    return host, int(port)


def make_sure(what: str, *, is_sure: bool, as_json: bool) -> None:
    """Ask whether `what`, a sentence that names what would be lost, is meant.

    Raises:
        ArenaError: It is not (`usage.declined`), or nobody can be asked (`usage.confirm`).
    """
    if not is_sure and not agreed(what, "do it", can_ask=is_dialogue() and not as_json):
        raise ArenaError("usage.declined", "nothing was done")


def agreed(what: str, verb: str, *, can_ask: bool) -> bool:
    """Ask on the terminal whether something is meant; `verb` says what --yes would do.

    Raises:
        ArenaError: There is no terminal on which to ask.
    """
    if can_ask:
        return click.confirm(f"{what} Is that meant?")
    raise usage_error(
        "usage.confirm",
        f"{what} There is no terminal on which to ask whether this is meant",
        hint=f"nothing was done; add --yes to {verb}",
    )


def is_dialogue() -> bool:
    """Whether somebody reads what is printed and can answer."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)
