"""The top of a contestant's page: its identity and its key numbers."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from shlex import quote
from typing import Final

from arena.metrics import figures
from arena.metrics.insights.leaks import MemoryCounts
from arena.metrics.registry import METRICS
from arena.metrics.returns import RISKS
from arena.records.estimate import Estimate
from arena.records.grade import Standing
from arena.records.settings import BASELINES, Entrant
from arena.site import places
from arena.site.estimates import estimated, formula
from arena.site.overview.records import ContestantProfile
from arena.site.pages.leaderboard.evidence import possible_ranks, ranked
from arena.site.pages.leaderboard.standings import cells
from arena.site.pages.parts import Between, Cell, Fact, Kpi, Link
from arena.site.reading import LABEL, Reading
from arena.site.sanitize import one_line, visible

LONGEST: Final = 120  # letters of a command
_ANY_REFERENCE: Final = "A baseline that knows nothing but prices."


def identity(who: Entrant, reading: Reading) -> tuple[Fact, ...]:
    """The configured facts of a contestant; empty ones are left out."""
    copies = [
        reading.label(other.id)
        for other in reading.edition.cast.values()
        if who.copy_of and other.copy_of == who.copy_of and other.id != who.id
    ]
    rows = (
        ("Id", one_line(who.id, LABEL), ""),
        ("Agent", who.agent, ""),
        ("Provider", who.provider, ""),
        ("Model", who.model, "as its provider calls it"),
        ("Family", who.family, ""),
        ("Release", who.release or _day(who.released), ""),
        ("Knowledge until", _day(who.knowledge_until), "the last day its training may hold"),
        ("Prompt", who.prompt, ""),
        ("Set to", who.options, "as configured"),
        ("Price in", _price(who.price_in), "a million tokens"),
        ("Price out", _price(who.price_out), "a million tokens"),
        ("Retires", _day(who.retires_on), ""),
        ("Copies of it", ", ".join(sorted(copies)), "identical: they differ by chance alone"),
    )
    return tuple(Fact(name, one_line(text, 200), note) for name, text, note in rows if text)


def reference_words(who: Entrant) -> str:
    """What a baseline is there for; empty for everybody else."""
    if not who.reference:
        return ""
    known = BASELINES.get(who.agent)
    return known.purpose if known else _ANY_REFERENCE


def provider_link(who: Entrant, root: str) -> Link | None:
    """The way to a contestant's provider."""
    if not who.provider:
        return None
    return Link(one_line(who.provider, LABEL), root + places.provider(who.provider))


def kpis(
    line: Standing, profile: ContestantProfile, reading: Reading, root: str
) -> tuple[Kpi, ...]:
    """The six numbers of a contestant, each with its interval or what it is taken over."""
    scores, headline = profile.scores, reading.overview.order_by
    second = headline if headline and headline != "brier" else "ev_clv"
    return (
        _ranks(profile, reading, root),
        _scored(second, scores.get(second), root),
        _brier(line, profile, root),
        realised_kpi(root, profile),
        _answered(line, profile, root),
        _cost(line, profile, root),
    )


def more_facts(line: Standing, profile: ContestantProfile, root: str) -> tuple[Fact, ...]:
    """What was realised and risked, with intervals where there are any."""
    turns = f"{figures.count(line.turns_ok)} / {figures.count(line.turns_failed)}"
    keys = (*RISKS, "ev_clv", "win_rate", "latency")
    return (
        *score_facts(profile, keys, root),
        Fact(METRICS["turns"].name, turns, "", formula("turns", root)),
    )


def checks(line: Standing, profile: ContestantProfile, headline: str) -> tuple[Fact, ...]:
    """The commands that explain the key numbers; none for a missing number."""
    estimated_ones = dict.fromkeys((headline, "brier", "realised_return", *RISKS, "ev_clv"))
    estimated_keys = [
        key
        for key in estimated_ones
        if (estimate := profile.scores.get(key)) is not None and estimate.value is not None
    ]
    booked = ["returned", *(["win_rate"] if line.win_rate.n else []), "cost", "tokens"]
    booked += ["remembered"] if profile.memory and not profile.memory.unknown else []
    who = quote(line.contestant)
    commands = [(key, f"arena explain {who} {key}") for key in (*estimated_keys, *booked)]
    return tuple(
        Fact(METRICS[key].name, visible(command), _digest(profile.digests.get(key)))
        for key, command in commands
        if len(command) < LONGEST
    )


def _digest(digest: str | None) -> str:
    return f"SHA-256 of its rows: {digest}" if digest else ""


def score_facts(profile: ContestantProfile, keys: Sequence[str], root: str) -> tuple[Fact, ...]:
    """Estimates as a list, with interval and n; missing ones are left out."""
    return _facts({key: profile.scores[key] for key in keys if key in profile.scores}, "", root)


def _facts(scores: Mapping[str, Estimate], of: str, root: str) -> tuple[Fact, ...]:
    facts = []
    for key, estimate in scores.items():
        if key in METRICS and estimate.value is not None:
            cell = estimated(key, estimate, counted=True)
            over = ", ".join(
                w for w in (cell.between.text if cell.between else "", cell.note) if w
            )
            facts.append(Fact(f"{METRICS[key].name}{of}", cell.text, over, formula(key, root)))
    return tuple(facts)


