import json
import re
import subprocess
import sys
from urllib.request import urlopen

import pytest

from arena.testing.venues.__main__ import main


def test_it_can_be_started_from_a_shell() -> None:
    command = [
        sys.executable,
        "-m",
        "arena.testing.venues",
        "--events",
        "2",
        "--faults",
        "none",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  our own
        assert process.stdout is not None
        try:
            told = "".join(process.stdout.readline() for _ in range(9))
            gamma = re.search(r'gamma: "(http://127\.0\.0\.1:\d+/gamma)"', told)
            assert gamma is not None
            assert {"polymarket:", "kalshi:", "manifold:"} <= set(told.split())
            with urlopen(f"{gamma[1]}/markets/keyset") as answer:  # noqa: S310  this machine
                assert json.load(answer)["markets"]
        finally:
            process.terminate()


@pytest.mark.parametrize(
    "wrong", [["--faults", "nonsense"], ["--events", "0"], ["--events", "x"], ["--port", "y"]]
)
def test_a_wrong_argument_is_refused(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(wrong)
    assert left.value.code == 2
    assert wrong[1] in capsys.readouterr().err
