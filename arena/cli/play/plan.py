"""What a tick would do: it is played on a copy of the books, and no model is asked."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

import click

from arena.cli.models.prompt import ANSWER
from arena.cli.models.prompt_round import cost_at, sizes_of
from arena.cli.play.tick import refuse_another_time
from arena.cli.say import (
    SCHEMA_VERSION,
    as_plain,
    call_cost,
    one_line,
    report_line,
    usage_error,
)
from arena.cli.tables import Columns, table_of
from arena.clock import HandClock
from arena.records.answer import Completion, Question, Trouble
from arena.records.cohort import CohortId, ContestantId
from arena.records.money import Usd, usd
from arena.records.report import TickReport
from arena.records.settings import ModelSettings, Settings
from arena.render import environment, names_below, source
from arena.site.heads import refuse_rollback
from arena.steps.play import tick
from arena.steps.rounds.cached_llm import ModelExchange, ModelLine
from arena.steps.status import status
from arena.store import Store
from arena.store.exports.public import copied
from arena.wiring import build_doors

INPUTS: Final = ("configuration", "prompts", "books", "what is due")
# Why turns fail before their models are asked.
REFUSALS: Final = (Trouble.BUDGET, Trouble.NOT_SET_UP, Trouble.REQUEST)


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A question that a model would be asked. Dollars are None where no price is known.

    `cost` has an answer of 1,000 tokens, `worst` the longest that the model may give.
    """

    cohort: CohortId
    round: int
    contestant: ContestantId
    call: str
    model: str
    tokens: int
    cost: Usd | None
    worst: Usd | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a tick at `at` would do. Sums of dollars are None where a price is not known.

    `report` is of a tick in which models say nothing. `refused` says whom no model is asked
    for, because a budget or the model's end forbids it, were each call to take its worst;
    these are not among `calls`. `inputs` are digests of what the plan
    was made from, `digest` that of all of them.
    """

    at: datetime
    report: TickReport
    calls: tuple[PlannedCall, ...]
    refused: tuple[tuple[ContestantId, str], ...]
    tokens: int
    cost: Usd | None
    worst: Usd | None
    writes: tuple[str, ...]
    inputs: Mapping[str, str]
    digest: str


@dataclass(frozen=True, slots=True)
class NotedLlm:
    """A model that answers nothing; what it is asked is noted."""

    settings: ModelSettings
    at: datetime
    calls: list[PlannedCall] = field(default_factory=list)

    async def complete(self, question: Question) -> Completion:
        """Note the question, and what it would cost."""
        caller = question.caller
        if caller is None:
            raise AssertionError("a turn's question says whose it is")
        sizes = sizes_of(question)
        cost = cost_at(self.settings, sizes, self.at.date(), ANSWER)
        turn = (caller.cohort, caller.round, caller.contestant, caller.call)
        asked = (self.settings.name, sizes.total, cost.cold, cost.worst)
        self.calls.append(PlannedCall(*turn, *asked))
        return Completion(None, trouble=Trouble.MISSED, detail="it was not asked")


def plan_of(settings: Settings, at: datetime) -> Plan:
    """Play a tick on a copy of the books; venues are asked, models are not.

    It has the first question of each turn: stakes that are asked for by themselves and what
    is asked again come on top of that.
    """
    with copied(settings.database) as store:
        refuse_rollback(store, Path(settings.site))
        inputs = inputs_of(settings, store, at)
        calls: list[PlannedCall] = []

        def noted(model: ModelSettings, exchange: ModelExchange) -> ModelLine:
            return ModelLine(NotedLlm(model, at, calls), model, exchange)

        doors = build_doors(settings, store, HandClock(at), noted)
        refuse_another_time(doors.venues, at)
        report = asyncio.run(tick(doors, at))
    calls.sort(key=lambda call: (call.cohort, call.round, call.contestant, call.call))
    return Plan(
        at,
        report,
        tuple(calls),
        tuple((who, why) for who, why in report.failed_turns if why.startswith(REFUSALS)),
        sum(call.tokens for call in calls),
        _sum([call.cost for call in calls]),
        _sum([call.worst for call in calls]),
        (str(settings.database), str(settings.site)),
        inputs,
        _digest(inputs),
    )


def inputs_of(settings: Settings, store: Store, at: datetime) -> dict[str, str]:
    """Digests of what a plan is made from; prices are not among them, for they move on."""
    env = environment(settings.templates)
    prompts = names_below(env, "prompts", "j2")
    due = status(store, settings.cohorts, settings.schedule, at).due
    return {
        "configuration": _digest(as_plain(settings)),
        "prompts": _digest([source(env, name) for name in prompts]),
        "books": store.journal.head(),
        "what is due": _digest([item for item in due if not item.startswith("venue ")]),
    }


def save(plan: Plan, file: Path) -> None:
    """Write a plan down as JSON, in the place of an older one.

    Raises:
        ArenaError: The file holds something else (`plan.file`).
    """
    if file.exists():
        _planned(file, "plan.file", "name another file: this one is left as it is")
    content = {"schema_version": SCHEMA_VERSION, "plan": plan}
    file.write_text(json.dumps(as_plain(content), indent=2) + "\n", encoding="utf-8")


def refuse_another(file: Path, settings: Settings, store: Store, at: datetime) -> None:
    """Make sure that a saved plan is of what would be done now.

    Raises:
        ArenaError: It is not (`plan.changed`), or the file holds no plan (`plan.unreadable`).
    """
    planned = _planned(file, "plan.unreadable", "`arena tick --dry-run --plan FILE` writes one")
    now = inputs_of(settings, store, at)
    changed = [name for name, digest in now.items() if planned[name] != digest]
    if changed:
        raise usage_error(
            "plan.changed",
            f"{file} is no plan of this tick: {', '.join(changed)} changed since",
            hint="look at a new one with --dry-run; nothing was done",
        )


def _planned(file: Path, code: str, hint: str) -> Mapping[str, str]:
    """The digests of a saved plan's inputs."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return {name: content["plan"]["inputs"][name] for name in INPUTS}
    except (ValueError, KeyError, TypeError) as error:
        raise usage_error(code, f"{file} holds no plan", hint=hint) from error


