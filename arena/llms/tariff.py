"""What a call costs: the price of record, and the arithmetic. Unknown is None, never 0."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from arena.llms.wires.lenient import mapping, thawed
from arena.records.answer import Question, Usage
from arena.records.money import Usd, usd
from arena.records.settings import ModelSettings

# What providers charge: the dated table that comes with the arena, `prices.json`.
#
# `docs/prices.py` makes it from the package genai-prices (MIT; its notice is in the file), and
# amends what that has not followed: such a row says where and on which day it was read.
# A price is in dollars a million tokens. Where a provider's price depends on the hour of the
# day, the table has the dearest. Prices of a cache that is kept for an hour are not in it.

LONGEST_NAME = 200

Row = Mapping[str, Any]

_COMPACT_DAY = re.compile(r"-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[-:]|$)")


def taken() -> str:
    """Give the day of the snapshot, as 2026-11-21."""
    return str(_table()["taken"])


def as_of(row: Row) -> str:
    """Give the day of a row of the table: the snapshot's, or its own where it was amended."""
    return str(row.get("checked") or taken())


@lru_cache(maxsize=256)
def seller_of(base_url: str, provider: str) -> str | None:
    """Say whose prices hold: the server's if it is a known one's, else the provider's.

    >>> seller_of("https://api.x.ai/v1", ""), seller_of("http://127.0.0.1:8000", "xAI")
    ('x-ai', 'x-ai')
    >>> seller_of("http://127.0.0.1:8000", "") is None
    True
    """
    sellers = _table()["sellers"]
    for name, seller in sellers.items():
        if re.match(seller["url"], base_url):
            return str(name)
    wanted = provider.strip().lower()
    named = (n for n, seller in sellers.items() if wanted == n or wanted in seller["names"])
    return next(named, None)


def listed(seller: str, model: str, at: date, tier: str) -> Row | None:
    """Give the prices of a model on a day, in a tier; '' is the usual one.

    A price without a date holds for all earlier days: older prices are not known.

    Returns:
        A row of the table: `in`, `out` and where known `cached` and `written`, as exact
        text; None where the table has none.
    """
    entry = _model(seller, model[:LONGEST_NAME].lower())
    rows: Sequence[Row] = entry.get(tier, ()) if entry else ()
    past = (row for row in reversed(rows) if row.get("from", "") <= at.isoformat())
    return next(past, None)


@lru_cache(maxsize=1024)
def _model(seller: str, name: str) -> Row | None:
    """Find a model by what it is called: as it is, with its day written out, without a path."""
    dashed = _COMPACT_DAY.sub(r"-\1-\2-\3", name)
    tried = dict.fromkeys((name, dashed, name.rpartition("/")[2]))
    return next(
        (entry for spelling in tried if (entry := _named(seller, spelling)) is not None), None
    )


def _named(seller: str, name: str) -> Row | None:
    return next(
        (m for m in _models(seller) if any(is_called(name, p) for p in m["names"])), None
    )


def _models(seller: str) -> Iterator[Row]:
    """Everything that a seller sells; what it has from others comes last, in one tier."""
    sellers = _table()["sellers"]
    yield from sellers[seller]["models"]
    for other in sellers[seller]["sells"]:
        for model in sellers[other]["models"]:
            yield {key: model[key] for key in ("names", "") if key in model}


def is_called(name: str, pattern: str) -> bool:
    """Say whether a name fits: as it is, with `*` for anything, or an expression after `/`.

    >>> [is_called("o3-2025-04-16", p) for p in ("o3", "o3*", "*-04-16", "/^o3-[0-9]{4}")]
    [False, True, True, True]
    """
    if pattern.startswith("/"):
        return re.search(pattern[1:], name) is not None
    text = pattern.strip("*")
    if pattern.startswith("*"):
        return text in name if pattern.endswith("*") else name.endswith(text)
    return name.startswith(text) if pattern.endswith("*") else name == text


@cache
def _table() -> Row:
    table: Row = json.loads((files("arena.llms") / "prices.json").read_text("utf-8"))
    return table


CONFIGURED = "configured"
ZERO, OLD = timedelta(0), timedelta(days=90)  # ages of a price: none, and too old to trust
MOST_TOKENS = 10**10  # no call has as many: a count beyond it is no count

