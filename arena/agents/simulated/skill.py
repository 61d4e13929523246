"""The skill of a simulated forecaster, and forecasts drawn from it."""

import hashlib
import json
import math
from dataclasses import dataclass
from statistics import NormalDist

from arena.agents.options import PluginOptions
from arena.records.settings import ContestantSettings, ModelSettings

SURE = 0.002  # a signal this near to 0 or 1 counts as no nearer

LIMITS = {
    "lead_days": (0.0, 0.0, 30.0),
    "noise": (0.0, 0.0, 10.0),
    "bias": (0.0, -10.0, 10.0),
    "edge": (0.03, 0.0, 1.0),
    "kelly": (0.5, 0.0, 1.0),
    "bad_json": (0.0, 0.0, 1.0),
    "refusal": (0.0, 0.0, 1.0),
    "timeout": (0.0, 0.0, 1.0),
}  # default, least, most


@dataclass(frozen=True, slots=True)
class SimulatedSkill:
    """What a forecaster can do and how it behaves: its options, checked.

    `lead_days` is how far it sees ahead; `noise` (a standard deviation) and `bias` are in
    log-odds. It bets where its forecast beats the price by more than `edge` dollars a share,
    and stakes the part `kelly` of the Kelly fraction, times its largest stake. The last
    three are chances, per question, of a reply cut short, a refusal and no reply at all.
    """

    seed: int
    lead_days: float
    noise: float
    bias: float
    edge: float
    kelly: float
    bad_json: float
    refusal: float
    timeout: float


def skill_of(
    settings: ContestantSettings | ModelSettings, also: tuple[str, ...] = ("venue",)
) -> SimulatedSkill:
    """Read the options of a simulated contestant or model.

    Args:
        settings: Whose options they are.
        also: The options that it has beside its skill's.

    Raises:
        ArenaError: An option is unknown or has a wrong value.
    """
    options = PluginOptions(settings, (*also, "seed", *LIMITS))
    limits = LIMITS.items()
    numbers = (options.number(n, start, least=a, most=b) for n, (start, a, b) in limits)
    skill = SimulatedSkill(options.seed(1), *numbers)
    if skill.bad_json + skill.refusal + skill.timeout > 1:
        raise options.wrong("it fails more often than always")
    return skill


def expected_brier(skill: SimulatedSkill) -> float:
    """Tell about which Brier score a skill earns on all open markets of the default world.

    Leaning towards YES costs more than leaning towards NO: less than half of the markets
    come true.

    Source: a curve fitted to one look a day at every market of 2,400 simulated events, within
    0.007 of what was measured for leads up to 6 days, noise up to 1.2 and bias up to 1.
    """
    sharp = 0.09 + 0.0465 * math.exp(-skill.lead_days / 2.7)
    error = skill.noise**2 + skill.bias**2 * math.exp(0.41 * skill.bias)
    return sharp * (1 + 0.163 * error / (1 + 0.057 * error))


def forecast(signal: float, skill: SimulatedSkill, *key: object) -> float:
    """Add a skill's noise to a signal: P(YES) to four digits, drawn with the seed `key`."""
    shift = skill.bias + skill.noise * NormalDist().inv_cdf(uniform(*key))
    sound = min(max(signal, SURE), 1 - SURE)
    return round(1 / (1 + math.exp(-math.log(sound / (1 - sound)) - shift)), 4)


def uniform(*key: object) -> float:
    """Give a number strictly between 0 and 1 that follows from the key alone."""
    digest = hashlib.sha256(json.dumps([str(part) for part in key]).encode()).digest()
    return ((int.from_bytes(digest[:8]) >> 12) + 0.5) / 2**52
