"""What a study says of bets: bookmakers' odds, the gate, edges, stakes, closing line value."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from math import isfinite
from statistics import fmean

import numpy as np

from arena.metrics.closing import Sides, closing
from arena.metrics.study.protocol import (
    ClosingPlan,
    OddsBook,
    StudyForecasts,
    StudyProtocol,
    known,
)
from arena.metrics.study.report import (
    BetBook,
    BookReport,
    GateCount,
    GateReport,
    NumberPair,
    StakeReport,
)
from arena.odds.devig import (
    DevigMethod,
    OddsVenue,
    PowerError,
    devig,
    host,
    knockout_draw,
    power_source_c,
)
from arena.odds.edge import (
    Edges,
    GateReason,
    GateVerdict,
    Snapshot,
    abstentions,
    edges,
    exceeds_source_c,
    gate,
    sigma_q,
    sigma_q_source_c,
    threshold,
)
from arena.odds.staking import (
    MULTIPLIER,
    Wager,
    after,
    cap_wagers,
    cap_wagers_source_c,
    opened,
    size_bet,
)
from arena.scoring.bets.clv import (
    Bets,
    ClosingLines,
    Matches,
    PseudoBook,
    PseudoPassReason,
    closing_lines,
    clv_log_ratio,
    clv_z_source_c,
    cumulative,
    ev_clv,
    pseudo_clv,
    pseudo_clv_longshot_by_p,
    pseudo_clv_source_c,
    z_critical,
)
from arena.scoring.table import Flags, Floats, Whole
from arena.stats import edge
from arena.stats.mean_intervals import growth_interval
from arena.stats.reflected import (
    DOCSTRINGS,
    block_length,
    float_block_length,
    index_rows,
    reflected_from_rows,
    reflected_sharpe,
    seed_from_sha,
)
from arena.stats.sharpe import sharpe_ratio

STATED, RULES, AS_CODED, BY_P = "stated", "rules", "as coded", "long shots by p"
CHIEF = frozenset({STATED, RULES})  # the rules whose books are taken apart


@dataclass(frozen=True, slots=True, eq=False)
class FairBook:
    """A book's odds solved: exponents and fair probabilities, NaN where it cannot be."""

    report: BookReport
    q: Floats
    z: Floats
    venue: OddsVenue


def fair_book(
    forecasts: StudyForecasts, protocol: StudyProtocol, book: OddsBook, odds: Floats
) -> FairBook:
    """Take the margin out of a book by the power method as published, then its leanings."""
    rows = np.flatnonzero(known(odds))
    q, z = np.full(odds.shape, np.nan), np.full(len(odds), np.nan)
    overround, doubtful, refused = [], 0, 0
    for row in rows:
        try:
            solved = power_source_c(odds[row].tolist(), book.venue)
        except PowerError:
            refused += 1
            continue
        q[row], z[row] = solved.q, solved.z
        overround.append(solved.overround)
        doubtful += solved.out_of_band
    plain = q.copy()
    if book.venue is OddsVenue.BOOKMAKER:
        q = _unbiased(q, forecasts, protocol)
    q = np.minimum(q, 1.0)  # a leg that is nearly sure may be rounded above 1
    there = known(q)
    shown = rows[there[rows]][:1]
    numbers = [
        NumberPair(f"P({option}) of the first book", float(plain[row, k]), value, "C20")
        for row in shown
        for k, (option, value) in enumerate(
            zip(protocol.options, _shin(odds[row]), strict=True)
        )
    ]
    report = BookReport(
        book=book.name,
        books=len(rows),
        refused=refused,
        out_of_band=doubtful,
        overround=float(np.mean(overround)) if overround else None,
        exponent=float(np.nanmean(z)) if there.any() else None,
        moved=int((q[there] != plain[there]).sum()),
        numbers=tuple(numbers),
    )
    return FairBook(report, q, z, book.venue)


