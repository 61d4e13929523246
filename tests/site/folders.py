"""Sites for tests: where they come from, and how their pages are read."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

from arena.agents import baselines, simulated
from arena.clock import HandClock
from arena.ports import Agent, Backstage
from arena.records.cohort import Cadence, CohortSpec, ContestantId, Rules, Start, Universe
from arena.records.market import VenueId
from arena.records.settings import ContestantSettings, Edition, Entrant, Schedule, VenueSettings
from arena.render import environment, render
from arena.site.engine.build import publish
from arena.site.heads import PUBLISHED
from arena.site.site_checks import check_site
from arena.steps.doors import Doors
from arena.steps.play import play
from arena.store import Store
from arena.venues.simulated import from_settings

TEMPLATES = Path(__file__).parents[2] / "templates"
START = datetime(2026, 1, 5, tzinfo=UTC)
LATER = datetime(2026, 12, 31, tzinfo=UTC)
SIMULATED = VenueId("simulated")
NO_LABELS: Mapping[ContestantId, str] = {}

TREES = ("alder", "birch", "cedar", "damson", "elm", "fir", "ginkgo", "hazel")
FAILURES = ((0.01, 0.0, 0.01), (0.0, 0.02, 0.0), (0.02, 0.01, 0.02), (0.03, 0.0, 0.01))

# Elements that HTML lets stand without an end.
VOID = {"meta", "link", "br", "hr", "img", "input", "path"}


def write_site(store: Store, out: Path, labels: Mapping[ContestantId, str] = NO_LABELS) -> int:
    cast = {name: Entrant(name, label) for name, label in labels.items()}
    return publish(store, out, TEMPLATES, Edition(cast), at=LATER)


def broken_links(out: Path) -> list[str]:
    findings = check_site(out).findings
    return [f"{broken.path}: {broken.what}" for broken in findings if broken.rule == "link"]


def ladder(count: int) -> Iterator[ContestantSettings]:
    """Simulated contestants named after trees, the best first."""
    for n, name in enumerate(TREES[:count]):
        down = n / max(count - 1, 1)
        bad_json, refusal, timeout = FAILURES[n % len(FAILURES)]
        options = {
            "venue": str(SIMULATED),
            "lead_days": round(2 * (1 - down), 3),
            "noise": round(0.1 + 1.1 * down, 3),
            "bias": round(0.8 * down, 3),
            "edge": 0.15,
            "bad_json": bad_json,
            "refusal": refusal,
            "timeout": timeout,
        }
        yield ContestantSettings(
            ContestantId(name), "simulated", options=tuple(options.items())
        )


def play_days(store: Store, first: int, last: int, contestants: int = 4) -> None:
    """Play simulated days, two ticks each, of a daily cohort that decides on three of them."""
    clock = HandClock(START)
    venue = from_settings(VenueSettings(SIMULATED, "simulated", ()), clock)
    backstage = Backstage({}, {SIMULATED: venue}, TEMPLATES)
    agents: dict[ContestantId, Agent] = {
        one.id: simulated.from_settings(one, backstage) for one in ladder(contestants)
    }
    for name, factory in (("market", baselines.market), ("always-no", baselines.always_no)):
        one = ContestantSettings(ContestantId(name), name)
        agents[one.id] = factory(one, backstage)
    spec = CohortSpec(
        name="daily",
        title="Daily",
        venue=SIMULATED,
        start=Start(Cadence.DAILY, START),
        decide_every=timedelta(days=1),
        decide_for=timedelta(days=3),
        universe=Universe(top=12),
        contestants=tuple(agents),
        rules=Rules(max_mark_age=timedelta(days=7)),
    )
    doors = Doors(store, {SIMULATED: venue}, agents, (spec,), Schedule())
    moments = [START + timedelta(hours=12 * n) for n in range(2 * first, 2 * last)]

    async def go() -> None:
        async for _ in play(doors, clock, moments):
            pass

    asyncio.run(go())


def files(out: Path) -> dict[str, bytes]:
    """Every file of a folder by its path, but the heads: they are of its own past."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != PUBLISHED
    }


@dataclass(slots=True)
class Element:
    """An element of a page: what it is, and the text in it and below it."""

    tag: str
    attributes: dict[str, str]
    inside: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The words as a reader sees them, spaces made single."""
        parts = [p if isinstance(p, str) else p.text for p in self.inside]
        return " ".join("".join(parts).split())

    def all(self, tag: str) -> list["Element"]:
        """Every element of a kind below this one, in the order of the page."""
        found: list[Element] = []
        for part in self.inside:
            if isinstance(part, Element):
                found += [part] if part.tag == tag else []
                found += part.all(tag)
        return found

    def everything(self) -> list["Element"]:
        """This element and all below it."""
        below = [p.everything() for p in self.inside if isinstance(p, Element)]
        return [self, *(e for part in below for e in part)]


class UnbalancedPageError(ValueError):
    """A page closes what it did not open, or the other way round."""


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            raise UnbalancedPageError(f"<{tag}> has an attribute twice")
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inside.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if self.open[-1].tag != tag:
            raise UnbalancedPageError(f"</{tag}> closes <{self.open[-1].tag}>")
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def parse(html: str) -> Element:
    """Read a page strictly: every element must be closed where it was opened."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    if len(parser.open) != 1:
        raise UnbalancedPageError(f"<{parser.open[-1].tag}> is not closed")
    return parser.root


def page(out: Path, path: str) -> Element:
    return parse((out / path).read_text(encoding="utf-8"))


def pages(out: Path) -> Iterable[tuple[str, Element]]:
    for path in sorted(out.rglob("*.html")):
        yield path.relative_to(out).as_posix(), parse(path.read_text(encoding="utf-8"))


def table(root: Element, label: str) -> Element:
    """The table in the scrolling region of a label."""
    regions = [e for e in root.everything() if e.attributes.get("aria-label") == label]
    return regions[0].all("table")[0]


def rows(found: Element) -> list[list[str]]:
    """A table's body as text, cell by cell."""
    return [
        [c.text for c in row.inside if isinstance(c, Element)]
        for body in found.all("tbody")
        for row in body.all("tr")
    ]


def drawn(view: object, template: str) -> Element:
    """A page as its template shows it."""
    return parse(render(environment(TEMPLATES), f"site/{template}.html", page=view))
