"""The pages of decisions: a model's prompt, its reply, its orders and their results."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from urllib.parse import quote, unquote

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.answer import Attempt, Trouble, Usage
from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Action, Dropped
from arena.records.market import MarketId, Quote, Side
from arena.records.money import Price, usd
from arena.records.settings import Pages
from arena.records.trade import Fill, PositionState, Refused, SoldFill
from arena.site import Document, Page, places
from arena.site.estimates import brier_cell, metric_cell
from arena.site.pages.decisions.view import (
    CallRow,
    DecisionPage,
    ForecastRow,
    OrderRow,
    PartRow,
    RefusedRow,
    Speech,
    Step,
    TryRow,
    documents_of,
    joined,
    kilobytes,
    reasoning_in,
    speech,
)
from arena.site.pages.parts import Cell, DocumentsView, Fact, Head, Link
from arena.site.reading import (
    LABEL,
    QUESTION,
    Reading,
    cohort_link,
    outcome_words,
    shown_moment,
)
from arena.site.sanitize import one_line, visible
from arena.store.pages.cards import CohortCard, TurnId
from arena.store.pages.turns import AnswerCard, CallCard, Held, SqliteTurns, TurnCard, turns_of

NOTHING = Cell(figures.MISSING)
OPEN = Cell("open")

_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class _Known:
    """A market on the pages of a round; `mid` is the price that the round showed."""

    market: Link
    mid: Cell
    outcome: str
    truth: int | None


@dataclass(slots=True)
class Counter:
    """What a round's orders were made against: prices as they were shown, and what is held."""

    reading: Reading
    root: str
    quotes: Mapping[MarketId, Quote]
    held: Mapping[tuple[str, str, str], Sequence[Held]]
    _known: dict[MarketId, _Known] = field(default_factory=dict)

    def known(self, name: MarketId) -> _Known:
        """The market's cells beside every order and forecast, made once."""
        if name not in self._known:
            quote, outcome = self.quotes.get(name), self.reading.outcome(name)
            self._known[name] = _Known(
                self.reading.market(name, self.root),
                metric_cell("price", quote.mid if quote else None),
                outcome_words(outcome) if outcome else "",
                outcome.truth if outcome else None,
            )
        return self._known[name]

    def bought(self, of: TurnId, fill: Fill) -> OrderRow:
        """A bet that traded."""
        quote, of_market = self.quotes.get(fill.market), self.known(fill.market)
        seen = quote.buy(fill.side) if quote else None
        slipped = fill.slippage if fill.best is not None else _slipped(fill, seen)
        linear = METRICS["linear_p"].shown(fill.linear)
        return OrderRow(
            of_market.market,
            f"bought {fill.side.value}",
            _dollars(fill.cost, fill.shares),
            metric_cell("price", seen),
            _filled(fill.price, slipped, fill.fee),
            metric_cell("stated_p", fill.stated),
            metric_cell("kelly_p", fill.kelly, f"linear {linear}"),
            _edge(fill),
            of_market.outcome,
            self._result(of, fill.market, fill.side),
        )

    def sold(self, of: TurnId, sale: SoldFill) -> OrderRow:
        """A sale that traded."""
        quote, of_market = self.quotes.get(sale.market), self.known(sale.market)
        seen = quote.sell(sale.side) if quote else None
        slipped = sale.slippage
        if sale.best is None and seen is not None:
            slipped = usd(sale.shares * (seen - sale.price))
        return OrderRow(
            of_market.market,
            f"sold {sale.side.value}",
            _dollars(sale.proceeds, sale.shares),
            metric_cell("price", seen),
            _filled(sale.price, slipped, sale.fee),
            NOTHING,
            NOTHING,
            NOTHING,
            of_market.outcome,
            self._result(of, sale.market, sale.side),
        )

    def refused(self, order: Refused, action: Action | None) -> RefusedRow:
        """An order that the rules turned down."""
        is_sale = action is Action.SELL
        amount = order.amount
        return RefusedRow(
            self.known(order.market).market,
            f"{'sell' if is_sale else 'buy'} {order.side.value}",
            f"{amount.normalize():f}%" if is_sale else METRICS["amount"].shown(amount),
            one_line(
                f"{order.reason}: {order.detail}" if order.detail else order.reason, REASON
            ),
        )

    def forecast(self, name: MarketId, probability: float) -> ForecastRow:
        """A stated probability, and how it was scored once the truth is known."""
        of = self.known(name)
        return ForecastRow(
            of.market,
            of.mid,
            metric_cell("stated_p", probability),
            of.outcome,
            brier_cell(probability, of.truth),
        )

    def _result(self, of: TurnId, name: MarketId, side: Side) -> Cell:
        """The realised profit of the position, once it is closed."""
        several = self.held.get((of.contestant, name, side), ())
        if not several:
            return NOTHING
        if any(position.state is PositionState.OPEN for position in several):
            return OPEN
        realised = sum((position.realised for position in several), _ZERO)
        last = several[-1].state.value.lower()
        note = last if len(several) == 1 else f"{len(several)} positions"
        return metric_cell("realised", realised, note)


