"""The key for a venue's server: read from a variable, and taken out of what is kept."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from arena.errors import ArenaError
from arena.http.door import HttpError, HttpReply, HttpRequest
from arena.secrets import Redactor

_SAFE = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class VenueKey:
    """A key that is sent as a header, or as a part of the query.

    `env` names the environment variable that holds it, which is read when a request is sent.
    `prefix` stands before it in the header, such as "Bearer ". What is kept and told of a
    request is what it was without the key.

    >>> VenueKey("EXCHANGE_KEY", query="apiKey")
    VenueKey(env='EXCHANGE_KEY', header='', query='apiKey', prefix='')
    """

    env: str
    header: str = ""
    query: str = ""
    prefix: str = ""
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def __post_init__(self) -> None:
        if bool(self.header) == bool(self.query):
            raise ValueError("a key is sent as a header or in the query: name one of them")

    def added_to(self, request: HttpRequest) -> HttpRequest:
        """Give the request with the key.

        Raises:
            ArenaError: `credentials.missing`: the variable is not set, or holds no key.
        """
        value = self._value()
        if not _SAFE.fullmatch(value):
            what = "holds characters that no key has" if value else "is not set"
            raise ArenaError(
                "credentials.missing",
                f"no key in the environment: {self.env} {what}",
                hint=f"export {self.env}=... where the arena is run",
                status=4,
            )
        if self.header:
            added = (self.header, self.prefix + value)
            return replace(request, headers=(*request.headers, added))
        sign = "&" if "?" in request.url else "?"
        return replace(
            request, url=f"{request.url}{sign}{quote(self.query)}={quote(value, safe='')}"
        )

    def taken_out(self, reply: HttpReply | HttpError) -> HttpReply | HttpError:
        """Give what came back without the key, which a server may repeat."""
        redact = Redactor(self._value())
        if isinstance(reply, HttpError):
            return HttpError(reply.fault, redact.text(reply.message), sent=reply.sent)
        body = redact.data(reply.body)
        packed = reply.packed if body == reply.body else b""
        headers = tuple((name, redact.text(value)) for name, value in reply.headers)
        return replace(reply, headers=headers, body=body, packed=packed)

    def _value(self) -> str:
        return self.variables.get(self.env, "").strip()
