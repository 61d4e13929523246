"""Notes on a reply while it is read: what was repaired, and what could not be."""

from dataclasses import dataclass, field

SHOWN = 40  # characters of hostile words that a reason repeats
MOST_REASONS = 12


class UnreadableError(Exception):
    """A reply states no decision that could be read. The message says what to mend.

    `at` is where the JSON that could not be read begins; None where it is not about JSON.
    """

    def __init__(self, reason: str, *, at: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


@dataclass(frozen=True, slots=True, eq=False)
class Knot:
    """A value that has no reading, such as NaN, or a key that comes twice and differs.

    Only a probability may be one, because it can be left out alone; anywhere else it makes
    the reply unreadable. Each is equal to itself alone.
    """

    reason: str


@dataclass(slots=True)
class Notes:
    """What was met on the way: `mended` in words, each once, and every knot."""

    mended: dict[str, None] = field(default_factory=dict)
    knots: list[Knot] = field(default_factory=list)

    def mend(self, reason: str) -> None:
        """Note that something was mended or left out."""
        self.mended[reason] = None

    def knot(self, reason: str) -> Knot:
        """Note a value that has no reading, and give what stands for it."""
        made = Knot(reason)
        self.knots.append(made)
        return made

    def add(self, other: "Notes") -> None:
        """Take over what was noted elsewhere."""
        self.mended.update(other.mended)
        self.knots += other.knots


def few(reasons: list[str]) -> tuple[str, ...]:
    """Give the first reasons, and the number of the others."""
    if len(reasons) <= MOST_REASONS:
        return tuple(reasons)
    return (*reasons[:MOST_REASONS], f"and {len(reasons) - MOST_REASONS} more")


def shown(value: object) -> str:
    r"""Quote hostile words in a reason: short, and in ASCII.

    >>> shown("rain" + chr(0x202E) * 2)
    "'rain\\u202e\\u202e'"
    """
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, Knot):
        return value.reason
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = value if isinstance(value, str) else str(value)
    return ascii(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")
