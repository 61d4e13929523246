"""Contestants of one model: copies of one another, and arms that differ in one setting."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np

from arena.metrics.claims.questions import means_by_question, question_codes
from arena.records.estimate import Estimate, State
from arena.records.settings import Entrant
from arena.scoring.table import Factor, Floats, Forecasts, Whole
from arena.stats.bootstrap import digest
from arena.stats.comparisons.joint_losses import copies_needed, intraclass
from arena.stats.mean_intervals import interval
from arena.stats.replicates import GROUPS

MOST: Final = 200  # pairs: beyond them there are too many to list


@dataclass(frozen=True, slots=True)
class Design:
    """How a contestant is set up: its model, and everything else by name."""

    contestant: str
    model: str
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArmPair:
    """Two contestants of one model, over the questions that both answered.

    `setting` is the one that they differ in, "" for copies; `a_has` and `b_has` are what each
    has there. `distance` is how far apart their forecasts are, `difference` the Brier score of
    a less that of b.
    """

    model: str
    setting: str
    a: str
    a_has: str
    b: str
    b_has: str
    distance: Estimate
    difference: Estimate


@dataclass(frozen=True, slots=True)
class Arms:
    """What the contestants of each model say of it: pairs, and how much is chance."""

    pairs: tuple[ArmPair, ...] = ()
    values: Mapping[str, Estimate] = field(default_factory=dict)


def designs_of(cast: Iterable[Entrant]) -> tuple[Design, ...]:
    """The designs of those that have a model."""
    return tuple(
        Design(
            who.id,
            f"{who.provider} {who.model}".strip(),
            {"agent": who.agent, "prompt": who.prompt, **_options(who.options)},
        )
        for who in cast
        if who.model
    )


def _options(text: str) -> Mapping[str, str]:
    """Settings of an agent by name, from their text; `context` also where it is left out."""
    named = (part.partition(" ") for part in text.split(", ") if part)
    options = {name: value for name, _, value in named}
    has_context = options.get("context", "True") == "True"
    return {**options, "context": "documents" if has_context else "no documents"}


def arms_of(forecasts: Forecasts, designs: Sequence[Design], *, level: float) -> Arms:
    """Pair the contestants of each model, and measure what copies of a model differ by.

    Args:
        forecasts: Yes/no forecasts that have resolved.
        designs: How contestants are set up; the others are left out.
        level: Confidence of the intervals, by event, in (0, 1).
    """
    present = {forecasts.contestant.names[c] for c in np.unique(forecasts.contestant.codes)}
    known = [design for design in designs if design.contestant in present]
    answers = answers_of(forecasts, [design.contestant for design in known])
    pairs = [
        _pair(setting, (known[i], known[j]), (i, j), answers, level)
        for i, j, setting in _paired(known)
    ]
    return Arms(tuple(pairs), _noise(known, answers, level))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What k contestants said of m questions, NaN for nothing, and what became of these.

    `p` is (k, m), `outcome`, `event` and `group` are (m,); `group` numbers the events that a
    jackknife leaves out together.
    """

    p: Floats
    outcome: Floats
    event: Whole
    group: Whole


def answers_of(forecasts: Forecasts, contestants: Sequence[str]) -> Answers:
    """The mean of what each contestant said of a market at one moment."""
    place = {name: n for n, name in enumerate(contestants)}
    by_code = [place.get(name, -1) for name in forecasts.contestant.names]
    who = np.array(by_code, np.intp)[forecasts.contestant.codes]
    kept, who = forecasts.take(who >= 0), who[who >= 0]
    question = question_codes(kept, by_moment=True)
    width = int(question.max(initial=-1)) + 1
    p = means_by_question(kept.p, who, question, len(contestants), width)
    outcome, event, group = np.zeros(width), np.zeros(width, np.intp), np.zeros(width, np.intp)
    outcome[question], event[question] = kept.outcome, kept.event.codes
    group[question] = event_groups(kept.event, GROUPS)
    return Answers(p, outcome, event, group)


def event_groups(event: Factor, size: int) -> Whole:
    """A group of each row, by the digest of its event's name: new events move none."""
    of_event = [digest(name)[0] % size for name in event.names]
    return np.array(of_event, dtype=np.intp)[event.codes]


def _paired(known: Sequence[Design]) -> Iterator[tuple[int, int, str]]:
    """Pairs of one model that differ in at most one setting, and its name."""
    count = 0
    for (i, a), (j, b) in combinations(enumerate(known), 2):
        if a.model != b.model or count == MOST:
            continue
        names = sorted(a.settings.keys() | b.settings.keys())
        apart = [name for name in names if a.settings.get(name) != b.settings.get(name)]
        if len(apart) <= 1:
            count += 1
            yield i, j, "".join(apart)


def _pair(
    setting: str,
    designs: tuple[Design, Design],
    places: tuple[int, int],
    answers: Answers,
    level: float,
) -> ArmPair:
    a, b = places
    both = ~np.isnan(answers.p[a]) & ~np.isnan(answers.p[b])
    event = answers.event[both]
    distance = interval(np.abs(answers.p[a] - answers.p[b])[both], event, level)
    losses = (answers.p[[a, b]] - answers.outcome) ** 2
    difference = interval((losses[0] - losses[1])[both], event, level)
    first, second = designs
    return ArmPair(
        first.model,
        setting,
        first.contestant,
        first.settings.get(setting, ""),
        second.contestant,
        second.settings.get(setting, ""),
        distance.within(0.0, 1.0),
        difference.within(-1.0, 1.0),
    )


def _noise(known: Sequence[Design], answers: Answers, level: float) -> Mapping[str, Estimate]:
    """Of everybody with a model: contestants with equal designs are copies of one another."""
    copies: defaultdict[object, int] = defaultdict(lambda: len(copies))
    model = [copies[design.model, frozenset(design.settings.items())] for design in known]
    if not known:
        nothing = Estimate(None, 0, 0, state=State.EMPTY)
        return {"copy_agreement": nothing, "copies_needed": nothing}
    said, lost = (
        intraclass(values, np.array(model, np.intp), answers.event, answers.group, level=level)
        for values in (answers.p, (answers.p - answers.outcome) ** 2)
    )
    return {"copy_agreement": said, "copies_needed": copies_needed(lost)}
