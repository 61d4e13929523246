"""A paper-trading arena for language models on prediction markets.

What is named here is loaded when it is first used, so that `import arena` costs nothing.
"""

__version__ = "0.1.0"
__all__ = ["Agent", "Arena", "Scores", "Venue", "calibration", "compare", "power", "score"]

TYPE_CHECKING = False  # typing itself would take longer to load than all of this
if TYPE_CHECKING:
    from arena.api import Agent, Arena, Scores, Venue, calibration, compare, power, score
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'arena' has no attribute {name!r}")
        from arena import api  # noqa: PLC0415  brings numpy, scipy and pandas

        return getattr(api, name)
