from pathlib import Path

import pytest

from tests.config.build import COHORT, CONFIG, cohort_problems, problems

MODEL = "models: {m: {adapter: openai_chat, base_url: 'https://x.example', model: a, %s}}"
TIP = "name an environment variable in key_env"


@pytest.mark.parametrize("key", ["api_key", "token", "secret", "API-KEY", "password"])
def test_a_key_named_like_a_secret_is_refused_with_what_to_do(tmp_path: Path, key: str) -> None:
    (found,) = problems(tmp_path, MODEL % f"{key}: hunter2")
    assert (found.key, found.suggestion) == (f"models.m.{key}", TIP)


@pytest.mark.parametrize("value", ["sk-abc", "gsk_0123456789abcdef", "Bearer 0123456789abcdef"])
def test_a_value_that_looks_like_a_secret_is_refused(tmp_path: Path, value: str) -> None:
    (found,) = problems(tmp_path, MODEL % f"options: {{x: [{value}]}}")
    assert (found.key, found.suggestion) == ("models.m.options.x[0]", TIP)


@pytest.mark.parametrize(
    "entry",
    [
        "api_key: hunter2",
        "key_env: hunter2",
        "key_env: sk-hunter2",
        "options: {secret: hunter2}",
        "price_in: sk-hunter2",
        "base_url: 'https://me:hunter2@x.example'",
        "kee_env: hunter2",
    ],
)
def test_what_may_be_a_secret_is_never_shown(tmp_path: Path, entry: str) -> None:
    for text in (MODEL % entry, "sk-hunter2"):
        found = problems(tmp_path, text)
        assert found
        assert "hunter2" not in repr(found)


def test_a_secret_in_a_cohort_file_is_refused_too(tmp_path: Path) -> None:
    (found,) = cohort_problems(tmp_path, COHORT.replace("Test", "sk-abc"))
    assert (found.key, found.suggestion) == ("title", TIP)


def test_a_mapping_may_bear_any_name(tmp_path: Path) -> None:
    assert problems(tmp_path, CONFIG + "  token: {agent: market}\n") == ()
