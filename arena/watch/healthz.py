"""A small HTTP server that says how the arena is: 200 while it is well, 503 otherwise."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6
from threading import Lock, Thread
from time import monotonic
from typing import Final

from arena.errors import ArenaError
from arena.records.operations import Health
from arena.store.codec import to_plain

FRESH: Final = 5.0  # seconds for which an answer is given again
PATHS: Final = ("/healthz", "/")


class _Asked:
    """The health, asked for anew when the last answer is too old; one thread at a time."""

    def __init__(self, ask: Callable[[], Health]) -> None:
        self._ask, self._lock = ask, Lock()
        self._at, self._answer = -FRESH, (HTTPStatus.SERVICE_UNAVAILABLE, b"{}")

    def answer(self) -> tuple[HTTPStatus, bytes]:
        with self._lock:
            if monotonic() - self._at >= FRESH:
                self._answer, self._at = self._anew(), monotonic()
            return self._answer

    def _anew(self) -> tuple[HTTPStatus, bytes]:
        try:
            health = self._ask()
        except (ArenaError, OSError) as error:
            document: object = {"ok": False, "error": getattr(error, "code", "disk")}
            return HTTPStatus.SERVICE_UNAVAILABLE, json.dumps(document).encode()
        status = HTTPStatus.OK if health.ok else HTTPStatus.SERVICE_UNAVAILABLE
        return status, json.dumps(to_plain(health)).encode()


@contextmanager
def serving_health(host: str, port: int, ask: Callable[[], Health]) -> Iterator[int]:
    """Answer `GET /healthz` until the block ends; gives the port.

    Raises:
        ArenaError: The address cannot be listened on.
    """
    asked = _Asked(ask)

    class Server(ThreadingHTTPServer):
        address_family = AF_INET6 if ":" in host else AF_INET

    class Handler(BaseHTTPRequestHandler):
        server_version, sys_version = "paper-arena", ""

        def do_GET(self) -> None:
            if self.path not in PATHS:
                self._send(HTTPStatus.NOT_FOUND, b'{"error": "not found"}')
            else:
                self._send(*asked.answer())

        def _send(self, status: HTTPStatus, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log no request: probes come every few seconds."""

    try:
        server = Server((host, port), Handler)
    except OSError as error:
        raise ArenaError(
            "watch.listen",
            f"cannot listen on {host}:{port}: {error.strerror}",
            hint="choose another port with --listen",
            status=2,
        ) from error
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
