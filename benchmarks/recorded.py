"""Lets a stand-in for a venue be polled: `python -m benchmarks.recorded kalshi 600 A.db B.db`.

600 events open in a day. The first file is an arena that has played a day, and holds shares;
the second is the same one after the next day's poll, with every answer that this one got.
"""

import asyncio
import shutil
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from arena.clock import HandClock
from arena.records.market import State, VenueId
from arena.steps.calendar import enrol
from arena.steps.markets.observe import observe
from arena.steps.play import tick
from arena.store import open_store
from arena.wiring import build_doors
from benchmarks.polled import FIRST, SECOND, settings_of
from tests.standins.venues import DIALECTS, StandInWorld, VenueServer, WorldView

OVER = {State.RESOLVED, State.CLOSED_PENDING}


class _Young(StandInWorld):
    """A world whose lists hold only what is not over: that is all that a poll is shown."""

    def view(self, at: datetime) -> WorldView:
        whole = super().view(at)
        return replace(whole, markets=tuple(m for m in whole.markets if m.state not in OVER))


def main() -> None:
    venue, events, before, after = sys.argv[1:]
    asyncio.run(record(VenueId(venue), int(events), Path(before), Path(after)))


async def record(venue: VenueId, events: int, before: Path, after: Path) -> None:
    clock = HandClock(FIRST)
    with VenueServer(_Young(1, events), clock, DIALECTS) as server:
        with open_store(before) as store:
            doors = build_doors(settings_of(venue, before, server.base_url), store, clock)
            report = await tick(doors, clock.at)
            if report.failures or not report.fills:
                raise SystemExit(f"{venue}: {report.failures or 'nobody bought anything'}")
        shutil.copy(before, after)
        clock.at = SECOND
        with open_store(after) as store:
            doors = build_doors(settings_of(venue, after, server.base_url), store, clock)
            enrol(doors, clock.at)
            observed = await observe(doors, clock.at)
            if observed.failures:
                raise SystemExit(f"{venue}: {observed.failures}")


if __name__ == "__main__":
    main()
