"""Formulas as a reader writes them, turned into MathML: there is one text of each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(r"\s*([A-Za-z]+|[0-9]+(?:\.[0-9]+)?|[()^_/×+−=,Σ])")
_RELATIONS = ("=", ",")
_SUMS = ("+", "−")


class FormulaError(ValueError):
    """A formula of ours is misspelt: a defect in this program."""


def mathml(formula: str) -> str:
    """Turn a formula into a `<math>` element.

    Known are names of letters, numbers, `= , + − × / ^ _ Σ` and round brackets; what stands
    on both sides of a slash becomes a fraction.

    Raises:
        FormulaError: It is spelt in another way.

    >>> mathml("r = P / K")
    '<math><mi>r</mi><mo>=</mo><mfrac><mi>P</mi><mi>K</mi></mfrac></math>'
    """
    reader = _Reader(list(_tokens(formula)))
    inside = reader.chain(_RELATIONS)
    if reader.ahead:
        raise FormulaError(f"cannot read {formula!r} from {reader.ahead!r} on")
    return f"<math>{inside}</math>"


def _tokens(formula: str) -> Iterator[str]:
    at = 0
    while at < len(formula):
        found = _TOKEN.match(formula, at)
        if found is None:
            raise FormulaError(f"cannot read {formula!r} from character {at} on")
        yield found[1]
        at = found.end()


@dataclass(slots=True)
class _Reader:
    """Reads tokens from the front, binding tightest last."""

    tokens: list[str]

    @property
    def ahead(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self) -> str:
        if not self.tokens:
            raise FormulaError("a formula ends too early")
        return self.tokens.pop(0)

    def chain(self, operators: tuple[str, ...]) -> str:
        """Terms with operators between them: relations of sums, or sums of products."""
        inner = self.sum if operators is _RELATIONS else self.product
        text = inner()
        while self.ahead in operators and self.ahead:
            text += f"<mo>{self.take()}</mo>" + inner()
        return text

    def sum(self) -> str:
        sign = f"<mo>{self.take()}</mo>" if self.ahead == "−" else ""
        return sign + self.chain(_SUMS)

    def product(self) -> str:
        text = self.power()
        while self.ahead in {"×", "/"}:
            if self.take() == "/":
                text = f"<mfrac>{_bare(text)}{_bare(self.power())}</mfrac>"
            else:
                text += "<mo>×</mo>" + self.power()
        return text

    def power(self) -> str:
        text = self.atom()
        if self.ahead == "^":
            self.take()
            text = f"<msup>{text}{self.atom()}</msup>"
        return text

    def atom(self) -> str:
        token = self.take()
        if token == "Σ":
            return f"<mrow><mo>Σ</mo>{self.power()}</mrow>"
        if token == "(":
            return self.bracket()
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if not token.isalpha():
            raise FormulaError(f"{token!r} stands where a name or a number should")
        return self.name(token)

    def name(self, token: str) -> str:
        text = f"<mi>{token}</mi>"
        if self.ahead == "_":
            self.take()
            text = f"<msub>{text}{self.atom()}</msub>"
        if self.ahead == "(":
            self.take()
            text = f"<mrow>{text}{self.bracket()}</mrow>"
        return text

    def bracket(self) -> str:
        inside = self.chain(_RELATIONS)
        if self.take() != ")":
            raise FormulaError("a bracket is not closed")
        return f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>"


def _bare(text: str) -> str:
    """Drop the brackets that a fraction's bar stands for."""
    opening, closing = "<mrow><mo>(</mo>", "<mo>)</mo></mrow>"
    if text.startswith(opening) and text.endswith(closing) and text.count("<mo>(</mo>") == 1:
        return f"<mrow>{text[len(opening) : -len(closing)]}</mrow>"
    return text
