"""Contestants on one market: what they said, what they bet, and what it brought them."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.market import MarketId, Outcome, Side
from arena.scoring.leaderboard import brier_score
from arena.site.charts.subjects import BetMark, LineWeight, Stated
from arena.site.pages.contestants.trades_table import implied
from arena.site.pages.decisions.decision import decision_href
from arena.site.pages.markets.view import DealRow, PlayerRow
from arena.site.pages.parts.parts import Cell
from arena.site.reading import Reading, cohort_link, shown_moment
from arena.store.pages.cards import Deal
from arena.store.pages.market_views import Brought, Opinion

MOST_PLAYERS = 100
MOST_DRAWN = 24  # contestants in the figure of forecasts


class Players:
    """Everybody who spoke of a market or held a position in it."""

    def __init__(
        self,
        opinions: Sequence[Opinion],
        brought: Mapping[ContestantId, Brought],
        outcome: Outcome | None,
    ) -> None:
        """Sort opinions, of which the newest come first, by contestant."""
        self._truth = None if outcome is None else outcome.truth
        self._brought = brought
        self._said: dict[ContestantId, list[Opinion]] = {}
        for opinion in opinions:
            self._said.setdefault(opinion.contestant, []).append(opinion)
        self.names = sorted({*self._said, *brought}, key=self._order)

    def rows(self, reading: Reading, root: str) -> tuple[PlayerRow, ...]:
        """A line each: the highest last forecast first; without one by name, at the end."""
        return tuple(self._row(who, reading, root) for who in self.names[:MOST_PLAYERS])

    def stated(self, reading: Reading) -> list[Stated]:
        """The last forecast of each, beside the price that it was shown."""
        return [
            Stated(
                reading.label(who),
                last.at,
                last.probability,
                last.mid,
                LineWeight.REFERENCE if reading.entrant(who).reference else LineWeight.MAIN,
            )
            for who in self.names
            if who in self._said
            for last in (self._said[who][0],)
        ][:MOST_DRAWN]

    def _row(self, who: ContestantId, reading: Reading, root: str) -> PlayerRow:
        opinions = self._said.get(who, [])
        last = opinions[0] if opinions else None
        mean = fmean(opinion.probability for opinion in opinions) if opinions else None
        return PlayerRow(
            reading.contestant(who, root),
            len(opinions),
            _cell("stated_p", last.probability if last else None),
            _cell("price", last.mid if last else None),
            self._brier(last.probability if last else None),
            _cell("stated_p", mean),
            self._brier(mean),
            _result(self._brought.get(who)),
            shown_moment(last.at) if last else None,
            decision_href(reading, last.cohort, last.round, who, root) if last else "",
        )

    def _brier(self, probability: float | None) -> Cell:
        scorable = probability is not None and self._truth is not None
        score = brier_score(probability, self._truth) if scorable else None  # type: ignore[arg-type]
        return _cell("brier", score)

    def _order(self, who: ContestantId) -> tuple[float, str]:
        opinions = self._said.get(who)
        return (-opinions[0].probability if opinions else 1.0), who


def deal_rows(deals: Sequence[Deal], reading: Reading, root: str) -> tuple[DealRow, ...]:
    """Fills and sales in one market."""
    return tuple(_deal_row(deal, reading, root) for deal in deals)


def bet_marks(deals: Sequence[Deal], reading: Reading, market: MarketId) -> list[BetMark]:
    """Bets at the price of YES that they paid for, oldest first."""
    settled = reading.outcome(market) is not None
    return [
        BetMark(
            deal.at,
            deal.side is Side.YES,
            float(deal.price if deal.side is Side.YES else 1 - deal.price),
            float(deal.dollars),
            settled,
            reading.label(deal.contestant),
        )
        for deal in reversed(deals)
        if not deal.sold
    ]


def _deal_row(deal: Deal, reading: Reading, root: str) -> DealRow:
    outcome = reading.outcome(deal.market)
    shares = f"{METRICS['shares'].shown(deal.shares)} shares"
    fee = f", fee {METRICS['fees'].shown(deal.fee)}" if deal.fee else ""
    amount = METRICS["amount"].shown(deal.dollars)
    return DealRow(
        shown_moment(deal.at),
        decision_href(reading, deal.cohort, deal.round, deal.contestant, root),
        reading.contestant(deal.contestant, root),
        cohort_link(deal.cohort, root),
        f"{'sold' if deal.sold else 'bought'} {deal.side.value}",
        Cell(METRICS["price"].shown(deal.price), "", deal.price),
        Cell(amount, shares + fee, deal.dollars),
        _cell("confidence", deal.confidence),
        (
            implied("stated_p", deal.stated, outcome),
            implied("kelly_p", deal.kelly, outcome),
            implied("linear_p", deal.linear, outcome),
        ),
    )


def _result(brought: Brought | None) -> Cell:
    if brought is None:
        return Cell("no position")
    if brought.open == brought.held:
        return Cell("open")
    note = f"{brought.open} open" if brought.open else ""
    return Cell(METRICS["realised"].shown(brought.realised), note, brought.realised)


def _cell(key: str, value: float | None) -> Cell:
    return Cell(METRICS[key].shown(value), "", value)
