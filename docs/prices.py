"""Make the shipped price table, `arena/llms/prices.json`, from the package genai-prices.

That package is data and code by Pydantic Services Inc. under the MIT licence, whose text goes
into the table. Run this in an environment of its own, not in the project's:

    python -m venv /tmp/prices && /tmp/prices/bin/pip install genai-prices
    /tmp/prices/bin/python docs/prices.py 2026-11-21

The argument is today: prices and limits change, and calls are priced as of this snapshot.
"""

import datetime as dt
import json
import re
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from importlib.metadata import distribution, version
from itertools import pairwise
from pathlib import Path
from typing import Any

from genai_prices import data, types

TABLE = Path(__file__).parents[1] / "arena" / "llms" / "prices.json"

# Who sells answers in words by the token, and what else they are called in a configuration.
SELLERS = {
    "anthropic": ["claude"],
    "azure": [],
    "cerebras": [],
    "cohere": [],
    "deepseek": [],
    "fireworks": ["fireworks-ai"],
    "google": ["gemini", "google-ai", "vertex"],
    "groq": [],
    "meta": [],
    "minimax": [],
    "mistral": ["mistral-ai", "mistralai"],
    "moonshotai": ["moonshot", "kimi"],
    "novita": [],
    "openai": [],
    "openrouter": [],
    "together": ["together-ai"],
    "x-ai": ["xai", "grok"],
    "zai": ["z-ai"],
}
# The prices of a call in words: in a question, in an answer, read from the cache, written.
PARTS = {
    "in": "input_mtok",
    "out": "output_mtok",
    "cached": "cache_read_mtok",
    "written": "cache_write_mtok",
}
# What the package has not followed, as another list had it on a day: names, then prices of a
# question, of an answer and from the cache. These stand first in their seller's list and so
# count. Take one out when the package has it; `arena llm check` says when it is 90 days old.
SECOND_LIST = {"source": "https://pypi.org/project/litellm/1.109.1/", "checked": "2026-11-22"}
AMENDED = {
    "deepseek": [  # https://api-docs.deepseek.com/quick_start/pricing
        (["deepseek-chat", "deepseek-reasoner"], ("0.28", "0.42", "0.028")),
    ],
    "mistral": [  # aliases: https://docs.mistral.ai/models/mistral-large-3-25-12 and
        # https://docs.mistral.ai/models/model-cards/mistral-medium-3-5-26-04
        (["mistral-large-latest"], ("0.5", "1.5", "0.05")),
        (["magistral-medium-latest"], ("1.5", "7.5", "0.15")),
    ],
    "x-ai": [  # names of its successor: https://docs.x.ai/docs/models
        (["grok-code-fast", "grok-code-fast-1", "grok-code-fast-1-0825"], ("1", "2", "0.2")),
    ],
}
BY_THE_CALL = "requests_kcount"  # a fee on top that counts of tokens cannot tell
TIERS = ("processing", "service_tier", "speed")
HALF_HOURS = [dt.timedelta(minutes=30 * n) for n in range(48)]


def main() -> None:
    """Write the table."""
    taken = dt.date.fromisoformat(sys.argv[1])
    known = {seller.id: seller for seller in data.providers}
    licence = distribution("genai-prices").read_text("licenses/LICENSE") or ""
    head = {
        "source": f"https://pypi.org/project/genai-prices/{version('genai-prices')}/",
        "taken": taken.isoformat(),
        "licence": licence.strip().splitlines(),
    }
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    sellers = [seller(known[name], names) for name, names in SELLERS.items()]
    lines.append(' "sellers": {\n' + ",\n".join(sellers) + "\n }")
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"wrote {TABLE}: {TABLE.stat().st_size} bytes")


def seller(one: types.Provider, names: list[str]) -> str:
    """Write a seller: one line a model, so that a change of price is a change of a line."""
    head = {"names": names, "url": one.api_pattern, "sells": one.fallback_model_providers or []}
    told = ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    sold = [*amended(one.id), *map(model, one.models)]
    models = ",\n".join(f"   {json.dumps(m, separators=(',', ':'))}" for m in sold)
    return f'  {json.dumps(one.id)}: {{{told}, "models": [\n{models}\n  ]}}'


def amended(name: str) -> Iterator[dict[str, object]]:
    """Give the models of a seller whose prices are another list's."""
    for names, (into, out, cached) in AMENDED.get(name, []):
        yield {"names": names, "": [{"in": into, "out": out, "cached": cached, **SECOND_LIST}]}


def model(one: types.ModelInfo) -> dict[str, object]:
    """Give a model: the names it goes by, and its rows of prices by tier.

    One whose calls cannot be priced by their tokens has no rows: it is there so that its name
    is not taken for another's.
    """
    said: dict[str, object] = {"names": list(patterns(one.match))}
    for tier, context in tiers(one).items():
        found = list(rows(one, context))
        if found:
            said[tier] = found
    return said


