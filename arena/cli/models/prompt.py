"""`arena prompt`: what a contestant would be sent, word for word, and what that costs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import CommandGroup
from arena.cli.options import database_option, existing, json_option
from arena.cli.say import MISSING, call_cost, one_line, plain, say_json, unknown_name
from arena.cli.tables import table
from arena.clock import SystemClock
from arena.errors import ArenaError
from arena.records.answer import Question, Task
from arena.records.settings import ContestantSettings, ModelSettings, Settings

if TYPE_CHECKING:
    from arena.agents.prompt import Style
    from arena.cli.models.prompt_round import Cost, ShownBriefing, Sizes
    from arena.render import Environment

DIGITS = 12  # of a digest, for a reader's eye
ANSWER = 1_000  # tokens: a few sentences, twenty probabilities, some orders


@click.group(cls=CommandGroup)
def prompt() -> None:
    """Show what models are sent."""


@prompt.command()
@click.option("--cohort", required=True, help="A cohort, or a file of the cohorts folder.")
@click.option("--agent", required=True, help="One of its contestants.")
@click.option(
    "--call",
    type=click.Choice([task.value for task in Task]),
    help="Which question of a turn; its first if left out.",
)
@click.option("--model", "names", multiple=True, help="Reckon its cost here; may be repeated.")
@click.option(
    "--answer",
    type=click.IntRange(0, 1_000_000),
    default=ANSWER,
    help="Tokens of the answer that costs are reckoned with.",
)
@database_option
@json_option
@click.pass_context
def show(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    cohort: str,
    agent: str,
    call: str | None,
    names: tuple[str, ...],
    *,
    answer: int,
    database: Path | None,
    as_json: bool,
) -> None:
    """Print exactly what AGENT would be sent now in COHORT, with its tokens and its cost.

    Nothing is asked and nothing is written. Tokens are guessed from bytes.
    """
    from arena.agents.prompt import check_prompt, prompt_digest, style_of
    from arena.cli.models.prompt_round import briefing_now, cost_at, seat_of, sizes_of
    from arena.config import load_settings
    from arena.render import environment

    settings = load_settings(context.obj.config)
    seat = seat_of(settings, agent)
    models = _models(settings, seat, names)
    task = Task(call) if call else _first_call(seat)
    env, style = environment(settings.templates), style_of(seat)
    check_prompt(env, style.prompt)
    with existing(context.obj.config, database) as store:
        shown = briefing_now(store, settings, cohort, seat.id)
    question, notes = _question_and_notes(shown, env, style, task)
    sizes = sizes_of(question)
    today = SystemClock().now().date()
    costs = [cost_at(model, sizes, today, answer) for model in models]
    digest = prompt_digest(env, style.prompt)
    if as_json:
        say_json(
            prompt=style.prompt,
            digest=digest,
            contestant=seat.id,
            model=seat.model,
            call=task,
            notes=notes,
            system=question.system,
            user=question.user,
            shared=question.shared,
            schema=question.schema,
            tokens=sizes,
            answer_tokens=answer,
            costs=costs,
        )
        return
    click.echo(f"prompt {style.prompt}  sha256 {digest}")
    click.echo(one_line(f"{seat.id}, model {seat.model}, call {task}"))
    for note in notes:
        click.echo(one_line(note))
    _say_question(question)
    _say_costs(sizes, costs, answer)


@prompt.command(name="list")
@json_option
@click.pass_context
def list_(context: click.Context, *, as_json: bool) -> None:
    """Name every prompt with its digest, and who is asked with it."""
    from arena.agents.prompt import prompts_of
    from arena.config import load_settings
    from arena.render import environment

    settings = load_settings(context.obj.config)
    env = environment(settings.templates)
    prompts = [_entry(settings, env, name) for name in prompts_of(env)]
    if as_json:
        say_json(prompts=prompts)
        return
    rows = [
        [
            str(entry["prompt"]),
            str(entry["digest"] or "")[:DIGITS] or MISSING,
            str(entry["trouble"] or "fine"),
            ", ".join(_askers(settings, str(entry["prompt"]))) or "nobody",
        ]
        for entry in prompts
    ]
    table(("prompt", "sha256", "state", "asked with it"), rows)


def _entry(settings: Settings, env: "Environment", name: str) -> dict[str, object]:
    """One prompt, and what is wrong with it; without both templates it has no digest."""
    from arena.agents.prompt import check_prompt, prompt_digest

    trouble, digest = None, None
    try:
        digest = prompt_digest(env, name)
        check_prompt(env, name)
    except ArenaError as error:
        trouble = error.message
    askers = _askers(settings, name)
    return {"prompt": name, "digest": digest, "trouble": trouble, "contestants": askers}


def _askers(settings: Settings, name: str) -> list[str]:
    from arena.agents.prompt import DEFAULT
    from arena.cli.models.prompt_round import PROMPTED

    prompted = (c for c in settings.contestants if c.agent == PROMPTED)
    return [c.id for c in prompted if (c.prompt or DEFAULT) == name]


def _models(
    settings: Settings, seat: ContestantSettings, names: Sequence[str]
) -> list[ModelSettings]:
    """The models that were named, or all that are configured; the contestant's own first."""
    by_name = {model.name: model for model in settings.models}
    for name in names:
        if name not in by_name:
            raise unknown_name("model.unknown", f"there is no model {name}", name, by_name)
    chosen = [by_name[name] for name in dict.fromkeys(names)] or list(settings.models)
    return sorted(chosen, key=lambda model: model.name != seat.model)


