"""The one door to the HTTP client: `httpx2` where it is installed, else `httpx`."""

import asyncio
import ipaddress
import json
import sys
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import cache
from http import HTTPStatus
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import ModuleType
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from arena import __version__

_GZIP, _ZLIB, _BARE = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
FORMATS = {"gzip": (_GZIP,), "x-gzip": (_GZIP,), "deflate": (_ZLIB, _BARE)}
"""What each content coding may be: servers mean two things by deflate."""


class TruncatedError(zlib.error):
    """A packed body ends before its end: the connection broke off."""


@dataclass(frozen=True, slots=True)
class UnpackedBody:
    """A decompressed body; `is_all` is False where other bytes followed it."""

    body: bytes = field(repr=False)
    is_all: bool


def unpack(packed: bytes, coding: str, most: int) -> UnpackedBody:
    """Unpack a body, or as much of it as shows that it is too long.

    Args:
        packed: The body as it came.
        coding: A key of `FORMATS`.
        most: One byte more than this is unpacked at most.

    Raises:
        TruncatedError: It ends too soon.
        zlib.error: It is not packed so.
    """
    *others, last = FORMATS[coding]
    for form in others:
        try:
            return _unpack_unpacked(packed, form, most)
        except TruncatedError:
            raise
        except zlib.error:
            continue
    return _unpack_unpacked(packed, last, most)


def _unpack_unpacked(packed: bytes, form: int, most: int) -> UnpackedBody:
    stream = zlib.decompressobj(form)
    body = stream.decompress(packed, most + 1)
    if not stream.eof and len(body) <= most:
        raise TruncatedError("it ends too soon")
    return UnpackedBody(body, stream.eof and not stream.unused_data)


if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    import ssl

    import httpx
else:
    try:
        import httpx2 as httpx
    except ModuleNotFoundError:
        import httpx

USER_AGENT = f"paper-arena/{__version__}"
# httpx 0.28.1 compares all connections of a client with each other for every request: with
# 1,000 open a request costs 5.5 ms of processor time at 100 a client, 2.3 at 20, 1.3 at 5.
# Clients are cheap: a new one takes less than 0.1 ms.
PER_CLIENT = 5
OPEN_FILES = 4096  # many systems let a process have 1,024, and macOS 256
# packed twice or more, a few kB can unfold to gigabytes before anybody can look
PACKED = frozenset({"", "identity", *FORMATS})
GZIP = frozenset({"gzip", "x-gzip"})
MAX_REPLY = 10_000_000
PAGE_HEAD = 1_000  # bytes in which a page's first tag stands
PIECE = 1_000_000  # a longer body is sent in pieces, so that each has the time for writing
CONNECT_SECONDS = 5.0
WRITE_SECONDS = 10.0
POOL_SECONDS = 60.0
MOST_CONNECTING = 100  # connections that are being opened: more would wait for each other
_UNFIT = (UnicodeError, ExceptionGroup)  # of a header, an address; of a port beyond 65535
_OPENS = ("connect_tcp", "start_tls", "connect_unix_socket")

Members = Callable[[list[tuple[str, object]]], object]

_DEFAULT_PORTS = {"http": 80, "https": 443}


class Fault(StrEnum):
    """Why a request brought no usable reply."""

    REQUEST = "could not be sent"
    CONNECT = "cannot be reached"
    TIMEOUT = "did not answer in time"
    DROPPED = "broke off"
    TOO_LARGE = "answered too much"
    GARBLED = "answered what cannot be unpacked"
    NOT_JSON = "did not answer in JSON"


