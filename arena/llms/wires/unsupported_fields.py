"""What to leave out of a request that a server has refused, so that it can be asked again."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.llms.profile import TOKEN_FIELDS
from arena.llms.wires.complaint import FORMAT, THINKING
from arena.llms.wires.request import paths_in
from arena.llms.wires.wire import Ask, Output, Profile
from arena.records.answer import Question
from arena.records.settings import ModelSettings

KEPT = frozenset(
    {"contents", "input", "instructions", "messages", "model", "provider", "system"}
)
"""Never left out, nor anything inside: who is asked, what, and over which pinned route."""

LENGTH = frozenset(
    {"generationConfig", "generationConfig.maxOutputTokens", "max_output_tokens", *TOKEN_FIELDS}
)
"""Never left out: without them an answer could cost anything."""

FORMATS = frozenset({FORMAT, "output_config.format", "text", "text.format"})
MARKS = "cache_control"  # it stands inside messages, where a wire puts it or not

_LOWER = {Output.SCHEMA: Output.JSON, Output.JSON: Output.PROMPT}
_SUREST = tuple(Output)
_INDEX = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Spared:
    """What a server has refused so far, and is not asked again.

    `without` are fields of the request, dotted; `output` is the most that is asked for, and
    `token_field` the field for the longest answer that it takes instead.
    """

    without: frozenset[str] = frozenset()
    output: Output = Output.SCHEMA
    token_field: str = ""

    def with_also(self, other: "Spared") -> "Spared":
        """Give what either server has refused: two questions may have met one."""
        return Spared(
            self.without | other.without,
            max(self.output, other.output, key=_SUREST.index),
            self.token_field or other.token_field,
        )


def ask_for(
    settings: ModelSettings, profile: Profile, question: Question, spared: Spared, best: Output
) -> Ask:
    """Make a request that spares the server what it has refused.

    Args:
        settings: The model.
        profile: What it can do.
        question: What it is asked.
        spared: What its server has refused.
        best: What it is held to where nothing was refused.
    """
    token_field = spared.token_field or profile.token_field
    return Ask(
        settings=settings,
        profile=replace(profile, token_field=token_field),
        question=question,
        output=fitting(max(best, spared.output, key=_SUREST.index), question, profile),
        without=spared.without,
    )


def fitting(output: Output, question: Question, profile: Profile) -> Output:
    """Lower what a model is held to, where a question does not fit it.

    Free words are held to nothing. A provider's JSON mode, where it has one, wants JSON to be
    mentioned.
    """
    if not question.schema:
        return Output.PROMPT
    named = "json" in f"{question.system} {question.user}".casefold()
    if output is Output.JSON and not (profile.json_mode and named):
        return Output.PROMPT
    return output


def concede(
    refused: str, ask: Ask, spared: Spared, body: Mapping[str, object]
) -> Spared | None:
    """Spare the server one more thing; None where nothing can be left out.

    A format is asked for less surely; the field for the longest answer is exchanged for its
    other name, once; any other field that was sent is dropped. What is asked of whom is kept.

    Args:
        refused: The field that the server will not have, as it calls it.
        ask: The request that was refused.
        spared: What it was spared already.
        body: The request as it was sent.
    """
    if refused in FORMATS and ask.output in _LOWER:
        return replace(spared, output=fitting(_LOWER[ask.output], ask.question, ask.profile))
    if refused in TOKEN_FIELDS:
        other = TOKEN_FIELDS[1 - TOKEN_FIELDS.index(refused)]
        swap = refused == ask.profile.token_field in body and not spared.token_field
        return replace(spared, token_field=other) if swap else None
    dropped = _sent(refused, ask, body) - ask.without
    return replace(spared, without=spared.without | dropped) if dropped else None


def told(ask: Ask, profile: Profile, best: Output) -> tuple[str, ...]:
    """Say in words what a request spares the server, for the record."""
    less = [] if ask.output is best else [f"{ask.output} instead of {best}"]
    own, other = profile.token_field, ask.profile.token_field
    swapped = [] if own == other else [f"{other} instead of {own}"]
    return (*less, *swapped, *(f"without {field}" for field in sorted(ask.without)))


def _sent(refused: str, ask: Ask, body: Mapping[str, object]) -> frozenset[str]:
    """Find the fields that were sent and that a server's word for one may mean."""
    word = _plain(refused)
    last = word.rpartition(".")[2]
    if last == _plain(MARKS) and ask.profile.caches:
        return frozenset({MARKS})
    free = {_plain(path): path for path in paths_in(body) if _may_go(path)}
    if word in free:
        return frozenset({free[word]})
    inside = [
        p for p in free if p.endswith(f".{last}") or p == last or word.startswith(f"{p}.")
    ]
    if inside:
        return frozenset({free[max(inside, key=len)]})
    if refused == THINKING or last in {"reasoning", "effort", "reasoningeffort"}:
        places = [ask.profile.effort_field, *(p for p, _ in ask.profile.with_effort)]
        places += [p for p, _ in ask.profile.effort_none]
        return frozenset(place for place in places if _plain(place) in free)
    return frozenset()


def _may_go(path: str) -> bool:
    inside_format = any(path.startswith(f"{home}.") for home in FORMATS)
    return path.partition(".")[0] not in KEPT and path not in LENGTH and not inside_format


def _plain(path: str) -> str:
    """Write a path as one would compare it: `generation_config` is `generationConfig`."""
    return _INDEX.sub("", path).replace("_", "").casefold()
