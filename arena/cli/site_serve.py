"""`arena site serve`: the built site over HTTP, to try it before it is published."""

from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import click

from arena.errors import ArenaError

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
        raise ArenaError(
            "site.none",
            f"there is no site at {out}",
            hint="`arena site build` makes it",
            status=2,
        )
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
        except (
            OSError,
            RuntimeError,
        ):  # there is none, it is too long, or links go in a circle
            return None
        return file if file.is_file() and file.is_relative_to(root) else None

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401  # its name there
        """Say nothing of each request."""
