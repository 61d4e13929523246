"""The briefing that a contestant would get now, in its newest round or in a first one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from arena.cli.options import no_cohort
from arena.cli.say import unknown_name, usage_error, utc
from arena.ledger.order_limits import DecisionDesk
from arena.llms.tariff import Tariff, cost_of, tariff_for, tokens_guessed, worst_case
from arena.records.answer import Briefing, Question, Usage
from arena.records.cohort import Cohort, CohortId, CohortSpec, ContestantId
from arena.records.market import Market, MarketId, State
from arena.records.money import Usd
from arena.records.settings import ContestantSettings, ModelSettings, Settings
from arena.steps.markets.archive import StoreArchive
from arena.steps.rounds.brief import brief, set_scene
from arena.steps.rounds.universe import choose
from arena.store import Store
from arena.store.journal.books import Round

PROMPTED = "prompted"
NOT_DRAWN = "not drawn yet"


@dataclass(frozen=True, slots=True)
class ShownBriefing:
    """A briefing, the probabilities that were stated in its round, and what to know of it."""

    briefing: Briefing
    stated: Mapping[str, float] | None
    notes: tuple[str, ...]


def seat_of(settings: Settings, name: str) -> ContestantSettings:
    """Find a contestant that puts a prompt to a model; of identical copies the first.

    Raises:
        ArenaError: There is none of that name, or it asks no model.
    """
    seats = [c for c in settings.contestants if name in {c.id, c.copy_of}]
    asking = [c for c in settings.contestants if c.agent == PROMPTED]
    if not seats:
        raise unknown_name(
            "agent.unknown", f"there is no contestant {name}", name, [c.id for c in asking]
        )
    if seats[0].agent != PROMPTED:
        there = ", ".join(c.id for c in asking) or "there is none"
        raise usage_error(
            "prompt.none",
            f"{seats[0].id} plays as {seats[0].agent}, and is sent no prompt",
            hint=f"contestants with a prompt: {there}",
        )
    return seats[0]


def briefing_now(
    store: Store, settings: Settings, name: str, contestant: ContestantId
) -> ShownBriefing:
    """Brief a contestant on the newest round, or on a first round that could be laid out.

    Args:
        store: The arena's file.
        settings: What is configured.
        name: A cohort that has started, or a file of the cohorts folder without its `.yaml`.
        contestant: One of its contestants.

    Raises:
        ArenaError: There is no such cohort, it does not play in it, or nothing is known of
            any market that it could be asked about.
    """
    cohort, spec = _cohort_and_spec(store, settings, name)
    if contestant not in spec.contestants:
        raise usage_error(
            "agent.elsewhere",
            f"{contestant} does not play in {name}",
            hint=f"its contestants: {', '.join(spec.contestants)}",
        )
    played = store.books.last_round(cohort.id) if cohort else None
    if cohort is None or played is None:
        return _first(store, spec, contestant)
    now = max(played.at, store.tape.last_moment() or played.at)
    scene = set_scene(store, cohort, played, now)
    briefing = brief(store, scene, contestant, now).briefing
    probabilities = StoreArchive(store).said(cohort.id, played.number, contestant)
    notes = [f"round {played.number} of {cohort.id}, laid out {utc(played.at)}"]
    if probabilities is not None:
        notes.append("it has answered this round: its portfolio is shown as it is since then")
    if probabilities is None:
        return ShownBriefing(briefing, None, tuple(notes))
    aliases = {offer.market.id: offer.alias for offer in briefing.offers}
    stated = {aliases[market]: p for market, p in probabilities.items() if market in aliases}
    return ShownBriefing(briefing, stated, tuple(notes))


def _cohort_and_spec(
    store: Store, settings: Settings, name: str
) -> tuple[Cohort | None, CohortSpec]:
    """Find a cohort of that name, or the newest that runs of that file; else the file."""
    cohort = store.books.cohort(CohortId(name)) if name.isascii() else None
    if cohort is None:
        running = [c for c in store.books.running() if c.spec.name == name]
        cohort = max(running, key=lambda c: c.started_at, default=None)
    if cohort is not None:
        return cohort, cohort.spec
    spec = next((spec for spec in settings.cohorts if spec.name == name), None)
    if spec is None:
        raise no_cohort(store, name, [configured.name for configured in settings.cohorts])
    return None, spec


def _first(store: Store, spec: CohortSpec, contestant: ContestantId) -> ShownBriefing:
    """Lay out a first round with the last prices on the tape, for nobody to play."""
    at = store.tape.last_poll(spec.venue)
    if at is None:
        raise usage_error(
            "prompt.no_round",
            f"{spec.name} has no round yet, and nothing is known of the venue {spec.venue}",
            hint="`arena tick` lays out its first round once its start has come",
        )
    offered = _would_offer(store, spec, at)
    cohort = Cohort(CohortId(spec.name), spec, at)
    scene = set_scene(store, cohort, Round(cohort.id, 1, at, offered, False, NOT_DRAWN), at)  # noqa: FBT003  a field
    rules = spec.rules
    desk = DecisionDesk(1, at, rules.capital, {}, {}, rules)
    briefing = Briefing(
        cohort=cohort.id,
        round=1,
        contestant=contestant,
        at=at,
        offers=scene.offers,
        cash=desk.cash,
        cap=desk.cap,
        floor=desk.floor,
        holdings=(),
        rules=rules,
        started_at=at,
        seed=NOT_DRAWN,
    )
    note = f"no round yet: markets and prices are those on the tape at {utc(at)}"
    return ShownBriefing(briefing, None, (note, "order, names and tag will be others"))


def _would_offer(store: Store, spec: CohortSpec, at: datetime) -> tuple[MarketId, ...]:
    """Choose the markets of a first round from those on the tape."""
    rows = store.db.rows("SELECT DISTINCT market FROM tape_quotes")
    ids = [MarketId(row["market"]) for row in rows]
    quotes, statuses = store.tape.quotes(ids, at), store.tape.statuses(ids, at)

    def trades(market: Market) -> bool:
        status = statuses.get(market.id)
        is_over = market.closes_at is not None and market.closes_at <= at
        return not is_over and (status is None or status.state is State.OPEN)

    markets = store.tape.markets(ids, at).values()
    listed = [m for m in markets if m.venue == spec.venue and trades(m)]
    chosen = choose(spec.universe, listed, quotes, at, fees=spec.rules.fees)
    return tuple(m.id for m in chosen.markets)


@dataclass(frozen=True, slots=True)
class Sizes:
    """A question's tokens, guessed rather too high: rules with the schema, then the message.

    `system` and `shared` are what a provider's cache can hold.
    """

    system: int
    shared: int
    own: int

    @property
    def total(self) -> int:
        """All that is read."""
        return self.system + self.shared + self.own


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars of one call to one model; None is unknown.

    `cold` has nothing in the provider's cache and pays for writing to it, `warm` finds there
    what all contestants share, `batch` goes through the provider's batch interface, `worst`
    has the longest answer that the model may give.
    """

    model: str
    provider: str
    cold: Usd | None = None
    warm: Usd | None = None
    batch: Usd | None = None
    worst: Usd | None = None
    source: str = ""


