"""A process that has imported what commands need, and forks a copy of itself for each command.

Importing takes a command longer than what most tests ask of it. A forked command is a process
of its own all the same, with its own folder, variables, streams, group and end.
"""

import atexit
import gc
import json
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module, invalidate_caches
from pathlib import Path
from pkgutil import walk_packages
from runpy import run_module
from signal import SIGKILL
from subprocess import Popen

import arena
from arena import bundle, render
from arena.site.overview.kept import digest_of_makers
from tests.hangs import HANG

ROOT = Path(__file__).parents[2]
# An interpreter and its libraries read these when they start, and a fork has started already.
READ_AT_START = ("PYTHON", "LC_", "LANG", "OMP_", "OPENBLAS_")
# What commands import when they use it.
LIBRARIES = ("PIL.ImageDraw", "PIL.ImageFont", "duckdb", "sqlite_utils.db")
# Nobody imports the first; the others need libraries that commands import when they use them.
NOT_IMPORTED = ("arena.__main__", "arena.llms.pydantic_ai", "arena.sheets.parquet")
LONGEST = 1 << 20  # bytes of a request
PATH = os.environ.get("PYTHONPATH", "")  # of the server, whose arguments keep its folder out


@dataclass(frozen=True, slots=True)
class ForkServer:
    """The server's process, and the line to it, on which one command runs at a time."""

    process: Popen[bytes]
    line: socket.socket
    turn: threading.Lock

    def run(
        self, words: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> tuple[int, str, str]:
        """Run a command to its end: its exit code, and what is on its two streams."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with self.started(words, cwd, env, (out.fileno(), err.fileno())) as ended:
                code = ended()
            out.seek(0)
            err.seek(0)
            return code, out.read().decode(), err.read().decode()

    @contextmanager
    def started(
        self, words: Sequence[str], cwd: Path, env: Mapping[str, str], streams: tuple[int, int]
    ) -> Iterator[Callable[[], int]]:
        """Start a command on two streams; it gives a function that waits for the exit code."""
        with self.turn:
            request = json.dumps([words, str(cwd), dict(env)]).encode()
            socket.send_fds(self.line, [request], streams)
            child = int(self.line.recv(64))

            @cache
            def ended() -> int:
                return int(self.line.recv(64))

            try:
                yield ended
            except BaseException:  # also where it took too long
                with suppress(ProcessLookupError):
                    os.killpg(child, SIGKILL)
                raise
            finally:
                ended()  # the line is free for the next command

    def stop(self) -> None:
        self.line.close()
        self.process.wait()


def folders(path: str) -> list[str]:
    """The folders of a PYTHONPATH."""
    return [folder for folder in path.split(os.pathsep) if folder]


def can_fork(variables: Mapping[str, str]) -> bool:
    """Whether a forked command sees these variables as one would that is started with them."""
    others = (name for name in variables if name != "PYTHONPATH")
    return hasattr(os, "fork") and not any(name.startswith(READ_AT_START) for name in others)


def fork_server(variables: Mapping[str, str]) -> ForkServer:
    """The server of the arena that these variables lead to; it ends when this process does."""
    path = folders(variables.get("PYTHONPATH", ""))
    return _started(next((f for f in path if (Path(f) / "arena").exists()), str(ROOT)))


@cache
def _started(copy: str) -> ForkServer:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(HANG)
    with theirs:
        process = Popen(  # noqa: S603  our own module
            [sys.executable, "-P", "-m", "tests.cli.fork_server", str(theirs.fileno())],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys((copy, str(ROOT))))},
            pass_fds=[theirs.fileno()],
        )
    server = ForkServer(process, ours, threading.Lock())
    atexit.register(server.stop)
    return server


def import_commands() -> None:
    """Import everything that commands may import, and compile the templates of pages.

    A command compiles again those that have changed since.
    """
    for module in walk_packages(arena.__path__, "arena."):
        if module.name not in NOT_IMPORTED:
            import_module(module.name)
    for library in LIBRARIES:
        import_module(library)
    digest_of_makers(bundle.templates())
    templates = render.environment(bundle.templates())
    for page in render.names_below(templates, "site", "html"):
        render.closure_digest(templates, page)
    gc.collect()
    gc.freeze()


def serve(line: socket.socket) -> list[str] | None:
    """Fork on each request until the line ends; in a fork, give the words of its command."""
    while True:
        request, streams, _, _ = socket.recv_fds(line, LONGEST, 2)
        if not request:
            return None
        words, cwd, env = json.loads(request)
        child = os.fork()
        if child == 0:
            line.close()
            take_place(streams, cwd, env)
            return [str(word) for word in words]
        for stream in streams:
            os.close(stream)
        line.send(str(child).encode())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        line.send(str(code).encode())


def take_place(streams: Sequence[int], cwd: str, env: Mapping[str, str]) -> None:
    """Make this process what a shell would have started."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stream in enumerate([nothing, *streams]):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(  # noqa: SIM115
        2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    # What a fork starts itself finds the arena where the server did, after all else.
    server_path = folders(PATH)
    sys.path[: len(server_path)] = [cwd, *folders(env.get("PYTHONPATH", ""))]
    sys.path.extend(server_path)
    invalidate_caches()


def end_of(words: Sequence[str]) -> int:
    """Run `python -m arena` with these words to its exit code.

    All is done that an interpreter does at its end, but modules are not taken apart: that takes
    longer than most commands.
    """
    sys.argv = ["arena", *words]
    code: object = None
    try:
        run_module("arena", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001  what nobody caught is shown, as by an interpreter
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001
    atexit._run_exitfuncs()  # noqa: SLF001
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


def main() -> None:
    line = socket.socket(fileno=int(sys.argv[1]))
    import_commands()
    words = serve(line)
    if words is not None:
        os._exit(end_of(words))


if __name__ == "__main__":
    main()
