"""What sources that ask a server have in common: how they ask, and which parts failed."""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from typing import Final, TypeVar

from arena.errors import ArenaError
from arena.http import Manners, PoliteReader, VenueKey
from arena.ports import ContextBackstage
from arena.records.market import VenueId
from arena.records.settings import ContextSettings

PER_SECOND: Final = 2.0
_T = TypeVar("_T")


def reader_of(
    name: str, per_second: float, backstage: ContextBackstage, key: VenueKey | None = None
) -> PoliteReader:
    """Build a reader that gives up soon: a round waits for it.

    Its answers are kept under `context:` and the source's name.
    """
    manners = Manners(
        per_second, tries=2, longest_wait=10, seconds=20, most=5_000_000, after_block=5
    )
    venue = VenueId(f"context:{name}")
    return PoliteReader(venue, manners, backstage.clock, backstage.payloads, key=key)


def incomplete(settings: ContextSettings, what: str, hint: str) -> ArenaError:
    """Make the error of a source without an option that it needs."""
    message = f"the source {settings.name!r} needs {what}"
    return ArenaError("context.option", message, hint=hint, status=2)


async def several(asking: Iterable[Awaitable[_T]]) -> tuple[Sequence[_T], tuple[str, ...]]:
    """Wait for several answers: those that came, and why others did not, each reason once.

    Raises:
        ArenaError: None came, or one cannot be kept (`store.full`).
    """
    answers = await asyncio.gather(*asking, return_exceptions=True)
    errors = [answer for answer in answers if isinstance(answer, BaseException)]
    for error in errors:
        if not isinstance(error, ArenaError) or error.code.startswith("store."):
            raise error
    if errors and len(errors) == len(answers):
        raise errors[0]
    came = [answer for answer in answers if not isinstance(answer, BaseException)]
    return came, tuple(dict.fromkeys(str(error) for error in errors))
