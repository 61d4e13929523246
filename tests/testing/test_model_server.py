import subprocess
import sys
from urllib.request import urlopen

import pytest

from tests.standins.asked import Format


def test_it_can_be_started_from_a_shell() -> None:
    command = [sys.executable, "-m", "tests.standins.model_server", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  our own
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        adapters = process.stdout.readline()
        try:
            assert all(kind in adapters for kind in Format)
            assert url.startswith("http://127.0.0.1:")
            with pytest.raises(OSError, match="404"), urlopen(url):  # noqa: S310  this machine
                pass
        finally:
            process.terminate()
