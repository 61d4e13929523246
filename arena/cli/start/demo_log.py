"""A whole play, told step by step."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from arena.cli.say import progress, report_line
from arena.clock import HandClock
from arena.records.report import TickReport
from arena.steps.doors import Doors
from arena.steps.replay import play_through, still_to_come


def play_aloud(
    title: str, doors: Doors, clock: HandClock, moments: Sequence[datetime], *, quiet: bool
) -> int:
    """Play to the end with a bar or a line a step; how many files of the site changed."""
    done = len(moments) - len(still_to_come(doors, moments))
    with progress(title, len(moments), done=done, quiet=quiet) as step:

        def watch(report: TickReport) -> None:
            step(report_line(report))

        return asyncio.run(play_through(doors, clock, moments, watch))
