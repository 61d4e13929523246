"""`arena init`: a new arena in a folder."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from shlex import quote
from typing import Final

import click

from arena import __version__
from arena.bundle import bundled
from arena.cli.options import FOLDER, json_option, make_sure, yes_option
from arena.cli.say import note, one_line, say_json, usage_error
from arena.clock import SystemClock
from arena.records.market import VenueId
from arena.records.settings import VenueSettings, baseline_contestants

CONFIG: Final = "config.yaml"
PACKAGE: Final = "paper-arena"
WITH_IMAGES: Final = f"{PACKAGE}[images]"  # the picture that other sites show of the front page
ELSEWHERE: Final = """\
# A place on this machine: for any other name a repository and a commit of it, as in
# paper-arena[images] @ git+https://github.com/OWNER/REPOSITORY@COMMIT"""

# What is written, and what it is made from; a name that begins with a dot is none in a bundle.
FILES: Final[Mapping[str, str]] = {
    CONFIG: CONFIG,
    ".env.example": "env.example",
    ".gitignore": "gitignore",
    "README.md": "README.md",
    "requirements.txt": "requirements.txt",
    ".github/workflows/arena.yml": "github/workflow.yml",
    "deploy/arena.service": "deploy/arena.service",
    "deploy/arena.timer": "deploy/arena.timer",
}
DEMONSTRATION: Final = "  demonstration: true  # the models below are invented"
MODELS: Final = """\
# These are invented: no server is asked and no key is needed. The best comes first.
models:
  northwind-large-2:
    adapter: simulated
    model: northwind-large-2
    provider: Northwind
    family: Northwind Large
    release: "2"
    price_in: 5
    price_out: 25
    options: {lead_days: 6, noise: 0.15, edge: 0.15, latency: 45, reasoning_tokens: 3000}
  tessera-2:
    adapter: simulated
    model: tessera-2
    provider: Tessera
    family: Tessera
    release: "2"
    price_in: 1.2
    price_out: 4.8
    options: {lead_days: 3, noise: 0.42, edge: 0.15, latency: 25, reasoning_tokens: 2000}
  meridian-open-1:
    adapter: simulated
    model: meridian-open-1
    provider: Meridian
    family: Meridian Open
    release: "1"
    price_in: 0.05
    price_out: 0.05
    options: {lead_days: 0, noise: 1.2, bias: 0.8, edge: 0.15, latency: 2, bad_json: 0.08}\
"""
SIMULATED: Final = """
  northwind-large-2: {agent: prompted, label: Northwind Large 2, model: northwind-large-2}
  tessera-2: {agent: prompted, label: Tessera 2, model: tessera-2}
  meridian-open-1: {agent: prompted, label: Meridian Open 1, model: meridian-open-1}\
"""


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """Files that were written, and those that were there and were left as they are."""

    written: tuple[str, ...]
    kept: tuple[str, ...]


@click.command()
@click.argument("folder", type=FOLDER, default=Path(), metavar="[DIR]")
@click.option("--offline", is_flag=True, help="Play on simulated markets; the default.")
@click.option("--live", metavar="VENUE", help="Play on the real markets of this venue.")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@yes_option
@json_option
def init(  # noqa: PLR0913  each is an argument or an option
    folder: Path, *, offline: bool, live: str | None, force: bool, is_sure: bool, as_json: bool
) -> None:
    """Make a new arena in DIR that plays at once.

    It has a configuration, one cohort, a workflow that ticks daily and publishes the pages on
    GitHub, and units for systemd. VENUE is polymarket, kalshi, manifold or the adapter of
    another package; Polymarket often turns GitHub's machines away. A folder that has a
    config.yaml is refused unless --force is given; other files that are there are kept as they
    are. No data is ever touched.
    """
    from arena.cli.models.venue_check import probe_of

    if offline and live:
        raise click.UsageError("--offline and --live are two ways to play: give one")
    if live:
        probe_of(VenueSettings(VenueId(live), live), SystemClock())
    there = [name for name in _files(live) if (folder / name).exists()]
    if force and there:
        what = f"In {folder} these are replaced: {', '.join(there)}."
        make_sure(what, is_sure=is_sure, as_json=as_json)
    made = make_arena(folder, live, force=force)
    steps = _next(folder, live)
    if as_json:
        say_json(folder=str(folder), written=made.written, kept=made.kept, next=steps)
        return
    for name in made.written:
        click.echo(f"wrote {name}")
    for name in made.kept:
        note(f"kept {name}: it was there already (--force replaces it)")
    click.echo("\nNext:")
    for step in steps:
        click.echo(f"  {one_line(step)}")


