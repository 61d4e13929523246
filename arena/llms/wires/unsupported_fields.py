"""What to leave out of a request that a server has refused, so that it can be asked again."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.llms.profile import TOKEN_FIELDS
from arena.llms.wires.request import paths_in
from arena.llms.wires.wire import Ask, Output, Profile
from arena.records.answer import Question
from arena.records.settings import ModelSettings

FORMAT = "response_format"
"""Says of any wire format that its way of asking for JSON or for a schema was refused."""

THINKING = "thinking"
"""Says that the server will not be told how hard to think, whatever the field is called."""

LONGEST = 2_000
_NAME = r"([A-Za-z_][\w.\[\]]{0,80})"
_QUOTE = r"""[\['"`\\ ]{0,4}"""
_KIND = r"(?:parameter|argument|field|setting|name|key|value|option|property|properties)"

_NO = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed"
    r"|forbidden|deprecated|unavailable|not available|no longer|not enabled|mandatory|moved to"
    r"|invalid (?:parameter|argument|schema|value)",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"response_?format|json[ _]?schema|structured[ _]?outputs?|output_config\.format"
    r"|text\.format|response_?(?:json_?)?schema|response_?mime_?type|schema is too complex"
    r"|grammar|must contain the word .{0,3}json|support the requested parameters"
    r"|handle the requested parameters|\bschema\b",
    re.IGNORECASE,
)
_THINKING = re.compile(
    r"thinking level|thinking is not|does not support thinking|budget \d{1,9} is invalid"
    r"|reasoning is mandatory|reasoning is not",
    re.IGNORECASE,
)
_UN = rf"un(?:supported|known|recogni[sz]ed|expected)\s(?:request\s|keyword\s)?{_KIND}s?"
_IS_NOT = "(?:not (?:supported|allowed|permitted|available)|unsupported|deprecated|no longer)"
_NAMED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_UN}(?:\ssupplied)?:?\s?{_QUOTE}{_NAME}",
        rf"\b{_NAME}['\"`\\]{{0,3}}:\s?(?:extra inputs are not|input should be ['\"])",
        rf"extra_forbidden.{{1,20}}loc.{{1,5}}[\[(]{_QUOTE}body['\"`\\, ]{{1,8}}{_NAME}",
        rf"(?:does|do) not support (?:the )?{_KIND}s?:?\s?{_QUOTE}{_NAME}",
        rf"(?:does|do) not support (?:the )?{_QUOTE}{_NAME}['\"`\\]{{0,3}} {_KIND}",
        rf"{_KIND}s? not supported[^:\n]{{0,40}}:\s?{_QUOTE}{_NAME}",
        rf"\b{_NAME}['\"`\\\]]{{0,3}} (?:is|are) {_IS_NOT}",
    )
)


def refused_field(message: str, *, param: str = "", code: str = "") -> str:
    """Name the field that a refused request complains of; empty where it is about none.

    To be asked of an error whose status already says that the request was at fault: it is
    lenient about wording. What comes back is `FORMAT` for anything about JSON or a schema,
    `THINKING` for anything about how hard to think that names no field, else the server's
    name for the field, which may be dotted.

    Args:
        message: The server's words.
        param: The field as the server names it, where its error has a place for that.
        code: The error's code.

    >>> refused_field("Unsupported parameter: 'temperature' is not supported with this model.")
    'temperature'
    >>> refused_field("This response_format type is unavailable now")
    'response_format'
    >>> refused_field("This model's maximum context length is 8192 tokens.")
    ''
    """
    text = message[:LONGEST]
    complains = _NO.search(text) is not None or code.startswith("unsupported")
    if param:
        if _FORMAT.search(param):
            return FORMAT
        if complains or code.startswith(("unknown", "unrecognized")):
            return FORMAT if _FORMAT.search(text) and param == "messages" else param
        return FORMAT if "must contain the word" in text else ""
    if _THINKING.search(text):
        return THINKING
    if complains or "input should be" in text.casefold():
        named = next((match[1] for p in _NAMED if (match := p.search(text))), "").rstrip(".")
        if named:
            return FORMAT if _FORMAT.search(named) else named
    return FORMAT if _FORMAT.search(text) else ""


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
