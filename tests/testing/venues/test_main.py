import json
import subprocess
import sys
from urllib.request import urlopen

import pytest
import yaml

from tests.standins.venues.__main__ import main


def test_it_can_be_started_from_a_shell() -> None:
    command = [
        sys.executable,
        "-m",
        "tests.standins.venues",
        "--events",
        "2",
        "--faults",
        "none",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  our own
        assert process.stdout is not None
        try:
            told = "".join(process.stdout.readline() for _ in range(16))
            venues = yaml.safe_load(told)["venues"]
            assert [venues[name]["adapter"] for name in venues] == list(venues)
            gamma = venues["polymarket"]["options"]["gamma"]
            with urlopen(f"{gamma}/markets/keyset") as answer:  # noqa: S310  this machine
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
