"""The questions of the simulated world: plausible, neutral, and plainly invented."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

MARK = "Simulated: "  # how every question starts
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
PLACES = (
    "Vela", "Tessaly", "Orrin", "Calder Bay", "Mirren", "Lunde", "Asterholm", "Pell",
    "Quillan", "Norvik", "Sable Coast", "Istra Vale", "Hartsel", "Bramley Isle",
)  # fmt: skip
TEAMS = (
    "Vela Rovers", "Tessaly United", "Orrin Larks", "Calder Herons", "Mirren Foxes",
    "Lunde Rowers", "Pell Wanderers", "Norvik Swifts",
)  # fmt: skip
PEOPLE = (
    "A. Hollin", "B. Marrick", "C. Tove", "D. Ansel", "E. Quill", "F. Rowan", "G. Lisle",
    "H. Varga",
)  # fmt: skip
LABS = (
    "the Vela Observatory", "the Pell Institute", "the Lunde Station",
    "the Norvik Laboratory", "the Mirren Survey", "the Orrin Archive",
)  # fmt: skip
SINGLES = {
    "economy": (
        "will the {place} index close above {number} by {date}?",
        "will the {place} central bank change its rate by {date}?",
        "will {place} report more than {number} new firms by {date}?",
    ),
    "weather": (
        "will {place} measure more than {few} mm of rain by {date}?",
        "will a named storm reach {place} by {date}?",
        "will {place} see a night below freezing by {date}?",
    ),
    "sport": (
        "will {team} win the next match by {date}?",
        "will the {place} marathon record fall by {date}?",
        "will {team} score more than {few} points by {date}?",
    ),
    "science": (
        "will {lab} publish its catalogue by {date}?",
        "will {lab} count more than {number} sightings by {date}?",
        "will the {place} probe send a picture by {date}?",
    ),
    "politics": (
        "will the {place} council pass its harbour bill by {date}?",
        "will turnout in {place} exceed {few} percent on {date}?",
        "will {place} and its neighbour sign the water treaty by {date}?",
    ),
    "technology": (
        "will {lab} open its new computer to the public by {date}?",
        "will the {place} network carry more than {number} calls by {date}?",
        "will {place} license a driverless ferry by {date}?",
    ),
    "health": (
        "will {place} report more than {few} cases of lake fever by {date}?",
        "will the {place} clinic open its new wing by {date}?",
        "will {lab} begin its vaccine trial by {date}?",
    ),
    "culture": (
        "will the {place} museum sell more than {number} tickets by {date}?",
        "will a film from {place} win the lantern prize by {date}?",
        "will the {place} festival be held on {date}?",
    ),
    "energy": (
        "will the {place} reservoir be more than {few} percent full on {date}?",
        "will the {place} wind farm go on line by {date}?",
        "will the price of lamp oil in {place} rise by {date}?",
    ),
    "travel": (
        "will more than {number} ships call at {place} by {date}?",
        "will the {place} bridge reopen by {date}?",
        "will the night train to {place} run again by {date}?",
    ),
}
SEVERAL = {
    "economy": (PLACES, "will {name} export the most timber in the report of {date}?"),
    "weather": (PLACES, "will {name} be the warmest town on {date}?"),
    "sport": (TEAMS, "will {name} win the {place} cup on {date}?"),
    "science": (LABS, "will {name} be first to map the {place} ridge by {date}?"),
    "politics": (PEOPLE, "will {name} be elected mayor of {place} on {date}?"),
    "technology": (LABS, "will {name} win the {place} robot race on {date}?"),
    "health": (PLACES, "will {name} have the longest-lived people in the report of {date}?"),
    "culture": (PEOPLE, "will {name} win the {place} poetry prize on {date}?"),
    "energy": (PLACES, "will {name} burn the most peat in the report of {date}?"),
    "travel": (PLACES, "will {name} have the most visitors in the report of {date}?"),
}


@dataclass(frozen=True, slots=True)
class Wording:
    """What an event is about: its category and one question for each of its markets."""

    category: str
    questions: tuple[str, ...]


def draw_wording(outcomes: int, closes_at: datetime, rng: np.random.Generator) -> Wording:
    """Draw the questions of an event that is expected to close at `closes_at`, in UTC."""
    category = _pick(tuple(SINGLES), rng)
    facts = {
        "date": f"{closes_at.day} {MONTHS[closes_at.month - 1]} {closes_at.year}",
        "place": _pick(PLACES, rng),
        "team": _pick(TEAMS, rng),
        "lab": _pick(LABS, rng),
        "number": str(int(rng.integers(120, 980))),
        "few": str(int(rng.integers(12, 88))),
    }
    if outcomes == 1:
        questions: tuple[str, ...] = (_pick(SINGLES[category], rng).format(**facts),)
    else:
        names, question = SEVERAL[category]
        chosen = [names[i] for i in rng.permutation(len(names))[:outcomes]]
        questions = tuple(question.format(name=name, **facts) for name in chosen)
    return Wording(category, tuple(MARK + question for question in questions))


def rules_text(outcomes: int) -> str:
    """Say how a market is decided, in the place of a venue's own rules."""
    one_of = "exactly one market of the event resolves YES" if outcomes > 1 else "YES or NO"
    return (
        "This market is invented. It resolves by the simulation's own chance, with its last "
        f"fair price as the chance of YES: {one_of}, unless it is void or split. Nothing in "
        "the real world is measured."
    )


def _pick(words: tuple[str, ...], rng: np.random.Generator) -> str:
    return words[int(rng.integers(len(words)))]
