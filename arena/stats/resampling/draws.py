"""Random draws of an event, seeded by the event's name and the draw's number."""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from math import exp, factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.stats.columns import Floats
from arena.stats.resampling.bootstrap import resamples


def digest(*parts: str) -> bytes:
    """The SHA-256 of some names, each preceded by its length, so that no two lists agree.

    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    hasher = sha256()
    for part in parts:
        text = part.encode()
        hasher.update(len(text).to_bytes(8, "big") + text)
    return hasher.digest()


def generator(*parts: str) -> np.random.Generator:
    """A generator (PCG64) that starts from all 256 bits of the digest of its names.

    The same names give the same numbers on every machine; numpy may change what it makes of
    them from one version to the next, so that its version belongs to a report.

    >>> bool(generator("cohort", "ada").random() == generator("cohort", "ada").random())
    True
    """
    seed = int.from_bytes(digest(*parts), "big")
    return np.random.Generator(np.random.PCG64(seed))


MANY: Final = 40  # events, from which on each is drawn by itself
# P(at most k) of a Poisson count of mean 1; beyond, the chance is below 1e-16.
_STEPS: Final = np.cumsum([exp(-1) / factorial(k) for k in range(18)])


@lru_cache(maxsize=16)
def event_weights(names: tuple[str, ...], draws: int) -> Floats:
    """How often each event is in each resample: (draws, events), read only.

    From 40 events on these are Poisson counts of mean 1 which follow from the event's own
    name: another event adds a column and leaves the others as they are. Below, as many
    events are drawn as there are, by the names of all of them.

    Args:
        names: Each event's name; each once.
        draws: How many resamples.

    Source:
        Hanley and MacGibbon (2006), Computer Methods and Programs in Biomedicine 83; Chamandy,
        Muralidharan, Najmi and Naidu (2012), Estimating uncertainty for massive data streams.
    """
    if len(names) < MANY:
        weights = resamples(len(names), draws, generator("weights", *names))
    else:
        drawn = _uniform("weights", names, draws)
        weights = np.ascontiguousarray(
            np.searchsorted(_STEPS, drawn, side="right").T, np.float64
        )
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=16)
def event_chances(names: tuple[str, ...], draws: int) -> NDArray[np.float32]:
    """A uniform number in [0, 1) for each event and draw: (events, draws), read only.

    Raises:
        ValueError: There is no draw.
    """
    if draws < 1:
        raise ValueError(f"there is at least one resample, not {draws}")
    drawn = _uniform("chances", names, draws)
    chances = np.minimum(drawn.astype(np.float32), np.nextafter(np.float32(1), np.float32(0)))
    chances.setflags(write=False)
    return chances


def _uniform(what: str, names: Sequence[str], draws: int) -> Floats:
    """(events, draws) from a hash of the event's name and the draw's number.

    Source:
        Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators, OOPSLA.
    """
    seeds = [_seed(what, name) for name in names]
    step = np.arange(1, draws + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = np.array(seeds, np.uint64)[:, None] + step
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(mixed >> np.uint64(11), np.float64) * 2.0**-53


@lru_cache(maxsize=65_536)
def _seed(what: str, name: str) -> int:
    return int.from_bytes(digest(what, name)[:8], "big")
