"""The one door to Jinja: templates in, text out."""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version
from keyword import iskeyword
from pathlib import PurePath
from types import TracebackType
from typing import Any

import jinja2
from jinja2 import (
    FileSystemLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    meta,
    nodes,
)
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape

from arena.bundle import templates as shipped
from arena.errors import ArenaError
from arena.metrics.figures import steady

__all__ = [
    "Environment",
    "closure_digest",
    "environment",
    "load",
    "names_below",
    "render",
    "source",
    "source_digest",
]

PLAIN = ".md.j2"


def _escaped(value: object) -> str:
    """Escape for HTML what has to be: most words have nothing, and stay as they are.

    A bare float has 12 significant digits, as everything that is published.
    """
    if value.__class__ is str:
        text = value
    elif value.__class__ is Markup:
        return value
    elif hasattr(value, "__html__"):
        return escape(value)
    else:
        text = str(steady(value))
    if "&" in text or "<" in text or ">" in text or '"' in text or "'" in text:
        return escape(text)
    return text


class _Code(CodeGenerator):
    """Writes pages as Jinja does, but so that they are filled in faster.

    What is shown is escaped by `_escaped`, which takes a tenth as long, and `a.b` is an
    attribute alone, never an item: a page asks for hundreds.
    """

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802  # Jinja's
        if not frame.eval_ctx.autoescape or iskeyword(node.attr):
            super().visit_Getattr(node, frame)
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(f").{node.attr}")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:  # noqa: ANN401  # a private type
        if frame.eval_ctx.autoescape and not frame.eval_ctx.volatile:
            self.write("environment.escaped(" + (finalize.src or ""))
        else:
            super()._output_child_pre(node, frame, finalize)


class Environment(jinja2.Environment):
    """A folder of templates whose text is escaped fast."""

    code_generator_class = _Code
    escaped = staticmethod(_escaped)

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  those of Jinja
        super().__init__(**options)
        self._named: dict[str, tuple[str | None, ...]] = {}

    def named_in(self, text: str) -> tuple[str | None, ...]:
        """The templates that a template's text names; None where an expression does."""
        if text not in self._named:
            self.parse(text)
        return self._named[text]

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Note what a text names when it is compiled: parsing takes longer than most pages."""
        tree = super()._parse(source, name, filename)
        self._named[source] = tuple(meta.find_referenced_templates(tree))
        return tree


@lru_cache(maxsize=8)
def environment(templates: PurePath) -> Environment:
    """Open a folder of templates; opened once, it compiles again only what has changed.

    A template that the folder does not have is the one that comes with the arena.
    Everything is escaped for HTML except prompts (`*.md.j2`), which are plain text. A name
    that a template was not given is an error, not an empty space.
    """
    return Environment(
        loader=FileSystemLoader([str(templates), str(shipped())]),
        autoescape=_is_escaped,  # prompts are no HTML, all else is
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(env: Environment, template: str, /, **names: object) -> str:
    """Fill in one template, named by its path below the folder.

    Raises:
        ArenaError: The template is missing or broken.
    """
    loaded = load(env, template)
    try:
        return loaded.render(names)
    except (TemplateError, AttributeError) as error:
        raise _broken(loaded.filename or template, error) from error


def load(env: Environment, template: str) -> Template:
    """Find and compile a template, so that a mistake in it shows before it is needed.

    Raises:
        ArenaError: The template is missing or broken.
    """
    try:
        return env.get_template(template)
    except TemplateNotFound as error:
        raise _missing(env, template) from error
    except TemplateError as error:
        raise _broken(template, error) from error


def names_below(env: Environment, folder: str, *extensions: str) -> list[str]:
    """Name the templates in a folder and the folders in it, in alphabetical order.

    >>> names_below(environment(shipped()), "prompts", "j2")[:2]
    ['prompts/decide.system.md.j2', 'prompts/decide.user.md.j2']
    """
    there = env.list_templates(extensions=extensions)
    return [name for name in there if name.startswith(f"{folder}/")]


def source(env: Environment, template: str) -> str:
    """Read a template's text as it is, unfilled.

    Raises:
        ArenaError: The template is missing.
    """
    try:
        return env.loader.get_source(env, template)[0] if env.loader else ""
    except TemplateNotFound as error:
        raise _missing(env, template) from error


def source_digest(env: Environment, template: str) -> str:
    """Name a template's text by its SHA-256, in hexadecimal.

    Raises:
        ArenaError: The template is missing.
    """
    return hashlib.sha256(source(env, template).encode()).hexdigest()


def closure_digest(env: Environment, template: str) -> str:
    """Name by its SHA-256 what fills a template in: it, all that it draws on, and Jinja.

    Raises:
        ArenaError: A template is missing or broken, or names another only when it is filled.
    """
    digest = hashlib.sha256(version("jinja2").encode())
    for name in sorted(drawn_on(env, template)):
        digest.update(f"{name}\0{source_digest(env, name)}\0".encode())
    return digest.hexdigest()


def drawn_on(env: Environment, template: str) -> Iterator[str]:
    """A template and every other that it extends, imports or includes."""
    seen, waiting = set[str](), [template]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        yield name
        load(env, name)
        for other in env.named_in(source(env, name)):
            if other is None:
                raise ArenaError(
                    "template.broken",
                    f"{name} names a template by an expression",
                    hint="name it by its path: a build must know what a page is made of",
                    status=2,
                )
            waiting.append(other)


def _is_escaped(template: str | None) -> bool:
    return template is None or not template.endswith(PLAIN)


def _missing(env: Environment, template: str) -> ArenaError:
    folders = env.loader.searchpath if isinstance(env.loader, FileSystemLoader) else []
    return ArenaError(
        "template.missing",
        f"there is no template {template}",
        hint=f"it belongs in {', '.join(folders[:1])}",
        status=2,
    )


def _broken(template: str, error: TemplateError | AttributeError) -> ArenaError:
    where = _deepest_line(error.__traceback__) or template
    words = error.message if isinstance(error, TemplateError) else str(error)
    if isinstance(error, TemplateSyntaxError):
        where = f"{error.filename or template}, line {error.lineno}"
    return ArenaError(
        "template.broken",
        f"{where}: {words or type(error).__name__}",
        hint="mend the template, or take the one that came with the arena",
        status=2,
    )


def _deepest_line(trace: TracebackType | None) -> str:
    """Find where a template failed: Jinja writes tracebacks in terms of its templates."""
    where = ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.endswith(".py"):
            where = f"{file}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return where
