import json
import subprocess
import sys
from urllib.request import urlopen

import yaml


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
