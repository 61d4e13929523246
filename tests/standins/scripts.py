"""What a model's server says to whom and when: replies, put together from smaller ones."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, repeat

from tests.standins.asked import Asked, Format
from tests.standins.bettors import small_bettor
from tests.standins.misbehaviour import BLOCKED, Ill, Misbehaviour, ails, fails

Reply = Callable[[str, Asked], str | Misbehaviour]
Saying = str | Misbehaviour | Reply

_DEEPEST = 3
_CONTENT = frozenset({"contents", "input", "messages", "schema", "responseJsonSchema"})


def said_by(saying: Saying, model: str, asked: Asked) -> Misbehaviour:
    """Give what is said to whoever asked: bare words are a completion."""
    said = saying(model, asked) if callable(saying) else saying
    return Misbehaviour(content=said) if isinstance(said, str) else said


def in_turn(*replies: Saying) -> Reply:
    """Give the replies one after the other, and the last one from then on."""
    script = chain(replies, repeat(replies[-1]))

    def reply(model: str, asked: Asked) -> Misbehaviour:
        return said_by(next(script), model, asked)

    return reply


def by_model(replies: Mapping[str, Saying], *, others: Saying = small_bettor) -> Reply:
    """Let each model reply in its own way."""

    def reply(model: str, asked: Asked) -> Misbehaviour:
        return said_by(replies.get(model, others), model, asked)

    return reply


def like(manner: Misbehaviour, *, then: Saying = small_bettor) -> Reply:
    """Say the words of another reply in a manner: slowly, thinking, in a dialect."""

    def reply(model: str, asked: Asked) -> Misbehaviour:
        said = saying(model, asked) if callable(saying := then) else saying
        return replace(manner, content=said) if isinstance(said, str) else said

    return reply


def refuses(*fields: str, then: Saying = small_bettor, words: str = "") -> Reply:
    """Refuse requests that hold a field, by its name or dotted path, one field at a time.

    Args:
        fields: What is refused.
        then: What is said once the fields are gone.
        words: The complaint, with `{field}` in it, and no field named beside it; empty takes
            the words of the format's provider.
    """

    def reply(model: str, asked: Asked) -> Misbehaviour:
        for path in sorted(_paths(asked.recorded.body)):
            if path in fields or path.rpartition(".")[2] in fields:
                complaint = fails(400, words.format(field=path))
                return complaint if words else ails(Ill.FIELD, field=path)
        return said_by(then, model, asked)

    return reply


def refuses_schemas(*, then: Saying = small_bettor) -> Reply:
    """Refuse requests for an answer that follows a JSON schema."""

    def reply(model: str, asked: Asked) -> Misbehaviour:
        if asked.schema is not None:
            field = "text.format" if asked.format is Format.RESPONSES else "response_format"
            return ails(Ill.SCHEMA, field=field)
        return said_by(then, model, asked)

    return reply


def poisoned(text: str, *, then: Saying = small_bettor, instead: Saying = BLOCKED) -> Reply:
    """Refuse every prompt that holds a text, as a moderator does who misreads it."""

    def reply(model: str, asked: Asked) -> Misbehaviour:
        whole = asked.system + asked.user
        return said_by(instead if text in whole else then, model, asked)

    return reply


def complains_of_key(model: str, asked: Asked) -> Misbehaviour:  # noqa: ARG001  a Reply
    """Turn the key down, and repeat it."""
    return fails(401, f"Incorrect API key provided: {asked.recorded.key}.", code="bad_key")


def says_key(model: str, asked: Asked) -> str:  # noqa: ARG001  a Reply
    """Answer with the key."""
    return f"Your key is {asked.recorded.key}"


def _paths(held: Mapping[str, object], before: str = "", depth: int = 0) -> Iterator[str]:
    for name, value in held.items():
        yield f"{before}{name}"
        if isinstance(value, Mapping) and name not in _CONTENT and depth < _DEEPEST:
            yield from _paths(value, f"{before}{name}.", depth + 1)
