"""The arena's public data: which tables there are, and what each column of them says."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from json import dumps
from math import isnan
from typing import Final

import numpy as np

from arena.metrics.figures import steady
from arena.records.market import MarketId
from arena.store.codec import moment, read_moment
from arena.store.scores.board import SqliteBoards
from arena.store.scores.evidence import UNKNOWN, market_facts, prices_of
from arena.store.sqlite import Connection, Row
from arena.store.tape.prices import closes, first_due, mid_sql

# How a resolution reads: the verdict, and what a YES share was paid.
_OUTCOME_COLUMNS = """CASE WHEN ruled.void IS NULL THEN NULL WHEN ruled.void THEN 'VOID'
    WHEN ruled.yes_pays_micro = 1000000 THEN 'YES' WHEN ruled.yes_pays_micro = 0 THEN 'NO'
    ELSE 'FRACTION' END, ruled.yes_pays_micro"""
_TRADE_COLUMNS = """said.entry, said.cohort, said.round, said.contestant, said.at, said.market,
    said.side, said.shares_micro, said.price_micro"""

COHORTS: Final = """
SELECT cohort, name, spec ->> '$.title', spec ->> '$.venue', started_at, window_ends_at,
    complete_at, (SELECT count(*) FROM rounds WHERE rounds.cohort = cohorts.cohort),
    (SELECT count(*) FROM seats WHERE seats.cohort = cohorts.cohort),
    CAST(round((spec ->> '$.rules.capital') * 1000000) AS INTEGER), spec, digest
FROM cohorts ORDER BY cohort
"""
ROUNDS: Final = """
SELECT cohort, round, at, json_array_length(offered), closed, digest
FROM rounds ORDER BY cohort, round
"""
SEATS: Final = """
SELECT cohort, contestant, capital_micro, cash_micro, realised_micro, fees_micro,
    open_positions, bid_unpriced, owed_micro, bid_micro, mid_micro, marked_at, buys, sells,
    refused, turns_ok, turns_failed, fills_resolved, fills_won, forecasts, forecasts_resolved
FROM seats ORDER BY cohort, contestant
"""
MARKETS: Final = f"""
SELECT watched.market, watched.venue, facts ->> '$.event', facts ->> '$.question',
    facts ->> '$.category', facts ->> '$.opens_at', facts ->> '$.closes_at',
    facts ->> '$.url', told.seen_at, watched.resolved_at, {_OUTCOME_COLUMNS}
FROM watched
LEFT JOIN tape_markets AS told ON told.market = watched.market AND told.seen_at =
    (SELECT max(seen_at) FROM tape_markets WHERE market = watched.market)
LEFT JOIN resolutions AS ruled ON ruled.market = watched.market
ORDER BY watched.market
"""  # noqa: S608  # our own words
RESOLUTIONS: Final = f"""
SELECT ruled.market, ruled.revision, ruled.at, {_OUTCOME_COLUMNS}
FROM resolutions AS ruled ORDER BY ruled.market
"""  # noqa: S608  # our own words
FILLS: Final = f"""
SELECT {_TRADE_COLUMNS}, said.cost_micro, said.fee_micro, said.cap_micro, said.base_micro,
    said.confidence, said.linear, said.kelly, said.stated, said.spoken_micro, {_OUTCOME_COLUMNS}
FROM fills AS said LEFT JOIN resolutions AS ruled ON ruled.market = said.market
ORDER BY said.entry
"""  # noqa: S608  # our own words
SALES: Final = f"""
SELECT {_TRADE_COLUMNS}, said.proceeds_micro, said.basis_micro, said.fee_micro
FROM sales AS said ORDER BY said.entry
"""  # noqa: S608  # our own words
POSITIONS: Final = """
SELECT cohort, contestant, market, side, number, shares_micro, cost_micro, state,
    proceeds_micro, realised_micro
FROM positions ORDER BY cohort, contestant, market, side, number
"""
MARKS: Final = """
SELECT cohort, contestant, at, cash_micro, owed_micro, bid_micro, bid_unpriced, mid_micro,
    mid_unpriced, open
FROM marks ORDER BY cohort, contestant, at
"""
FORECASTS: Final = f"""
SELECT turns.cohort AS cohort, turns.contestant, turns.round, rounds.at, said.market,
    said.probability, {mid_sql("said.market", "<= rounds.at")}