def dropped_row(dropped: Dropped) -> RefusedRow:
    """An order that was left out before the rules were asked."""
    reason = f"{dropped.reason.value.replace('_', ' ')}: {dropped.detail}"
    return RefusedRow(Link(""), f"order {dropped.index + 1}", "", one_line(reason, REASON))


def _dollars(amount: Decimal, shares: Decimal) -> Cell:
    return metric_cell("amount", amount, f"{METRICS['shares'].shown(shares)} shares")


def _slipped(fill: Fill, seen: Price | None) -> Decimal | None:
    return None if seen is None else usd(fill.shares * (fill.price - seen))


def _filled(price: Price, slipped: Decimal | None, fee: Decimal) -> Cell:
    shown = METRICS["fees"].shown
    slippage = figures.dollars(slipped, 2, signed=True)
    return metric_cell("price", price, f"slippage {slippage}, fee {shown(fee)}")


def _edge(fill: Fill) -> Cell:
    """What a share of the side is worth by the stated probability, above what it cost."""
    if fill.stated is None:
        return NOTHING
    worth = fill.stated if fill.side is Side.YES else 1 - fill.stated
    edge = worth - float(fill.price)
    return Cell(figures.number(edge, METRICS["price"].decimals, signed=True), "", edge)


MOST_CALLS = 20
MOST_TRIES = 40
NOT_SAID = "not said"


def asked_facts(card: TurnCard) -> tuple[Fact, ...]:
    """How a turn's model was asked; nothing where none was."""
    if not card.calls:
        return ()
    return (
        Fact("asked for", _several(call.llm for call in card.calls)),
        Fact("answered as", _several(call.model for call in card.calls)),
        Fact("route", _several(call.route for call in card.calls)),
        Fact("tier", _several(call.tier for call in card.calls)),
        Fact("finish", _several(call.finish for call in card.calls)),
        Fact("left out of the request", _adapted(card)),
    )


def taken_facts(card: TurnCard) -> tuple[Fact, ...]:
    """What a turn took in tokens, dollars and time; what is unknown is n/a."""
    answer = card.answer
    usage = answer.usage if answer else Usage()
    latency = answer.latency_ms if answer else None
    reasks = card.turn.conduct.reasks
    again = f"{figures.many(reasks, 'time')} asked again" if reasks else ""
    failed = sum(attempt.trouble is not None for _, attempt in card.attempts)
    return (
        Fact("tokens in", _count(usage.tokens_in), _of_them(usage.tokens_cached, "cached")),
        Fact(
            "tokens out",
            _count(usage.tokens_out),
            _of_them(usage.tokens_reasoning, "reasoning"),
        ),
        Fact(
            "cost",
            figures.dollars(usage.cost, 4 if usage.cost else 2),
            one_line(usage.priced, LABEL) if usage.priced else "",
        ),
        Fact("latency", _seconds(latency)),
        Fact("calls", figures.count(card.turn.conduct.calls), again),
        Fact(
            "attempts",
            figures.count(len(card.attempts)),
            f"{failed} with trouble" if failed else "",
        ),
    )