# What servers call the tier that everybody is served in, and the tiers below it in price:
# where a price of those is not known, the usual one is no less than what was charged.
USUAL = frozenset({"", "auto", "default", "on_demand", "standard", "standard_only"})
BATCH = "batch"
CHEAPER = frozenset({BATCH, "flex"})
PRICES = ("price_in", "price_out", "price_cached", "price_written")
ASKED = ("speed", "service_tier", "serviceTier")  # where a request says which tier it wants


@dataclass(frozen=True, slots=True)
class Tariff:
    """What a model charges, in dollars a million tokens.

    A part of the question that was read from the provider's cache or written to it costs
    `cached` or `written`; where that is None it costs `into`, as any other part. A question
    of more than `over` tokens costs, with its answer, what the last of `longer` that it is
    over says. `source` says where the prices are from: "configured", or "table" and the day
    `as_of` which the shipped one has them.
    """

    into: Decimal
    cached: Decimal | None
    written: Decimal | None
    out: Decimal
    source: str
    over: int = 0
    longer: tuple["Tariff", ...] = ()
    as_of: date | None = None

    def source_on(self, today: date) -> str:
        """Say where the prices are from, how old the table's are, and when that is too old."""
        age = ZERO if self.as_of is None else today - self.as_of
        if age <= ZERO:
            return self.source
        days = f"{age.days} day{'s' if age.days > 1 else ''} old"
        too_old = ": TOO OLD, look whether it holds" if age > OLD else ""
        return f"{self.source}, {days}{too_old}"

    def of_question(self, tokens_in: int) -> "Tariff":
        """Give the tariff of a question of this length."""
        return next(
            (tariff for tariff in reversed(self.longer) if tokens_in > tariff.over), self
        )


def tariff_for(
    settings: ModelSettings, at: date, tier: str = "", *, served: str = ""
) -> Tariff | None:
    """Find what a model charges: as configured, else as the shipped table has it.

    A configured price of one part takes the place of the table's. Configured prices hold in
    every tier but that of batches, where they are halved, as providers do. A cheaper tier
    than the usual one that the table does not have is charged as the usual one, which its
    `source` says; a dearer one is unknown.

    Args:
        settings: The model, its server and what was configured of its prices.
        at: The day of the call, in UTC.
        tier: The class of service, in the server's words; "batch" for a provider's batch.
            Where the server says nothing, a dearer one that the option `extra` asks for
            counts, and not a cheaper one.
        served: The name that the server gave the model: where the table knows it, it counts
            and not the configured one, which may be another's alias.

    Returns:
        The tariff, or None where a price of questions or of answers is not known.
    """
    if _tier(tier) == BATCH:
        settings = _halved(settings)
    configured = (settings.price_in, settings.price_out)
    if configured[0] is not None and configured[1] is not None:
        return Tariff(
            configured[0],
            settings.price_cached,
            settings.price_written,
            configured[1],
            CONFIGURED,
        )
    listed = _from_table(settings, at, _tier(tier) or _tier_asked(settings), served)
    if listed is None or all(getattr(settings, name) is None for name in PRICES):
        return listed
    longer = tuple(_amended(tariff, settings) for tariff in listed.longer)
    amended = replace(_amended(listed, settings), longer=longer)
    return replace(amended, source=f"{CONFIGURED} and {listed.source}")


def _halved(settings: ModelSettings) -> ModelSettings:
    prices = {name: getattr(settings, name) for name in PRICES}
    return replace(settings, **{n: p / 2 for n, p in prices.items() if p is not None})


def cost_of(usage: Usage, tariff: Tariff) -> Usd | None:
    """Give the dollars that a call's tokens cost, to a millionth; None where not counted.

    A part of the question that was cached or written, and has no price of its own, is
    charged at the full price of questions.
    """
    counts = (usage.tokens_in, usage.tokens_out, usage.tokens_cached, usage.tokens_written)
    if any(count is not None and not 0 <= count <= MOST_TOKENS for count in counts):
        return None
    if usage.tokens_in is None or usage.tokens_out is None:
        return None
    rates = tariff.of_question(usage.tokens_in)
    cached, written = usage.tokens_cached or 0, usage.tokens_written or 0
    plain = max(0, usage.tokens_in - cached - written)
    return _dollars(
        plain * rates.into
        + cached * _or(rates.cached, rates.into)
        + written * _or(rates.written, rates.into)
        + usage.tokens_out * rates.out
    )


