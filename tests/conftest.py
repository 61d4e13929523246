"""How tests are run, and what is said of what they did not look at.

A machine may lack a browser, a checker or recorded answers. Then tests are skipped, and the
last lines of the run list what was not looked at. Where `CI` is set, such an absence fails.

Long tests are marked `soak` and run by `make soak` alone; the last lines count them.
"""

import gc
import os
import shutil
import signal
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

from tests.memory import folder_in_memory, use_folder
from tests.sizes import is_whole, size

# A machine that is busy with other work fails no test.
settings.register_profile("arena", deadline=None, max_examples=size(30, 100))
settings.load_profile("arena")

UPDATE = "ARENA_UPDATE_GOLDEN"
DESELECTED = pytest.StashKey[int]()
# Why a test may be skipped on a machine that lacks nothing.
DOES_NOT_APPLY = (
    "nobody said how this venue breaks",
    "nobody said when its markets have ended",
    "the part is installed",
    "the superuser may write everywhere",
    "this user cannot give up its privileges",
    "this user cannot mount a small disk",
    "this venue cannot be wound back",
)


def pytest_configure(config: pytest.Config) -> None:
    """Keep files in memory, where neither `TMPDIR` nor `--basetemp` names a folder.

    Commands that tests end by Ctrl-C must hear it, also where a shell runs all this behind.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "TMPDIR" in os.environ or config.option.basetemp:
        return
    if (folder := folder_in_memory()) is not None:
        use_folder(folder)
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    fail_if_absent(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    fail_if_absent(report)
    return report


def fail_if_absent(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Let a skip count as a failure where everything must be there."""
    if report.skipped and os.environ.get("CI") and reason_of(report) not in DOES_NOT_APPLY:
        report.outcome = "failed"
        report.longrepr = f"CI is set, and a test was skipped: {reason_of(report)}"


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test was skipped, as it said."""
    return str(report.longrepr[-1]).removeprefix("Skipped: ")  # type: ignore[index]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    long = [] if is_whole() else [item for item in items if item.get_closest_marker("soak")]
    if long:
        items[:] = [item for item in items if item not in long]
        config.hook.pytest_deselected(items=long)
        config.stash[DESELECTED] = len(long)


def pytest_collection_finish() -> None:
    # What is there by now stays to the end, and the collector need not look at it again.
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401  pytest-xdist is not typed
    """Keep how many tests a process of pytest-xdist has left to `make soak`: all the same."""
    node.config.stash[DESELECTED] = node.workeroutput.get("left_to_soak", 0)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if left := config.stash.get(DESELECTED, 0):
        terminalreporter.write_line(
            f"{left} long tests were deselected, and others did less than they can: "
            "`make soak` runs everything whole"
        )
    skipped = Counter(map(reason_of, terminalreporter.stats.get("skipped", ())))
    for reason, times in sorted(skipped.items()):
        terminalreporter.write_line(f"not looked at, {times} times: {reason}")
    if UPDATE in os.environ:
        terminalreporter.write_line(f"golden files were written: run again without {UPDATE}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)  # of a process of pytest-xdist
    if output is not None:
        output["left_to_soak"] = session.config.stash.get(DESELECTED, 0)
    if UPDATE in os.environ and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