def call_rows(card: TurnCard) -> tuple[CallRow, ...]:
    """The calls of a turn that took more than one."""
    several = card.calls[:MOST_CALLS] if len(card.calls) > 1 else ()
    return tuple(_call_row(call) for call in several)


def try_rows(card: TurnCard) -> tuple[TryRow, ...]:
    """The attempts of a turn, where there were several or one had trouble."""
    tried = card.attempts
    if len(tried) < 2 and not any(attempt.trouble for _, attempt in tried):  # noqa: PLR2004
        return ()
    return tuple(_try_row(call, attempt) for call, attempt in tried[:MOST_TRIES])


def _call_row(call: CallCard) -> CallRow:
    usage = call.usage
    words = f"{_count(usage.tokens_in)} / {_count(usage.tokens_out)}"
    return CallRow(
        one_line(call.name, LABEL),
        shown_moment(call.at),
        one_line(call.model or call.llm, LABEL),
        joined((one_line(call.finish, LABEL) if call.finish else "", call.trouble or "")),
        Cell(words, _of_them(usage.tokens_cached, "cached"), usage.tokens_out),
        Cell(figures.dollars(usage.cost, 4), "", usage.cost),
        Cell(_seconds(call.latency_ms), "", call.latency_ms / 1000),
    )


def _try_row(call: str, attempt: Attempt) -> TryRow:
    trouble = joined(
        (
            attempt.trouble or "none",
            one_line(attempt.detail, QUESTION) if attempt.detail else "",
        )
    )
    return TryRow(
        one_line(call, LABEL) if call else "the turn",
        str(attempt.status) if attempt.status else "no answer",
        trouble,
        Cell(_seconds(attempt.latency_ms), "", attempt.latency_ms / 1000),
    )


def _several(words: Iterable[str]) -> str:
    """What calls say, each thing once; most turns have one call."""
    return ", ".join(one_line(word, LABEL) for word in dict.fromkeys(words) if word) or NOT_SAID


def _adapted(card: TurnCard) -> str:
    left_out = [name for call in card.calls for name in call.adapted]
    return _several(left_out) if left_out else "nothing"


def _count(tokens: int | None) -> str:
    return figures.MISSING if tokens is None else figures.count(tokens)


def _of_them(tokens: int | None, what: str) -> str:
    return "" if tokens is None else f"{figures.count(tokens)} {what}"


def _seconds(milliseconds: int | None) -> str:
    if milliseconds is None:
        return figures.MISSING
    if milliseconds >= 60_000:  # noqa: PLR2004  # a minute
        return figures.span(timedelta(milliseconds=milliseconds))
    return f"{milliseconds / 1000:,.1f} s"


DONE, PART, FAILED, IDLE = "done", "part", "failed", "idle"
REASON = 300

_UNSENT = frozenset({
    Trouble.BUDGET, Trouble.MISSED, Trouble.NOT_SET_UP, Trouble.WITHDRAWN,
})  # fmt: skip


def verdict(card: TurnCard) -> tuple[str, str]:
    """The outcome of a turn in one line, and its tone: done, part, failed or idle."""
    turn = card.turn
    refused, dropped = len(turn.refused), len(turn.conduct.dropped)
    if turn.is_withdrawn:
        return one_line(turn.failure or "", REASON), IDLE
    if turn.failure and not turn.accepted:
        return f"failed: {one_line(turn.failure, REASON)}", FAILED
    words = []
    if card.bought:
        words.append(f"{figures.many(len(card.bought), 'bet')} executed")
    if card.sold:
        words.append(f"{figures.many(len(card.sold), 'sale')} executed")
    if refused:
        words.append(f"{refused} refused by the rules")
    if dropped:
        words.append(f"{dropped} left out")
    if turn.failure:
        words.append(f"the rest failed: {one_line(turn.failure, REASON)}")
    if not words:
        return ("held" if turn.action is Action.HOLD else "no order was stated"), IDLE
    is_whole = not (refused or dropped or turn.failure)
    return ", ".join(words), DONE if is_whole else PART if turn.accepted else FAILED


