"""What holds for every file of the program, read without running it."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.architecture.reach import nodes, parse

ROOT = Path(__file__).parents[2]
LONGEST_FILE = 800
LONGEST_FUNCTION = 60
# A plugin's load, a contestant's turn, a scheduled job: each records what it caught. The
# command line says a defect in words, and shows where it was raised with --debug.
MAY_CATCH_ALL = (
    "arena/agents/local.py",
    "arena/cli/__init__.py",
    "arena/errors.py",
    "arena/tick_timer.py",
)
CATCHES_ALL = frozenset({"Exception", "BaseException"})
READS_THE_CLOCK = "arena/clock.py"
NOW = frozenset({"now", "utcnow", "today"})
DATES = frozenset({"datetime", "date"})
CLOCKS = frozenset({"time.time", "time.time_ns", "time.localtime", "time.gmtime"})
WALL = frozenset({"monotonic()", "perf_counter()", "time.time()"})
WAITS = frozenset({"HTTPConnection", "communicate", "create_connection", "run", "wait"})
HANGS = "tests/hangs.py"
MOCKS = frozenset({"unittest.mock", "mock", "pytest_mock"})
PATCHES = frozenset({"mocker", "monkeypatch"})
SAYS_WHO_NOT_WHAT = frozenset({"utils", "helpers", "common", "base", "misc"})
# Rooms whose tests are named after commands, pages and keys, and tests of several modules.
NAMED_FREELY = ("api", "cli", "config", "contexts", "site")
OF_SEVERAL = frozenset(
    {"coverage_simulation", "forecaster_arena", "fuzz", "fuzz_live", "golden", "known_answers"}
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the program or of its tests."""

    name: str
    text: str = field(repr=False)

    @property
    def tree(self) -> ast.Module:
        return parse(self.text)

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        return nodes(self.text)

    @property
    def functions(self) -> Iterator[Function]:
        return (
            node
            for node in self.nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )


