"""Invented models and contestants whose skill is known, to show the arena at work.

Who is simulated sees the fair price that a simulated market will have some days later (its
lead), blurs it with noise, leans on it with a bias, and bets where its forecast is far from
what it would pay. It answers in words, and sometimes fails to, like a language model.

Nothing here is drawn from a shared stream of chance: every number follows from a SHA-256 of
the seed, the contestant, the cohort, the round and what it is for. The same question gets
the same answer, whoever was asked before.

`model` is a language model that reads its prompt, `contestant` says what somebody of some skill
forecasts and bets, and is asked without a prompt, and `cast` is who plays a demo.
"""

from arena.agents.simulated.cast import Cast, cast, known_scores
from arena.agents.simulated.contestant import (
    SimulatedContestant,
    SimulatedSkill,
    expected_brier,
    from_settings,
    skill_of,
)
from arena.agents.simulated.model import SimulatedModel, model_from_settings

__all__ = [
    "Cast",
    "SimulatedContestant",
    "SimulatedModel",
    "SimulatedSkill",
    "cast",
    "expected_brier",
    "from_settings",
    "known_scores",
    "model_from_settings",
    "skill_of",
]