def steps(card: TurnCard, prompt: str, reply: str) -> tuple[Step, ...]:
    """The stages of a turn; stages after a failed one were not reached.

    Args:
        card: The turn.
        prompt: How long its prompt is; empty where it had none.
        reply: How long its reply is.
    """
    stages = [_prompt(card, prompt), _pipeline_reply(card, reply), _parsed(card)]
    stages += _orders(card)
    ended = next((n for n, step in enumerate(stages) if step.state == FAILED), len(stages))
    return tuple(
        step if n <= ended else Step(step.name, IDLE, "not reached")
        for n, step in enumerate(stages)
    )


def _prompt(card: TurnCard, prompt: str) -> Step:
    answer = card.answer
    if answer is None or prompt:
        return Step("Prompt", DONE, prompt or "not on the tape")
    if answer.trouble in _UNSENT:
        return Step("Prompt", FAILED, "never sent", answer.trouble.value)
    return Step("Prompt", IDLE, "none", "it plays without one")


def _pipeline_reply(card: TurnCard, reply: str) -> Step:
    answer = card.answer
    if answer is None:
        return Step("Reply", FAILED, "not on the tape")
    if answer.text is None:
        return Step("Reply", FAILED, answer.trouble.value if answer.trouble else "no words")
    tokens = answer.usage.tokens_out
    return Step("Reply", DONE, reply, figures.many(tokens, "token") if tokens else "")


def _parsed(card: TurnCard) -> Step:
    turn = card.turn
    if turn.failure:
        reason = one_line(turn.failure, REASON)
        is_partial = turn.accepted or turn.forecasts
        return Step(
            "Parsed", PART if is_partial else FAILED, "in part" if is_partial else "no", reason
        )
    mended = turn.conduct.repaired
    note = f"syntax mended in {figures.many(mended, 'reply', 'replies')}" if mended else ""
    if turn.conduct.dropped:
        left = f"{figures.many(len(turn.conduct.dropped), 'order')} left out"
        return Step("Parsed", PART, "in part", f"{note}, {left}" if note else left)
    return Step("Parsed", DONE, "ok", note)


def _orders(card: TurnCard) -> list[Step]:
    turn = card.turn
    wanted, refused = turn.accepted + len(turn.refused), len(turn.refused)
    filled = len(card.bought) + len(card.sold)
    if not wanted:
        nothing = "no order to check"
        return [
            Step("Validated", IDLE, nothing),
            Step("Orders", IDLE, "none"),
            Step("Fills", IDLE, "none"),
        ]
    checked = f"{turn.accepted} of {wanted} passed"
    state = DONE if not refused else PART if turn.accepted else FAILED
    return [
        Step("Validated", state, checked, f"{refused} refused" if refused else ""),
        Step("Orders", DONE, figures.many(turn.accepted, "order")),
        Step("Fills", DONE, figures.many(filled, "fill")),
    ]


NEWEST_COHORTS = 30  # that keep their decisions' pages once they are complete
MOST_ORDERS = 100
MOST_FORECASTS = 200
MOST_OTHERS = 40
NO_PROMPT = "It plays without a prompt."
UNSENT = "No prompt is on the tape."
PARTS = {"system": "Rules of the game", "shared": "Shared by the round", "own": "Its own part"}
SCHEMA = "Form of the answer"
EMPTY = sha256(b"").hexdigest()
NO_CONTEXT = "context False"  # among the options of one that is shown no documents


