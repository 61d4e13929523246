"""Ask each model one tiny question: can it be reached, and what does it support?"""

import asyncio
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from arena.errors import ArenaError
from arena.llms.client import WireClient
from arena.llms.profile import retirement_of
from arena.llms.tariff import Tariff, tariff_for
from arena.llms.wires.wire import Output
from arena.ports import Llm
from arena.records.answer import Completion, Question, Trouble
from arena.records.settings import ModelSettings
from arena.secrets import Secrets
from arena.wiring import build_model

LONGEST = 512  # tokens: more than the answer needs, since some models think before any
PATIENCE = timedelta(seconds=60)
SOON = timedelta(days=60)

QUESTION = Question(
    system="This is a test of whether you can be reached. Answer in JSON.",
    user='Answer with the JSON object {"ok": true} and nothing else.',
    schema=json.dumps(
        {
            "type": "object",
            "properties": {"ok": {"type": "boolean"}},
            "required": ["ok"],
            "additionalProperties": False,
        }
    ),
)


@dataclass(frozen=True, slots=True)
class ModelProbe:
    """The results of probing a model.

    `said` is None where it was not asked: its key is lacking (`key_missing`), or it cannot
    be built (`broken`). `output` is what it was held to in the end; None where its adapter
    does not tell. `follows` says whether it answered with the JSON that was asked for.
    """

    settings: ModelSettings
    tariff: Tariff | None
    retires_on: date | None
    said: Completion | None = None
    output: Output | None = None
    key_missing: bool = False
    broken: ArenaError | None = field(default=None, repr=False)

    @property
    def is_reachable(self) -> bool:
        """Whether an answer came: one that was cut off is one, for key and name are right."""
        return self.said is not None and self.said.trouble in {None, Trouble.TRUNCATED}

    @property
    def follows(self) -> bool:
        """Whether its words are the JSON object that was asked for, and nothing else."""
        try:
            return bool(self.said and json.loads(self.said.text or "") == {"ok": True})
        except (ValueError, RecursionError):
            return False

    @property
    def other_name(self) -> str:
        """The name that the server gave itself, where it is not the one that was asked for."""
        served = self.said.model if self.said else ""
        return "" if served.casefold() == self.settings.model.casefold() else served

    @property
    def is_a_release(self) -> bool:
        """Whether that other name is the one asked for with something after it, as a day."""
        return self.other_name.casefold().startswith(f"{self.settings.model.casefold()}-")

    def days_left(self, today: date) -> int | None:
        """Give the days until its provider ends it, below 1 where it has; None: not known."""
        return None if self.retires_on is None else (self.retires_on - today).days


async def check_all(
    models: Iterable[ModelSettings], today: date, secrets: Secrets
) -> list[ModelProbe]:
    """Probe models, all at once; nothing is written down, and no secret is told."""
    return list(await asyncio.gather(*(_check(model, today, secrets) for model in models)))


async def _check(model: ModelSettings, today: date, secrets: Secrets) -> ModelProbe:
    probe = ModelProbe(model, tariff_for(model, today), retirement_of(model))
    if model.key_env and not os.environ.get(model.key_env):
        return replace(probe, key_missing=True)
    try:
        llm = build_model(_modest(model))
        completion = secrets.record(await llm.complete(QUESTION))
    except ArenaError as error:
        return replace(probe, broken=error.reworded(secrets.text))
    priced = tariff_for(model, today, completion.tier, served=completion.model)
    return replace(probe, said=completion, output=_held_to(llm), tariff=priced or probe.tariff)


def _modest(model: ModelSettings) -> ModelSettings:
    """Ask for a short answer soon; a budget for thinking has to fit below the longest."""
    longest = model.max_tokens
    if "budget" not in repr(model.options).casefold():
        longest = min(longest, LONGEST)
    return replace(model, max_tokens=longest, deadline=min(model.deadline, PATIENCE))


def _held_to(llm: Llm) -> Output | None:
    return llm.ask(QUESTION).output if isinstance(llm, WireClient) else None
