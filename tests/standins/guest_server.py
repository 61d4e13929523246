"""Somebody's agent behind HTTP: it holds, gives the same reply to the same turn, and counts.

`python -m tests.standins.guest_server` serves until it is killed; it prints its address first.
"""

import json
import sys
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from time import sleep

from tests.standins.asked import Recorded
from tests.standins.misbehaviour import Misbehaviour
from tests.standins.serving import LocalServer
from tests.standins.sockets import read_request, send_reply

HOLD = b'{"forecasts":{"M1":0.25},"action":"HOLD","bets":[]}'
WELL = Misbehaviour(content_type="application/json")

Saying = Callable[[int], tuple[Misbehaviour, bytes]]  # of the how manieth request


def holds(number: int) -> tuple[Misbehaviour, bytes]:
    del number
    return WELL, HOLD


class GuestServer(LocalServer):
    """Answers each request as it is told to, and keeps what it was asked."""

    def __init__(self, saying: Saying = holds) -> None:
        super().__init__("guest")
        self.saying = saying
        self.asked: list[Recorded] = []

    async def _exchange(self, reader: StreamReader, writer: StreamWriter) -> bool:
        asked = await read_request(reader)
        self.asked.append(asked)
        how, body = self.saying(len(self.asked))
        return await send_reply(writer, how, body)


def sent(asked: Recorded) -> bytes:
    """The bytes of a request's body."""
    return json.dumps(asked.body).encode()


if __name__ == "__main__":
    with GuestServer() as served:
        sys.stdout.write(f"{served.home}\n")
        sys.stdout.flush()
        while True:
            sleep(1)