def kept(card: CohortCard, reading: Reading) -> bool:
    """Whether the turns of a cohort have pages.

    With recent pages only, those of cohorts that still run have, and of the newest 30.
    """
    wanted = reading.edition.site.pages
    if wanted is not Pages.RECENT:
        return wanted is Pages.FULL
    running = card.complete_at is None
    return running or card.number > reading.show.cohort_count() - NEWEST_COHORTS


def decision_href(
    reading: Reading, cohort: CohortId, number: int, contestant: ContestantId, root: str
) -> str:
    """Lead to the page of a turn that was judged; empty where its cohort has none."""
    card = reading.show.cohort(cohort)
    if card is None or not kept(card, reading):
        return ""
    return root + places.decision(cohort, number, contestant)


def keys_of(turns: Iterable[TurnId]) -> list[str]:
    """Name single turns for `pages`, those of a round beside each other."""
    return [
        f"{quote(cohort, safe='')}/{number}/{quote(who, safe='')}"
        for cohort, number, several in turns_of(turns)
        for who in sorted(several)
    ]


def pages(keys: Sequence[str], reading: Reading) -> Iterator[Page | Document]:
    """The pages of turns: of a whole cohort (`cohort`), or single ones (`keys_of`)."""
    single: list[TurnId] = []
    for key in keys:
        card = reading.show.cohort(CohortId(key))
        if card is None:
            single += _turn(key)
        elif kept(card, reading):
            played = SqliteTurns(reading.show.db).rounds(card.id)
            yield from _Cohort(card, reading, played).pages(played, None)
    for cohort, number, who in turns_of(single):
        card = reading.show.cohort(cohort)
        if card and kept(card, reading):
            played = SqliteTurns(reading.show.db).rounds(card.id)
            yield from _Cohort(card, reading, played).pages([number], who)


def texts_of(card: CohortCard, reading: Reading) -> Iterator[str]:
    """Digests of the prompts and replies that the decisions of a cohort lead to."""
    turns = SqliteTurns(reading.show.db)
    for number in turns.rounds(card.id):
        for turn in turns.of_round(card.id, number):
            yield from (digest for _, digest in _parts(turn))
            if turn.answer and turn.answer.said and _reply(turn.answer).note:
                yield turn.answer.said


def _turn(key: str) -> list[TurnId]:
    parts = key.split("/")
    if len(parts) != 3 or not parts[1].isdecimal():  # noqa: PLR2004  # cohort, round, who
        return []
    cohort, number, who = parts
    return [TurnId(CohortId(unquote(cohort)), int(number), ContestantId(unquote(who)))]