def _shin(odds: Floats) -> list[float | None]:
    """Shin's probabilities, who is the better source; None for a book below 1."""
    if (1 / odds).sum() < 1:
        return [None] * len(odds)
    return [float(q) for q in devig(odds, DevigMethod.SHIN).q]


def _unbiased(q: Floats, forecasts: StudyForecasts, protocol: StudyProtocol) -> Floats:
    """The draw of a knockout match moved up, the host of a group match moved down.

    A book whose other legs have not that much to give stays as it is.
    """
    moved, plan, stages = q.copy(), protocol.bias, forecasts.stage
    draw = protocol.options.index(plan.draw) if plan.draw in protocol.options else None
    if stages is None:
        return moved
    for row in np.flatnonzero(known(q)):
        stage, home = stages.names[stages.codes[row]], int(forecasts.host[row])
        if stage in plan.knockout_stages and draw is not None:
            if 1 - q[row, draw] > plan.knockout_draw:
                moved[row] = knockout_draw(q[row], draw, plan.knockout_draw)
        elif stage in plan.group_stages and home >= 0 and q[row, home] < 1:
            moved[row] = host(q[row], home, -plan.host_discount)
    return moved


def with_fair_quotes(
    forecasts: StudyForecasts, protocol: StudyProtocol
) -> tuple[StudyForecasts, tuple[FairBook, ...]]:
    """Books solved; where the file has no fair quotes, those of the first book."""
    books = tuple(
        fair_book(forecasts, protocol, book, forecasts.odds[book.name].opening)
        for book in protocol.books
    )
    if not books:
        return forecasts, ()
    first = protocol.books[0]
    last = fair_book(forecasts, protocol, first, forecasts.odds[first.name].closing)
    filled = replace(
        forecasts,
        opening=_filled(forecasts.opening, books[0].q),
        closing=_filled(forecasts.closing, last.q),
    )
    return filled, books


def _filled(quotes: Floats, others: Floats) -> Floats:
    return np.where(known(quotes)[:, None], quotes, others)


def verdicts(
    forecasts: StudyForecasts, protocol: StudyProtocol, books: tuple[FairBook, ...]
) -> tuple[tuple[GateVerdict, ...], Flags]:
    """What the gate says of each leg, and of which questions a leg was kept out.

    Of a question without the time of its forecast neither age nor news are looked at.
    """
    every = [
        [gate(leg, protocol.gate) for leg in _legs(forecasts, books, row)]
        for row in range(len(forecasts.outcome))
    ]
    gated = np.array([any(v.fired for v in legs) for legs in every], np.bool_)
    return tuple(next((v for v in legs if v.fired), legs[0]) for legs in every), gated


def _legs(
    forecasts: StudyForecasts, books: tuple[FairBook, ...], row: int
) -> Iterator[Snapshot]:
    columns = forecasts.gate
    at = _moment(columns.at[row])
    news = columns.news[row]
    for k in range(forecasts.opening.shape[1]):
        yield Snapshot(
            at=at or datetime.min.replace(tzinfo=UTC),
            q=_float(forecasts.opening[row, k]),
            q_before=_float(columns.before[row, k]),
            q_exchange=_float(columns.exchange[row, k]),
            volume=_float(columns.volume[row]),
            quoted_at=None if at is None else _moment(columns.quoted_at[row]),
            news=None if news is None or at is None else tuple(map(_sure_moment, news)),
            z=_float(books[0].z[row]) if books else None,
            venue=books[0].venue if books else OddsVenue.BOOKMAKER,
        )


