"""When a contestant sees prices: always, never, or only after a while.

Arms of one model that differ in this alone show what the market's price does to forecasts.
"""

import re
from dataclasses import dataclass
from datetime import timedelta

from arena.errors import ArenaError
from arena.records.briefing import Briefing

_AFTER = re.compile("after[: ] *([1-9][0-9]{0,7})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_LONGEST = timedelta(days=36500)


@dataclass(frozen=True, slots=True)
class Pricing:
    """How long prices are hidden, counted from the cohort's start; None is for ever."""

    hidden_for: timedelta | None = timedelta(0)

    def shows(self, briefing: Briefing) -> bool:
        """Say whether a briefing comes with prices.

        Where nobody knows when the cohort started, a hidden period does not end.
        """
        if self.hidden_for is None:
            return False
        if not self.hidden_for:
            return True
        start = briefing.started_at
        return start is not None and briefing.at - start >= self.hidden_for


ALWAYS = Pricing()
NEVER = Pricing(None)


def after(span: timedelta) -> Pricing:
    """Hide prices for this long from the cohort's start."""
    return Pricing(span)


def pricing_from(option: object) -> Pricing:
    """Read the option `show_price` as configuration holds it.

    >>> pricing_from("after: 2d").hidden_for
    datetime.timedelta(days=2)

    Args:
        option: "always", "never", "after: 2d", or the pairs of the mapping {after: 2d}.

    Raises:
        ArenaError: `agent.option`: it is none of these.
    """
    written = option
    if isinstance(option, tuple) and len(option) == 1 and isinstance(option[0], tuple):
        written = ": ".join(str(part) for part in option[0])
    if isinstance(written, str):
        words = {"always": ALWAYS, "never": NEVER}
        if written in words:
            return words[written]
        if match := _AFTER.fullmatch(written):
            return after(_span(int(match[1]), match[2]))
    raise ArenaError(
        "agent.option",
        f"show_price cannot be {ascii(option)[:60]}",
        hint='it is always, never or "after: 2d" (a whole number and s, m, h or d)',
        status=2,
    )


def _span(number: int, unit: str) -> timedelta:
    return min(timedelta(**{_UNITS[unit]: number}), _LONGEST)
