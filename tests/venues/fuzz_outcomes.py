"""What payloads say of a market's outcome, read a second time and plainly.

Source: https://docs.kalshi.com/api-reference, https://docs.manifold.markets/api and
https://docs.polymarket.com/api-reference.
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from arena.records.market import NO_WINS, VOIDED, YES_WINS, Outcome, Status
from arena.records.money import Price
from tests.standins.venues import KALSHI, MANIFOLD, POLYMARKET
from tests.venues.fuzz_plain import Json, listed, number, part, price, rows, word

MILLION = Decimal(1_000_000)  # millionths of a dollar, in which payouts are told

Row = dict[str, Json]


def kalshi_outcome(row: Row) -> Outcome | None:
    """Say what a final market pays: what it says, unless the result says otherwise."""
    result, said = row.get("result"), row.get("settlement_value_dollars")
    value = price(said) if isinstance(said, str) else None
    if word(row.get("status")) != "finalized" or value is None:
        return None
    if result not in ["yes", "no", "scalar"]:
        return None
    sure = {"yes": value > 0, "no": value < 1, "scalar": True}
    return Outcome(value) if sure[result] else None


def manifold_outcome(row: Row) -> Outcome | None:
    """Say what a resolved question pays."""
    if row.get("isResolved") is not True:
        return None
    match row.get("resolution"):
        case "YES":
            return YES_WINS
        case "NO":
            return NO_WINS
        case "CANCEL":
            return VOIDED
        case "MKT":
            named = row.get("resolutionProbability")
            paid = price(row.get("probability") if named is None else named)
            return None if paid is None else Outcome(paid)
    return None


def yes_of(row: Row) -> int:
    """Say which outcome is YES: the one of that name, or else the first."""
    names = [word(name).casefold() for name in listed(row.get("outcomes"))]
    return names.index("yes") if "yes" in names else 0


def oracle_of(row: Row, *, history: bool = True) -> str:
    """Say where the oracle is."""
    past = listed(row.get("umaResolutionStatuses")) if history else []
    last = word(past[-1]).lower() if past else ""
    said = word(row.get("umaResolutionStatus")).lower()
    return said or (last if last in {"proposed", "disputed"} else "")


def vector(row: Row) -> Outcome | None:
    """Read Gamma's prices as a payout, whether they are one yet or not."""
    told = [price(one) for one in listed(row.get("outcomePrices"))]
    paid = [one for one in told if one is not None]
    if len(paid) != 2 or len(told) != 2:
        return None
    yes, no = paid[::-1] if yes_of(row) else paid
    least, half = Decimal("0.999"), Price(Decimal("0.5"))
    if yes >= least and no <= 1 - least:
        return YES_WINS
    if no >= least and yes <= 1 - least:
        return NO_WINS
    apart = max(abs(yes - half), abs(no - half))
    return Outcome(half) if apart < 1 - least else None


def polymarket_outcome(row: Row) -> Outcome | None:
    """Say what Gamma alone lets a market pay: its prices, once the oracle has spoken."""
    final = row.get("closed") is True and oracle_of(row) in {"resolved", "settled"}
    return vector(row) if final else None


OUTCOMES: Mapping[str, Callable[[Row], Outcome | None]] = {
    KALSHI: kalshi_outcome,
    MANIFOLD: manifold_outcome,
    POLYMARKET: polymarket_outcome,
}


def outcomes_said(venue: str, payload: Json) -> list[Outcome]:
    """Give the outcomes that any object of a payload says, however deep."""
    if isinstance(payload, list):
        return [outcome for inner in payload for outcome in outcomes_said(venue, inner)]
    if not isinstance(payload, dict):
        return []
    own = OUTCOMES[venue](payload)
    inner = outcomes_said(venue, list(payload.values()))
    return inner if own is None else [own, *inner]


def settled(read: object, payload: Json) -> Iterator[str]:
    """Doubt an outcome that a service contradicts, or that none of them says."""
    assert isinstance(read, Status)
    if read.outcome is None:
        return
    row, clob = part(payload, "gamma") or {}, part(payload, "clob") or {}
    told = _resolution_of(row, payload)
    if row.get("closed") is not True or oracle_of(row, history=told is None) == "disputed":
        yield f"{read.outcome}, and it is not over, or disputed"
    if told is not None:
        over = word(told.get("status")).lower() == "resolved"
        if not over or read.outcome not in _paid(told, row):
            yield f"{read.outcome}, and {told!r:.300} was said"
    elif read.outcome != vector(row) or not _is_final(read.outcome, row, clob):
        yield f"{read.outcome}, and nobody had the last word"


def _resolution_of(row: Row, payload: Json) -> Row | None:
    """Find what the Data API says of a market's end; None where that is nothing."""
    own = word(row.get("conditionId")).lower()
    for told in rows(_resolutions(payload)):
        if word(told.get("condition_id")).lower() == own:
            names_none = told.get("payouts") is None and number(told.get("price")) in {None, 69}
            over = word(told.get("status")).lower() == "resolved"
            return None if over and names_none else told
    return None


def _resolutions(payload: Json) -> Json:
    said = part(payload, "resolutions")
    return said.get("data") if isinstance(said, dict) else said


def is_winner(token: Row) -> bool:
    return token.get("winner") is True


def _is_final(outcome: Outcome, row: Row, clob: Row) -> bool:
    """Whether the oracle has spoken, or the CLOB names the winner."""
    if oracle_of(row) in {"resolved", "settled"}:
        return True
    names = [word(name) for name in listed(row.get("outcomes"))]
    winner = yes_of(row) if outcome == YES_WINS else 1 - yes_of(row)
    won = [
        word(one.get("outcome")) for one in rows(listed(clob.get("tokens"))) if is_winner(one)
    ]
    return clob.get("closed") is True and outcome.truth is not None and won == [names[winner]]


def _paid(told: Row, row: Row) -> list[Outcome]:
    """Give what a resolution lets a market pay."""
    answer, yes = number(told.get("price")), yes_of(row)
    known = answer if answer in {Decimal(0), Decimal(1), Decimal("0.5")} else None
    by_answer = 1 - known if yes and known is not None else known
    if told.get("payouts") is None:
        found = vector(row)
        return [found] if found is not None and found.yes_pays == by_answer else []
    paid = [number(one) for one in listed(told["payouts"])]
    sound = [one for one in paid if one is not None and 0 <= one <= MILLION]
    if len(sound) != 2 or len(paid) != 2 or sum(sound) != MILLION:
        return []
    pays = Price(sound[yes] / MILLION)
    return [Outcome(pays)] if by_answer in {None, pays} else []
