"""The table of everybody: in which order, who is tied, and what stands in the lines."""

from collections.abc import Sequence

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.grade import Board
from arena.site.charts.small import sparkline
from arena.site.hostile import folder_name, one_line
from arena.site.overview import Place, Profile
from arena.site.pages.glances import Axis, Line, axis_of, cells_of, glances
from arena.site.pages.standings import head, order_words
from arena.site.reading import LABEL, Reading
from arena.site.views.leaderboard import Ranking, RankingRow
from arena.site.views.parts import Cell, Drawing
from arena.store.conduct import SqliteConduct

_NO_FORECAST = "no forecast of it has come out"
_MOST_DAYS = 120  # that a drawing in a line has room for
_ROOM = 20  # rows of the front page
_FIRST = 12  # that stand there where not everybody can
_MOST_REFERENCES = 6  # that stand there whatever their place


def lines_of(board: Board, reading: Reading) -> tuple[Line, ...]:
    """Everybody, best first by the headline; in the board's own order where there is none."""
    conduct = {one.contestant: one for one in SqliteConduct(reading.store.db).totals()}
    league = reading.overview.league
    first = {place.name: place.first for place in league.places} if league else {}
    lines = {
        one.contestant: Line(
            one,
            reading.profile(one.contestant),
            conduct.get(one.contestant),
            first.get(one.contestant),
        )
        for one in board.standings
    }
    if not reading.overview.headline:
        return tuple(lines.values())
    order = {name: n for n, name in enumerate(reading.overview.order)}
    return tuple(sorted(lines.values(), key=lambda line: order.get(name_of(line), len(order))))


def name_of(line: Line) -> ContestantId:
    """Whose line it is."""
    return line.standing.contestant


def ranking(board: Board, lines: Sequence[Line], reading: Reading) -> Ranking:
    """The table of everybody."""
    headline = reading.overview.headline
    axis = axis_of(headline, lines) if headline else None
    shown = _shown(lines, reading)
    rows = tuple(_row(line, reading, axis) for line in shown)
    leading = next((n for n, row in enumerate(rows) if not row.tied), len(rows))
    below = sum(_is_tied(line, reading) for line in lines) - leading
    return Ranking(
        order=METRICS[headline].spoken if headline else order_words(board),
        rank=head("rank", ""),
        glances=glances(headline),
        rows=rows,
        tied_rows=leading if leading < len(rows) else 0,
        tied_words=_tied_words(below),
        references=any(row.reference for row in rows),
        widest=2 + max(len(row.cells[n]) + (n == 0) for row in rows for n in range(6))
        if rows
        else 2,
        left_out=len(lines) - len(shown),
    )


def _shown(lines: Sequence[Line], reading: Reading) -> Sequence[Line]:
    """Those whom the front page has room for: the first, and references further down."""
    if len(lines) <= _ROOM:
        return lines
    few = lines[:_FIRST]
    below = [one for one in lines[_FIRST:] if reading.entrant(name_of(one)).reference]
    return [*few, *below[:_MOST_REFERENCES]]


def _is_tied(line: Line, reading: Reading) -> bool:
    return bool(reading.overview.headline) and name_of(line) in reading.overview.tied


def _tied_words(below: int) -> str:
    if not below:
        return "end of the group tied for first"
    others = "one more is" if below == 1 else f"{figures.count(below)} more are"
    return f"end of the group tied for first, but {others} tied with it further down"


def _row(line: Line, reading: Reading, axis: Axis | None) -> RankingRow:
    standing, place = line.standing, line.profile.place
    entrant = reading.entrant(standing.contestant)
    headline = reading.overview.headline
    rank = place.rank if headline else standing.rank
    missing = _NO_FORECAST if headline and rank is None else ""
    zero = entrant.agent == "market" and headline == "alpha"
    about = (
        "baseline" if entrant.reference else "",
        "the zero of alpha" if zero else "",
        one_line(entrant.provider, LABEL) if entrant.provider else "",
        missing,
    )
    return RankingRow(
        slug=folder_name(standing.contestant),
        rank=Cell(figures.MISSING if rank is None else str(rank), value=rank),
        open_ranks=_open_ranks(place) if headline and rank is not None else "",
        contestant=reading.contestant(standing.contestant, ""),
        about=", ".join(part for part in about if part),
        reference=entrant.reference,
        tied=_is_tied(line, reading),
        cells=cells_of(line, headline, axis),
        shape=_shape(line.profile),
    )


def _open_ranks(place: Place) -> str:
    if place.low == place.high:
        return str(place.low)
    return f"{place.low}\N{EN DASH}{place.high}"


def _shape(profile: Profile) -> Drawing:
    days = profile.days[-_MOST_DAYS:]
    if len(days) < 2:  # noqa: PLR2004  # a line has two ends
        return Drawing("", figures.MISSING)
    worths = [None if d.worth is None or not d.capital else d.worth / d.capital for d in days]
    return Drawing(sparkline(worths, 1.0), f"{figures.many(len(days), 'day')}")
