"""Who plays a demo: invented models of invented providers, the better the earlier.

The skill of each is set here, so whether the leaderboard finds it can be checked. Two of them
are nearly equal on purpose, and one model plays a second time without seeing prices.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from arena.agents.simulated.contestant import expected_brier
from arena.agents.simulated.model import skill_shown
from arena.records.cohort import ContestantId
from arena.records.settings import ContestantSettings, ModelSettings

ADAPTER = "simulated"
EDGE = 0.15  # strict enough that a contestant sometimes holds or sells
BLIND = "northwind-large-2-blind"
COPIED = "halcyon-pro-3"
COPIES = 3
BLIND_RUNG = 7  # where it stands on the ladder
MAX_TOKENS = 8192
COUNCIL_OF = ("tessera-2", "northwind-large-1", "halcyon-pro-2")


@dataclass(frozen=True, slots=True)
class Cast:
    """The contestants of a demo and the models that they ask."""

    models: tuple[ModelSettings, ...]
    contestants: tuple[ContestantSettings, ...]


@dataclass(frozen=True, slots=True)
class _InventedModel:
    """A model of the demo: whose it is, what it costs a million tokens, what it can do."""

    name: str
    provider: str
    family: str
    release: str
    prices: tuple[str, str]
    options: Mapping[str, float]

    @property
    def label(self) -> str:
        return f"{self.family} {self.release}"


MODELS = (
    _InventedModel(
        "northwind-large-2", "Northwind", "Northwind Large", "2", ("5", "25"),
        {"lead_days": 6, "noise": 0.15, "blind_noise": 1.8, "latency": 45,
         "reasoning_tokens": 3000, "refusal": 0.01},
    ),
    _InventedModel(
        COPIED, "Halcyon", "Halcyon Pro", "3", ("2.5", "10"),
        {"lead_days": 2.4, "noise": 0.4, "latency": 60, "reasoning_tokens": 4000,
         "bad_json": 0.02},
    ),
    _InventedModel(
        "tessera-2", "Tessera", "Tessera", "2", ("1.2", "4.8"),
        {"lead_days": 2.4, "noise": 0.42, "latency": 25, "reasoning_tokens": 2000,
         "timeout": 0.01},
    ),
    _InventedModel(
        "northwind-large-1", "Northwind", "Northwind Large", "1", ("4", "20"),
        {"lead_days": 1.2, "noise": 0.55, "latency": 30, "reasoning_tokens": 1500,
         "bad_json": 0.03},
    ),
    _InventedModel(
        "halcyon-pro-2", "Halcyon", "Halcyon Pro", "2", ("2", "8"),
        {"lead_days": 0.8, "noise": 0.65, "latency": 20, "reasoning_tokens": 800,
         "refusal": 0.02},
    ),
    _InventedModel(
        "tessera-1", "Tessera", "Tessera", "1", ("0.9", "3.6"),
        {"lead_days": 0.9, "noise": 0.75, "latency": 40, "reasoning_tokens": 600,
         "bad_json": 0.15, "refusal": 0.05, "timeout": 0.18},
    ),
    _InventedModel(
        "northwind-small-2", "Northwind", "Northwind Small", "2", ("0.4", "1.6"),
        {"lead_days": 0.7, "noise": 0.7, "latency": 6, "reasoning_tokens": 400},
    ),
    _InventedModel(
        "meridian-open-2", "Meridian", "Meridian Open", "2", ("0.6", "0.6"),
        {"lead_days": 0.4, "noise": 1.0, "bias": 0.3, "latency": 9, "bad_json": 0.04},
    ),
    _InventedModel(
        "meridian-open-1", "Meridian", "Meridian Open", "1", ("0.05", "0.05"),
        {"lead_days": 0, "noise": 1.2, "bias": 0.8, "latency": 2, "bad_json": 0.08},
    ),
)  # fmt: skip


def cast(count: int, seed: int, *, events_per_day: int) -> Cast:
    """Enter the first contestants of the demo; beyond the cast, its models once more.

    They stand from the best to the worst, but for two more copies of one model and an
    ensemble of three, which come last.

    Args:
        count: How many, 0 or more.
        seed: Of the simulated venue, and of the chance that all of them draw from.
        events_per_day: Of the simulated venue.
    """
    options = {"world": seed, "events_per_day": events_per_day, "seed": seed, "edge": EDGE}
    models = {invented.name: _model(invented, options) for invented in MODELS}
    roles = _roles()
    playing = tuple(
        roles[n] if n < len(roles) else _again(n - len(roles)) for n in range(count)
    )
    models_played = {who.model for who in playing}
    return Cast(
        tuple(model for name, model in models.items() if name in models_played), playing
    )


def known_scores(
    contestants: Iterable[ContestantSettings], models: Iterable[ModelSettings]
) -> dict[ContestantId, float]:
    """Give the expected Brier score of each that asks a simulated model, the best first.

    Ties are in the order of ids. What an ensemble scores follows from no formula: it is left
    out.
    """
    simulated = {model.name: model for model in models if model.adapter == ADAPTER}
    ranked = sorted(
        (
            expected_brier(skill_shown(simulated[contestant.model], prices=_sees(contestant))),
            contestant.id,
        )
        for contestant in contestants
        if contestant.model in simulated
    )
    return {who: score for score, who in ranked}


def _sees(contestant: ContestantSettings) -> bool:
    return dict(contestant.options).get("show_price", "always") != "never"


def _roles() -> tuple[ContestantSettings, ...]:
    """Everybody of the cast, in order."""
    best, copied = MODELS[0], next(invented for invented in MODELS if invented.name == COPIED)
    single = {
        invented.name: _asking(invented, invented.name, invented.label) for invented in MODELS
    }
    copies = [
        replace(_asking(copied, f"{COPIED}-{n}", f"{copied.label}, copy {n}"), copy_of=COPIED)
        for n in range(1, COPIES + 1)
    ]
    single[COPIED] = copies[0]
    blind = replace(
        _asking(best, BLIND, f"{best.label}, no prices"), options=(("show_price", "never"),)
    )
    council = ContestantSettings(
        ContestantId("council"),
        "ensemble",
        "Council of three",
        of=tuple(ContestantId(name) for name in COUNCIL_OF),
    )
    ladder = list(single.values())
    ladder.insert(BLIND_RUNG, blind)
    return (*ladder, *copies[1:], council)


def _again(n: int) -> ContestantSettings:
    """Enter a model once more, where more are wanted than the cast has."""
    lap, rung = divmod(n, len(MODELS))
    invented = MODELS[rung]
    return _asking(
        invented, f"{invented.name}-again-{lap + 1}", f"{invented.label} again {lap + 1}"
    )


def _asking(invented: _InventedModel, name: str, label: str) -> ContestantSettings:
    return ContestantSettings(ContestantId(name), "prompted", label, model=invented.name)


def _model(invented: _InventedModel, common_options: Mapping[str, float]) -> ModelSettings:
    price_in, price_out = invented.prices
    return ModelSettings(
        name=invented.name,
        adapter=ADAPTER,
        base_url="",
        model=invented.name,
        price_in=Decimal(price_in),
        price_out=Decimal(price_out),
        provider=invented.provider,
        family=invented.family,
        release=invented.release,
        max_tokens=MAX_TOKENS,
        options=(*common_options.items(), *invented.options.items()),
    )