def _first_call(seat: ContestantSettings) -> Task:
    from arena.agents.prompted import Elicitation

    how = dict(seat.options).get("elicitation", Elicitation.ONE_CALL)
    return Task.DECIDE if how == Elicitation.ONE_CALL else Task.FORECAST


def _question_and_notes(
    shown: "ShownBriefing", env: "Environment", style: "Style", task: Task
) -> tuple[Question, tuple[str, ...]]:
    """The question, and what to know of it."""
    from arena.agents.prompt import decide_question, forecast_question, stake_question

    if task is Task.DECIDE:
        return decide_question(shown.briefing, env, style), shown.notes
    if task is Task.FORECAST:
        return forecast_question(shown.briefing, env, style), shown.notes
    notes = shown.notes
    if shown.stated is None:
        notes = (*notes, "no probabilities are stated yet: `stated` will hold them")
    return stake_question(shown.briefing, env, style, shown.stated or {}), notes


def _say_question(question: Question) -> None:
    shared, own = question.user[: question.shared], question.user[question.shared :]
    for title, words in (
        ("system", question.system),
        ("user, the same for everybody asked so", shared),
        ("user, its own part", own),
        ("schema of the answer", question.schema),
    ):
        click.echo(f"\n----- {title}: {len(words)} characters -----")
        click.echo(plain(words))


def _say_costs(sizes: "Sizes", costs: "Sequence[Cost]", answer: int) -> None:
    click.echo(
        f"\ntokens: {sizes.total} to read (system and schema {sizes.system}, "
        f"shared {sizes.shared}, own {sizes.own}), {answer} to write"
    )
    click.echo("guessed at 3 bytes a token: English often takes a quarter fewer to read")
    if not costs:
        click.echo("no model is configured to reckon a cost with")
        return
    head = ("model", "provider", "cold $", "warm $", "batch $", "worst $", "prices")
    table(head, [_line(cost) for cost in costs])
    click.echo("of one call: cold fills the provider's cache, warm finds it filled")


def _line(cost: "Cost") -> list[str]:
    amounts = (cost.cold, cost.warm, cost.batch, cost.worst)
    return [
        cost.model,
        cost.provider or MISSING,
        *map(call_cost, amounts),
        cost.source or "unknown",
    ]
