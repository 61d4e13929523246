"""What leads to each definition of a package, by imports and names, without running it.

A name counts as used wherever it is written, so what is said to be out of reach is so; a method
is reached with its class.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

DEFINES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@cache
def parse(text: str) -> ast.Module:
    """The tree of a file's text: files are read by many tests."""
    return ast.parse(text)


@cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """Every node of that tree."""
    return tuple(ast.walk(parse(text)))


def parsed(root: Path, package: str) -> dict[str, ast.Module]:
    """Every module of a package below `root`, by its dotted name."""
    files = sorted((root / package).rglob("*.py"))
    dotted = [".".join(file.relative_to(root).with_suffix("").parts) for file in files]
    return {
        name.removesuffix(".__init__"): parse(file.read_text(encoding="utf-8"))
        for name, file in zip(dotted, files, strict=True)
    }


def defined(statement: ast.stmt) -> list[str]:
    """The names that a statement at the top of a module defines; Python's own are none."""
    if isinstance(statement, DEFINES):
        return [] if statement.name.startswith("__") else [statement.name]
    if isinstance(statement, ast.AnnAssign):
        targets: list[ast.expr] = [statement.target]
    else:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [t.id for t in targets if isinstance(t, ast.Name) and not t.id.startswith("__")]
    return names if len(names) == len(targets) else []


def imports(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Every import of a module: the name that it binds, the module it is from, and what of it.

    A table from names to modules stands for imports too.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield alias.asname or alias.name, node.module, alias.name
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                    yield str(key.value), str(value.value), ""
        elif isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                yield alias.asname or top, alias.name if alias.asname else top, ""


@dataclass(frozen=True, slots=True)
class Reach:
    """A package's definitions by dotted name, and what each of its modules imports.

    `loose` holds the statements of a module that define nothing; they run with the module.
    """

    modules: Mapping[str, ast.Module]
    definitions: dict[str, ast.stmt] = field(default_factory=dict)
    loose: dict[str, list[ast.stmt]] = field(default_factory=dict)
    aliases: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for module, tree in self.modules.items():
            self.loose[module] = [s for s in tree.body if not defined(s)]
            for statement in tree.body:
                names = defined(statement)
                self.definitions.update({f"{module}.{name}": statement for name in names})
            for name, source, what in imports(tree):
                if source in self.modules:
                    self.aliases[f"{module}.{name}"] = source, what

    def resolve(self, module: str, names: Iterable[str]) -> str | None:
        """Follow names from a module, through imports, to a definition or to a module."""
        left = list(names)
        if not left:
            return None
        while left:
            dotted = f"{module}.{left.pop(0)}"
            source, what = self.aliases.get(dotted, ("", ""))
            if dotted in self.definitions:
                return dotted
            if what and f"{source}.{what}" != dotted:
                module, left = source, [what, *left]
            elif source and not what:
                module = source
            elif dotted in self.modules:
                module = dotted
            else:
                return None
        return module

    def absolute(self, dotted: str) -> str | None:
        """Find what a full name such as `arena.cli:main` stands for."""
        root, *names = re.split(r"[.:]", dotted)
        return self.resolve(root, names) if root in self.modules else None

    def uses(self, module: str, statement: ast.AST) -> Iterator[str]:
        """Every definition and module that a statement names, in code or as a full name.

        What a function imports for itself is named by that.
        """
        for node in ast.walk(statement):
            if isinstance(node, ast.Name | ast.Attribute):
                yield from filter(None, [self.resolve(module, chain(node))])
            elif isinstance(node, ast.ImportFrom) and isinstance(statement, DEFINES):
                said = (self.absolute(f"{node.module}.{alias.name}") for alias in node.names)
                yield from filter(None, said)
            elif isinstance(node, ast.JoinedStr):
                yield from self.composed(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names = [self.absolute(node.value)]
                names += [self.resolve(module, [node.value])]
                yield from filter(None, names)

    def composed(self, text: ast.JoinedStr) -> Iterator[str]:
        """Every public definition of the modules whose names an f-string can make."""
        parts = [v.value if isinstance(v, ast.Constant) else None for v in text.values]
        if str(parts[0] if parts else None).split(".")[0] not in self.modules:
            return
        pattern = "".join(r"\w+" if p is None else re.escape(str(p)) for p in parts)
        for dotted in self.definitions:
            module, _, name = dotted.rpartition(".")
            if re.fullmatch(pattern, module) and not name.startswith("_"):
                yield dotted

    def reached(self, roots: Iterable[str]) -> set[str]:
        """Every definition and module that some definitions and modules lead to."""
        seen: set[str] = set()
        todo = list(roots)
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in self.modules:
                statements, module = self.loose[name], name
            else:
                module = name.rpartition(".")[0]
                statements = [self.definitions[name]]
                todo.append(module)
            for statement in statements:
                todo += self.uses(module, statement)
        return seen

    def unreached(self, roots: Iterable[str]) -> set[str]:
        """Every definition that nothing leads to."""
        return set(self.definitions) - self.reached(roots)


def chain(node: ast.expr) -> list[str]:
    """The names of `a.b.c`; none where it does not begin with a name."""
    if isinstance(node, ast.Name):
        return [node.id]
    below = chain(node.value) if isinstance(node, ast.Attribute) else []
    return [*below, node.attr] if isinstance(node, ast.Attribute) and below else []