FROM turns CROSS JOIN rounds ON rounds.cohort = turns.cohort AND rounds.round = turns.round
CROSS JOIN journal_forecasts AS said ON said.entry = turns.entry
ORDER BY said.entry, said.number
"""  # noqa: S608  # our own words
_OFFERED: Final = """
SELECT DISTINCT listed.value AS market FROM rounds JOIN json_each(rounds.offered) AS listed
WHERE rounds.cohort = ? ORDER BY listed.value
"""
_MOVED: Final = """
SELECT max(at) FROM (
    SELECT max(at) AS at FROM rounds WHERE cohort = ?1
    UNION ALL SELECT max(at) FROM marks WHERE cohort = ?1
)
"""
_RULINGS: Final = """
SELECT market, at, void, yes_pays_micro FROM resolutions
WHERE void IS NOT NULL AND market IN (SELECT value FROM json_each(?))
"""
DECISIONS: Final = """
SELECT turns.cohort, turns.round, turns.contestant, turns.at, turns.action, turns.accepted,
    turns.refused, turns.failure, told.model, told.finish, told.latency_ms, told.tokens_in,
    told.tokens_cached, told.tokens_out, told.tokens_reasoning, told.cost_micro,
    told.system_digest, told.user_digest, told.text_digest
FROM turns LEFT JOIN tape_answers AS told USING (cohort, round, contestant)
ORDER BY turns.cohort, turns.round, turns.contestant
"""
COSTS: Final = """
SELECT asked.cohort, asked.round, asked.contestant, asked.call, asked.at, asked.llm,
    came.provider, came.model, came.trouble,
    (SELECT count(*) FROM tape_attempts AS t WHERE t.cohort = asked.cohort
        AND t.round = asked.round AND t.contestant = asked.contestant
        AND t.call = asked.call),
    came.latency_ms, came.tokens_in, came.tokens_cached, came.tokens_out,
    came.tokens_reasoning, came.cost_micro, came.priced, asked.reserved_micro
FROM tape_asks AS asked LEFT JOIN tape_calls AS came USING (cohort, round, contestant, call)
UNION ALL
SELECT told.cohort, told.round, told.contestant, '', rounds.at, told.model, NULL, told.model,
    told.trouble, (SELECT count(*) FROM tape_attempts AS t WHERE t.cohort = told.cohort
        AND t.round = told.round AND t.contestant = told.contestant AND t.call = ''),
    told.latency_ms, told.tokens_in, told.tokens_cached, told.tokens_out,
    told.tokens_reasoning, told.cost_micro, told.priced, NULL
FROM tape_answers AS told JOIN rounds USING (cohort, round)
WHERE (told.tokens_in > 0 OR told.cost_micro > 0) AND NOT EXISTS (SELECT 1 FROM tape_asks AS a
    WHERE a.cohort = told.cohort AND a.round = told.round AND a.contestant = told.contestant)
