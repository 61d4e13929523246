"""A suite of a venue whose answers stay the same: its claims look at one set of them."""

from typing import Any, ClassVar

from arena.testing import VenueSuite


class ObservedOnce(VenueSuite):
    """Asks a venue at every moment once for all the claims of a class."""

    _observed: ClassVar[dict[type, Any]] = {}

    def _observations(self) -> Any:  # noqa: ANN401  the suite's own
        if type(self) not in self._observed:
            self._observed[type(self)] = super()._observations()
        return self._observed[type(self)]