def memory_facts(profile: ContestantProfile, who: Entrant, root: str) -> tuple[Fact, ...]:
    """How many of its forecasts it may remember, and its scores without them."""
    memory, key = profile.memory, "remembered"
    if memory is None:
        return ()
    cutoff = f"knowledge cut-off {_day(who.knowledge_until) or 'not known'}"
    asked = f"; {memory.partly} more were asked before it" if memory.partly else ""
    return (
        Fact(METRICS[key].name, remembered([memory]).text, cutoff + asked, formula(key, root)),
        *_facts(memory.without, ", asked after its cut-off", root),
        *_facts(memory.difference, ", what the others change", root),
    )


def remembered(counts: Iterable[MemoryCounts]) -> Cell:
    """How many forecasts may be remembered, of how many whose cut-off is known."""
    counts = tuple(counts)
    known = sum(own.forecasts - own.unknown for own in counts)
    number = sum(own.remembered for own in counts)
    unknown = sum(own.unknown for own in counts)
    note = f"{figures.count(unknown)} more without a known cut-off" if unknown else ""
    if not known:
        return Cell("not known", note)
    return Cell(f"{figures.count(number)} of {figures.count(known)}", note, number)


def marked_kpi(line: Standing, root: str) -> Kpi:
    """Profit and loss, mark-to-market, or what bounds it for certain."""
    metric, over = METRICS["pnl"], "equity less opening capital"
    cell = Cell(metric.shown(line.pnl), value=line.pnl)
    if line.pnl is None and line.capital:
        low, high = (float(edge) for edge in (line.pnl_low, line.pnl_high))
        text = f"{metric.shown(low)} to {metric.shown(high)}"
        cell = Cell(figures.MISSING, between=Between(low, high, text, "certain bounds"))
        (last,) = cells(("returned_last",), line)
        over = (
            f"{figures.many(line.unpriced, 'position')} without a price: certain bounds; "
            f"return at the last known prices {last.text}"
        ) + (f", {last.note}" if last.note else "")
    return Kpi("P/L, mark-to-market", cell, over, formula("pnl", root))


def realised_kpi(root: str, profile: ContestantProfile) -> Kpi:
    """The return on what has settled or was sold; n/a where nothing has."""
    key, over = "realised_return", "settled or sold, less fees"
    cell = estimated(key, profile.scores.get(key), counted=True)
    return Kpi("Return, realised", cell, over, formula(key, root))


def _ranks(profile: ContestantProfile, reading: Reading, root: str) -> Kpi:
    overview, place = reading.overview, profile.place
    name, href = METRICS["rank_range"].name, formula("rank_range", root)
    text = possible_ranks(place, overview)
    if text != figures.MISSING:
        among = f"of {figures.many(ranked(overview), 'contestant')}"
        return Kpi(name, Cell(text, value=place.rank), among, href)
    if overview.against and profile.contestant in overview.against.copies:
        text = possible_ranks(overview.market_place or place, overview)
        return Kpi(name, Cell(text), "where the price stands; it has no rank itself", href)
    reference = reading.entrant(profile.contestant).reference
    over = "a baseline has no rank" if reference else "not ranked yet"
    return Kpi(name, Cell(figures.MISSING), over, href)


def _answered(line: Standing, profile: ContestantProfile, root: str) -> Kpi:
    """The share of what it was asked that it answered; of turns, where that is not known."""
    if profile.coverage is not None:
        share = figures.percent(profile.coverage, 0)
        cell = Cell(share, value=profile.coverage)
        return Kpi("Answered", cell, "of the resolved questions it was asked")
    turns = f"{figures.count(line.turns_ok)} / {figures.count(line.turns_failed)}"
    return Kpi("Turns ok / failed", Cell(turns), "", formula("turns", root))


def _scored(key: str, estimate: Estimate | None, root: str) -> Kpi:
    cell = estimated(key, estimate, counted=True)
    return Kpi(METRICS[key].name, cell, "", formula(key, root))


def _brier(line: Standing, profile: ContestantProfile, root: str) -> Kpi:
    """The Brier score with its interval, or the mean from stored sums without one."""
    estimate = profile.scores.get("brier")
    if estimate is not None and estimate.value is not None:
        cell = estimated("brier", estimate, counted=True)
    else:
        (cell,) = cells(("forecast",), line)
    return Kpi("Brier score", cell, "", formula("forecast", root))


def _cost(line: Standing, profile: ContestantProfile, root: str) -> Kpi:
    (cell,) = cells(("cost",), line)
    estimate, over = profile.scores.get("cost_per_forecast"), ""
    if estimate is not None and estimate.value is not None:
        over = f"{METRICS['cost_per_forecast'].shown(estimate.value)} a resolved forecast"
    return Kpi("Cost", cell, over, formula("cost", root))


def _day(day: date | None) -> str:
    return day.isoformat() if day else ""


def _price(dollars: Decimal | None) -> str:
    return "" if dollars is None else figures.dollars(dollars)