def _sum(amounts: list[Usd | None]) -> Usd | None:
    priced = [amount for amount in amounts if amount is not None]
    return usd(sum(priced, usd(0))) if len(priced) == len(amounts) else None


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()


CALLS: Final[Columns[PlannedCall]] = {
    "contestant": lambda call: call.contestant,
    "model": lambda call: call.model,
    "cohort": lambda call: call.cohort,
    "round": lambda call: str(call.round),
    "call": lambda call: call.call,
    "tokens": lambda call: f"{call.tokens:,}",
    "about $": lambda call: call_cost(call.cost),
    "worst $": lambda call: call_cost(call.worst),
}


def say_plan(plan: Plan) -> None:
    """Print what a tick would do, the calls that it would make, and the plan's digest."""
    click.echo(f"would do, were models silent: {report_line(plan.report)}")
    if plan.calls:
        table_of(CALLS, plan.calls, names=3)
        click.echo("first questions alone: separate stakes and what is asked again come on top")
    for who, why in plan.refused:
        click.echo(one_line(f"refused: {who}: {why}"))
    if plan.refused:
        click.echo("refusals suppose that each call takes its worst: a real tick may ask more")
    spent = f"about ${call_cost(plan.cost)}, at worst ${call_cost(plan.worst)}"
    click.echo(f"calls: {len(plan.calls)}; tokens to read: {plan.tokens:,}; {spent}")
    click.echo(one_line(f"writes: {', '.join(plan.writes)}"))
    click.echo(f"plan {plan.digest}")
