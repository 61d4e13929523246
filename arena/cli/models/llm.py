"""`arena llm`: whether the configured models can be asked, and what they are."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import click

from arena.cli import FAILED, NO_KEY, PARTIAL, Group
from arena.cli.options import json_option
from arena.cli.say import one_line, say_json
from arena.clock import SystemClock
from arena.errors import ArenaError, did_you_mean
from arena.records.answer import Completion, Trouble, added_up
from arena.records.settings import ModelSettings

if TYPE_CHECKING:
    from arena.cli.models.llm_probe import Checked
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


@click.group(cls=Group)
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
    from arena.cli.models.llm_probe import check_all
    from arena.config import load_settings
    from arena.wiring import secrets_of

    settings = load_settings(context.obj.config)
    models, today = _chosen(settings.models, names), SystemClock().now().date()
    secrets = secrets_of(settings)
    found = asyncio.run(check_all(models, today, secrets))
    if as_json:
        say_json(models=[_plain(one, today) for one in found])
    else:
        _say(found, today)
    context.exit(_exit_code(found))


def _chosen(models: Sequence[ModelSettings], names: Sequence[str]) -> tuple[ModelSettings, ...]:
    known = {model.name: model for model in models}
    for name in names:
        if name not in known:
            raise ArenaError(
                "llm.unknown",
                f"no model {one_line(name)} is configured",
                hint=did_you_mean(name, known) if known else NONE,
                status=2,
            )
    return tuple(known[name] for name in dict.fromkeys(names)) if names else tuple(models)


def _exit_code(found: "Sequence[Checked]") -> int:
    if any(one.key_missing for one in found):
        return NO_KEY
    well = [one.is_reachable for one in found]
    return 0 if all(well) else PARTIAL if any(well) else FAILED


def _say(found: "Sequence[Checked]", today: date) -> None:
    if not found:
        click.echo(NONE)
        return
    for one in found:
        click.echo(one_line(f"{one.settings.name}: {_verdict(one)}"))
        for name, words in _lines(one, today):
            click.echo(f"  {name:9} {one_line(words)}")
    well = sum(one.is_reachable for one in found)
    click.echo(f"{well} of {len(found)} can be asked{_spent(found)}.")


def _spent(found: "Sequence[Checked]") -> str:
    """Say what asking cost, as far as that is known."""
    from arena.steps.rounds.budget import dollars

    billed = [one.said.usage for one in found if one.said and not _is_free(one.said)]
    known = [usage for usage in billed if usage.cost is not None]
    if not billed:
        return ""
    cost = added_up(known).cost
    if cost is None:
        return "; asking cost nobody knows what"
    told = dollars(cost)
    unknown = len(billed) - len(known)
    return f"; asking cost {told}" + (
        f", and {unknown} cost nobody knows what" if unknown else ""
    )


def _verdict(one: "Checked") -> str:
    said, model = one.said, one.settings
    if one.key_missing:
        return f"NO KEY: {model.key_env} is not set; export {model.key_env}=..."
    if one.broken is not None:
        return f"CANNOT BE ASKED: {one.broken.message}; {one.broken.hint}"
    if said is None:
        return "not asked"
    seconds = f"{said.latency_ms / 1000:.1f} s"
    if said.trouble is Trouble.TRUNCATED:
        return f"reachable in {seconds}; it was cut off, for it thinks longer than this allows"
    if said.trouble is None:
        return f"reachable in {seconds}"
    advice = ADVICE.get(said.trouble, "")
    if said.trouble is Trouble.CREDENTIALS and model.key_env is None:
        advice = "it wants a key: name its variable in key_env"
    return f"FAILED after {seconds}: {said.trouble}: {said.detail}; {advice}"


def _lines(one: "Checked", today: date) -> Iterator[tuple[str, str]]:
    from arena.http import host_and_port
    from arena.llms.profile import server_of

    model, said = one.settings, one.said
    key = f"key from {model.key_env}" if model.key_env else "no key is sent"
    where = host_and_port(model.base_url)
    yield "asked", f"{model.model} at {where} ({model.adapter}); {key}"
    if one.other_name:
        release = "a release of it" if one.is_a_release else "ANOTHER NAME: was it retired?"
        yield "answered", f"as {one.other_name}, {release}"
    if said is not None and said.route:
        yield "served by", said.route
    if server_of(model) == "openrouter" and not dict(model.options).get("route"):
        yield "route", "NOT PINNED: whoever serves it may change from day to day (option route)"
    if one.is_reachable:
        yield "held to", _held_to(one)
    if said is not None:
        yield "used", _used(said)
    yield "prices", _prices(one.tariff, today)
    yield "retires", _retires(one, today)
    yield "limits", _limits(model)


def _held_to(one: "Checked") -> str:
    words = str(one.output) if one.output else "its adapter does not say"
    left_out = one.said.adapted if one.said else ()
    cut = one.said is not None and one.said.trouble is not None
    notes = [*left_out, *([] if one.follows or cut else ["its answer was not the JSON alone"])]
    return "; ".join([words, *notes])


def _used(said: Completion) -> str:
    from arena.steps.rounds.budget import dollars

    usage, tries = said.usage, len(said.attempts)
    counts = (
        (usage.tokens_in, "tokens in"),
        (usage.tokens_cached or None, "of them cached"),
        (usage.tokens_out, "out"),
        (usage.tokens_reasoning or None, "of them reasoning"),
    )
    told = [f"{count} {what}" for count, what in counts if count is not None]
    cost = "unknown cost" if usage.cost is None else f"{dollars(usage.cost)} ({usage.priced})"
    parts = [
        *(told or ["no tokens were reported"]),
        "nothing is charged" if _is_free(said) else cost,
    ]
    return ", ".join([*parts, *([f"{tries} attempts"] if tries > 1 else [])])


def _is_free(said: Completion) -> bool:
    """Whether the provider charged nothing, for it turned every attempt down."""
    return bool(said.attempts) and all(a.billed is False for a in said.attempts)


def _prices(tariff: "Tariff | None", today: date) -> str:
    if tariff is None:
        return "unknown: set price_in and price_out, or no budget can hold its cost"
    parts = (
        (tariff.into, "in"),
        (tariff.cached, "cached"),
        (tariff.written, "written"),
        (tariff.out, "out"),
    )
    told = ", ".join(f"{_price(price)} {what}" for price, what in parts if price is not None)
    longer = [f"more above {one.over:,} tokens" for one in tariff.longer[:1]]
    return "; ".join([f"{told} a million tokens ({tariff.source_on(today)})", *longer])


def _price(price: Decimal) -> str:
    return f"${price.normalize():f}"


def _retires(one: "Checked", today: date) -> str:
    from arena.cli.models.llm_probe import SOON

    left = one.days_left(today)
    if left is None:
        return "no day is known"
    if left <= 0:
        return f"{one.retires_on}: IT IS OVER, contestants that use it are not asked any more"
    soon = "SOON, " if left <= SOON.days else ""
    return f"{one.retires_on}: {soon}in {left} day{'s' if left > 1 else ''}"


def _limits(model: ModelSettings) -> str:
    from arena.config.values import duration_text

    told = [f"{model.at_once} at once"]
    if model.requests_per_minute:
        told.append(f"{model.requests_per_minute} requests a minute")
    if model.tokens_per_minute:
        told.append(f"{model.tokens_per_minute} tokens a minute")
    told.append(f"answers of {model.max_tokens} tokens in {duration_text(model.deadline)}")
    return ", ".join(told)


def _plain(one: "Checked", today: date) -> Mapping[str, object]:
    """Say it all as JSON has words for; the reply's own bytes are left out."""
    from arena.http import host_and_port

    model, said = one.settings, one.said
    return {
        "name": model.name,
        "model": model.model,
        "adapter": model.adapter,
        "provider": model.provider,
        "server": host_and_port(model.base_url),
        "key_env": model.key_env,
        "key_missing": one.key_missing,
        "reachable": one.is_reachable,
        "trouble": _trouble(one),
        "detail": one.broken.message if one.broken else said.detail if said else "",
        "served": (said.model or None) if said else None,
        "other_name": bool(one.other_name),
        "route": (said.route or None) if said else None,
        "tier": (said.tier or None) if said else None,
        "output": one.output if one.is_reachable else None,
        "follows": one.follows if one.is_reachable else None,
        "adapted": said.adapted if said else (),
        "usage": said.usage if said else None,
        "latency_ms": said.latency_ms if said else None,
        "attempts": len(said.attempts) if said else 0,
        "prices": one.tariff,
        "retires_on": None if one.retires_on is None else one.retires_on.isoformat(),
        "days_left": one.days_left(today),
        "limits": {
            "at_once": model.at_once,
            "requests_per_minute": model.requests_per_minute,
            "tokens_per_minute": model.tokens_per_minute,
            "max_tokens": model.max_tokens,
            "deadline": model.deadline,
        },
    }


def _trouble(one: "Checked") -> str | None:
    if one.key_missing:
        return "key missing"
    if one.broken is not None:
        return one.broken.code
    return one.said.trouble if one.said else None