class HttpError(Exception):
    """A request brought no usable reply.

    `sent` is False where the request certainly never left, and True where it may have.
    """

    def __init__(self, fault: Fault, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message
        self.sent = sent


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What is sent; `headers` hold secrets, so they are never shown."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What came back: `body` is unpacked, names of `headers` are in lower case.

    `packed` is the body as it came, where that was one gzip stream and nothing else.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = field(repr=False)
    packed: bytes = field(default=b"", repr=False)

    @property
    def is_success(self) -> bool:
        """Whether its status, in the 200s, claims success."""
        return self.status // 100 == HTTPStatus.OK // 100

    @property
    def is_json(self) -> bool:
        """Whether its content type claims that the body is JSON."""
        kind = self._kind()
        return kind == "application/json" or kind.endswith("+json")

    @property
    def is_page(self) -> bool:
        """Whether it is a page for people: it claims no JSON, and begins as a page does."""
        return not self.is_json and self.body[:PAGE_HEAD].lstrip().startswith(b"<")

    def header(self, name: str) -> str | None:
        """Give the first header of this lower-case name."""
        return next((value for key, value in self.headers if key == name), None)

    def json(self, members: Members | None = None) -> object:
        """Parse the body, with decimals as `Decimal` and NaN and Infinity as None.

        Args:
            members: Makes an object of its names and values; without it the last value of a
                name that comes twice counts.

        Raises:
            HttpError: The content type is not JSON, or the body is not.
        """
        if not self.is_json:
            content_type = self._kind()[:60] or "no content type"
            raise HttpError(Fault.NOT_JSON, f"expected JSON, not {content_type}", sent=True)
        try:
            return json.loads(
                self.body,
                parse_float=Decimal,
                parse_constant=lambda _: None,
                object_pairs_hook=members,
            )
        except (ValueError, ArithmeticError, RecursionError) as error:
            raise HttpError(Fault.NOT_JSON, "the body is not JSON", sent=True) from error

    def _kind(self) -> str:
        return (self.header("content-type") or "").partition(";")[0].strip().lower()


class HttpDoor:
    """Sends requests over clients that are kept open and shared.

    It may be built before any event loop runs and used in several, one after the other. Each
    loop gets clients of its own, closed when `asyncio.run` winds that loop up or earlier by
    `aclose`. A host is given another client for every 5 requests that wait for it at one
    time, and the process as many open files as that takes, where the system allows it.

    Args:
        library: The client's module, `httpx` or `httpx2`.
    """

    def __init__(self, library: ModuleType = httpx) -> None:
        self._library = library
        self._pools: dict[asyncio.AbstractEventLoop, _Pool] = {}

    async def send(
        self, request: HttpRequest, *, seconds: float, most: int = MAX_REPLY
    ) -> HttpReply:
        """Send a request once and read the whole reply.

        Redirects are not followed and no cookie is kept. Proxies of the environment are
        used, except for this machine itself.

        Args:
            request: What to send.
            seconds: The time for everything, slow bodies included.
            most: The longest body that is read, in bytes after unpacking.

        Raises:
            HttpError: No reply came, or one that is too long; or a proxy or the certificates
                that the environment names cannot be used.
        """
        where = host_and_port(request.url)
        late = f"{where} did not answer within {seconds:.3g} s"
        if seconds <= 0:
            raise HttpError(Fault.TIMEOUT, f"no time was left to ask {where}", sent=False)
        pool = await self._pool()
        with pool.client_for(request.url) as client:
            try:
                async with asyncio.timeout(seconds):
                    patience = self._patience(seconds)
                    return await _exchange(request, client, patience, most, pool.watch)
            except TimeoutError as error:
                raise HttpError(Fault.TIMEOUT, late, sent=True) from error
            except (self._library.RequestError, self._library.InvalidURL, *_UNFIT) as error:
                fault, sent = self._fault(error)
                message = f"{where} {fault}: {str(error) or type(error).__name__}"
                raise HttpError(fault, message, sent=sent) from error

    async def aclose(self) -> None:
        """Close what the running loop has open; the door can be used again afterwards."""
        pool = self._pools.get(asyncio.get_running_loop())
        if pool is not None and pool.keeper is not None:
            await pool.keeper.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _pool(self) -> "_Pool":
        loop = asyncio.get_running_loop()
        if loop not in self._pools:
            pool = self._pools[loop] = _Pool(self._library)
            pool.keeper = self._close_with(loop)
            await anext(pool.keeper)
        return self._pools[loop]

    async def _close_with(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None]:
        """Wait until the loop is wound up: it closes its open generators, so this runs on."""
        try:
            yield
        finally:
            await self._pools.pop(loop).aclose()

    def _patience(self, seconds: float) -> "httpx.Timeout":
        # so that a host that cannot be reached is told from a slow one: connecting and the
        # handshake that follows get less than the deadline together
        connect = min(CONNECT_SECONDS, 0.45 * seconds)
        patience: httpx.Timeout = self._library.Timeout(
            connect=connect, read=seconds, write=WRITE_SECONDS, pool=POOL_SECONDS
        )
        return patience

    def _fault(self, error: Exception) -> tuple[Fault, bool]:
        httpx = self._library
        unsent = httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL
        if isinstance(error, (*unsent, *_UNFIT)):
            return Fault.REQUEST, False
        if isinstance(
            error,
            httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout | httpx.ProxyError,
        ):
            return Fault.CONNECT, False
        if isinstance(error, httpx.TimeoutException):
            return Fault.TIMEOUT, True
        if isinstance(error, httpx.DecodingError):
            return Fault.GARBLED, True
        return Fault.DROPPED, True


def host_and_port(url: str) -> str:
    """Name a URL's server for a message: no path, no user, no query."""
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return "the server"
    return f"{parts.hostname}:{port}" if port else parts.hostname or "the server"


@dataclass(slots=True)
class _Lane:
    client: "httpx.AsyncClient"
    busy: int = 0


class _Pool:
    """The clients of one event loop."""

    def __init__(self, library: ModuleType) -> None:
        _raise_file_limit()
        self._library = library
        self._lanes: dict[str, list[_Lane]] = {}
        self._connecting = asyncio.Semaphore(MOST_CONNECTING)
        self.keeper: AsyncGenerator[None] | None = None

    @contextmanager
    def client_for(self, url: str) -> Iterator["httpx.AsyncClient"]:
        """Lend a client that has a connection to spare."""
        where = host_and_port(url)
        lanes = self._lanes.setdefault(where, [])
        lane = next((lane for lane in lanes if lane.busy < PER_CLIENT), None)
        if lane is None:
            lane = _Lane(self._new_client(local=is_loopback(url)))
            lanes.append(lane)
        lane.busy += 1
        try:
            yield lane.client
        finally:
            lane.busy -= 1

    async def watch(self, event: str, _: object) -> None:
        """Hold up who opens a connection while many do: its time begins when it may."""
        _, step, state = event.split(".")
        if step in _OPENS and state == "started":
            await self._connecting.acquire()
        elif step in _OPENS:
            self._connecting.release()

    async def aclose(self) -> None:
        lanes = [lane for lanes in self._lanes.values() for lane in lanes]
        self._lanes.clear()
        for lane in lanes:
            await lane.client.aclose()

    def _new_client(self, *, local: bool) -> "httpx.AsyncClient":
        library = self._library
        try:
            client: httpx.AsyncClient = library.AsyncClient(
                verify=_certificates(library),
                trust_env=not local,
                headers={"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate"},
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                # connections are counted here: the client may lose count of cancelled ones
                limits=library.Limits(
                    max_connections=None, max_keepalive_connections=PER_CLIENT
                ),
            )
        except (ImportError, OSError, ValueError, library.InvalidURL) as error:
            # the words about an address may be a part of its password
            words = str(error) if isinstance(error, ImportError) else type(error).__name__
            message = f"a proxy or certificates of the environment cannot be used: {words}"
            raise HttpError(Fault.REQUEST, message, sent=False) from None
        return client


@cache
def _certificates(library: ModuleType) -> "ssl.SSLContext":
    context: ssl.SSLContext = library.create_ssl_context()
    return context


def _raise_file_limit() -> None:
    """Let this process open many sockets, where only its own soft limit is in the way."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and soft < OPEN_FILES:
            most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


async def _exchange(
    request: HttpRequest,
    client: "httpx.AsyncClient",
    patience: "httpx.Timeout",
    most: int,
    watch: Callable[[str, object], Awaitable[None]],
) -> HttpReply:
    pieces: list[bytes] = []
    size = 0
    headers = list(request.headers)
    content: bytes | AsyncGenerator[bytes] | None = request.body
    if request.body is not None and len(request.body) > PIECE:
        headers.append(("Content-Length", str(len(request.body))))
        content = _pieces(request.body)
    async with client.stream(
        request.method,
        request.url,
        headers=headers,
        content=content,
        timeout=patience,
        extensions={"trace": watch},
    ) as response:
        coding = response.headers.get("content-encoding", "").strip().lower()
        if coding not in PACKED:
            where = host_and_port(request.url)
            message = f"{where} answered what is packed as {coding[:60]!r}"
            raise HttpError(Fault.GARBLED, message, sent=True)
        async for piece in response.aiter_raw():
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise _too_large(request, most)
        reply_headers = tuple((name.lower(), value) for name, value in response.headers.items())
        reply = HttpReply(response.status_code, reply_headers, b"".join(pieces))
        return _unpacked(request, reply, coding, most) if coding in FORMATS else reply


def _unpacked(request: HttpRequest, reply: HttpReply, coding: str, most: int) -> HttpReply:
    packed = reply.body
    if not packed:
        return reply
    try:
        unpacked = unpack(packed, coding, most)
    except zlib.error as error:
        fault = Fault.DROPPED if isinstance(error, TruncatedError) else Fault.GARBLED
        message = f"{host_and_port(request.url)} {fault}: {error}"
        raise HttpError(fault, message, sent=True) from error
    if len(unpacked.body) > most:
        raise _too_large(request, most)
    is_one = unpacked.is_all and coding in GZIP
    return replace(reply, body=unpacked.body, packed=packed if is_one else b"")


def _too_large(request: HttpRequest, most: int) -> HttpError:
    message = f"{host_and_port(request.url)} answered more than {most} bytes"
    return HttpError(Fault.TOO_LARGE, message, sent=True)


async def _pieces(body: bytes) -> AsyncGenerator[bytes]:
    for start in range(0, len(body), PIECE):
        yield body[start : start + PIECE]


def is_loopback(url: str) -> bool:
    """Say whether an address is of this machine, by its name or its number.

    >>> is_loopback("http://127.0.0.1:8000/turn"), is_loopback("http://example.org")
    (True, False)
    """
    host = host_and_port(url).rpartition(":")[0]
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
