"""What may go wrong at a venue, by name and with a rate, and which of it happens when."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from tests.standins.venues.dialect import draw


class Fault(StrEnum):
    """One thing that goes wrong with one answer."""

    # instead of an answer
    RESTARTING = "restarting"  # 425
    LIMITED = "limited"  # 429 and no word on how long
    LIMITED_SECONDS = "limited-seconds"  # 429 with Retry-After in seconds
    LIMITED_DATE = "limited-date"  # 429 with Retry-After as a date
    BROKEN = "broken"  # 500
    GATEWAY = "gateway"  # 502 as HTML
    UNAVAILABLE = "unavailable"  # 503
    BLOCKED = "blocked"  # 403 as HTML
    CUT = "cut"  # the connection ends before a word
    NOT_JSON = "not-json"  # text that says it is JSON

    # on the way
    SLOW = "slow"  # in pieces, with a wait before each
    TRUNCATED = "truncated"  # the body is shorter than its Content-Length
    OVERSIZED = "oversized"  # tens of megabytes of blanks before the body
    HTML_TYPE = "html-type"  # JSON that says it is HTML

    # in the fields: of all rows or of one, whichever is drawn
    RENAMED = "renamed"
    DROPPED = "dropped"
    NUMBER_AS_TEXT = "number-as-text"
    TEXT_AS_NUMBER = "text-as-number"
    NULLED = "nulled"
    NOT_A_NUMBER = "not-a-number"
    NULL_PRICES = "null-prices"  # every price of the answer

    # in the list
    DUPLICATES = "duplicates"  # rows come again at the end of the page
    SAME_PAGE = "same-page"  # the first page whatever the cursor
    TEXT_SORTED = "text-sorted"
    EMPTY_PAGE = "empty-page"
    LAGGING = "lagging"  # as it was nearly an hour ago; `Age` says so
    HYDRATION = "hydration"  # a market is listed, and not yet found by its id

    # in the book
    GHOST_BOOK = "ghost-book"  # 0.01 to 0.99, and only where books are asked for
    CROSSED_BOOK = "crossed-book"
    EMPTY_BOOK = "empty-book"
    ONE_SIDED_BOOK = "one-sided-book"

    # in the outcome
    FLICKER = "flicker"  # for one hour of a market's life its state is wrong


INSTEAD = (
    Fault.RESTARTING,
    Fault.LIMITED,
    Fault.LIMITED_SECONDS,
    Fault.LIMITED_DATE,
    Fault.BROKEN,
    Fault.GATEWAY,
    Fault.UNAVAILABLE,
    Fault.BLOCKED,
    Fault.CUT,
    Fault.NOT_JSON,
)
ON_THE_WAY = (Fault.SLOW, Fault.TRUNCATED, Fault.OVERSIZED, Fault.HTML_TYPE)
IN_FIELDS = (
    Fault.RENAMED,
    Fault.DROPPED,
    Fault.NUMBER_AS_TEXT,
    Fault.TEXT_AS_NUMBER,
    Fault.NULLED,
    Fault.NOT_A_NUMBER,
    Fault.NULL_PRICES,
)
IN_LISTS = (Fault.DUPLICATES, Fault.EMPTY_PAGE)
IN_DIALECT = (Fault.SAME_PAGE, Fault.TEXT_SORTED, Fault.HYDRATION)

OFTEN, SELDOM = 0.005, 0.001  # of requests
AGAIN = 3  # how often the same question may meet a fault


@dataclass(frozen=True, slots=True)
class Faults:
    """Which faults happen how often; no request meets more than one.

    Whether one happens follows from the seed, the request, and how often the same was asked
    before, so the order in which requests arrive does not matter.

    Attributes:
        rates: The share of requests that meet each fault, adding up to 1 at most.
        most: How many times the same request may meet one; None for any number.
        venues: The venues that have faults, by name; None for all.
        path: What a request's path must have in it.
        field: The field that goes wrong, in place of one that is drawn.
        wait: Seconds that a 429 asks to be left alone.
    """

    rates: tuple[tuple[Fault, float], ...] = ()
    most: int | None = None
    venues: frozenset[str] | None = None
    path: str = ""
    field: str = ""
    wait: int = 1

    def __post_init__(self) -> None:
        shares = [rate for _, rate in self.rates]
        if any(rate < 0 for rate in shares) or sum(shares) > 1:
            raise ValueError("rates of faults are 0 or more and add up to 1 at most")

    @classmethod
    def only(cls, *faults: Fault, most: int | None = None, path: str = "") -> Self:
        """Let every request meet one of these faults."""
        return cls(_even(faults, 1.0), most=most, path=path)

    @classmethod
    def usual(cls, times: float = 1.0) -> Self:
        """Give every fault its usual rate, or so many times that."""
        seldom = [fault for fault in Fault if fault not in {*INSTEAD, *ON_THE_WAY}]
        rates = [*((f, OFTEN) for f in (*INSTEAD, *ON_THE_WAY)), *((f, SELDOM) for f in seldom)]
        return cls(tuple((fault, rate * times) for fault, rate in rates), most=AGAIN)

    @classmethod
    def read(cls, said: str) -> Self:
        """Read faults as a command line gives them.

        >>> Faults.read("slow=0.5,flicker=0.01").rates
        ((<Fault.SLOW: 'slow'>, 0.5), (<Fault.FLICKER: 'flicker'>, 0.01))

        Args:
            said: "none", "usual", "usual=3", or names with rates, separated by commas.

        Raises:
            ValueError: A name or a rate is none.
        """
        name, _, times = said.partition("=")
        if said == "none":
            return cls()
        if name == "usual":
            return cls.usual(float(times or 1))
        pairs = (part.strip().partition("=") for part in said.split(","))
        return cls(
            tuple((Fault(name), float(rate or 1)) for name, _, rate in pairs), most=AGAIN
        )

    def pick(self, venue: str, path: str, times: int, *seed: object) -> Fault | None:
        """Say what goes wrong with a request, if anything does.

        Args:
            venue: Who is asked.
            path: For what.
            times: How often the same was asked before.
            seed: What tells this request from every other.
        """
        if self.venues is not None and venue not in self.venues:
            return None
        if self.path not in path or (self.most is not None and times >= self.most):
            return None
        left = draw("fault", venue, times, *seed)
        for fault, rate in self.rates:
            if left < rate:
                return fault
            left -= rate
        return None


def _even(faults: Iterable[Fault], whole: float) -> tuple[tuple[Fault, float], ...]:
    named = tuple(faults)
    return tuple((fault, whole / len(named)) for fault in named)
