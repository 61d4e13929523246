"""What is not for people on our pages: feeds, what crawlers look for, cards and badges."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.grade import Standing
from arena.records.settings import SiteSettings
from arena.site import Document, Page, places
from arena.site.bundle.published_site import MANIFEST
from arena.site.estimates import estimated
from arena.site.heads import PUBLISHED
from arena.site.overview.records import RankPlace
from arena.site.pages.leaderboard.evidence import may_rank
from arena.site.pages.leaderboard.headline import headline, ranked
from arena.site.pages.parts import Cell, Head, Link, Moment
from arena.site.pages.project.changes import Item, news
from arena.site.reading import Reading, shown_moment
from arena.site.sanitize import file_name, shorten
from arena.store.pages.cards import CohortCard


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


def card_pages(reading: Reading) -> Iterator[Page | Document]:
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


ATOM, JSON, ROBOTS, SITEMAP, LLMS = (
    "feed.xml", "feed.json", "robots.txt", "sitemap.xml", "llms.txt",
)  # fmt: skip
COHORTS = 1000
NEVER = "1970-01-01T00:00:00Z"  # Atom wants a date even where nothing has happened

_TOLD = {
    places.INDEX: "who beats the market's price, who leads, and the possible ranks of all",
    places.CONTESTANTS: "everybody, with rank and return; each leads to a page of its own",
    places.PROVIDERS: "which provider and which family is ahead",
    places.COMPARE: "every pair of contestants, tested",
    places.CALIBRATION: "reliability of each contestant and of the market",
    places.INSIGHTS: "what forecasts add to the price, and whether their numbers agree",
    places.COSTS: "tokens and dollars",
    places.COHORTS: "runs of an agreement, each with rules, rounds and leaderboard",
    places.MARKETS: "every market with prices, bets, forecasts and outcome",
    places.METHODOLOGY: "every formula, with its source and its caveat",
    places.DATA: "files of data and what their columns mean",
    places.CHANGES: "rules, corrections, outcomes",
    places.AUDIT: "what the pages were made from, and how to check it",
    places.STATUS: "whether venues and models answer, what runs, what is late",
}


def pages(reading: Reading) -> Iterator[Page | Document]:
    """Feeds and the site map where the site's address is known, and notes for crawlers."""
    site = reading.edition.site
    items = news(reading, site.base_url)
    first = headline(reading).whole
    yield Document(LLMS, _llms(site))
    robots = "User-agent: *\nAllow: /\n"
    if site.base_url:  # a reader of feeds cannot follow a relative link
        yield Document(ATOM, atom(items, site.name, site.base_url, first))
        yield Document(JSON, json_feed(items, site.name, site.base_url, first))
        count = reading.show.cohort_count()
        cards = reading.show.cohorts(count - COHORTS + 1, count)
        yield Document(SITEMAP, _sitemap(cards, reading))
        robots += f"Sitemap: {site.base_url}{SITEMAP}\n"
    yield Document(ROBOTS, robots)


def atom(items: Sequence[Item], title: str, base: str, first: str) -> str:
    """Write an Atom feed; `first` is what the front page says first."""
    updated = items[0].at.iso if items else NEVER
    heads = f'title="Published heads" href={quoteattr(base + PUBLISHED)}'
    return "\n".join([
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{escape(title)}: outcomes and changes</title>",
        f"<subtitle>{escape(first)}</subtitle>",
        f"<id>{escape(base)}</id>",
        f'<link rel="alternate" type="text/html" href={quoteattr(base + places.CHANGES)}/>',
        f'<link rel="self" href={quoteattr(base + ATOM)}/>',
        f'<link rel="related" type="application/jsonl" {heads}/>',
        f"<updated>{updated}</updated>",
        f"<author><name>{escape(title)}</name></author>",
        *(_entry(item) for item in items),
        "</feed>\n",
    ])  # fmt: skip


def _entry(item: Item) -> str:
    return (
        f"<entry><title>{escape(f'{item.title}: {item.link.text}')}</title>"
        f"<id>{escape(_urn(item))}</id><updated>{item.at.iso}</updated>"
        f'<category term="{item.sort}"/>'
        f'<link rel="alternate" type="text/html" href={quoteattr(item.link.href)}/>'
        f'<summary type="text">{escape(item.words)}</summary></entry>'
    )


def json_feed(items: Sequence[Item], title: str, base: str, first: str) -> str:
    """Write a JSON feed, version 1.1; `first` is what the front page says first."""
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": f"{title}: outcomes and changes",
        "items": [
            {
                "id": _urn(item),
                "url": item.link.href,
                "title": f"{item.title}: {item.link.text}",
                "content_text": item.words,
                "date_published": item.at.iso,
                "tags": [item.sort],
            }
            for item in items
        ],
        "description": first,
        "home_page_url": base,
        "feed_url": base + JSON,
        "_heads": {"about": "Published heads", "url": base + PUBLISHED},
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _urn(item: Item) -> str:
    """Name an item for ever, whatever stands in its id."""
    return f"urn:paper-arena:{file_name(item.id)}"


def _sitemap(cards: Sequence[CohortCard], reading: Reading) -> str:
    base = reading.edition.site.base_url
    paths = [*_TOLD, *(places.contestant(name) for name in reading.show.contestants())]
    paths += [places.cohort(card.id) for card in cards]
    urls = "\n".join(f"<url><loc>{escape(base + path)}</loc></url>" for path in paths)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="{space}">\n{urls}\n</urlset>\n'
    )


def _llms(site: SiteSettings) -> str:
    notice = f"**{site.notice}**\n\n" if site.notice else ""
    lines = [f"- [{path}]({places.twin(path)}): {words}" for path, words in _TOLD.items()]
    return (
        f"# {site.name}\n\n{notice}> Which language model forecasts and bets best, with "
        "paper money on prediction markets: exact books, scores with intervals, every number "
        "recomputable.\n\n"
        "Every page has its exact values in a file of the same name that ends in .json. A "
        f"value that is missing is null, never 0. {MANIFEST} names files from which the main "
        "pages can be made again.\n\n## Pages\n\n" + "\n".join(lines) + "\n"
    )
