"""Reads pages of listed hosts: text alone, of a bounded size, and no redirect off the list."""

import asyncio
import ipaddress
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from urllib.parse import urljoin, urlsplit

from arena.contexts.fields import LONGEST_TEXT, words_in
from arena.errors import ArenaError
from arena.http import HttpDoor, HttpError, HttpReply, HttpRequest
from arena.http.limits import http_date
from arena.ports import ToolDeclaration, ToolDocument, ToolReply
from arena.records.settings import ToolSettings

MOST_BYTES: Final = 500_000
MOST_HOPS: Final = 3
LONGEST_URL: Final = 2_000
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS: Final = frozenset({"application/json", "application/xml", *_PAGES})
_PARAMETERS: Final = (
    '{"type":"object","properties":{"url":{"type":"string"}},"required":["url"],'
    '"additionalProperties":false}'
)


@dataclass(frozen=True, slots=True)
class Fetch:
    """Fetches pages from `hosts`: names, such as `example.org`, or `.gov` for all that end so.

    Only https is asked, and http of a host that is listed as an address of this machine or of
    a private network. A listed name that leads to such an address is refused.
    """

    hosts: tuple[str, ...]
    seconds: float
    declared: tuple[ToolDeclaration, ...]
    door: HttpDoor = field(default_factory=HttpDoor)

    @classmethod
    def of(cls, settings: ToolSettings) -> "Fetch":
        """Build it from its option `hosts`.

        Raises:
            ArenaError: `tool.option`: the option is missing or wrong.
        """
        options = dict(settings.options)
        hosts = options.pop("hosts", ())
        if options or not isinstance(hosts, tuple) or not hosts:
            raise ArenaError(
                "tool.option",
                f"the tool {settings.name} needs the one option hosts, a list of names",
                hint="such as `hosts: [en.wikipedia.org, .gov]`",
                status=2,
            )
        names = tuple(str(host).lower() for host in hosts)
        words = f"Read the text of a page. Hosts that can be read: {', '.join(names)}."
        declared = (ToolDeclaration(settings.name, words, _PARAMETERS),)
        return cls(names, settings.timeout.total_seconds(), declared)

    async def listed(self) -> tuple[ToolDeclaration, ...]:
        """Give what there is to call."""
        return self.declared

    async def call(
        self, name: str, arguments: Mapping[str, object], as_of: datetime
    ) -> ToolReply:
        """Give the page at a `url`, dated where its server says when it was last changed.

        Raises:
            ArenaError: `tool.refused`: the address, what it leads to or what it holds is not
                allowed. `tool.unreachable`: no page came.
        """
        del name, as_of
        url = str(arguments.get("url", ""))
        for _ in range(MOST_HOPS + 1):
            await self._refuse(url)
            reply = await self._asked(url)
            place = reply.header("location")
            if reply.status // 100 != 3 or place is None:  # noqa: PLR2004  a redirect
                return ToolReply(documents=(_page(url, reply),))
            url = urljoin(url, place)
        raise _refused(f"it was redirected more than {MOST_HOPS} times")

    async def _asked(self, url: str) -> HttpReply:
        request = HttpRequest("GET", url, (("Accept", "text/*, application/json"),))
        try:
            return await self.door.send(request, seconds=self.seconds, most=MOST_BYTES)
        except HttpError as error:
            raise ArenaError("tool.unreachable", error.message) from error

    async def _refuse(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").lower(), parts.port
        except ValueError:
            parts, host, port = urlsplit(""), "", None
        listed = host in self.hosts or any(
            each.startswith(".") and host.endswith(each) for each in self.hosts
        )
        if not host or not listed or "@" in parts.netloc or len(url) > LONGEST_URL:
            raise _refused(f"{host or 'that'} is not among {', '.join(self.hosts)}")
        own = host in self.hosts and (host == "localhost" or _is_private([host]))
        if parts.scheme != "https" and not (parts.scheme == "http" and own):
            raise _refused("only https is read")
        if not own and _is_private(await _addresses(host, port or 443)):
            raise _refused(f"{host} leads to an address that is not public")


async def _addresses(host: str, port: int) -> Sequence[str]:
    loop = asyncio.get_running_loop()
    try:
        answers = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ArenaError("tool.unreachable", f"{host} is not known") from error
    return [str(answer[4][0]) for answer in answers]


def _is_private(addresses: Sequence[str]) -> bool:
    """Whether any of some addresses is not public; a name is no address."""
    for address in addresses:
        try:
            if not ipaddress.ip_address(address.partition("%")[0]).is_global:
                return True
        except ValueError:
            continue
    return False


def _page(url: str, reply: HttpReply) -> ToolDocument:
    kind = (reply.header("content-type") or "").partition(";")[0].strip().lower()
    if not reply.is_success:
        raise ArenaError("tool.unreachable", f"it answered {reply.status}")
    if not kind.startswith("text/") and kind not in _TEXTS:
        raise _refused(f"it is {kind[:60] or 'of no known type'}, and no text")
    text = reply.body.decode("utf-8", "replace")
    words = words_in(text, LONGEST_TEXT) if kind in _PAGES else text
    changed_at = http_date(reply.header("last-modified") or "")
    return ToolDocument(words, url=url, published_at=changed_at)


def _refused(what: str) -> ArenaError:
    return ArenaError("tool.refused", what, status=2)
