"""Random generators that are seeded by names, so that anybody can repeat the draws."""

from hashlib import sha256

import numpy as np


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