def tiers(one: types.ModelInfo) -> dict[str, dict[str, str]]:
    """Name the tiers that have prices of their own; '' is the usual one."""
    found: dict[str, dict[str, str]] = {"": {}}
    for variant in one.price_variants or ():
        ((key, value),) = variant.when.items()
        if key in TIERS and variant.prices.__dict__:
            found[value] = {key: value}
    return found


def rows(one: types.ModelInfo, context: dict[str, str]) -> Iterator[dict[str, object]]:
    """Give a row for each day on which a price changes, the oldest first."""
    last: dict[str, object] = {}
    for day in days_of_change(one, context):
        found = row(one, day, context)
        if found != last and found:
            yield {"from": day.isoformat(), **found} if day > dt.date.min else found
        last = found


def days_of_change(one: types.ModelInfo, context: dict[str, str]) -> list[dt.date]:
    """Name the days on which something starts; a tier is not known before its first."""
    usual = one.prices if isinstance(one.prices, list) else []
    ours = [v for v in one.price_variants or () if context and v.when == context]
    starts = [day_of(v.constraint) for v in ours] or [dt.date.min]
    later = [day_of(p.constraint) for p in usual] + starts
    return sorted({day for day in later if day >= min(starts)})


def day_of(constraint: object) -> dt.date:
    """Give the day from which a price holds."""
    if isinstance(constraint, types.StartDateConstraint):
        return constraint.start_date
    return dt.date.min


def row(one: types.ModelInfo, day: dt.date, context: dict[str, str]) -> dict[str, object]:
    """Give the prices of a day; those of its dearest hour, where the hour matters."""
    start = dt.datetime.combine(max(day, dt.date(2000, 1, 1)), dt.time(), dt.UTC)
    hours = [one.get_prices(start + hour, context or None) for hour in HALF_HOURS]
    dearest = max(hours, key=lambda prices: prices_of(prices, 0).get("out", Decimal(0)))
    if any(price is not None for price in [getattr(dearest, BY_THE_CALL)]):
        return {}
    base = prices_of(dearest, 0)
    if not {"in", "out"} <= base.keys():
        return {}
    said: dict[str, object] = as_text(base)
    longer = [
        {"over": over, **as_text(prices_of(dearest, over + 1))} for over in steps(dearest)
    ]
    if longer:
        said["longer"] = longer
    if any(a != b for a, b in pairwise(hours)):
        said["hours"] = True
    return said


def steps(prices: types.ModelPrice) -> list[int]:
    """Name the lengths of a question past which all of it costs something else."""
    found = [getattr(prices, key) for key in PARTS.values()]
    return sorted(
        {tier.start for p in found if isinstance(p, types.TieredPrices) for tier in p.tiers}
    )


def prices_of(prices: types.ModelPrice, tokens_in: int) -> dict[str, Decimal]:
    """Give the prices of a question of so many tokens."""
    found: dict[str, Decimal] = {}
    for part, key in PARTS.items():
        price: Any = getattr(prices, key)
        if isinstance(price, types.TieredPrices):
            past = [tier.price for tier in price.tiers if tokens_in > tier.start]
            price = past[-1] if past else price.base
        if price is not None:
            found[part] = price
    return found


def as_text(prices: dict[str, Decimal]) -> dict[str, object]:
    """Write prices as exact text."""
    return {part: f"{price.normalize():f}" for part, price in prices.items()}


def patterns(clause: Any) -> Iterable[str]:  # noqa: ANN401  # one of seven types
    """Write how a name is told: as it is, with `*` for anything, or as `/an expression`."""
    match clause:
        case types.ClauseOr(or_=parts):
            for part in parts:
                yield from patterns(part)
        case types.ClauseEquals(equals=text):
            yield text.lower()
        case types.ClauseStartsWith(starts_with=text):
            yield f"{text.lower()}*"
        case types.ClauseEndsWith(ends_with=text):
            yield f"*{text.lower()}"
        case types.ClauseContains(contains=text):
            yield f"*{text.lower()}*"
        case _:
            yield f"/{expression(clause)}"


def expression(clause: Any) -> str:  # noqa: ANN401  # one of seven types
    """Write a clause as a regular expression to search a name in lower case with."""
    match clause:
        case types.ClauseRegex(regex=text):
            return text
        case types.ClauseAnd(and_=parts):
            return "^" + "".join(f"(?=.*?(?:{expression(part)}))" for part in parts)
        case types.ClauseOr(or_=parts):
            return "|".join(f"(?:{expression(part)})" for part in parts)
        case types.ClauseEquals(equals=text):
            return f"^{re.escape(text.lower())}$"
        case types.ClauseStartsWith(starts_with=text):
            return f"^{re.escape(text.lower())}"
        case types.ClauseEndsWith(ends_with=text):
            return f"{re.escape(text.lower())}$"
        case types.ClauseContains(contains=text):
            return re.escape(text.lower())
    raise TypeError(f"no expression for a {type(clause).__name__}")


if __name__ == "__main__":
    main()