def _float(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _moment(value: np.datetime64) -> datetime | None:
    return None if np.isnat(value) else _sure_moment(value)


def _sure_moment(value: np.datetime64) -> datetime:
    moment: datetime = value.astype("datetime64[us]").item()
    return moment.replace(tzinfo=UTC)


def gate_report(legs: tuple[GateVerdict, ...]) -> GateReport:
    """How many questions the gate kept out, and how often a rule had nothing to go by."""
    fired = Counter(verdict.fired for verdict in legs)
    abstained = abstentions(legs)
    rules = (GateCount(rule, fired[rule], abstained.get(rule, 0)) for rule in GateReason)
    return GateReport(len(legs), tuple(rules))


def limits(forecasts: StudyForecasts, protocol: StudyProtocol) -> Floats:
    """What each question's edge must exceed, by the class of its market; mainline without."""
    plan, kinds = protocol.edge, forecasts.kind
    if kinds is None:
        return np.full(len(forecasts.outcome), plan.mainline)
    of_class = [
        threshold(name, plan.classes, (plan.mainline, plan.derivative)) for name in kinds.names
    ]
    return np.array(of_class)[kinds.codes]


def edge_numbers(forecasts: StudyForecasts, protocol: StudyProtocol) -> tuple[NumberPair, ...]:
    """How many of the champion's legs are flagged, in floats as published, and rounded."""
    p = forecasts.p[forecasts.models.index(protocol.champion)]
    there = known(p) & known(forecasts.opening)
    q, own, limit = forecasts.opening[there], p[there], limits(forecasts, protocol)[there]
    stand_in = right = sigma_q_source_c(q)
    quoted = next(iter(forecasts.odds.values()), None)
    if quoted is not None and known(quoted.opening[there]).all() and there.any():
        chance = np.random.default_rng(protocol.bootstrap.seed)
        right = sigma_q(quoted.opening[there], chance)
    legs, sources = (
        [
            edges(own[at], q[at], unsure[at], limit=limit[at], paths=protocol.edge.paths)
            for at in range(len(own))
        ]
        for unsure in (right, stand_in)
    )
    return (
        NumberPair(
            "legs flagged",
            int(exceeds_source_c(own - q, limit[:, None]).sum()),
            sum(int(leg.flagged.sum()) for leg in legs),
            "C22",
        ),
        NumberPair(
            "questions with flagged legs of opposite sign",
            sum(bool(leg.two_sided) for leg in legs),
            None,
            "C25",
        ),
        NumberPair(
            "mean deviation of the market's probabilities",
            float(stand_in.mean()) if stand_in.size else None,
            float(right.mean()) if right is not stand_in else None,
            "",
        ),
        NumberPair(
            "mean size of flagged edges in standard errors",
            _mean_flagged(sources),
            _mean_flagged(legs) if right is not stand_in else None,
            "",
        ),
    )


def _mean_flagged(legs: Iterable[Edges]) -> float | None:
    """The mean |edge| of flagged legs over its standard error, where that is above 0."""
    sizes = [size for leg in legs for size in np.abs(leg.standardised[leg.flagged]).tolist()]
    sizes = [size for size in sizes if isfinite(size)]
    return fmean(sizes) if sizes else None


@dataclass(frozen=True, slots=True, eq=False)
class PlacedBets:
    """Bets in the order of time: their questions, options and stakes, and who was passed."""

    rows: Whole
    option: Whole
    stake: Floats
    passed: Mapping[PseudoPassReason, int]


def matches(forecasts: StudyForecasts, protocol: StudyProtocol, gated: Flags) -> Matches:
    """The market as every model meets it; questions without an opening quote are left out."""
    there = known(forecasts.opening)
    return Matches(
        forecasts.opening[there],
        forecasts.closing[there],
        gated[there],
        limits(forecasts, protocol)[there],
    )


def placed(
    forecasts: StudyForecasts, protocol: StudyProtocol, model: str, gated: Flags
) -> Iterator[tuple[str, PlacedBets]]:
    """A model's bets by each rule: those of its file, else those of the protocol's rules."""
    place = forecasts.models.index(model)
    stake = forecasts.stake[place]
    if (stake > 0).any():
        rows = np.flatnonzero(stake > 0)
        yield STATED, PlacedBets(rows, forecasts.backed[place, rows], stake[rows], {})
    there = known(forecasts.p[place]) & known(forecasts.opening)
    market = matches(forecasts, protocol, gated)
    among = there[known(forecasts.opening)]
    own = Matches(
        market.q_open[among], market.q_close[among], market.gated[among], market.limit[among]
    )
    questions = np.flatnonzero(there)
    for rule, play in (
        (RULES, pseudo_clv),
        (AS_CODED, pseudo_clv_source_c),
        (BY_P, pseudo_clv_longshot_by_p),
    ):
        book: PseudoBook = play(forecasts.p[place, there], own, protocol.kelly)
        yield rule, PlacedBets(questions[book.rows], book.outcome, book.stake, book.passed)


def bet_book(
    forecasts: StudyForecasts,
    protocol: StudyProtocol,
    named: tuple[str, str],
    bets: PlacedBets,
    gated: Flags,
) -> BetBook:
    """A model's bets valued at the close."""
    q_open, q_close = (
        _backed(quotes, bets) for quotes in (forecasts.opening, forecasts.closing)
    )
    quoted = next(iter(forecasts.odds.values()), None)
    odds = last = np.full(len(bets.rows), np.nan)
    if quoted is not None:
        odds, last = _backed(quoted.opening, bets), 1 / _backed(quoted.closing, bets)
    taken = np.where(np.isnan(odds), q_open, 1 / odds)
    lines = closing_lines(
        Bets(
            q_open,
            q_close,
            taken,
            np.zeros(len(taken)),
            bets.stake,
            np.ones(len(taken), np.bool_),
            gated=gated[bets.rows],
        )
    )
    events, level = forecasts.event[bets.rows], protocol.bootstrap.level
    plan = protocol.closing
    reflected = partial(
        reflected_sharpe,
        code_sha=plan.code,
        draws=plan.draws,
        clamp=(plan.shortest_block, plan.longest_block),
    )
    value = closing(
        lines, events, Sides(taken, last), level, reflected=reflected, alpha=plan.alpha
    )
    own = events[lines.rows]
    at = [growth_interval(lines.ev, own, confidence) for confidence in (0.90, 0.95)]
    return BetBook(
        model=named[0],
        rule=named[1],
        bets=len(bets.rows),
        events=len(np.unique(own)),
        stake=float(bets.stake.sum()),
        passed=bets.passed,
        closing=value,
        label=edge(*at),
        numbers=_clv_numbers(lines, plan, odds, (q_open, q_close)) if named[1] in CHIEF else (),
    )


def _backed(quotes: Floats, bets: PlacedBets) -> Floats:
    return quotes[bets.rows, bets.option]


def _clv_numbers(
    values: ClosingLines, plan: ClosingPlan, odds: Floats, fair: tuple[Floats, Floats]
) -> tuple[NumberPair, ...]:
    """The source's numbers on a book's CLV; `odds` are those taken, NaN where unknown.

    `fair` are the probabilities of the options that were backed, at the open and at the close.
    """
    clv, n = values.clv, len(values.clv)
    clamp = (plan.shortest_block, plan.longest_block)
    naive = clv_z_source_c(clv, plan.alpha)
    length, floats = block_length(n, clamp), float_block_length(n, clamp)
    shorter = block_length(n, DOCSTRINGS)
    seed = seed_from_sha(plan.code)
    drawn = {
        blocks: reflected_from_rows(
            clv, index_rows(n, plan.draws, blocks, np.random.default_rng(seed))
        )
        for blocks in {length, floats, shorter}
        if n
    }
    low = {blocks: reflected.ci_95.low for blocks, reflected in drawn.items()}
    corrected = drawn[length].bias_corrected if n else None
    total = float(cumulative(clv)[-1]) if n else None
    ratio = None if naive.sd == 0 else naive.mean / naive.sd
    numbers = [
        ("critical Z", plan.printed_z, z_critical(plan.alpha), "C19"),
        ("block length", floats, length, "C15"),
        ("block length by the docstrings", shorter, length, "C8"),
        ("seed of the code's name", seed, None, "C16"),
        ("Sharpe ratio", ratio, sharpe_ratio(clv), "C24"),
        ("lower end, 95 %, blocks in floats", low.get(floats), low.get(length), "C15"),
        ("lower end, 95 %, docstrings", low.get(shorter), low.get(length), "C8"),
        ("Sharpe ratio, corrected for bias", ratio, corrected, "C9"),
        ("cumulative CLV", total, total, ""),
    ]
    first, last = (quotes[values.rows] for quotes in fair)
    mean = float(clv.mean()) if n else None
    if n and (last > 0).all():
        log = clv_log_ratio(first, last)
        numbers.append(("mean log ratio of fair prices", mean, float(log.mean()), "C13"))
    taken = odds[values.rows]
    if n and not np.isnan(taken).any():
        value = float(ev_clv(taken, last).mean())
        numbers.append(("expected value at the odds taken", mean, value, "C13"))
    return tuple(NumberPair(*number) for number in numbers)


def _sizable(forecasts: StudyForecasts, bets: PlacedBets, place: int) -> PlacedBets:
    """The bets on options with a price between 0 and 1 and a forecast."""
    q, p = _backed(forecasts.opening, bets), forecasts.p[place, bets.rows, bets.option]
    kept = (q > 0) & (q < 1) & ~np.isnan(p)
    return PlacedBets(bets.rows[kept], bets.option[kept], bets.stake[kept], bets.passed)


def stakes(forecasts: StudyForecasts, protocol: StudyProtocol, bets: PlacedBets) -> StakeReport:
    """Size the champion's bets by Kelly's parts and caps; play them in the order of time."""
    place = forecasts.models.index(protocol.champion)
    bets = _sizable(forecasts, bets, place)
    q = _backed(forecasts.opening, bets)
    p = forecasts.p[place, bets.rows, bets.option]
    quoted = next(iter(forecasts.odds.values()), None)
    odds = 1 / q
    if quoted is not None:
        taken = _backed(quoted.opening, bets)
        odds = np.where(np.isnan(taken), odds, taken)
    sized = size_bet(p - q, q, odds, limits=protocol.kelly)
    wagers = [
        Wager(
            str(n),
            forecasts.questions[row],
            str(forecasts.event[row]),
            forecasts.day[row] or f"unknown {row}",
            float(sized.final[n]),
        )
        for n, row in enumerate(bets.rows)
    ]
    capped = cap_wagers(wagers, protocol.kelly)
    published = cap_wagers_source_c(wagers, protocol.kelly)
    state = opened(1.0)
    for n, row in enumerate(bets.rows):
        stake = capped.fractions[n] * MULTIPLIER[state.mode] * state.bankroll
        won = forecasts.outcome[row] == bets.option[n]
        bankroll = state.bankroll + (stake * (odds[n] - 1) if won else -stake)
        state = after(state, float(bankroll), protocol.drawdown)
    totals = (sized.full.sum(), sized.fractional.sum(), sized.capped.sum())
    full, fractional, alone = map(float, totals)
    return StakeReport(
        bets=len(bets.rows),
        full=full,
        fractional=fractional,
        capped=alone,
        final=float(sum(capped.fractions)),
        cut=dict(Counter(str(row.cap) for row in capped.adjustments)),
        bankroll=float(state.bankroll),
        mode=state.mode.value,
        numbers=(
            NumberPair(
                "stakes under the caps",
                float(sum(published.fractions)),
                float(sum(capped.fractions)),
                "C23",
            ),
            NumberPair(
                "rows that caps wrote",
                len(published.adjustments),
                len(capped.adjustments),
                "C23",
            ),
        ),
    )
