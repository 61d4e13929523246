"""Serves the venues in a terminal, with the machine's own time, until interrupted."""

import argparse
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

from arena.clock import SystemClock
from tests.standins.venues import DIALECTS, Fault, Faults, StandInWorld, VenueServer
from tests.standins.venues.world import MOST_EVENTS

NAMES = f"none, usual, usual=3 (so many times as often), or name=rate,...: {', '.join(Fault)}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.standins.venues")
    parser.add_argument("--port", type=int, default=0, help="0 takes any free one")
    parser.add_argument("--seed", type=int, default=1, help="names the world and its faults")
    parser.add_argument("--events", type=_events, default=20, help="that open in a day")
    parser.add_argument("--faults", type=_faults, default=Faults(), help=NAMES)
    chosen = parser.parse_args(arguments)
    world = StandInWorld(chosen.seed, chosen.events)
    with VenueServer(
        world, SystemClock(), DIALECTS, chosen.faults, seed=chosen.seed, port=chosen.port
    ) as server:
        sys.stdout.write("venues:\n")
        for venue in DIALECTS:
            sys.stdout.write(f"  {venue}:\n    adapter: {venue}\n    options:\n")
            for name, url in server.options(venue).items():
                sys.stdout.write(f'      {name}: "{url}"\n')
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


def _faults(said: str) -> Faults:
    try:
        return Faults.read(said)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _events(said: str) -> int:
    if not 1 <= int(said) <= MOST_EVENTS:
        raise argparse.ArgumentTypeError(f"1 to {MOST_EVENTS} events, not {said}")
    return int(said)


if __name__ == "__main__":
    main()
