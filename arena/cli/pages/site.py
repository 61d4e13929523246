"""`arena site`: the folder of pages, built, tried, checked and compared.

`arena site check` and `arena site diff` read built sites from their files alone.
"""

from dataclasses import replace
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import click

from arena.cli import FINDINGS, CommandGroup
from arena.cli.options import FOLDER, existing, json_option, make_sure, yes_option
from arena.cli.say import as_plain, in_steps, note, one_line, say_json, usage_error
from arena.cli.tables import AS_IT_IS, TableLayout, table, table_options
from arena.clock import SystemClock
from arena.errors import ArenaError
from arena.records.settings import Edition, Pages, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.secrets import Secrets
    from arena.site.engine.build import BuildOptions, BuildResult
    from arena.site.site_checks import BudgetLine, ChangedFile, Checked, Difference, Value


SHOWN_FINDINGS: Final = 50  # findings, files and values that are named; --json has all
LONGEST: Final = 100  # letters of a value


@click.command()
@click.argument("folder", metavar="[DIR]", type=FOLDER, required=False)
@json_option
@click.pass_context
def check(context: click.Context, folder: Path | None, *, as_json: bool) -> None:
    """Check every file of a built site: the configured one, or that of DIR.

    Links and the places on pages that they lead to; the policy of each page and what breaks
    it; headings, titles and ids; JSON, feeds and drawings that cannot be read; digests; keys
    that must not be published, those in the environment among them; sizes. Ends with 3 where
    something was found.
    """
    from arena.site.site_checks import check_site

    out = _site_folder(context, folder)
    with in_steps("checking", "files", quiet=as_json) as tell:
        checked = check_site(out, _secrets(context.obj.config), tell)
    if as_json:
        say_json(ok=checked.ok, **as_plain(checked))
    else:
        _say_checked(checked)
    if not checked.ok:
        context.exit(FINDINGS)


@click.command()
@click.argument("folder", metavar="[DIR]", type=FOLDER, required=False)
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
    from arena.site.site_checks import check_site

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
@click.argument("old", type=FOLDER)
@click.argument("new", type=FOLDER)
@json_option
@click.pass_context
def diff(context: click.Context, old: Path, new: Path, *, as_json: bool) -> None:
    """Say what makes the site in NEW another than that in OLD: files, and numbers in them.

    Ends with 0 where they are the same to the byte, else with 3.
    """
    from arena.site.site_checks import compare

    difference = compare(_existing_folder(old), _existing_folder(new))
    if as_json:
        say_json(difference=difference)
    else:
        _say_difference(difference)
    if not difference.is_none:
        context.exit(FINDINGS)


def _site_folder(context: click.Context, folder: Path | None) -> Path:
    """The folder that is named, or the configured site; it has a front page."""
    from arena.config import load_settings
    from arena.site.places import INDEX

    out = folder or Path(load_settings(context.obj.config).site)
    if not (out / INDEX).is_file():
        raise _no_site(out)
    return out


def _existing_folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise _no_site(folder)
    return folder


def _no_site(folder: Path) -> ArenaError:
    hint = "`arena site build` makes it"
    return usage_error("site.none", f"there is no site at {folder}", hint=hint)


def _secrets(config: Path) -> "Secrets":
    """What may never be on a page: the keys of this arena, where there is one."""
    from arena.config import load_settings
    from arena.secrets import Secrets
    from arena.wiring import secrets_of

    if not config.is_file():
        return Secrets()
    return secrets_of(load_settings(config))


def _say_checked(checked: "Checked") -> None:
    for finding in checked.findings[:SHOWN_FINDINGS]:
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
        for path in paths[:SHOWN_FINDINGS]:
            click.echo(one_line(f"{sign} {path}"))
        _say_more(len(paths))
    _say_changed(difference.changed)
    click.echo(
        f"{len(difference.added)} files added, {len(difference.removed)} removed, "
        f"{len(difference.changed)} changed"
    )


def _say_changed(files: "Sequence[ChangedFile]") -> None:
    for file in files[:SHOWN_FINDINGS]:
        click.echo(one_line(f"~ {file.path}"))
        for value in file.values[:SHOWN_FINDINGS]:
            click.echo(f"    {_line(value)}")
        _say_more(len(file.values))
    _say_more(len(files))


def _line(value: "Value") -> str:
    old, new = (one_line(repr(side))[:LONGEST] for side in (value.old, value.new))
    return f"{one_line(value.where)}: {old} -> {new}"


