"""One number of the leaderboard, taken apart: the sums, and the seats or fills they add up."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from arena.errors import ArenaError, did_you_mean
from arena.metrics.explain import Cell, digest_of
from arena.metrics.metric import Metric
from arena.metrics.registry import METRICS
from arena.records.cohort import CohortId, ContestantId, MarkRule
from arena.records.grade import LastPrices, Score, Tally
from arena.records.market import Side
from arena.records.money import usd_from_micro
from arena.scoring.leaderboard import at_last_prices, standing
from arena.store.caches import spec_of
from arena.store.codec import moment, read_row
from arena.store.migrations import SUMS
from arena.store.scores.board import SqliteBoards
from arena.store.sqlite import Connection, Row
from arena.store.tape.quotes import outcome_of

OF_FILLS = ("win_rate", "break_even")
OF_TURNS = ("cost", "tokens")

_SEATS = """
SELECT * FROM seats WHERE contestant = ?1 AND (?2 IS NULL OR cohort = ?2) ORDER BY cohort
"""
_FILLS = """
SELECT fills.*, ruled.void, ruled.yes_pays_micro FROM fills
LEFT JOIN resolutions AS ruled ON ruled.market = fills.market
WHERE contestant = ?1 AND (?2 IS NULL OR cohort = ?2) ORDER BY entry
"""


@dataclass(frozen=True, slots=True)
class Accounted:
    """A number of the leaderboard with the sums it comes from and what they add up.

    Dollars are exact text. The rows are a seat each, or for the rates of bets a resolved
    fill each; `digest` is of the rows, as in `arena.metrics.explain`.
    """

    contestant: ContestantId
    metric: Metric
    value: Decimal | float | None
    inputs: Mapping[str, Cell]
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    digest: str


def account(
    db: Connection, contestant: ContestantId, key: str, cohort: CohortId | None = None
) -> Accounted:
    """Break a number of the leaderboard down, over all cohorts of a contestant or in one.

    Args:
        db: The books.
        contestant: Whose number.
        key: A number of the seats' sums, or one of `OF_FILLS` and `OF_TURNS`.
        cohort: Only this one; all of them if None.

    Raises:
        ArenaError: The contestant has no seat there.
    """
    seats = db.rows(_SEATS, contestant, cohort)
    if not seats:
        there = db.rows("SELECT DISTINCT contestant FROM seats")
        raise ArenaError(
            "score.contestant",
            f"{contestant} has no seat in {cohort or 'any cohort'}",
            hint=did_you_mean(contestant, [seat["contestant"] for seat in there]),
            status=2,
        )
    sums = Tally(**{name: sum(seat[name] for seat in seats) for name in SUMS})
    boards = SqliteBoards(db)
    spec = boards.newest_spec() if cohort is None else spec_of(db, cohort)
    mark = spec.rules.mark if spec else MarkRule.BID
    line = standing(contestant, sums, mark=mark, cohorts=len(seats))
    if key in OF_FILLS:
        inputs, columns = _of_fills(sums), _fills(db.rows(_FILLS, contestant, cohort))
    elif key in OF_TURNS:
        inputs, columns = _of_turns(sums), _by_seat(seats, _of_turns)
    else:
        inputs, columns = _of_seats(sums, mark), _seats(seats, mark)
    if key == "returned_last":
        last_by_seat = boards.last_prices(mark, cohort)
        late = [last_by_seat.get((CohortId(seat["cohort"]), contestant)) for seat in seats]
        columns |= _at_last_prices(late)
        line = at_last_prices(line, [last for last in late if last], boards.as_of())
    rows = tuple(zip(*columns.values(), strict=True))
    number: Score | Decimal | float | None = getattr(line, key)
    value = number.value if isinstance(number, Score) else number
    digest = digest_of(columns.values())
    return Accounted(contestant, METRICS[key], value, inputs, tuple(columns), rows, digest)


def _of_seats(sums: Tally, mark: MarkRule) -> dict[str, Cell]:
    price = mark.lower()
    return {
        "capital": _exact(sums.capital_micro),
        "cash": _exact(sums.cash_micro),
        "owed": _exact(sums.owed_micro),
        f"worth at the {price}": _exact(getattr(sums, f"{price}_micro")),
        "realised": _exact(sums.realised_micro),
        "fees": _exact(sums.fees_micro),
        "open positions": sums.open_positions,
        "without a price": getattr(sums, f"{price}_unpriced"),
    }


def _seats(seats: Sequence[Row], mark: MarkRule) -> dict[str, list[Cell]]:
    columns = _by_seat(seats, lambda sums: _of_seats(sums, mark))
    return columns | {"marked at": [seat["marked_at"] for seat in seats]}


def _by_seat(
    seats: Sequence[Row], sums_of: Callable[[Tally], dict[str, Cell]]
) -> dict[str, list[Cell]]:
    each = [sums_of(read_row(Tally, seat)) for seat in seats]
    columns: dict[str, list[Cell]] = {"cohort": [seat["cohort"] for seat in seats]}
    return columns | {name: [sums[name] for sums in each] for name in each[0]}


def _at_last_prices(late: Sequence[LastPrices | None]) -> dict[str, list[Cell]]:
    return {
        "worth at last prices": [str(last.worth) if last else None for last in late],
        "oldest price at": [moment(last.oldest) if last else None for last in late],
    }


def _of_turns(sums: Tally) -> dict[str, Cell]:
    return {
        "turns": sums.turns_ok + sums.turns_failed,
        "tokens in": sums.tokens_in,
        "tokens out": sums.tokens_out,
        "known cost": _exact(sums.cost_micro),
        "of unknown cost": sums.cost_unknown,
    }


def _of_fills(sums: Tally) -> dict[str, Cell]:
    return {
        "resolved": sums.fills_resolved,
        "won": sums.fills_won,
        "sum of prices": _exact(sums.break_even_micro),
        "excluded": sums.fills_excluded,
        "not resolved": sums.buys - sums.fills_resolved - sums.fills_excluded,
    }


def _fills(rows: Sequence[Row]) -> dict[str, list[Cell]]:
    """The fills whose market resolved YES or NO."""
    outcomes = [outcome_of(row["void"], row["yes_pays_micro"]) for row in rows]
    truths = [None if outcome is None else outcome.truth for outcome in outcomes]
    scored = [
        (row, truth) for row, truth in zip(rows, truths, strict=True) if truth is not None
    ]
    columns: dict[str, list[Cell]] = {
        name: [row[name] for row, _ in scored] for name in ("cohort", "at", "market", "side")
    }
    for name in ("shares", "price", "cost", "fee"):
        columns[name] = [_exact(row[f"{name}_micro"]) for row, _ in scored]
    columns["outcome"] = [truth for _, truth in scored]
    columns["won"] = [int((row["side"] == Side.YES) == bool(truth)) for row, truth in scored]
    return columns


def _exact(micro: int) -> str:
    return str(usd_from_micro(micro))
