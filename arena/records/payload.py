"""What a server said, byte for byte, before anybody made sense of it."""

from dataclasses import dataclass, field
from datetime import datetime

from arena.records.market import VenueId


@dataclass(frozen=True, slots=True)
class Payload:
    """One answer of a venue's server to one request.

    `at` is when the answer was complete. `asked` is the body of a request that had one, `url`
    its whole address; neither ever holds a secret. `body` is unpacked; `packed` is the same as
    a gzip stream, where it came as one.
    """

    venue: VenueId
    at: datetime
    method: str
    url: str
    status: int
    body: bytes = field(repr=False)
    headers: tuple[tuple[str, str], ...] = ()
    asked: bytes = field(default=b"", repr=False)
    packed: bytes = field(default=b"", repr=False)