"""
TEXTS: Final = """
SELECT digest, words_of(digest) FROM tape_blobs WHERE digest IN (
    SELECT system_digest FROM tape_answers UNION SELECT user_digest FROM tape_answers
    UNION SELECT text_digest FROM tape_answers UNION SELECT text_digest FROM tape_calls
    UNION SELECT system_digest FROM tape_calls UNION SELECT shared_digest FROM tape_calls
    UNION SELECT own_digest FROM tape_calls
) ORDER BY digest
"""
_AT_ONCE: Final = 5_000  # forecasts whose markets are looked up together

Cell = str | int | float | Decimal | None
Cells = tuple[Cell, ...]


class ColumnKind(StrEnum):
    """What the cells of a column are; a missing one is None in every kind."""

    TEXT = "text"
    MOMENT = "moment"  # ISO 8601 in UTC
    FLAG = "flag"  # 0 or 1
    COUNT = "count"
    NUMBER = "number"  # a float
    DOLLARS = "dollars"  # exact, to a millionth
    SHARES = "shares"  # exact, to a millionth
    PRICE = "price"  # dollars a share, exact, in [0, 1]
    PROBABILITY = "probability"  # a float, with every digit that was stated

    @property
    def exact(self) -> bool:
        """Whether cells are decimals; SQLite keeps those as whole millionths."""
        return self in UNITS


UNITS: Final = {
    ColumnKind.DOLLARS: "US dollars",
    ColumnKind.SHARES: "shares",
    ColumnKind.PRICE: "US dollars a share",
}
# The table that a column of this name points to; there it is the key.
POINTS_TO: Final = {"market": "markets", "cohort": "cohorts"}


@dataclass(frozen=True, slots=True)
class ColumnDoc:
    """A column: its name, what its cells are, and what they mean."""

    name: str
    kind: ColumnKind
    words: str

    @property
    def described(self) -> str:
        """What it means, with the unit of its numbers."""
        unit = "milliseconds" if self.name.endswith("_ms") else UNITS.get(self.kind)
        return f"{self.words} In {unit}." if unit else self.words


Read = Callable[[Connection, str | None], Iterable[Cells]]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A public table: what a row is, its columns, the columns that name a row, and its query.

    `long` tables hold whole texts and are written as Parquet only. A table without a query
    has `read` in its place.
    """

    name: str
    words: str
    key: tuple[str, ...]
    columns: tuple[ColumnDoc, ...]
    sql: str = ""
    long: bool = False
    read: Read | None = field(default=None, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def references(self) -> dict[str, str]:
        """The columns that name a row of another table, and that table."""
        return {
            name: POINTS_TO[name]
            for name in self.names
            if name in POINTS_TO and self.name != POINTS_TO[name]
        }

    def rows(self, db: Connection, cohort: str | None = None) -> Iterator[Cells]:
        """Every row, a cell for each column; nothing is held in memory but the row.

        Floats have 12 significant digits, so that all versions of numpy give the same;
        probabilities have all that were stated.

        The order is that of the books, and the same for the same books. With a `cohort` only
        its rows, found by an index: the table must be about cohorts.
        """
        if self.read is not None:
            stated = [column.kind is ColumnKind.PROBABILITY for column in self.columns]
            for row in self.read(db, cohort):
                yield tuple(
                    cell if kept else steady(cell)
                    for kept, cell in zip(stated, row, strict=True)
                )
            return
        exact = [column.kind.exact for column in self.columns]
        with db.in_words():
            for row in db.raw.execute(*_asked(self.sql, cohort)):
                yield tuple(
                    Decimal(value).scaleb(-6) if micro and value is not None else steady(value)
                    for micro, value in zip(exact, row, strict=True)
                )


def _asked(sql: str, cohort: str | None) -> tuple[str, tuple[str, ...]]:
    """A query and its values, for the rows of one cohort where one is named."""
    if cohort is None:
        return sql, ()
    return f"SELECT * FROM ({sql}) WHERE cohort = ?", (cohort,)  # noqa: S608  # our own words


def _columns(listed: str) -> tuple[ColumnDoc, ...]:
    """Read lines of `name kind: what it means`."""
    columns = []
    for line in listed.strip().splitlines():
        named, _, words = line.strip().partition(": ")
        name, kind = named.split()
        columns.append(ColumnDoc(name, ColumnKind(kind), words))
    return tuple(columns)


_SEAT = """
cohort text: The cohort's id.
contestant text: The contestant's id.
"""
_PLACE = """
cohort text: The cohort's id.
round count: The round's number in its cohort, from 1.
contestant text: The contestant's id.
"""
_TRADE = f"""
entry count: The entry of the journal that booked it.
{_PLACE.strip()}
at moment: When it was booked.
market text: The market's id.
side text: YES or NO.
shares shares: How many shares.
price price: Dollars a share.
"""
_BOOKS = """
capital dollars: What it started with.
cash dollars: What is in cash.
realised dollars: Profit and loss of what was sold or settled, before fees.
fees dollars: Fees paid.
open count: Open positions.
unpriced count: Open positions that have no price, so that their value is not known.
"""
_RULED = """
outcome text: YES, NO, FRACTION or VOID; missing until the venue has resolved it.
yes_pays price: What a YES share was paid; missing for VOID.
"""
_USED = """
tokens_in count: Tokens sent, cached ones too, as the provider counted them.
tokens_cached count: Tokens of those that came from its cache.
tokens_out count: Tokens that came back, reasoning too.
tokens_reasoning count: Tokens of those that were reasoning.
cost dollars: What it cost; missing where nobody stated it.
"""


def _standings(db: Connection, _: str | None) -> Iterator[Cells]:
    for s in SqliteBoards(db).overall().standings:
        books = (s.capital, s.cash, s.realised, s.fees, s.open, s.unpriced)
        worth = (s.total, s.pnl, s.pnl_low, s.pnl_high, s.returned, s.returned_last)
        age = None if s.price_age is None else int(s.price_age.total_seconds())
        forecast_scores = (s.forecast, s.stated, s.kelly, s.linear)
        scores = tuple(cell for score in forecast_scores for cell in (score.value, score.n))
        turns = (s.turns_ok, s.turns_failed, s.cost)
        won = (s.win_rate.value, s.break_even, s.buys, s.sells, s.refused)
        yield s.rank, s.contestant, s.cohorts, *books, *worth, age, *scores, *won, *turns


def _forecasts(db: Connection, cohort: str | None) -> Iterator[Cells]:
    """Rows in the order of the journal, open and void ones too."""
    known: dict[str, Cells] = {}
    with db.in_words():
        rows = db.raw.execute(*_asked(FORECASTS, cohort))
        while batch := rows.fetchmany(_AT_ONCE):
            known |= _market_cells(db, {row[4] for row in batch} - known.keys())
            for name, contestant, number, at, market, p, price in batch:
                event, close, outcome, category, *times = known[market]
                shown = (contestant, event, market, at, p, price, close, outcome, category)
                yield *shown, name, number, *times


def _market_cells(db: Connection, markets: Iterable[str]) -> Iterator[tuple[str, Cells]]:
    """Of each market its event, close, outcome, category, due, resolution and exclusiveness."""
    names = sorted(markets)
    facts, ends = market_facts(db, names), closes(db, markets=names)
    due = first_due(db, map(MarketId, names))
    ruled = {row["market"]: row for row in db.rows(_RULINGS, dumps(names))}
    for n, market in enumerate(names):
        close, ruling = ends.get(market), ruled.get(market)
        category = facts.category.names[facts.category.codes[n]]
        yield (
            market,
            (
                facts.event.names[facts.event.codes[n]],
                None if close is None or ruling is None or isnan(close.mid) else close.mid,
                None if ruling is None else _outcome(ruling),
                None if category == UNKNOWN else category,
                moment(due[market]) if market in due else None,
                None if ruling is None else ruling["at"],
                int(facts.exclusive[n]),
            ),
        )


def _outcome(ruling: Row) -> str:
    """What came out, as `arena score` reads it: 1, 0, void, or a fraction."""
    return "void" if ruling["void"] else f"{ruling['yes_pays_micro'] / 1_000_000:.12g}"


def _prices(db: Connection, cohort: str | None) -> Iterator[Cells]:
    watched, until = "SELECT market FROM watched ORDER BY market", None
    rows = db.rows(watched) if cohort is None else db.rows(_OFFERED, cohort)
    names, last = tuple(row["market"] for row in rows), (-1, -1)
    if cohort is not None:  # what follows changes no other page of the cohort
        moved = db.value(_MOVED, cohort)
        until = moved and read_moment(moved)
    prices = prices_of(db, names, until)
    columns = (prices.market.tolist(), prices.day.tolist(), prices.price.tolist())
    for market, day, price in zip(*columns, strict=True):
        if (market, day) != last:  # a price stands before what says that it had not moved
            date = np.datetime64(day, "D").item().isoformat()
            yield names[market], date, None if isnan(price) else price
        last = (market, day)


DATASETS: Final = (
    Dataset(
        "leaderboard",
        "A contestant over all its cohorts: sums are added, never means averaged.",
        ("contestant",),
        _columns(f"""
            rank count: Place by return, as positions are marked; equals share a place.
            contestant text: The contestant's id.
            cohorts count: Cohorts it has a seat in.
            {_BOOKS.strip()}
            total dollars: Cash and open positions at the mark; missing where one has no price.
            pnl dollars: Total less capital; missing where a position has no price.
            pnl_low dollars: P/L if what has no price has no value.
            pnl_high dollars: P/L if each share that has no price pays its dollar.
            returned number: P/L as a share of capital.
            returned_last number: The same with what has no price at its last price.
            price_age_s count: Age of the oldest of these prices in seconds.
            brier_forecast number: Mean Brier score of every resolved probability.
            n_forecast count: Resolved probabilities.
            brier_stated number: Mean Brier score of those stated for markets it bet on.
            n_stated count: How many those are.
            brier_kelly number: Mean Brier score of what stakes imply, by Kelly's rule.
            n_kelly count: How many those are.
            brier_linear number: Mean Brier score of what stakes imply, linearly.
            n_linear count: How many those are.
            win_rate number: Share of resolved bets that won.
            break_even number: Mean price paid by those: the win rate that earns nothing.
            buys count: Bets that traded.
            sells count: Sales that traded.
            refused count: Orders that the rules turned down.
            turns_ok count: Turns that came to a decision.
            turns_failed count: Turns that came to none.
            cost dollars: What its model's calls cost; missing where it is not known.
        """),
        read=_standings,
    ),
    Dataset(
        "cohorts",
        "A cohort: contestants that play the same markets by the same rules.",
        ("cohort",),
        _columns("""
            cohort text: The cohort's id.
            name text: The cohort file it was made from.
            title text: Its title.
            venue text: Where its markets are.
            started_at moment: When it started.
            window_ends_at moment: After this no round is opened.
            complete_at moment: When its last position was settled; missing until then.
            rounds count: Rounds opened so far.
            contestants count: Seats.
            capital dollars: What each contestant starts with.
            rules text: The whole agreement, as canonical JSON.
            digest text: SHA-256 of that JSON.
        """),
        COHORTS,
    ),
    Dataset(
        "rounds",
        "A round: the markets that everybody in a cohort was offered at a moment.",
        ("cohort", "round"),
        _columns("""
            cohort text: The cohort's id.
            round count: Its number in the cohort, from 1.
            at moment: When it was opened.
            markets count: Markets offered.
            closed flag: Whether every turn has been judged.
            digest text: SHA-256 of the markets and prices shown.
        """),
        ROUNDS,
    ),
    Dataset(
        "seats",
        "A contestant in one cohort: its books as they stand.",
        ("cohort", "contestant"),
        _columns(f"""
            {_SEAT.strip()}
            {_BOOKS.strip()}
            owed dollars: What a payout that was taken back left owing.
            worth_bid dollars: Open positions that have a price, at the bid.
            worth_mid dollars: Open positions that have a price, at the middle.
            marked_at moment: When they were valued.
            buys count: Bets that traded.
            sells count: Sales that traded.
            refused count: Orders that the rules turned down.
            turns_ok count: Turns that came to a decision.
            turns_failed count: Turns that came to none.
            bets_resolved count: Bets whose market resolved YES or NO.
            bets_won count: How many of them won.
            forecasts count: Probabilities written down.
            forecasts_resolved count: How many of them resolved YES or NO.
        """),
        SEATS,
    ),
    Dataset(
        "markets",
        "A market that a round has offered, as it was last described.",
        ("market",),
        _columns(f"""
            market text: The market's id.
            venue text: Where it is.
            event text: The event it belongs to; markets of one event share news.
            question text: The question, in its venue's words.
            category text: The venue's category.
            opens_at moment: When it opened.
            closes_at moment: When it is to close.
            url text: Its page at the venue.
            seen_at moment: When this description was read.
            resolved_at moment: When its outcome was booked; missing until then.
            {_RULED.strip()}
        """),
        MARKETS,
    ),
    Dataset(
        "resolutions",
        "A market's final word.",
        ("market",),
        _columns(f"""
            market text: The market's id.
            revision count: 1 for the venue's first word, more where it changed its mind.
            at moment: When it was booked.
            {_RULED.strip()}
        """),
        RESOLUTIONS,
    ),
    Dataset(
        "fills",
        "A bet that traded, with the probabilities of YES that follow from it.",
        ("entry",),
        _columns(f"""
            {_TRADE.strip()}
            cost dollars: Paid for the shares, without the fee.
            fee dollars: Charged on top.
            cap dollars: The largest stake that was allowed.
            base dollars: The cash that confidence is measured against.
            confidence number: The stake as a share of what it is measured against.
            linear number: Probability of YES that the stake implies, linearly.
            kelly number: Probability of YES that the stake implies, by Kelly's rule.
            stated number: The probability written down for the market; missing if none was.
            market_mid price: The middle of the YES prices it traded at; missing if one-sided.
            {_RULED.strip()}
        """),
        FILLS,
    ),
    Dataset(
        "sales",
        "A sale that traded.",
        ("entry",),
        _columns(f"""
            {_TRADE.strip()}
            proceeds dollars: What came in, before the fee.
            basis dollars: The cost that left the books.
            fee dollars: Charged on top.
        """),
        SALES,
    ),
    Dataset(
        "positions",
        "Shares of one side of a market, from the first bet until none are left.",
        ("cohort", "contestant", "market", "side", "number"),
        _columns(f"""
            {_SEAT.strip()}
            market text: The market's id.
            side text: YES or NO.
            number count: From 1: a position that was closed may be followed by another.
            shares shares: Shares held now: none once it has ended.
            cost dollars: What those cost.
            state text: OPEN, or how it ended.
            proceeds dollars: What settlement and sales have brought in.
            realised dollars: Profit and loss booked so far, before fees.
        """),
        POSITIONS,
    ),
    Dataset(
        "marks",
        "What a contestant's books of a cohort were worth each time they were valued.",
        ("cohort", "contestant", "at"),
        _columns(f"""
            {_SEAT.strip()}
            at moment: When they were valued.
            cash dollars: What was in cash.
            owed dollars: What a payout that was taken back left owing.
            worth_bid dollars: Open positions that had a price, at the bid.
            unpriced_bid count: Open positions that had no bid.
            worth_mid dollars: Open positions that had a price, at the middle.
            unpriced_mid count: Open positions that had no middle price.
            open count: Open positions.
        """),
        MARKS,
    ),
    Dataset(
        "forecasts",
        "A probability that a contestant wrote down, as `arena score` reads it from a file.",
        ("cohort", "round", "contestant", "market"),
        _columns("""
            contestant text: The contestant's id.
            event text: The event that the market belongs to; markets of one share their news.
            market text: The market's id.
            at moment: When its round was opened.
            p probability: The probability of YES.
            market_p number: The middle of the last two-sided book up to that moment.
            close_p number: That of the last one before it closed; missing until it resolves.
            outcome text: 1 for YES, 0 for NO, void, or a fraction; missing while it is open.
            category text: The venue's category.
            cohort text: The cohort's id.
            round count: The round's number in its cohort, from 1.
            due moment: When the market was to close, as first told.
            resolved_at moment: When its outcome was booked; missing until then.
            exclusive flag: Whether at most one market of its event can resolve YES.
        """),
        read=_forecasts,
    ),
    Dataset(
        "prices",
        "A market's last middle price of a day on which it was read, while its cohort moved.",
        ("market", "day"),
        _columns("""
            market text: The market's id.
            day text: The day, in UTC.
            price number: The price; missing where it was read and had not moved that day.
        """),
        read=_prices,
    ),
    Dataset(
        "decisions",
        "A turn: what a contestant was asked, how it answered and what became of it.",
        ("cohort", "round", "contestant"),
        _columns(f"""
            {_PLACE.strip()}
            at moment: When it was judged.
            action text: What it decided to do; missing where the turn failed.
            accepted count: Orders that the rules let through.
            refused count: Orders that they turned down.
            failure text: Why the turn came to nothing; missing where it did not.
            model text: The model that answered, as it called itself.
            finish text: How the provider says that the reply ended.
            latency_ms count: How long the answer took.
            {_USED.strip()}
            system_digest text: SHA-256 of the system prompt.
            prompt_digest text: SHA-256 of the prompt.
            reply_digest text: SHA-256 of the reply.
        """),
        DECISIONS,
    ),
    Dataset(
        "costs",
        "A call to a model, or the turn of a contestant that asked by itself.",
        ("cohort", "round", "contestant", "call"),
        _columns(f"""
            {_PLACE.strip()}
            call text: Which call of the turn; empty where there was but one.
            at moment: When it was asked.
            llm text: The configured model.
            provider text: Who served it; missing where nothing came back.
            model text: The model that answered, as it called itself.
            trouble text: What went wrong; missing where nothing did.
            attempts count: How often it was tried.
            latency_ms count: How long it took.
            {_USED.strip()}
            priced text: Where the cost is from.
            reserved dollars: The worst case that was put aside before it was sent.
        """),
        COSTS,
    ),
    Dataset(
        "texts",
        "A prompt or a reply, under its digest.",
        ("digest",),
        _columns("""
            digest text: SHA-256 of the text.
            text text: The text, whole.
        """),
        TEXTS,
        long=True,
    ),
)  # fmt: skip