def make_arena(folder: Path, live: str | None, *, force: bool = False) -> WrittenFiles:
    """Write a new arena's files.

    Args:
        folder: Where; made if it is not there.
        live: The venue that its cohort plays on; the simulated one if None.
        force: Replace what is there.

    Raises:
        ArenaError: There is an arena in the folder already.
    """
    if (folder / CONFIG).exists() and not force:
        raise usage_error(
            "init.exists",
            f"{folder / CONFIG} is there already",
            hint="name another folder, or replace what is there with --force",
        )
    written, kept = [], []
    for name, source in _files(live).items():
        file = folder / name
        if file.exists() and not force:
            kept.append(name)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        text = (bundled("templates") / "init" / source).read_text(encoding="utf-8")
        file.write_text(_filled(text, folder, live), encoding="utf-8")
        written.append(name)
    return WrittenFiles(tuple(written), tuple(kept))


def _files(live: str | None) -> Mapping[str, str]:
    """What is written for a venue, and what each file is made from."""
    cohort = "cohorts/offline.yaml" if live is None else "cohorts/live.yaml"
    return {**FILES, cohort: cohort}


def _filled(text: str, folder: Path, live: str | None) -> str:
    name = live or "simulated"
    options = "" if live else ", options: {seed: 1}"
    baselines = baseline_contestants()
    words = {
        "@NAME@": name,
        "@VENUE@": f"  {name}: {{adapter: {name}{options}}}",
        "@DEMONSTRATION@\n": "" if live else f"{DEMONSTRATION}\n",
        "@MODELS@": "models: {}" if live else MODELS,
        "@SIMULATED@": "" if live else SIMULATED,
        "@BASELINES@": "\n".join(
            f"  {c.id}: {{agent: {c.agent}, label: {c.label}}}" for c in baselines
        ),
        "@PLAYING@": "\n".join(f"  - {c.id}" for c in baselines),
        "@TODAY@": f"{SystemClock().now():%Y-%m-%d}",
        "@WHERE@": requirement(_origin()),
        "@FOLDER@": str(folder.resolve()).replace("%", "%%"),
        "@PYTHON@": sys.executable.replace("%", "%%"),
    }
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    return text.rstrip("\n") + "\n"


def requirement(origin: str | None) -> str:
    """Say as pip reads it where an arena can be installed from.

    A checkout or a file is a place on this machine: that holds here, and nowhere else.

    Args:
        origin: The `direct_url.json` of what is installed; None where an index had it.

    Source: PEP 610, https://peps.python.org/pep-0610/.
    """
    direct_url = json.loads(origin or "{}")
    url = direct_url.get("url")
    if not url:
        return f"{WITH_IMAGES}=={__version__}"
    if vcs := direct_url.get("vcs_info"):
        return f"{WITH_IMAGES} @ {vcs['vcs']}+{url}@{vcs['commit_id']}"
    warning = f"{ELSEWHERE}\n" if url.startswith("file:") else ""
    return f"{warning}{WITH_IMAGES} @ {url}"


def _origin() -> str | None:
    try:
        return distribution(PACKAGE).read_text("direct_url.json")
    except PackageNotFoundError:
        return None  # it is run from its sources


def _next(folder: Path, live: str | None) -> list[str]:
    """The commands that come next."""
    there = folder.resolve() == Path.cwd()
    return [
        *([] if there else [f"cd {quote(os.fspath(folder))}"]),
        "arena config check",
        *(["arena venue check"] if live else []),
        "arena tick",
        *(["arena leaderboard"] if there else []),
    ]
