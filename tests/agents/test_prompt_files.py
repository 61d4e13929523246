from pathlib import Path

import pytest

from arena.agents.prompt import prompts_of, templates_of
from arena.errors import ArenaError
from arena.render import environment


@pytest.mark.parametrize("name", ["../secrets", "", "a/b", "Decide", "a\n", ".", "a.b"])
def test_a_name_that_leaves_the_folder_is_no_prompt(name: str) -> None:
    with pytest.raises(ArenaError, match="not the name of a prompt"):
        templates_of(name)


def test_a_prompt_is_two_templates() -> None:
    assert templates_of("bold") == ("prompts/bold.system.md.j2", "prompts/bold.user.md.j2")


def test_prompts_are_listed_once_and_other_files_are_not(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    names = ("b.system.md.j2", "b.user.md.j2", "a.user.md.j2", "page.html.j2", "x.md.j2")
    for name in names:
        (tmp_path / "prompts" / name).write_text("")
    (tmp_path / "c.system.md.j2").write_text("")
    assert prompts_of(environment(tmp_path)) == ("a", "b", "decide", "structured")
