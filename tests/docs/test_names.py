"""What the documentation names is there: functions, modules, files, commands, links."""

import importlib
import re
import shlex
from collections.abc import Iterator, Sequence

import click
import pytest

from arena import __version__
from arena.cli import arena
from tests.docs.pages import DOCS, PAGES, ROOT, Page, page

DOTTED = re.compile(r"arena(?:\.[A-Za-z_]\w*)+")
OURS = re.compile(r"(?:arena|benchmarks|cohorts|docs|templates|tests)/[\w./\-]*")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SHELLS = ("sh", "bash", "shell", "console")
ELSEWHERE = ("http://", "https://", "mailto:")


def resolve(dotted: str) -> object:
    """Import the longest module of a dotted name and read the rest off it."""
    parts = dotted.split(".")
    for split in range(len(parts), 0, -1):
        name = ".".join(parts[:split])
        try:
            found: object = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            continue
        for attribute in parts[split:]:
            found = getattr(found, attribute)
        return found
    raise ModuleNotFoundError(dotted)


def named(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """What a pattern matches whole among the inline code of each page."""
    found = [(p.name, c) for p in PAGES for c in p.codes if pattern.fullmatch(c)]
    return sorted(set(found))


@pytest.mark.parametrize(("where", "name"), named(DOTTED))
def test_every_dotted_name_is_in_the_code(where: str, name: str) -> None:
    assert resolve(name) is not None, where


@pytest.mark.parametrize(("where", "name"), named(OURS))
def test_every_file_that_is_named_is_there(where: str, name: str) -> None:
    assert (ROOT / name).exists(), where


def links() -> list[tuple[str, str]]:
    return sorted({(p.name, target) for p in PAGES for target in LINK.findall(p.prose)})


@pytest.mark.parametrize(("where", "target"), links())
def test_every_link_inside_the_project_leads_somewhere(where: str, target: str) -> None:
    if target.startswith(ELSEWHERE):
        return
    path, _, anchor = target.partition("#")
    found = ((ROOT / where).parent / path).resolve() if path else ROOT / where
    assert found.exists()
    if anchor:
        assert found.suffix == ".md"
        assert anchor in Page(found).anchors


def test_the_index_lists_every_page() -> None:
    linked = {target for where, target in links() if where == "docs/README.md"}
    others = {p.path.name for p in DOCS} - {"README.md"}
    assert others <= linked


def shell_lines(found: Page) -> Iterator[str]:
    """The commands of a page's shell blocks; of a session, what follows its prompts."""
    for fence in found.fenced(*SHELLS):
        lines = fence.text.replace("\\\n", " ").splitlines()
        prompted = any(line.startswith("$ ") for line in lines)
        for line in lines:
            if line.startswith("$ ") or not prompted:
                yield line.removeprefix("$ ")


def commands_of(line: str) -> Iterator[list[str]]:
    """The simple commands of a line, without assignments before and redirections after."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words: list[str] = []
    for token in [*lexer, ";"]:
        if set(token) <= set(";|&()<>"):
            if words and words[0] not in {"", ">"}:
                yield words
            words = [">"] if set(token) & set("<>") else []
        elif words or not re.fullmatch(r"\w+=.*", token):
            words.append(token)


def said_commands() -> list[tuple[str, tuple[str, ...]]]:
    """Every `arena ...` of a shell block, each as its arguments."""
    found = set()
    for where in PAGES:
        for line in shell_lines(where):
            for words in commands_of(line):
                if words[0].rsplit("/", 1)[-1] == "arena":
                    found.add((where.name, tuple(words[1:])))
    return sorted(found)


def parse(arguments: Sequence[str]) -> tuple[click.Command, dict[str, object]]:
    """Read arguments as the command line would, without running anything.

    Raises:
        click.UsageError: There is no such command or option, or a value does not fit.
    """
    command: click.Command = arena
    left = list(arguments)
    context = click.Context(arena, info_name="arena")
    while True:
        values, left, _ = command.make_parser(context).parse_args(left)
        if not isinstance(command, click.Group) or not left:
            break
        name, *left = left
        found = command.get_command(context, name)
        if found is None:
            raise click.UsageError(f"there is no command {name}")
        command, context = found, click.Context(found, context, info_name=name)
    if left:
        raise click.UsageError(f"{left[0]} is one argument too many")
    for parameter in command.params:
        value = values.get(parameter.name or "")
        if isinstance(value, str) and not isinstance(parameter.type, click.Path):
            parameter.type.convert(value, parameter, context)
    return command, dict(values)


@pytest.mark.parametrize(("where", "arguments"), said_commands())
def test_every_command_of_a_shell_block_could_be_typed(
    where: str, arguments: tuple[str, ...]
) -> None:
    command, values = parse(arguments)
    asks_for_help = {"-h", "--help", "--version"} & set(arguments)
    missing = [
        p.name for p in command.params if p.required and values.get(p.name or "") is None
    ]
    assert asks_for_help or not missing, where


def mentions() -> list[tuple[str, str]]:
    """Every `arena ...` in running text; it may leave out what the command needs."""
    found = {(p.name, c) for p in PAGES for c in p.codes if c.startswith("arena ")}
    return sorted(found)


@pytest.mark.parametrize(("where", "said"), mentions())
def test_every_command_in_the_text_has_the_options_it_is_said_to_have(
    where: str, said: str
) -> None:
    first, *_ = commands_of(said)
    assert parse(first[1:]), where


@pytest.mark.parametrize(
    "wrong", [["tock"], ["tick", "--now"], ["demo", "--days", "many"], ["config", "schemer"]]
)
def test_a_command_that_is_not_there_would_be_noticed(wrong: list[str]) -> None:
    with pytest.raises(click.UsageError):
        parse(wrong)


def test_every_target_of_make_that_is_named_is_in_the_makefile() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    lines = [line for p in PAGES for line in shell_lines(p)]
    told = [c for p in PAGES for c in p.codes] + lines
    made = {word for said in told for word in re.findall(r"^make ([a-z]+)", said)}
    assert made <= set(targets)


def test_the_newest_version_of_the_changelog_is_that_of_the_package() -> None:
    newest, *_ = page("CHANGELOG.md").titles(2).values()
    assert newest.split()[0] in {__version__, "Unreleased"}
