from pathlib import Path

import pytest

from arena.config import listed
from tests.config.build import CONFIG, project

MORE = """\
schedule: {ring: "0 6 * * *"}
budgets: {day: 2.50}
"""


def told(folder: Path, config: str) -> dict[str, tuple[object, int | None]]:
    return {one.key: (one.value, one.line) for one in listed(project(folder, config))}


@pytest.fixture
def found(tmp_path: Path) -> dict[str, tuple[object, int | None]]:
    return told(tmp_path, CONFIG + MORE)


def test_what_a_file_says_has_its_line_and_is_as_written(
    found: dict[str, tuple[object, int | None]],
) -> None:
    assert found["venues.sim.adapter"] == ("simulated", 2)
    assert found["models.big.model"] == ("big-1", 4)
    assert found["schedule.ring"] == ("0 6 * * *", 8)

    assert found["budgets.day"] == ("2.5", 9)


def test_a_default_has_none(found: dict[str, tuple[object, int | None]]) -> None:
    assert found["paths.database"] == ("data/arena.db", None)
    assert found["schedule.poll_every"] == ("1h", None)


def test_options_of_a_plugin_are_told_by_name(tmp_path: Path) -> None:
    options = "{adapter: simulated, options: {seed: 7}}"
    found = told(tmp_path, CONFIG.replace("{adapter: simulated}", options))
    assert found["venues.sim.options"][0] == {"seed": 7}


def test_of_a_file_that_is_not_right_nothing_is_told(tmp_path: Path) -> None:
    assert told(tmp_path, CONFIG.replace("adapter", "adaptor")) == {}
