"""What the tape says of a turn's calls: how they were asked, what they took, what failed."""

from collections.abc import Iterable
from datetime import timedelta

from arena.metrics import figures
from arena.records.answer import Attempt, Usage
from arena.site.pages.decisions.model_text import joined
from arena.site.pages.decisions.view import CallRow, TryRow
from arena.site.pages.parts.parts import Cell, Fact
from arena.site.reading import LABEL, QUESTION, shown_moment
from arena.site.sanitize import one_line
from arena.store.pages.turns import CallCard, TurnCard

MOST_CALLS = 20
MOST_TRIES = 40
NOT_SAID = "not said"


def asked_facts(card: TurnCard) -> tuple[Fact, ...]:
    """How a turn's model was asked; nothing where none was."""
    if not card.calls:
        return ()
    return (
        Fact("asked for", _several(call.llm for call in card.calls)),
        Fact("answered as", _several(call.model for call in card.calls)),
        Fact("route", _several(call.route for call in card.calls)),
        Fact("tier", _several(call.tier for call in card.calls)),
        Fact("finish", _several(call.finish for call in card.calls)),
        Fact("left out of the request", _adapted(card)),
    )


def taken_facts(card: TurnCard) -> tuple[Fact, ...]:
    """What a turn took in tokens, dollars and time; what is unknown is n/a."""
    answer = card.answer
    usage = answer.usage if answer else Usage()
    latency = answer.latency_ms if answer else None
    return (
        Fact("tokens in", _count(usage.tokens_in), _of_them(usage.tokens_cached, "cached")),
        Fact(
            "tokens out",
            _count(usage.tokens_out),
            _of_them(usage.tokens_reasoning, "reasoning"),
        ),
        Fact(
            "cost",
            figures.dollars(usage.cost, 4 if usage.cost else 2),
            one_line(usage.priced, LABEL) if usage.priced else "",
        ),
        Fact("latency", _seconds(latency)),
        Fact("calls", figures.count(card.turn.conduct.calls), _reasks(card)),
        Fact("attempts", figures.count(len(card.attempts)), _troubled(card)),
    )


def call_rows(card: TurnCard) -> tuple[CallRow, ...]:
    """The calls of a turn that took more than one."""
    several = card.calls[:MOST_CALLS] if len(card.calls) > 1 else ()
    return tuple(_call_row(call) for call in several)


def try_rows(card: TurnCard) -> tuple[TryRow, ...]:
    """The attempts of a turn, where there were several or one had trouble."""
    tried = card.attempts
    if len(tried) < 2 and not any(attempt.trouble for _, attempt in tried):  # noqa: PLR2004
        return ()
    return tuple(_try_row(call, attempt) for call, attempt in tried[:MOST_TRIES])


def _call_row(call: CallCard) -> CallRow:
    usage = call.usage
    words = f"{_count(usage.tokens_in)} / {_count(usage.tokens_out)}"
    return CallRow(
        one_line(call.name, LABEL),
        shown_moment(call.at),
        one_line(call.model or call.llm, LABEL),
        joined((one_line(call.finish, LABEL) if call.finish else "", call.trouble or "")),
        Cell(words, _of_them(usage.tokens_cached, "cached"), usage.tokens_out),
        Cell(figures.dollars(usage.cost, 4), "", usage.cost),
        Cell(_seconds(call.latency_ms), "", call.latency_ms / 1000),
    )


def _try_row(call: str, attempt: Attempt) -> TryRow:
    trouble = joined(
        (
            attempt.trouble or "none",
            one_line(attempt.detail, QUESTION) if attempt.detail else "",
        )
    )
    return TryRow(
        one_line(call, LABEL) if call else "the turn",
        str(attempt.status) if attempt.status else "no answer",
        trouble,
        Cell(_seconds(attempt.latency_ms), "", attempt.latency_ms / 1000),
    )


def _several(words: Iterable[str]) -> str:
    """What calls say, each thing once; most turns have one call."""
    return ", ".join(one_line(word, LABEL) for word in dict.fromkeys(words) if word) or NOT_SAID


def _adapted(card: TurnCard) -> str:
    left_out = [name for call in card.calls for name in call.adapted]
    return _several(left_out) if left_out else "nothing"


def _count(tokens: int | None) -> str:
    return figures.MISSING if tokens is None else figures.count(tokens)


def _of_them(tokens: int | None, what: str) -> str:
    return "" if tokens is None else f"{figures.count(tokens)} {what}"


def _seconds(milliseconds: int | None) -> str:
    if milliseconds is None:
        return figures.MISSING
    if milliseconds >= 60_000:  # noqa: PLR2004  # a minute
        return figures.span(timedelta(milliseconds=milliseconds))
    return f"{milliseconds / 1000:,.1f} s"


def _reasks(card: TurnCard) -> str:
    reasks = card.turn.conduct.reasks
    return f"{figures.many(reasks, 'time')} asked again" if reasks else ""


def _troubled(card: TurnCard) -> str:
    failed = sum(attempt.trouble is not None for _, attempt in card.attempts)
    return f"{failed} with trouble" if failed else ""