@dataclass(slots=True)
class _Cohort:
    """A cohort whose turns are being written: what several pages need is made once."""

    card: CohortCard
    reading: Reading
    played: Mapping[int, Sequence[ContestantId]]
    _written: set[str] = field(default_factory=set)
    _rounds: dict[int, tuple[Link, ...]] = field(default_factory=dict)
    _shown: dict[int, DocumentsView | None] = field(default_factory=dict)

    def pages(
        self, rounds: Iterable[int], who: Collection[ContestantId] | None
    ) -> Iterator[Page | Document]:
        """Pages of some rounds, of some contestants or of all; texts come before them."""
        turns = SqliteTurns(self.reading.show.db)
        for number in rounds:
            cards = [
                card
                for card in turns.of_round(self.card.id, number)
                if who is None or card.id.contestant in who
            ]
            if cards:
                yield from self._round(cards, turns)

    def _round(
        self, cards: Sequence[TurnCard], turns: SqliteTurns
    ) -> Iterator[Page | Document]:
        reading, cohort = self.reading, self.card.id
        spoken = {m for card in cards for m in _markets(card)}
        reading.learn(sorted(spoken))
        root = places.root_of(places.decision(cohort, 1, cards[0].id.contestant))
        counter = Counter(
            reading,
            root,
            reading.store.tape.quotes(sorted(spoken), cards[0].at),
            turns.positions(cohort, (held for card in cards for held in _traded(card))),
        )
        sizes = turns.sizes(digest for card in cards for _, digest in _parts(card))
        for card in cards:
            reply = _reply(card.answer)
            for _, digest in _parts(card):
                yield from self._text(digest, turns)
            if reply.note and card.answer and card.answer.said:
                yield from self._text(card.answer.said, turns)
            path = places.decision(cohort, card.id.round, card.id.contestant)
            yield Page(path, "decision.html", self._page(card, counter, sizes, reply))

    def _text(self, digest: str, turns: SqliteTurns) -> Iterator[Document]:
        """A text of the tape, once; control characters in it are named."""
        if digest not in self._written:
            self._written.add(digest)
            text = turns.text(digest)
            if text is not None:
                yield Document(places.blob(digest), visible(text, lines=True))

    def _page(
        self, card: TurnCard, counter: Counter, sizes: Mapping[str, int], reply: Speech
    ) -> DecisionPage:
        who, root, answer = card.id.contestant, counter.root, card.answer
        words, tone = verdict(card)
        parts = tuple(_part(name, digest, sizes, root) for name, digest in _parts(card))
        prompt = sum(sizes.get(digest, 0) for name, digest in _parts(card) if name != SCHEMA)
        label = self.reading.label(who)
        orders = [counter.bought(card.id, fill) for fill in card.bought[:MOST_ORDERS]]
        orders += [counter.sold(card.id, sale) for sale in card.sold[:MOST_ORDERS]]
        turned_down = card.turn.refused[:MOST_ORDERS]
        refused = [counter.refused(order, card.turn.action) for order in turned_down]
        refused += [dropped_row(dropped) for dropped in card.turn.conduct.dropped[:MOST_ORDERS]]
        stated = card.turn.forecasts
        size = (
            kilobytes(len(answer.text.encode("utf-8", "replace")))
            if answer and answer.text
            else ""
        )
        older, newer = self._beside(card.id, root)
        return DecisionPage(
            head=Head(
                f"{label}, round {card.id.round} of {one_line(self.card.id, LABEL)}",
                root,
                "contestants",
                f"{label}: {words}.",
            ),
            contestant=self.reading.contestant(who, root),
            model=_model(card) or self.reading.entrant(who).model,
            cohort=cohort_link(self.card.id, root),
            round=card.id.round,
            at=shown_moment(card.at),
            verdict=words[:1].upper() + words[1:],
            tone=tone,
            steps=steps(card, kilobytes(prompt) if prompt else "", size),
            orders=tuple(orders),
            refused=tuple(refused),
            forecasts=tuple(
                counter.forecast(f.market, f.probability) for f in stated[:MOST_FORECASTS]
            ),
            left_out=_left_out_note(card),
            reasoning=speech(reasoning_in(answer.text if answer else None)),
            parts=parts,
            prompt_note="" if parts else UNSENT if answer and answer.trouble else NO_PROMPT,
            documents=self._documents(card) if parts else None,
            reply=reply,
            reply_file=_reply_file(reply, answer, root),
            asked=asked_facts(card),
            taken=taken_facts(card),
            calls=call_rows(card),
            tries=try_rows(card),
            digests=_digests(card),
            verify=f"arena verify decision {one_line(self.card.id, LABEL)} "
            f"{card.id.round} {one_line(who, LABEL)}",
            older=older,
            newer=newer,
            here=root + places.decision(self.card.id, card.id.round, who),
            others=self._of_round(card.id.round, root),
            more=_more(len(self.played.get(card.id.round, ()))),
        )

    def _documents(self, card: TurnCard) -> DocumentsView | None:
        """The round's documents, unless the contestant is shown none."""
        number, options = card.id.round, self.reading.entrant(card.id.contestant).options
        if self.card.spec.context is None or NO_CONTEXT in options.split(", "):
            return None
        if number not in self._shown:
            self._shown[number] = documents_of(self.card.id, number, self.reading)
        return self._shown[number]

    def _beside(self, turn: TurnId, root: str) -> tuple[Link | None, Link | None]:
        """The contestant's turns of the rounds before and after."""
        links = [
            Link(f"round {n}", root + places.decision(turn.cohort, n, turn.contestant))
            if turn.contestant in self.played.get(n, ())
            else None
            for n in (turn.round - 1, turn.round + 1)
        ]
        return links[0], links[1]

    def _of_round(self, number: int, root: str) -> tuple[Link, ...]:
        """Everybody's turns of a round; one tuple for all of its pages."""
        if number not in self._rounds:
            self._rounds[number] = tuple(
                Link(self.reading.label(who), root + places.decision(self.card.id, number, who))
                for who in self.played.get(number, ())[:MOST_OTHERS]
            )
        return self._rounds[number]


