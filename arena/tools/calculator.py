"""A calculator: arithmetic of numbers, and nothing that a name or a call could reach."""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from arena.errors import ArenaError
from arena.ports import ToolDeclaration, ToolReply

LONGEST: Final = 500  # characters of an expression
MOST_BITS: Final = 1024  # of a whole number, and about what a float holds
_OPERATORS: Final[Mapping[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_PARAMETERS: Final = (
    '{"type":"object","properties":{"expression":{"type":"string","description":'
    '"such as (1 - 0.97 ** 30) / 2"}},"required":["expression"],"additionalProperties":false}'
)


@dataclass(frozen=True, slots=True)
class Calculator:
    """Works out an expression of numbers, brackets and + - * / // % **."""

    declared: tuple[ToolDeclaration, ...]

    @classmethod
    def named(cls, name: str) -> "Calculator":
        """Make one that models know by a name."""
        words = "Work out an expression of numbers, brackets and + - * / // % **."
        return cls((ToolDeclaration(name, words, _PARAMETERS),))

    async def listed(self) -> tuple[ToolDeclaration, ...]:
        """Give what there is to call."""
        return self.declared

    async def call(
        self, name: str, arguments: Mapping[str, object], as_of: datetime
    ) -> ToolReply:
        """Give the `value` of an `expression`."""
        del name, as_of
        return ToolReply({"value": worked_out(str(arguments.get("expression", "")))})


def worked_out(expression: str) -> float:
    """Work out an expression; every number on the way has at most 1,024 bits.

    >>> worked_out("2 * (3 + 4) ** 2"), worked_out("1 / 8")
    (98, 0.125)

    Raises:
        ArenaError: `tool.arguments`: it is too long, is no arithmetic, or has no value.
    """
    if len(expression) > LONGEST:
        raise _wrong(f"an expression has at most {LONGEST} characters")
    try:
        return _value(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise _wrong("it is no arithmetic") from error
    except (ArithmeticError, ValueError) as error:
        raise _wrong(f"it has no value: {error}") from error


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and type(node.value) in {int, float}:
        return _bounded(node.value)  # type: ignore[arg-type]  # it is one of both
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _value(node.operand)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow):
            _refuse_power(left, right)
        return _bounded(_OPERATORS[type(node.op)](left, right))
    raise _wrong("it has something that is neither a number nor one of + - * / // % **")


def _refuse_power(base: float, exponent: float) -> None:
    """Refuse a power before it is worked out: that of whole numbers may be of any length."""
    if isinstance(base, int) and abs(exponent) * base.bit_length() > MOST_BITS:
        raise _wrong("the power is too large")


def _bounded(value: float) -> float:
    if isinstance(value, complex):
        raise _wrong("the value is not real")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise _wrong("the value is too large")
    if value in {float("inf"), float("-inf")} or value != value:  # noqa: PLR0124  NaN
        raise _wrong("the value is too large")
    return value


def _wrong(what: str) -> ArenaError:
    return ArenaError("tool.arguments", what, status=2)
