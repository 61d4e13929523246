"""`arena llm`: whether the configured models can be asked, and what they are."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import FAILED, NO_KEY, PARTIAL, CommandGroup
from arena.cli.options import json_option, make_sure, yes_option
from arena.cli.say import one_line, p_value, say_json, usage_error
from arena.clock import SystemClock
from arena.errors import did_you_mean
from arena.records.answer import Completion, Trouble, Usage, added_up
from arena.records.settings import ModelSettings

if TYPE_CHECKING:
    from arena.cli.models.llm_questions import ModelProbe
    from arena.llms.tariff import Tariff

NONE = "No model is configured: docs/contestants.md shows how, from a key to a running cohort."
ADVICE: Mapping[Trouble, str] = {
    Trouble.TIMEOUT: "raise its deadline, or ask again later",
    Trouble.UNREACHABLE: "is the server running, and is base_url its address?",
    Trouble.RATE_LIMITED: "ask again later, and set requests_per_minute to what it allows",
    Trouble.SERVER: "ask again later: it is the provider's own trouble",
    Trouble.CREDENTIALS: "look at the key, and at what it may do",
    Trouble.COUNTRY: "its provider does not serve the country that this machine asks from",
    Trouble.QUOTA: "the account is used up: its provider's page says what is left",
    Trouble.REQUEST: "look at the model's name and options",
    Trouble.TOO_LONG: "even this question and its max_tokens are more than its context holds",
    Trouble.REFUSAL: "it refuses even this question: its provider may say why",
    Trouble.EMPTY: "look at base_url, and at whether its thinking leaves room for words",
    Trouble.UNREADABLE: "look at adapter and base_url: this is not how such a server answers",
}


@click.group(cls=CommandGroup)
def llm() -> None:
    """Look at the configured models."""


@llm.command()
@click.argument("names", metavar="[MODEL]...", nargs=-1)
@json_option
@click.pass_context
def check(context: click.Context, names: tuple[str, ...], *, as_json: bool) -> None:
    """Ask each MODEL of the configuration one tiny question, all of them at once.

    It says whether it answers and under which name, what it supports, what it costs and when
    its provider ends it. Each question costs a fraction of a cent; nothing is written, and no
    budget counts it. Without MODEL all are asked.
    """
    from arena.cli.models.llm_questions import check_all
    from arena.config import load_settings
    from arena.wiring import secrets_of

    settings = load_settings(context.obj.config)
    models, today = _chosen(settings.models, names), SystemClock().now().date()
    secrets = secrets_of(settings)
    probes = asyncio.run(check_all(models, today, secrets))
    if as_json:
        say_json(models=[_plain(probe, today) for probe in probes])
    else:
        _say(probes, today)
    if any(probe.key_missing for probe in probes):
        context.exit(NO_KEY)
    context.exit(_exit_code(probe.is_reachable for probe in probes))


def _chosen(models: Sequence[ModelSettings], names: Sequence[str]) -> tuple[ModelSettings, ...]:
    model_by_name = {model.name: model for model in models}
    for name in names:
        if name not in model_by_name:
            raise usage_error(
                "llm.unknown",
                f"no model {one_line(name)} is configured",
                hint=did_you_mean(name, model_by_name) if model_by_name else NONE,
            )
    return (
        tuple(model_by_name[name] for name in dict.fromkeys(names)) if names else tuple(models)
    )


def _exit_code(answered: Iterable[bool]) -> int:
    """What it means that some models answered, and others did not."""
    heard = set(answered)
    return 0 if False not in heard else PARTIAL if True in heard else FAILED


def _say(probes: "Sequence[ModelProbe]", today: date) -> None:
    if not probes:
        click.echo(NONE)
        return
    for probe in probes:
        click.echo(one_line(f"{probe.settings.name}: {_verdict(probe)}"))
        for name, words in _lines(probe, today):
            click.echo(f"  {name:9} {one_line(words)}")
    reachable = sum(probe.is_reachable for probe in probes)
    click.echo(f"{reachable} of {len(probes)} can be asked{_spent(probes)}.")


def _spent(probes: "Sequence[ModelProbe]") -> str:
    """Say what asking cost, as far as that is known."""
    from arena.steps.rounds.budget import dollars

    billed = [probe.said.usage for probe in probes if probe.said and not _is_free(probe.said)]
    priced = [usage for usage in billed if usage.cost is not None]
    if not billed:
        return ""
    cost = added_up(priced).cost
    if cost is None:
        return "; asking cost nobody knows what"
    amount = dollars(cost)
    unknown = len(billed) - len(priced)
    return f"; asking cost {amount}" + (
        f", and {unknown} cost nobody knows what" if unknown else ""
    )


def _verdict(probe: "ModelProbe") -> str:
    completion, model = probe.said, probe.settings
    if probe.key_missing:
        return f"NO KEY: {model.key_env} is not set; export {model.key_env}=..."
    if probe.broken is not None:
        return f"CANNOT BE ASKED: {probe.broken.message}; {probe.broken.hint}"
    if completion is None:
        return "not asked"
    seconds = f"{completion.latency_ms / 1000:.1f} s"
    if completion.trouble is Trouble.TRUNCATED:
        return f"reachable in {seconds}; it was cut off, for it thinks longer than this allows"
    if completion.trouble is None:
        return f"reachable in {seconds}"
    advice = ADVICE.get(completion.trouble, "")
    if completion.trouble is Trouble.CREDENTIALS and model.key_env is None:
        advice = "it wants a key: name its variable in key_env"
    return f"FAILED after {seconds}: {completion.trouble}: {completion.detail}; {advice}"


def _lines(probe: "ModelProbe", today: date) -> Iterator[tuple[str, str]]:
    from arena.http import host_and_port
    from arena.llms.profile import server_of

    model, completion = probe.settings, probe.said
    key = f"key from {model.key_env}" if model.key_env else "no key is sent"
    where = host_and_port(model.base_url)
    yield "asked", f"{model.model} at {where} ({model.adapter}); {key}"
    if probe.other_name:
        release = "a release of it" if probe.is_a_release else "ANOTHER NAME: was it retired?"
        yield "answered", f"as {probe.other_name}, {release}"
    if completion is not None and completion.route:
        yield "served by", completion.route
    if server_of(model) == "openrouter" and not dict(model.options).get("route"):
        yield "route", "NOT PINNED: whoever serves it may change from day to day (option route)"
    if probe.is_reachable:
        yield "held to", _held_to(probe)
    if completion is not None:
        yield "used", _used(completion)
    yield "prices", _prices(probe.tariff, today)
    yield "retires", _retires(probe, today)
    yield "limits", _limits(model)


def _held_to(probe: "ModelProbe") -> str:
    words = str(probe.output) if probe.output else "its adapter does not say"
    left_out = probe.said.adapted if probe.said else ()
    cut = probe.said is not None and probe.said.trouble is not None
    notes = [
        *left_out,
        *([] if probe.follows or cut else ["its answer was not the JSON alone"]),
    ]
    return "; ".join([words, *notes])


def _used(completion: Completion) -> str:
    usage, tries = completion.usage, len(completion.attempts)
    counts = (
        (usage.tokens_in, "tokens in"),
        (usage.tokens_cached or None, "of them cached"),
        (usage.tokens_out, "out"),
        (usage.tokens_reasoning or None, "of them reasoning"),
    )
    token_counts = [f"{count} {what}" for count, what in counts if count is not None]
    parts = [
        *(token_counts or ["no tokens were reported"]),
        "nothing is charged" if _is_free(completion) else _cost(usage),
    ]
    return ", ".join([*parts, *([f"{tries} attempts"] if tries > 1 else [])])


def _cost(usage: Usage) -> str:
    from arena.steps.rounds.budget import dollars

    if usage.cost is None:
        return "unknown cost"
    return dollars(usage.cost) + (f" ({usage.priced})" if usage.priced else "")


def _is_free(completion: Completion) -> bool:
    """Whether the provider charged nothing, for it turned every attempt down."""
    return bool(completion.attempts) and all(a.billed is False for a in completion.attempts)


def _prices(tariff: "Tariff | None", today: date) -> str:
    if tariff is None:
        return "unknown: set price_in and price_out, or no budget can hold its cost"
    parts = (
        (tariff.into, "in"),
        (tariff.cached, "cached"),
        (tariff.written, "written"),
        (tariff.out, "out"),
    )
    prices = ", ".join(f"{_price(price)} {what}" for price, what in parts if price is not None)
    longer = [f"more above {rate.over:,} tokens" for rate in tariff.longer[:1]]
    return "; ".join([f"{prices} a million tokens ({tariff.source_on(today)})", *longer])


def _price(price: Decimal) -> str:
    return f"${price.normalize():f}"


def _retires(probe: "ModelProbe", today: date) -> str:
    from arena.cli.models.llm_questions import SOON

    left = probe.days_left(today)
    if left is None:
        return "no day is known"
    if left <= 0:
        return f"{probe.retires_on}: IT IS OVER, contestants that use it are not asked any more"
    soon = "SOON, " if left <= SOON.days else ""
    return f"{probe.retires_on}: {soon}in {left} day{'s' if left > 1 else ''}"


def _limits(model: ModelSettings) -> str:
    from arena.config.kinds import duration_text

    limits = [f"{model.at_once} at once"]
    if model.requests_per_minute:
        limits.append(f"{model.requests_per_minute} requests a minute")
    if model.tokens_per_minute:
        limits.append(f"{model.tokens_per_minute} tokens a minute")
    limits.append(f"answers of {model.max_tokens} tokens in {duration_text(model.deadline)}")
    return ", ".join(limits)


def _plain(probe: "ModelProbe", today: date) -> Mapping[str, object]:
    """Give the results of a probe as JSON, without the bytes of the reply."""
    from arena.http import host_and_port

    model, completion = probe.settings, probe.said
    return {
        "name": model.name,
        "model": model.model,
        "adapter": model.adapter,
        "provider": model.provider,
        "server": host_and_port(model.base_url),
        "key_env": model.key_env,
        "key_missing": probe.key_missing,
        "reachable": probe.is_reachable,
        "trouble": _trouble(probe),
        "detail": probe.broken.message
        if probe.broken
        else completion.detail
        if completion
        else "",
        "served": (completion.model or None) if completion else None,
        "other_name": bool(probe.other_name),
        "route": (completion.route or None) if completion else None,
        "tier": (completion.tier or None) if completion else None,
        "output": probe.output if probe.is_reachable else None,
        "follows": probe.follows if probe.is_reachable else None,
        "adapted": completion.adapted if completion else (),
        "usage": completion.usage if completion else None,
        "latency_ms": completion.latency_ms if completion else None,
        "attempts": len(completion.attempts) if completion else 0,
        "prices": probe.tariff,
        "retires_on": None if probe.retires_on is None else probe.retires_on.isoformat(),
        "days_left": probe.days_left(today),
        "limits": {
            "at_once": model.at_once,
            "requests_per_minute": model.requests_per_minute,
            "tokens_per_minute": model.tokens_per_minute,
            "max_tokens": model.max_tokens,
            "deadline": model.deadline,
        },
    }


def _trouble(probe: "ModelProbe") -> str | None:
    if probe.key_missing:
        return "key missing"
    if probe.broken is not None:
        return probe.broken.code
    return probe.said.trouble if probe.said else None


@llm.command()
@click.argument("questions", type=click.Path(path_type=Path))
@click.argument("names", metavar="[MODEL]...", nargs=-1)
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    required=True,
    help="The file of all answers so far; `arena insights --probes` reads it.",
)
@click.option(
    "--times",
    type=click.IntRange(1, 100),
    help="Answers to each question: 10 of a model that FILE does not know yet, else 2.",
)
@yes_option
@json_option
@click.pass_context
def drift(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    questions: Path,
    names: tuple[str, ...],
    *,
    into: Path,
    times: int | None,
    is_sure: bool,
    as_json: bool,
) -> None:
    """Ask each MODEL the same QUESTIONS, one a line, and add the answers to a file.

    Each is asked by itself, without a price, and several times. Run it once a week:
    `arena insights --probes FILE` then says whether a model answers in another way than at
    first. Nothing is bet or scored, and no budget counts it. Without MODEL all are asked.
    """
    from arena.cli.models.llm_questions import (
        DRIFT,
        FIRST,
        LATER,
        append,
        ask_all,
        known_models,
        questions_of,
    )
    from arena.config import load_settings
    from arena.wiring import secrets_of

    settings = load_settings(context.obj.config)
    models, asked = _chosen(settings.models, names), questions_of(questions)
    known = known_models(into)
    counts = {m.name: times or (LATER if m.name in known else FIRST) for m in models}
    calls = len(asked) * sum(counts.values())
    what = f"{calls:,} questions are put to {len(models)} models, which may cost money."
    make_sure(what, is_sure=is_sure, as_json=as_json)
    at, secrets = SystemClock().now(), secrets_of(settings)
    made = asyncio.run(ask_all(models, asked, counts, secrets, DRIFT))
    append(into, [(m.model, q, at.isoformat(), p) for m in made for q, p in m.answers])
    if as_json:
        say_json(file=str(into), at=at, models=made)
    for own in () if as_json else made:
        click.echo(
            f"{one_line(own.model)}: {len(own.answers)} of {own.asked} answered"
            f"{_failed(own.failed)}"
        )
    context.exit(_exit_code(bool(own.answers) for own in made))


def _failed(failed: Mapping[str, int]) -> str:
    return "".join(f", {n} {one_line(why)}" for why, n in failed.items())


@llm.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True))
@click.argument("names", metavar="[MODEL]...", nargs=-1)
@click.option("--into", type=click.Path(path_type=Path), help="A file for all answers, in CSV.")
@click.option(
    "--markets",
    "most",
    type=click.IntRange(2, 10_000),
    default=100,
    help="How many markets of DATA, and as many invented ones.",
)
@yes_option
@json_option
@click.pass_context
def recall(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    data: Path,
    names: tuple[str, ...],
    *,
    into: Path | None,
    most: int,
    is_sure: bool,
    as_json: bool,
) -> None:
    """Ask each MODEL how markets of DATA ended, and how invented ones did.

    DATA is what `arena replay` plays. Who says the outcome of real markets no more often than
    that of invented ones, whose outcome is drawn, guesses. Nothing is bet or scored, and no
    budget counts it. Without MODEL all are asked.
    """
    from arena.cli.models.llm_questions import (
        RECALL,
        RECALL_COLUMNS,
        append,
        ask_all,
        chosen,
        question_of,
        recalled,
        rows_of,
    )
    from arena.config import load_settings
    from arena.replay import ended_markets
    from arena.wiring import secrets_of

    settings = load_settings(context.obj.config)
    models = _chosen(settings.models, names)
    asked = {question_of(market): market for market in chosen(ended_markets(data), most)}
    if not asked:
        raise usage_error("llm.recall", f"no market of {data} has ended YES or NO")
    calls = len(asked) * len(models)
    what = f"{calls:,} questions are put to {len(models)} models, which may cost money."
    make_sure(what, is_sure=is_sure, as_json=as_json)
    at, secrets, once = SystemClock().now(), secrets_of(settings), {m.name: 1 for m in models}
    made = asyncio.run(ask_all(models, tuple(asked), once, secrets, RECALL))
    if into is not None:
        append(into, [row for own in made for row in rows_of(own, asked, at)], RECALL_COLUMNS)
    found = [recalled(own, asked) for own in made]
    if as_json:
        say_json(file=None if into is None else str(into), at=at, models=found)
    for own in () if as_json else found:
        click.echo(
            f"{one_line(own.model)}: says how {own.hits} of {own.markets} markets ended, and "
            f"of {own.false_alarms} of {own.invented} invented ones what was drawn; p of as "
            f"many by guessing {p_value(own.p)} (Fisher's exact test); {_cost(own.usage)}"
            f"{_failed(own.failed)}"
        )
    context.exit(_exit_code(bool(own.answers) for own in made))
