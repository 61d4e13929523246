"""Cards and badges of contestants, for pages that are not ours."""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.grade import Standing
from arena.site import places
from arena.site.estimates import estimated
from arena.site.overview import RankPlace
from arena.site.page import Document, Page
from arena.site.pages.leaderboard.evidence import may_rank
from arena.site.pages.leaderboard.headline import headline, ranked
from arena.site.pages.parts import Cell, Head, Link, Moment
from arena.site.reading import Reading, shown_moment
from arena.site.sanitize import shorten


@dataclass(frozen=True, slots=True)
class CardPage:
    """templates/site/card.html."""

    head: Head
    site: Link
    contestant: Link
    rank: str
    claims: tuple[str, ...]
    headline: str
    score: Cell
    returned: Cell
    as_of: Moment | None


NAME = 24  # characters of a name on a badge
LETTER = 7  # units of width of a letter on a badge


def pages(reading: Reading) -> Iterator[Page | Document]:
    """A card and a badge for every contestant that ever had a seat."""
    for line in reading.store.boards.overall().standings:
        yield Page(places.card(line.contestant), "card.html", card(line, reading))
        name = shorten(reading.label(line.contestant), NAME)
        standing = placed(line.contestant, reading)
        shown = (
            f"{standing} (demonstration)" if reading.edition.site.demonstration else standing
        )
        yield Document(places.badge(line.contestant), badge(name, shown))


def card(line: Standing, reading: Reading) -> CardPage:
    """One contestant in a few words: rank, score, return, each with how sure it is."""
    path = places.card(line.contestant)
    root = places.root_of(path)
    overview, profile = reading.overview, reading.profile(line.contestant)
    key = overview.order_by
    metric = METRICS[key] if key else METRICS["alpha"]
    as_of = shown_moment(overview.as_of) if overview.as_of else None
    return CardPage(
        head=Head(reading.label(line.contestant), root, "", as_of=as_of),
        site=Link(reading.edition.site.name, root + places.INDEX),
        contestant=reading.contestant(line.contestant, root),
        rank=placed(line.contestant, reading),
        claims=headline(reading).claims,
        headline=metric.name,
        score=estimated(metric.key, profile.scores.get(metric.key), counted=True),
        returned=estimated("realised_return", profile.scores.get("realised_return")),
        as_of=as_of,
    )


def rank_words(place: RankPlace) -> str:
    """The ranks that tests leave possible: `ranks 1 to 4`."""
    if place.low == place.high:
        return f"rank {place.low}"
    return f"ranks {place.low} to {place.high}"


def placed(who: ContestantId, reading: Reading) -> str:
    """A contestant's possible ranks of how many, or that it has none."""
    place = reading.profile(who).place
    if place.rank is None or not may_rank(reading.overview):
        return "not ranked"
    return f"{rank_words(place)} of {figures.count(len(ranked(reading)))}"


def badge(name: str, standing: str) -> str:
    """Draw a badge with a name and a standing, without a style sheet."""
    left, right = LETTER * len(name) + 16, LETTER * len(standing) + 16
    words = escape(f"{name}: {standing}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="22" '
        f'role="img" aria-label="{escape(f"{name}: {standing}", {chr(34): "&quot;"})}">'
        f"<title>{words}</title>"
        f'<rect width="{left}" height="22" fill="#30363d"/>'
        f'<rect x="{left}" width="{right}" height="22" fill="#0b57a4"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="8" y="15" textLength="{left - 16}">{escape(name)}</text>'
        f'<text x="{left + 8}" y="15" textLength="{right - 16}">{escape(standing)}</text>'
        "</g></svg>\n"
    )
