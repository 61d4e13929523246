"""What `import arena` gives a program: scores of any forecasts, and an arena's own tables."""

from arena.api.scores import Scores, calibration, compare, power, score
from arena.api.tables import Arena
from arena.ports import Agent, Venue

__all__ = ["Agent", "Arena", "Scores", "Venue", "calibration", "compare", "power", "score"]