def below(*folders: str) -> tuple[Source, ...]:
    """Every Python file below some folders, by its path."""
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return tuple(
        Source(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for path in paths
    )


Look = Callable[[Source], list[int]]
PROGRAM = below("arena")
EVERYTHING = below("arena", "tests", "benchmarks", "docs")


def seen(
    look: Look, sources: Iterable[Source], but: tuple[str, ...] = ()
) -> dict[str, list[int]]:
    """The lines that a look finds, by the file; some files may have what it looks for."""
    return {s.name: lines for s in sources if s.name not in but and (lines := look(s))}


def lines_of(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def caught(handler: ast.ExceptHandler) -> set[str]:
    """The names that a handler catches; a bare one catches everything."""
    if handler.type is None:
        return {"BaseException"}
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {ast.unparse(one).rsplit(".", 1)[-1] for one in types}


def goes_on(handler: ast.ExceptHandler) -> bool:
    """Say whether what was caught ends here, and is not raised again as it came."""
    last = handler.body[-1]
    return not (isinstance(last, ast.Raise) and last.exc is None)


def swallows(source: Source) -> list[int]:
    """Lines at which a file catches everything and does not pass it on."""
    return [
        node.lineno
        for node in source.nodes
        if isinstance(node, ast.ExceptHandler) and caught(node) & CATCHES_ALL and goes_on(node)
    ]


def imported(source: Source) -> set[str]:
    """Every module that a file imports, and every name that it imports from one."""
    names: set[str] = set()
    for node in source.nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def asks_for_now(source: Source) -> list[int]:
    """Lines at which a file reads the date or the time of the machine."""
    return [
        node.lineno
        for node in source.nodes
        if isinstance(node, ast.Attribute)
        and (
            ast.unparse(node) in CLOCKS
            or (node.attr in NOW and ast.unparse(node.value).rsplit(".", 1)[-1] in DATES)
        )
    ]


def test_many_rows_are_written_through_one_door() -> None:
    """It asks first whether this process may still write."""
    assert [s.name for s in PROGRAM if ".executemany(" in s.text] == ["arena/store/sqlite.py"]


def test_four_modules_know_of_processes() -> None:
    starts = {"multiprocessing", "subprocess", "concurrent.futures.ProcessPoolExecutor"}
    assert [s.name for s in PROGRAM if imported(s) & starts] == [
        "arena/process.py",
        "arena/site/engine/processes.py",
        "arena/steps/study_seal.py",
        "arena/sweeps/local.py",
    ]


def stands_in(source: Source) -> list[int]:
    """Lines at which a number stands in for one that may be missing."""
    return [
        node.lineno
        for node in source.nodes
        if isinstance(node, ast.BoolOp)
        and isinstance(node.op, ast.Or)
        and isinstance(node.values[-1], ast.Constant)
        and isinstance(node.values[-1].value, int | float)
    ]


def judges_by_the_wall(source: Source) -> list[int]:
    """Lines of a test that fail a busy machine: an elapsed time, or a short time limit."""
    return [
        node.lineno
        for node in source.nodes
        if (isinstance(node, ast.Compare) and too_late(node))
        or (isinstance(node, ast.Call) and gives_up(node))
    ]


def too_late(compared: ast.Compare) -> bool:
    """Whether an elapsed time of the wall must be less than something."""
    less = isinstance(compared.ops[-1], ast.Lt | ast.LtE)
    return less and any(name in ast.unparse(compared.left) for name in WALL)


def gives_up(call: ast.Call) -> bool:
    """Whether a process or a socket is waited for a fixed number of seconds."""
    name = ast.unparse(call.func).rpartition(".")[-1]
    return name in WAITS and any(
        one.arg == "timeout" and isinstance(one.value, ast.Constant) for one in call.keywords
    )


def test_a_module_says_what_it_is() -> None:
    assert [s.name for s in PROGRAM if not ast.get_docstring(s.tree)] == []


def test_a_file_is_short_enough_to_read() -> None:
    sizes = {s.name: len(s.text.splitlines()) for s in PROGRAM}
    assert {name: size for name, size in sizes.items() if size > LONGEST_FILE} == {}


def test_a_function_is_short_enough_to_see() -> None:
    sizes = {f"{s.name}: {f.name}": lines_of(f) for s in PROGRAM for f in s.functions}
    long = {name: size for name, size in sizes.items() if size > LONGEST_FUNCTION}
    assert long == {}, f"of more than {LONGEST_FUNCTION} lines: give a part a name of its own"


def test_errors_are_caught_by_name() -> None:
    assert seen(swallows, PROGRAM, but=MAY_CATCH_ALL) == {}


def test_the_places_that_may_catch_everything_are_there() -> None:
    assert set(MAY_CATCH_ALL) <= {s.name for s in PROGRAM}


def test_nothing_is_mocked() -> None:
    assert [s.name for s in EVERYTHING if imported(s) & MOCKS] == []


def test_nothing_is_patched() -> None:
    wanted = {s.name: {a.arg for f in s.functions for a in f.args.args} for s in EVERYTHING}
    assert [name for name, arguments in wanted.items() if arguments & PATCHES] == []


def test_no_test_takes_a_number_for_one_that_is_missing() -> None:
    tests = [s for s in below("tests") if not s.name.startswith("tests/standins/")]
    assert seen(stands_in, tests) == {}


def test_no_test_fails_because_the_machine_is_busy() -> None:
    assert seen(judges_by_the_wall, below("tests"), but=(HANGS,)) == {}


def test_a_module_is_named_after_what_it_is() -> None:
    parts = {s.name: set(Path(s.name).with_suffix("").parts) for s in EVERYTHING}
    assert [name for name, named in parts.items() if named & SAYS_WHO_NOT_WHAT] == []


def test_a_test_file_is_named_after_the_module_that_it_tries() -> None:
    lost = []
    for room in (folder for folder in (ROOT / "arena").iterdir() if folder.is_dir()):
        if room.name not in NAMED_FREELY:
            names = {room.name} | {
                file.stem for file in room.rglob("*") if file.is_dir() or file.suffix == ".py"
            }
            for file in (ROOT / "tests" / room.name).rglob("test_*.py"):
                tries = file.stem.removeprefix("test_")
                if not any(f"{tries}_".startswith(f"{name}_") for name in names | OF_SEVERAL):
                    lost.append(file.name)
    assert lost == []


def test_one_module_asks_the_machine_for_the_time() -> None:
    assert seen(asks_for_now, PROGRAM, but=(READS_THE_CLOCK,)) == {}


def test_the_clock_of_the_library_is_not_imported() -> None:
    assert [s.name for s in PROGRAM if imported(s) & CLOCKS] == []


@pytest.mark.parametrize(
    ("look", "code"),
    [
        (stands_in, "(x.p or 0) < 0.05"),
        (stands_in, "abs(x.p or 1.0)"),
        (judges_by_the_wall, "monotonic() - began < 5"),
        (judges_by_the_wall, "process.communicate(timeout=60)"),
        (judges_by_the_wall, "run(x, timeout=9.5)"),
        (swallows, "try: x\nexcept: pass"),
        (swallows, "try: x\nexcept (ValueError, Exception) as e: print(e)"),
        (asks_for_now, "datetime.now(UTC)"),
        (asks_for_now, "dt.datetime.now()"),
        (asks_for_now, "date.today()"),
        (asks_for_now, "time.time()"),
    ],
)
def test_what_is_not_allowed_would_be_noticed(look: Look, code: str) -> None:
    assert look(Source("x.py", code)) == [code.count("\n") + 1]


def test_a_handler_that_passes_everything_on_swallows_nothing() -> None:
    assert swallows(Source("x.py", "try: x\nexcept BaseException:\n    y\n    raise")) == []
