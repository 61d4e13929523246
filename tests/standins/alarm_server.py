"""A server that alarms are sent to: it keeps what it was sent, and may refuse."""

from asyncio import StreamReader, StreamWriter
from http import HTTPStatus
from typing import TYPE_CHECKING

from tests.standins.serving import LocalServer
from tests.standins.sockets import read_request

if TYPE_CHECKING:
    from tests.standins.asked import Recorded


class AlarmServer(LocalServer):
    """Takes every request, or answers with another `status` while that is set."""

    def __init__(self) -> None:
        super().__init__("alarms")
        self.status = HTTPStatus.OK
        self.asked: list[Recorded] = []

    def bodies(self, path: str) -> list[object]:
        """What was taken at a path: JSON as an object, any other body as text."""
        return [a.body or a.raw.decode() for a in self.asked if a.path == path]

    async def _exchange(self, reader: StreamReader, writer: StreamWriter) -> bool:
        asked = await read_request(reader)
        if self.status == HTTPStatus.OK:
            self.asked.append(asked)
        writer.write(f"HTTP/1.1 {self.status} x\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        return True