def priced(
    usage: Usage, settings: ModelSettings, at: date, tier: str = "", *, served: str = ""
) -> Usage:
    """Add to a usage what its tokens cost, and where the price is from, if that is known.

    The arguments are those of `tariff_for`.
    """
    tariff = tariff_for(settings, at, tier, served=served)
    cost = None if tariff is None else cost_of(usage, tariff)
    if tariff is None or cost is None:
        return usage
    return replace(usage, cost=cost, priced=tariff.source)


def worst_case(tokens_in: int, max_tokens: int, tariff: Tariff) -> Usd:
    """Give the most that one attempt can cost: nothing is cached, and the answer is longest.

    A provider that charges more for what it writes to its cache is taken to write it all.
    """
    rates = tariff.of_question(tokens_in)
    into = max(rates.into, _or(rates.written, rates.into), _or(rates.cached, rates.into))
    return _dollars(tokens_in * into + max_tokens * rates.out)


def _dollars(millionths: Decimal) -> Usd:
    return usd(millionths.scaleb(-6))


def _or(price: Decimal | None, otherwise: Decimal) -> Decimal:
    return otherwise if price is None else price


def _tier(word: object) -> str:
    return word.strip().lower() if isinstance(word, str) else ""


def _tier_asked(settings: ModelSettings) -> str:
    extra = mapping(thawed(dict(settings.options).get("extra")))
    tiers = (_tier(extra.get(name)) for name in ASKED)
    return next((tier for tier in tiers if tier not in USUAL | CHEAPER), "")


def _amended(tariff: Tariff, settings: ModelSettings) -> Tariff:
    cached, written = settings.price_cached, settings.price_written
    return replace(
        tariff,
        into=_or(settings.price_in, tariff.into),
        out=_or(settings.price_out, tariff.out),
        cached=tariff.cached if cached is None else cached,
        written=tariff.written if written is None else written,
    )


def _from_table(settings: ModelSettings, at: date, tier: str, served: str) -> Tariff | None:
    seller = seller_of(settings.base_url, settings.provider)
    if seller is None:
        return None
    for model in dict.fromkeys((served, settings.model)):
        row = listed(seller, model, at, "" if tier in USUAL else tier)
        if row is not None:
            return _tariff(row)
        usual = listed(seller, model, at, "") if tier in CHEAPER else None
        if usual is not None:
            return _tariff(usual, " (usual tier)")
    return None


def _tariff(row: Mapping[str, object], which: str = "") -> Tariff:
    day = as_of(row)
    source = f"table {day}{which}" + (" (dearest hour)" if row.get("hours") else "")
    rates = replace(_rates(row, source), as_of=date.fromisoformat(day))
    longer = row.get("longer")
    if not isinstance(longer, list):
        return rates
    return replace(rates, longer=tuple(_rates(longer_row, source) for longer_row in longer))


def _rates(row: Mapping[str, object], source: str) -> Tariff:
    parts = {part: _price(row.get(part)) for part in ("in", "cached", "written", "out")}
    into, out = parts["in"], parts["out"]
    if into is None or out is None:
        raise ValueError(f"a row of the price table has no price: {row}")
    over = row.get("over")
    return Tariff(
        into,
        parts["cached"],
        parts["written"],
        out,
        source,
        over if isinstance(over, int) else 0,
    )


def _price(text: object) -> Decimal | None:
    return Decimal(text) if isinstance(text, str) else None


BYTES_A_TOKEN = 3  # English has 4 or more, so the guess is high, as a reservation should be
FRAME = 20  # role markers and the like


def tokens_guessed(question: Question) -> int:
    """Guess the tokens of a question and all that goes with it: rather too many than too few.

    Every tokeniser is another one. English text has four bytes a token or more, JSON and
    most other scripts about three.

    >>> tokens_guessed(Question(system="x" * 300, user="y" * 600))
    320
    """
    texts = [question.system, question.user, question.schema, question.tools]
    texts += [text for step in question.steps for text in (step.text, *step.results)]
    size = sum(len(text.encode(errors="replace")) for text in texts)
    size += sum(len(step.raw) for step in question.steps)
    return FRAME + -(-size // BYTES_A_TOKEN)
