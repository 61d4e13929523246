"""What a provider has read before: how many tokens of a prompt it need not read again."""

from dataclasses import dataclass, field

from tests.standins.asked import Asked, Format, mapping, parts

BLOCK = 256  # characters that are remembered or forgotten together
TOKEN = 4  # characters


@dataclass(frozen=True, slots=True)
class Prefix:
    """The beginning of a prompt: what it is known by, and how many characters it has."""

    key: int
    length: int


@dataclass(slots=True)
class PrefixCache:
    """Remembers the beginnings of prompts for each model, for as long as it lives.

    Anthropic's is kept up to each part that is marked with `cache_control`, and not at all
    without a mark. The other formats' are kept in blocks of 256 characters from the first.
    Real ones forget after minutes and pass over short prompts; this one does neither.
    """

    _known: set[int] = field(default_factory=set)

    def prefixes(self, asked: Asked) -> tuple[Prefix, ...]:
        """Give what could be known of a prompt, the shortest first."""
        cut = _marked if asked.format is Format.ANTHROPIC else _blocks
        return cut(asked)

    def known(self, prefixes: tuple[Prefix, ...]) -> int:
        """Count the tokens of the longest beginning that was read before."""
        lengths = (p.length for p in prefixes if p.key in self._known)
        return max(lengths, default=0) // TOKEN

    def keep(self, prefixes: tuple[Prefix, ...]) -> None:
        """Remember the beginnings of a prompt that was answered."""
        self._known.update(p.key for p in prefixes)


def longest(prefixes: tuple[Prefix, ...]) -> int:
    """Count the tokens that are kept of a prompt."""
    return prefixes[-1].length // TOKEN if prefixes else 0


def _blocks(asked: Asked) -> tuple[Prefix, ...]:
    text = "\0".join(f"{m['role']}\0{m['content']}" for m in asked)
    key = hash((asked.format, asked.model))
    found = []
    for end in range(BLOCK, len(text) + 1, BLOCK):
        key = hash((key, text[end - BLOCK : end]))
        found.append(Prefix(key, end))
    return tuple(found)


def _marked(asked: Asked) -> tuple[Prefix, ...]:
    body = asked.recorded.body
    messages = body.get("messages")
    listed = [m for m in messages if mapping(m)] if isinstance(messages, list) else []
    said = [p for m in (body.get("system"), *listed) for p in parts(m)]
    key, length = hash((asked.format, asked.model)), 0
    found: list[Prefix] = []
    for part in said:
        text = str(part.get("text", ""))
        key, length = hash((key, text)), length + len(text)
        if part.get("cache_control"):
            found.append(Prefix(key, length))
    if body.get("cache_control") and said and not said[-1].get("cache_control"):
        found.append(Prefix(key, length))
    return tuple(found)
