import json

from click.testing import CliRunner

from arena.cli.scores.sources import sources
from tests.cli.agreed import misfits, promised


def test_one_example_is_shown_with_its_input_and_both_readings() -> None:
    lines = CliRunner().invoke(sources, ["s002.dm.n30"]).output.splitlines()
    assert lines[1] == "source C: The 45 Percent Problem"
    assert "  p_two_sided: 0.03136402368" in lines
    assert "  p_two_sided: 0.0129126367" in lines


def test_a_source_is_chosen_by_its_letter() -> None:
    said = json.loads(CliRunner().invoke(sources, ["--source", "D", "--json"]).output)
    assert {example["source"] for example in said["examples"]} == {"D"}


def test_the_document_is_the_one_that_is_promised() -> None:
    said = json.loads(CliRunner().invoke(sources, ["--json"]).output)
    assert list(misfits(said, promised("sources"))) == []
