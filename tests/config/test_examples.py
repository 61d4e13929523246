"""The configurations in `examples` can be used as they are."""

from pathlib import Path

import pytest

from tests.cli.inside import Capsys, here, strict

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["local", "providers", "router"])
def test_nothing_is_wrong_with_an_example(name: str, capsys: Capsys) -> None:
    done = here(capsys, "--config", EXAMPLES / f"{name}.yaml", "config", "check", "--json")
    said = strict(done)
    assert (done.code, said["refused"]) == (0, [])