def _say_more(count: int) -> None:
    if count > SHOWN_FINDINGS:
        click.echo(f"... and {count - SHOWN_FINDINGS} more")


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


PORT: Final = 8000
NOT_FOUND: Final = "404.html"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".svg": "image/svg+xml",
    ".xml": "application/xml",
    ".txt": "text/plain; charset=utf-8",
}


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, help="0 takes a free one.")
@click.option("--host", default="127.0.0.1", help="The address to listen at.")
@click.option(
    "--base", metavar="PATH", default="/", help="Serve below this path, as some hosts do."
)
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)
@click.pass_context
def serve(
    context: click.Context, *, port: int, host: str, base: str, folder: Path | None
) -> None:
    """Serve a built site, the configured one or that of DIR, until Ctrl-C.

    It is there to look at pages over HTTP. Pages open from the folder as well; and what is on
    the web belongs on a host.
    """
    from arena.config import load_settings

    out = folder or Path(load_settings(context.obj.config).site)
    if not (out / "index.html").is_file():
        raise _no_site(out)
    below = f"/{base.strip('/')}/" if base.strip("/") else "/"
    handler = partial(_Handler, below=below, directory=str(out))
    with _listening(host, port, handler) as server:
        address = f"http://{host}:{server.server_address[1]}{below}"
        click.echo(f"serving {out} at {address}; Ctrl-C ends it")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("", err=True)


def _listening(host: str, port: int, handler: Any) -> ThreadingHTTPServer:  # noqa: ANN401  # a factory
    try:
        return ThreadingHTTPServer((host, port), handler)
    except OSError as error:
        raise ArenaError(
            "site.port",
            f"cannot listen at {host}:{port}: {error.strerror}",
            hint="name another with --port; 0 takes a free one",
        ) from error


class _Handler(SimpleHTTPRequestHandler):
    """Serves the files of a site: none that begins with a dot, or that a link leads out to."""

    protocol_version = "HTTP/1.1"
    server_version = "arena"
    sys_version = ""

    def __init__(self, *args: Any, below: str, **kwargs: Any) -> None:  # noqa: ANN401  # its own
        self._below = below
        super().__init__(*args, **kwargs)

    def send_head(self) -> BytesIO | None:
        """Answer with a file, and a page that says so where there is none."""
        way = unquote(urlsplit(self.path).path)
        if way == self._below.rstrip("/") and way:
            self.send_response(HTTPStatus.MOVED_PERMANENTLY)
            self.send_header("Location", self._below)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        file = self._file(way)
        status = HTTPStatus.OK if file else HTTPStatus.NOT_FOUND
        missing = Path(self.directory) / NOT_FOUND
        shown = file or (missing if missing.is_file() else None)
        body = shown.read_bytes() if shown else b"not found"
        self.send_response(status)
        kind = _TYPES.get(shown.suffix, "application/octet-stream") if shown else "text/plain"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        return BytesIO(body)

    def _file(self, way: str) -> Path | None:
        if not way.startswith(self._below):
            return None
        parts = way.removeprefix(self._below).split("/")
        if any(part.startswith(".") or "\\" in part or "\0" in part for part in parts):
            return None
        page = "index.html" if way.endswith("/") else ""
        try:
            root = Path(self.directory).resolve(strict=True)
            file = root.joinpath(*parts, page).resolve(strict=True)
        except (OSError, RuntimeError):  # it is not there or too long, or links go in a circle
            return None
        return file if file.is_file() and file.is_relative_to(root) else None

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401  # its name there
        """Say nothing of each request."""


SHOWN = 20  # files that are named


@click.group(cls=CommandGroup)
def site() -> None:
    """Build the folder of pages, try it out, check it, compare two of it."""


site.add_command(serve)
site.add_command(check)
site.add_command(diff)
site.add_command(budget)


