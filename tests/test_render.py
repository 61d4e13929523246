import hashlib
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.render import environment, render, source, source_digest


def templates(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name.replace("_", ".", 1).replace("_", ".")).write_text(text)
    return folder


def test_a_page_is_escaped_and_a_prompt_is_not(tmp_path: Path) -> None:
    env = environment(templates(tmp_path, a_html="{{ x }}", a_md_j2="{{ x }}"))
    assert render(env, "a.html", x="<b>") == "&lt;b&gt;"
    assert render(env, "a.md.j2", x="<b>") == "<b>"


@pytest.mark.parametrize("name", ["a.html.j2", "a.jinja", "a.txt", "a.xml"])
def test_whatever_is_no_prompt_is_escaped(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{{ x }}")
    assert render(environment(tmp_path), name, x="<b>") == "&lt;b&gt;"


def test_a_name_that_was_not_given_names_file_and_line(tmp_path: Path) -> None:
    env = environment(templates(tmp_path, a_html="one\ntwo\n{{ missing }}"))
    with pytest.raises(ArenaError) as caught:
        render(env, "a.html")
    assert caught.value.code == "template.broken"
    assert f"{tmp_path / 'a.html'}, line 3: 'missing' is undefined" in caught.value.message


def test_a_mistake_in_an_included_template_names_that_one(tmp_path: Path) -> None:
    env = environment(
        templates(tmp_path, a_html="{% include 'b.html' %}", b_html="\n{{ 1 + }}")
    )
    with pytest.raises(ArenaError, match=r"b\.html, line 2"):
        render(env, "a.html")


def test_a_missing_name_in_an_included_template_names_that_one(tmp_path: Path) -> None:
    env = environment(templates(tmp_path, a_html="{% include 'b.html' %}", b_html="\n{{ x }}"))
    with pytest.raises(ArenaError, match=r"b\.html, line 2"):
        render(env, "a.html")


def test_a_missing_template_says_where_it_belongs(tmp_path: Path) -> None:
    with pytest.raises(ArenaError) as caught:
        render(environment(tmp_path), "a.html")
    assert caught.value.code == "template.missing"
    assert str(tmp_path) in caught.value.hint


def test_a_template_that_a_folder_lacks_comes_with_the_arena(tmp_path: Path) -> None:
    name = "prompts/decide.user.md.j2"
    brought = source(environment(tmp_path), name)
    env = environment(templates(tmp_path / "own", a_html="{{ x }}"))
    assert (source(env, name), render(env, "a.html", x=1)) == (brought, "1")


def test_no_template_comes_from_outside_the_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "a.html").write_text("secret")
    with pytest.raises(ArenaError, match="no template"):
        render(environment(inner), "../a.html")


def test_a_name_may_be_called_template_or_env(tmp_path: Path) -> None:
    env = environment(templates(tmp_path, a_html="{{ template }}{{ env }}"))
    assert render(env, "a.html", template="x", env="y") == "xy"


def test_a_digest_names_the_text_as_written(tmp_path: Path) -> None:
    env = environment(templates(tmp_path, a_html="{{ x }}"))
    assert source_digest(env, "a.html") == hashlib.sha256(b"{{ x }}").hexdigest()
    with pytest.raises(ArenaError, match="no template"):
        source_digest(env, "b.html")


def test_an_attribute_that_is_not_there_names_file_and_line(tmp_path: Path) -> None:
    env = environment(templates(tmp_path, a_html="one\n{{ x.missing }}"))
    with pytest.raises(ArenaError) as caught:
        render(env, "a.html", x=tmp_path)
    assert caught.value.code == "template.broken"
    assert f"{tmp_path / 'a.html'}, line 2: " in caught.value.message
    assert "has no attribute 'missing'" in caught.value.message


def test_an_attribute_may_be_named_like_a_word_of_python(tmp_path: Path) -> None:
    env = environment(templates(tmp_path, a_html="{{ x.class }}"))
    assert render(env, "a.html", x={"class": "wide"}) == "wide"


def test_a_bare_number_of_a_page_has_12_digits_and_that_of_a_prompt_all(tmp_path: Path) -> None:
    env = environment(templates(tmp_path, a_html="{{ x }} {{ n }}", a_md_j2="{{ x }}"))
    assert render(env, "a.html", x=0.1 + 0.2, n=7) == "0.3 7"
    assert render(env, "a.md.j2", x=0.1 + 0.2) == "0.30000000000000004"
