"""How many small changes of the program its tests notice: a sample of mutants, and the score.

    python -m benchmarks.mutants arena/ledger arena/stats/columns.py --sample 40 --seed 1

A mutant is a file with one change: a comparison, an operator, a number, a truth or a `not`. It
is killed if a test fails of those that import its module and stand in the folder of the same
name, or among the laws. The changed file is in a copy of the project, in a temporary folder.
"""

import argparse
import ast
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import scipy.stats  # noqa: F401  what tests import is loaded once, not for each mutant

ROOT = Path(__file__).parents[1]
COPIED = ("arena", "tests", "templates", "cohorts", "docs", "config.yaml", "pyproject.toml")
HANGS = 900  # seconds, after which a mutant whose tests do not end counts as killed
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.USub: ast.UAdd,
}  # fmt: skip
NAMES = {"all": "any", "any": "all", "min": "max", "max": "min"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file of the program with one change."""

    file: Path
    line: int
    change: str
    text: str


def mutants(file: Path) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of its places."""
    source = file.read_text(encoding="utf-8")
    for number, _ in enumerate(places(ast.parse(source))):
        tree = ast.parse(source)
        node = list(places(tree))[number]
        before = ast.unparse(node)
        mutate(node)
        yield Mutant(file, node.lineno, f"{before} -> {ast.unparse(node)}", ast.unparse(tree))


def places(node: ast.AST) -> Iterator[ast.expr]:
    """What can be changed below a node; types and decorators are left alone."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.expr) and may_change(child):
                yield child
            if isinstance(child, ast.AST):
                yield from places(child)


def may_change(node: ast.expr) -> bool:
    """Whether a mutant can be made here."""
    match node:
        case ast.Compare():
            return type(node.ops[0]) in SWAPS
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.UnaryOp(op=op):
            return type(op) in SWAPS or isinstance(op, ast.Not)
        case ast.Constant():
            return isinstance(node.value, bool | int | float)
        case ast.Name(id=name):
            return name in NAMES
        case _:
            return False


def mutate(node: ast.expr) -> None:
    """Change a place that may be changed."""
    match node:
        case ast.Compare():
            node.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[call-overload]
        case ast.UnaryOp(op=ast.Not()):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.BinOp() | ast.BoolOp() | ast.UnaryOp():
            node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value) | float(value)):
            node.value = value + 1
        case ast.Name():
            node.id = NAMES[node.id]


def tests_of(file: Path) -> list[str]:
    """The tests that import a module, of its own folder and of the laws."""
    module = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
    folders = (ROOT / "tests" / file.parts[1], ROOT / "tests" / "laws")
    return [
        str(test.relative_to(ROOT))
        for folder in folders
        for test in sorted(folder.rglob("test_*.py"))
        if f"{module} " in test.read_text(encoding="utf-8")
    ]


def run(tests: Sequence[str], folder: Path) -> None:
    """Run tests in silence, and end this process with what they come to."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = str(folder)
    sys.dont_write_bytecode = True
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    signal.alarm(HANGS)
    os._exit(pytest.main(["-x", "-p", "no:cacheprovider", *tests]))


def passes(tests: Sequence[str], folder: Path) -> bool:
    """Run tests on the copy of the project in a process of their own."""
    child = os.fork()
    if child == 0:
        try:
            run(tests, folder)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def killed(mutant: Mutant, tests: Sequence[str], folder: Path) -> bool:
    """Whether tests notice a mutant."""
    copy = folder / mutant.file
    copy.write_text(mutant.text, encoding="utf-8")
    noticed = not passes(tests, folder)
    shutil.copy(ROOT / mutant.file, copy)
    return noticed


def drawn(named: Sequence[Path], sample: int, seed: int) -> list[Mutant]:
    """So many mutants of some files or folders."""
    files = [
        f for path in named for f in (sorted(path.rglob("*.py")) if path.is_dir() else [path])
    ]
    every = [mutant for file in files for mutant in mutants(file) if tests_of(file)]
    order = np.random.default_rng(seed).permutation(len(every))
    return [every[n] for n in sorted(order[:sample])]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("files", nargs="+", type=Path, help="files or folders below arena/")
    asked.add_argument("--sample", type=int, default=30, help="how many mutants are drawn")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--least", type=float, default=0.0, help="per cent that must be killed")
    given = asked.parse_args()
    chosen = drawn(given.files, given.sample, given.seed)
    alive = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, folder / name)
        every = sorted({test for mutant in chosen for test in tests_of(mutant.file)})
        if not passes(every, folder):
            sys.exit(f"these tests fail without a mutant: {' '.join(every)}")
        for mutant in chosen:
            if not killed(mutant, tests_of(mutant.file), folder):
                alive += 1
                print(f"survives: {mutant.file}:{mutant.line}: {mutant.change}", flush=True)
    score = 100 * (1 - alive / len(chosen)) if chosen else 0.0
    print(f"{len(chosen) - alive} of {len(chosen)} mutants are killed: {score:.0f} per cent")
    sys.exit(score < given.least)


if __name__ == "__main__":
    main()