@site.command()
@click.option("-o", "--out", type=FOLDER, help="Another folder.")
@click.option(
    "--pages",
    type=click.Choice([kind.value for kind in Pages]),
    help="Which decisions have pages; the configuration says it where this does not.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help="Processes that make pages; as many as are worth it, at most 4, where left out.",
)
@click.option("--force", is_flag=True, help="Make every page again.")
@click.option("--check", "only_check", is_flag=True, help="Only say what would change.")
@click.option("--base-url", metavar="URL", help="Where the site will stand on the web.")
@yes_option
@json_option
@click.pass_context
def build(  # noqa: PLR0913  each is an option
    context: click.Context,
    *,
    out: Path | None,
    pages: str | None,
    jobs: int | None,
    force: bool,
    only_check: bool,
    base_url: str | None,
    is_sure: bool,
    as_json: bool,
) -> None:
    """Build the whole site from the database.

    What is there already as it should be is left alone. All else is made beside the folder,
    which is then exchanged at once; files in it that are not the arena's stay, but a front
    page that somebody else made is replaced, when you agree. Ends with 3
    where a page or the site is over its budget, and with --check where a file would change.
    """
    from arena.config import load_settings
    from arena.site.engine.build import BuildOptions
    from arena.site.site_checks import budget, sizes_of

    settings = _with_options(load_settings(context.obj.config), pages, base_url)
    folder = Path(out or settings.site)
    for own in (context.obj.config, Path(settings.database)):
        if own.resolve().is_relative_to(folder.resolve()):
            raise usage_error(
                "site.folder",
                f"{folder} holds {own}: all that is in the folder of a site is published",
                hint="name a folder that is the site's alone",
            )
    if not only_check and _is_foreign(folder):
        what = f"{folder} holds pages that no arena made: those of the same names are replaced."
        make_sure(what, is_sure=is_sure, as_json=as_json)
    try:
        with in_steps("building", "tasks", quiet=as_json) as on_progress:
            options = BuildOptions(jobs, force, only_check, on_progress)
            built = _built(context, settings, folder, options)
    except ArenaError as error:
        if error.code != "site.busy":
            raise
        if as_json:  # another process builds the site already, which is no failure
            say_json(site=None, busy=error.message)
        else:
            click.echo(f"{one_line(error.message)}: nothing is left to do here")
        return
    for words in built.notes:
        note(f"note: {words}")
    lines = () if only_check else budget(folder, sizes_of(built.entries))
    if as_json:
        _say_json(folder, built, lines)
    else:
        _say(folder, built, lines, only_check=only_check)
    over = any(line.over and not line.warning for line in lines)
    if over or (only_check and (built.changed or built.gone)):
        context.exit(FINDINGS)


def _is_foreign(folder: Path) -> bool:
    from arena.site.engine.manifest import MANIFEST

    return (folder / "index.html").exists() and not (folder / MANIFEST).exists()


def _with_options(settings: Settings, pages: str | None, base_url: str | None) -> Settings:
    site = settings.publishing
    if pages is not None:
        site = replace(site, pages=Pages(pages))
    if base_url is not None:
        if not base_url.startswith(("https://", "http://")):
            raise click.BadParameter(
                f"{base_url!r} is no address such as https://example.org/arena/",
                param_hint="'--base-url'",
            )
        site = replace(site, base_url=base_url.rstrip("/") + "/")
    return replace(settings, publishing=site)


def _built(
    context: click.Context, settings: Settings, folder: Path, options: "BuildOptions"
) -> "BuildResult":
    from arena.site.engine.build import PageSource
    from arena.site.engine.build import build as build_site
    from arena.wiring import cast

    with existing(context.obj.config, None) as store:
        at = store.boards.as_of() or SystemClock().now()
        edition = Edition(cast(settings), settings.publishing, settings.season)
        return build_site(
            PageSource(store, Path(settings.templates), edition, at), folder, options
        )


def _say_json(folder: Path, built: "BuildResult", lines: "Sequence[BudgetLine]") -> None:
    say_json(
        site=str(folder / "index.html"),
        changed=built.changed,
        removed=built.gone,
        pages=sum(entry.nodes > 0 for entry in built.entries),
        files=sum(len(entry.files) for entry in built.entries),
        notes=built.notes,
        budget=lines,
    )


def _say(
    folder: Path, built: "BuildResult", lines: "Sequence[BudgetLine]", *, only_check: bool
) -> None:
    changed, gone = len(built.changed), len(built.gone)
    if only_check:
        for path in (*built.changed, *built.gone)[:SHOWN]:
            click.echo(path)
        more = changed + gone - SHOWN
        click.echo(f"... and {more} more" if more > 0 else "", nl=more > 0)
        click.echo(f"{changed} files would be written, {gone} removed")
        return
    say_budget(lines)
    click.echo(f"{changed} files written, {gone} removed; open {folder / 'index.html'}")
