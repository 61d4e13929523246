"""Formulas as a reader writes them, turned into MathML: there is one text of each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(r"\s*([A-Za-z]+|[0-9]+(?:\.[0-9]+)?|[()^_/*+=,Σ-])")
_SHOWN = {"-": "\N{MINUS SIGN}", "*": "\N{MULTIPLICATION SIGN}"}
_GREEK = {
    "alpha": "\N{GREEK SMALL LETTER ALPHA}",
    "beta": "\N{GREEK SMALL LETTER BETA}",
    "epsilon": "\N{GREEK SMALL LETTER EPSILON}",
}
_RELATIONS = ("=", ",")
_SUMS = ("+", "-")


class FormulaError(ValueError):
    """A formula of ours is misspelt: a defect in this program."""


def mathml(formula: str) -> str:
    """Turn a formula into a `<math>` element.

    Known are names of letters (`alpha` is shown as the Greek one), numbers,
    `= , + - * / ^ _ Σ` and round brackets; what
    stands next to a slash on either side becomes a fraction.

    Raises:
        FormulaError: It is spelt in another way.

    >>> mathml("P / K")
    '<math displaystyle="true" alttext="P / K"><mfrac><mi>P</mi><mi>K</mi></mfrac></math>'
    """
    reader = _FormulaReader(list(_words(formula)))
    inside = reader.chain(_RELATIONS)
    if reader.ahead:
        raise FormulaError(f"cannot read {formula!r} from {reader.ahead!r} on")
    return f'<math displaystyle="true" alttext="{formula}">{inside}</math>'


def _words(formula: str) -> Iterator[str]:
    at = 0
    while at < len(formula):
        match = _TOKEN.match(formula, at)
        if match is None:
            raise FormulaError(f"cannot read {formula!r} from character {at} on")
        yield match[1]
        at = match.end()


@dataclass(slots=True)
class _FormulaReader:
    """Reads words from the front, binding tightest last."""

    words: list[str]

    @property
    def ahead(self) -> str:
        return self.words[0] if self.words else ""

    def take(self) -> str:
        if not self.words:
            raise FormulaError("a formula ends too early")
        return self.words.pop(0)

    def chain(self, operators: tuple[str, ...]) -> str:
        """Terms with operators between them: relations of sums, or sums of products."""
        inner = self.sum if operators is _RELATIONS else self.product
        text = inner()
        while self.ahead in operators and self.ahead:
            text += _operator(self.take()) + inner()
        return text

    def sum(self) -> str:
        sign = _operator(self.take()) if self.ahead == "-" else ""
        return sign + self.chain(_SUMS)

    def product(self) -> str:
        factors = [self.power()]
        while self.ahead in {"*", "/"}:
            if self.take() == "/":
                over, under = _bare(factors.pop()), _bare(self.power())
                factors.append(f"<mfrac>{over}{under}</mfrac>")
            else:
                factors.append(self.power())
        return _operator("*").join(factors)

    def power(self) -> str:
        text = self.atom()
        if self.ahead == "^":
            self.take()
            text = f"<msup>{text}{self.atom()}</msup>"
        return text

    def atom(self) -> str:
        word = self.take()
        if word == "Σ":
            return f"<mrow><mo>Σ</mo>{self.power()}</mrow>"
        if word == "(":
            return self.bracket()
        if word[0].isdigit():
            return f"<mn>{word}</mn>"
        if not word.isalpha():
            raise FormulaError(f"{word!r} stands where a name or a number should")
        return self.name(word)

    def name(self, word: str) -> str:
        text = f"<mi>{_GREEK.get(word, word)}</mi>"
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


def _operator(sign: str) -> str:
    return f"<mo>{_SHOWN.get(sign, sign)}</mo>"


def _bare(text: str) -> str:
    """Drop the brackets that a fraction's bar stands for."""
    opening, closing = "<mrow><mo>(</mo>", "<mo>)</mo></mrow>"
    if text.startswith(opening) and text.endswith(closing) and text.count("<mo>(</mo>") == 1:
        return f"<mrow>{text[len(opening) : -len(closing)]}</mrow>"
    return text
