"""What the page of methods shows."""

from dataclasses import dataclass

from arena.site.views.parts import Fact, Head


@dataclass(frozen=True, slots=True)
class Method:
    """How one number comes about. `formulas` are MathML of our own making, not escaped."""

    key: str
    name: str
    symbol: str
    formulas: tuple[str, ...]
    words: str
    unit: str
    better: str
    interval: str
    reference: str
    source: str
    caveat: str


@dataclass(frozen=True, slots=True)
class MethodChapter:
    """A heading and the numbers below it."""

    key: str
    title: str
    methods: tuple[Method, ...]


@dataclass(frozen=True, slots=True)
class MethodologyPage:
    """templates/site/methodology.html."""

    head: Head
    chapters: tuple[MethodChapter, ...]
    symbols: tuple[Fact, ...]