def sizes_of(question: Question) -> Sizes:
    """Guess the tokens of each part of a question."""
    rules = tokens_guessed(replace(question, user=""))
    alike = tokens_guessed(replace(question, user=question.user[: question.shared]))
    return Sizes(rules, alike - rules, tokens_guessed(question) - alike)


def cost_at(model: ModelSettings, sizes: Sizes, at: date, answer: int) -> Cost:
    """Reckon a call at a model, with an answer of so many tokens."""
    tariff = tariff_for(model, at)
    if tariff is None:
        return Cost(model.name, model.provider)
    alike = sizes.system + sizes.shared
    usage = Usage(sizes.total, answer)
    written = alike if tariff.written is not None else 0
    return Cost(
        model.name,
        model.provider,
        cold=cost_of(replace(usage, tokens_written=written), tariff),
        warm=cost_of(replace(usage, tokens_cached=alike), tariff),
        batch=_in_batch(usage, model, at, tariff),
        worst=worst_case(sizes.total, model.max_tokens, tariff),
        source=tariff.source_on(at),
    )


def _in_batch(usage: Usage, model: ModelSettings, at: date, usual: Tariff) -> Usd | None:
    """None where the table has no price of its own for a batch."""
    tariff = tariff_for(model, at, "batch")
    if tariff is None or (tariff.into, tariff.out) == (usual.into, usual.out):
        return None
    return cost_of(usage, tariff)