def _markets(card: TurnCard) -> Iterator[MarketId]:
    """The markets that a turn forecast, ordered or traded."""
    yield from (forecast.market for forecast in card.turn.forecasts)
    yield from (order.market for order in card.turn.refused)
    yield from (market for _, market in _traded(card))


def _traded(card: TurnCard) -> Iterator[tuple[ContestantId, MarketId]]:
    yield from ((card.id.contestant, fill.market) for fill in card.bought)
    yield from ((card.id.contestant, sale.market) for sale in card.sold)


def _parts(card: TurnCard) -> list[tuple[str, str]]:
    """The texts that a turn's model was sent, as name and digest, each text once."""
    names_by_digest: dict[str, str] = {}
    for call in card.calls:
        for part, digest in call.parts:
            names_by_digest.setdefault(digest, PARTS.get(part, SCHEMA))
    if not card.calls and card.answer and card.answer.user:
        if card.answer.system:
            names_by_digest[card.answer.system] = PARTS["system"]
        names_by_digest.setdefault(card.answer.user, "The round and its own part")
    return [(name, digest) for digest, name in names_by_digest.items() if digest != EMPTY]


def _part(name: str, digest: str, sizes: Mapping[str, int], root: str) -> PartRow:
    is_taped = digest in sizes
    link = Link("as text", root + places.blob(digest)) if is_taped else Link("not on the tape")
    return PartRow(name, link, kilobytes(sizes.get(digest)), digest)


def _reply(answer: AnswerCard | None) -> Speech:
    return speech(answer.text) if answer and answer.text else Speech("")


def _reply_file(reply: Speech, answer: AnswerCard | None, root: str) -> Link | None:
    """A link to the whole reply as a file, if the page does not show it verbatim."""
    if not reply.note or answer is None or answer.said is None:
        return None
    return Link("All of it as text", root + places.blob(answer.said))


def _model(card: TurnCard) -> str:
    names = [call.model or call.llm for call in card.calls]
    names = names or ([card.answer.model] if card.answer and card.answer.model else [])
    return ", ".join(one_line(name, LABEL) for name in dict.fromkeys(names))


def _digests(card: TurnCard) -> tuple[Fact, ...]:
    facts = [Fact(f"journal, entry {figures.count(card.entry)}", card.digest)]
    answer = card.answer
    if answer and answer.said:
        facts.append(Fact("reply", answer.said))
    if answer and answer.raw:
        facts.append(Fact("the server's answer", answer.raw))
    for call in card.calls:
        name = one_line(call.name, LABEL)
        facts.append(Fact(f"request of {name}", call.request))
        if call.raw:
            facts.append(Fact(f"the server's answer to {name}", call.raw))
    return tuple(facts)


def _left_out_note(card: TurnCard) -> str:
    several = (
        (len(card.bought) + len(card.sold), 2 * MOST_ORDERS, "orders"),
        (len(card.turn.forecasts), MOST_FORECASTS, "forecasts"),
    )
    clauses = [f"the first {most} of {n:,} {name}" for n, most, name in several if n > most]
    return f"Only {' and '.join(clauses)} are listed." if clauses else ""


def _more(several: int) -> str:
    left = several - MOST_OTHERS
    return f"and {left:,} more" if left > 0 else ""
