"""`arena llm check`: one tiny question to each model, and what it shows."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.clock import SystemClock
from arena.llms.tariff import taken
from tests.cli.inside import Capsys, here, strict
from tests.cli.project import Project, model, project
from tests.cli.shell import Done
from tests.standins.model_server import (
    HTML_PAGE,
    Ill,
    Misbehaviour,
    ModelServer,
    Recorded,
    Served,
    Tokens,
    ails,
    by_model,
    cut_short,
    like,
    refuses_schemas,
)
from tests.standins.scripts import Saying, complains_of_key

KEY = "sk-not-a-real-key-1234567890"
TODAY = SystemClock().now().date()
OK = '{"ok": true}'
COUNTED = Misbehaviour(content=OK, served=Served(tokens=Tokens(read=100, cached=60, said=10)))
PRICED: Mapping[str, object] = {
    "price_in": 3,
    "price_out": 15,
    "price_cached": "0.3",
    "requests_per_minute": 50,
    "at_once": 4,
}
HELD_TO_SCHEMA = {"options": {"output": "schema"}}
SAYINGS: Mapping[str, Saying] = {
    "plain": OK,
    "chatty": f"Of course: {OK}",
    "priced": COUNTED,
    "redirected": Misbehaviour(content=OK, served=Served(model="grok-4.3", route="Host")),
    "released": Misbehaviour(content=OK, served=Served(model="released-2026-10-01")),
    "thinker": cut_short(""),
    "held": OK,
    "schemaless": refuses_schemas(then=OK),
    "flaky-key": complains_of_key,
    "missing": ails(Ill.MODEL),
    "broke": ails(Ill.QUOTA),
    "page": HTML_PAGE,
    "silent": like(Misbehaviour(content=""), then=""),
    "soon": OK,
    "gone": OK,
}
MORE: Mapping[str, Mapping[str, object]] = {
    "priced": PRICED,
    "held": HELD_TO_SCHEMA,
    "schemaless": HELD_TO_SCHEMA,
    "flaky-key": {"key_env": "PAPER_ONE_KEY"},
    "plain": {"key_env": "PAPER_ONE_KEY"},
    "soon": {"retires_on": str(TODAY + timedelta(days=30))},
    "gone": {"retires_on": str(TODAY - timedelta(days=3))},
}


def configured(base_url: str, names: Mapping[str, Saying]) -> dict[str, dict[str, object]]:
    return {name: model(base_url, deadline="30s", **MORE.get(name, {})) for name in names}


@dataclass(frozen=True, slots=True)
class Checked:
    """A project whose models were checked, in words and as JSON."""

    made: Project
    words: Done
    as_json: Done
    requests: tuple[Recorded, ...]

    def lines(self, name: str) -> str:
        """What is said of a model."""
        found = self.words.out.partition(f"{name}: ")[2].splitlines()
        end = next(n for n, line in enumerate(found[1:], 1) if not line.startswith("  "))
        return "\n".join(found[:end])

    def model(self, name: str) -> dict[str, Any]:
        (found,) = (m for m in self.as_json.document["models"] if m["name"] == name)
        whole: dict[str, Any] = found
        return whole


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    with ModelServer(by_model(SAYINGS)) as server:
        made = project(
            tmp_path_factory.mktemp("llm") / "arena",
            models=configured(server.base_url, SAYINGS),
        )
        words = made.run("llm", "check", PAPER_ONE_KEY=KEY)
        requests = tuple(server.requests)
        as_json = made.run("llm", "check", "--json", PAPER_ONE_KEY=KEY)
        return Checked(made, words, as_json, requests)


def test_each_model_is_asked_one_tiny_question(checked: Checked) -> None:
    asked = [request.model for request in checked.requests]
    assert sorted(set(asked)) == sorted(SAYINGS)
    assert {name for name in asked if asked.count(name) > 1} == {"schemaless"}
    longest = {request.body["max_tokens"] for request in checked.requests}
    assert (longest, max(len(json.dumps(r.body)) for r in checked.requests) < 1000) == (
        {512},
        True,
    )


def test_where_some_fail_the_exit_code_is_6(checked: Checked) -> None:
    assert (checked.words.code, checked.as_json.code) == (6, 6)
    assert checked.words.out.splitlines()[-1] == (
        "10 of 15 can be asked; asking cost $0.000288, and 11 cost nobody knows what."
    )


def test_nothing_is_written(checked: Checked) -> None:
    names = sorted(path.name for path in checked.made.folder.rglob("*"))
    assert names == ["c.yaml", "cohorts", "config.yaml"]


def test_the_key_is_never_shown_and_its_variable_is(checked: Checked) -> None:
    for done in (checked.words, checked.as_json):
        assert KEY[:8] not in done.out + done.err
    assert "key from PAPER_ONE_KEY" in checked.lines("plain")
    assert "no key is sent" in checked.lines("chatty")
    assert checked.model("plain")["key_env"] == "PAPER_ONE_KEY"


def test_a_model_that_answers_is_reachable_and_says_for_how_long_it_took(
    checked: Checked,
) -> None:
    assert checked.lines("plain").startswith("reachable in ")
    found = checked.model("plain")
    assert (found["reachable"], found["trouble"], found["follows"]) == (True, None, True)
    assert found["latency_ms"] >= 0


def test_an_answer_with_words_around_it_is_noted(checked: Checked) -> None:
    assert "held to   prompt; its answer was not the JSON alone" in checked.lines("chatty")
    assert checked.model("chatty")["follows"] is False


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("flaky-key", "credentials refused: "),
        ("missing", "look at the model's name and options"),
        ("broke", "the account is used up"),
        ("page", "look at adapter and base_url"),
        ("silent", "empty reply"),
    ],
)
def test_what_fails_says_why_and_what_to_do(name: str, advice: str, checked: Checked) -> None:
    said = checked.lines(name).splitlines()[0]
    assert said.startswith("FAILED after ")
    assert advice in said
    assert (checked.model(name)["reachable"], checked.model(name)["output"]) == (False, None)


def test_a_name_that_is_another_one_is_marked(checked: Checked) -> None:
    assert "as grok-4.3, ANOTHER NAME: was it retired?" in checked.lines("redirected")
    assert "as released-2026-10-01, a release of it" in checked.lines("released")
    assert "answered" not in checked.lines("plain")
    assert [checked.model(n)["other_name"] for n in ("redirected", "plain")] == [True, False]


def test_the_route_is_shown(checked: Checked) -> None:
    assert "served by Host" in checked.lines("redirected")


def test_what_it_was_held_to_is_what_is_left_after_what_it_refused(checked: Checked) -> None:
    assert "held to   schema\n" in checked.lines("held")
    assert "held to   json; json instead of schema" in checked.lines("schemaless")
    found = checked.model("schemaless")
    assert (found["output"], found["adapted"]) == ("json", ["json instead of schema"])


def test_usage_cost_and_prices_are_shown_with_their_source(checked: Checked) -> None:
    said = checked.lines("priced")
    # (40 x 3 + 60 x 0.3 + 10 x 15) / 1,000,000
    assert "100 tokens in, 60 of them cached, 10 out" in said
    assert "$0.000288 (configured)" in said
    assert "$3 in, $0.3 cached, $15 out a million tokens (configured)" in said
    found = checked.model("priced")
    assert (found["usage"]["cost"], found["prices"]["source"]) == ("0.000288", "configured")


def test_a_price_from_the_table_is_shown_with_its_age(tmp_path: Path, capsys: Capsys) -> None:
    with ModelServer() as server:
        known = {"o3": model(server.base_url, provider="openai", model="o3")}
        before = SystemClock().now().date()
        done = run(capsys, project(tmp_path / "a", models=known))
    ages = {
        (day - date.fromisoformat(taken())).days for day in (before, SystemClock().now().date())
    }
    assert any(f"a million tokens (table {taken()}, {days} day" in done.out for days in ages)


def test_an_unknown_price_is_unknown(checked: Checked) -> None:
    assert "prices    unknown: set price_in and price_out" in checked.lines("plain")
    assert "unknown cost" in checked.lines("plain")
    found = checked.model("plain")
    assert (found["prices"], found["usage"]["cost"]) == (None, None)


def test_limits_are_shown(checked: Checked) -> None:
    said = "limits    4 at once, 50 requests a minute, answers of 4096 tokens in 30s"
    assert said in checked.lines("priced")


def test_a_model_that_thinks_for_longer_than_the_test_allows_is_reachable(
    checked: Checked,
) -> None:
    assert "it was cut off, for it thinks longer" in checked.lines("thinker")
    assert checked.model("thinker")["reachable"] is True


def test_the_day_it_retires_is_shown_and_warned_of(checked: Checked) -> None:
    assert "SOON, in " in checked.lines("soon")
    assert "IT IS OVER" in checked.lines("gone")
    assert "retires   no day is known" in checked.lines("plain")
    assert 29 <= checked.model("soon")["days_left"] <= 30


def test_where_no_cost_is_known_asking_is_not_said_to_cost_nothing(
    tmp_path: Path, capsys: Capsys
) -> None:
    with ModelServer() as server:
        done = run(capsys, two(tmp_path / "a", server.base_url))
    assert done.out.endswith("2 of 2 can be asked; asking cost nobody knows what.\n")


def test_what_was_turned_down_is_not_called_an_unknown_cost(checked: Checked) -> None:
    assert "no tokens were reported, nothing is charged" in checked.lines("flaky-key")


# Who is asked, and how it ends


def run(capsys: Capsys, made: Project, *words: str) -> Done:
    return here(capsys, "--config", made.folder / "config.yaml", "llm", "check", *words)


def two(folder: Path, base_url: str, **more: object) -> Project:
    models = {"ada": model(base_url), "bob": model(base_url, **more)}
    return project(folder, models=models)


def test_only_those_that_are_named_are_asked(tmp_path: Path, capsys: Capsys) -> None:
    with ModelServer() as server:
        done = run(capsys, two(tmp_path / "a", server.base_url), "bob")
        assert (done.code, [r.model for r in server.requests]) == (0, ["bob"])


def test_a_name_that_is_none_is_refused_with_the_nearest(
    tmp_path: Path, capsys: Capsys
) -> None:
    done = run(capsys, two(tmp_path / "a", "http://127.0.0.1:9/v1"), "bop")
    assert done.fails_clearly(2)
    assert "did you mean bob?" in done.err


def test_a_model_without_its_key_is_listed_and_the_others_are_asked(
    tmp_path: Path, capsys: Capsys
) -> None:
    with ModelServer() as server:
        made = two(tmp_path / "a", server.base_url, key_env="PAPER_NOT_SET_KEY")
        done = run(capsys, made)
        found = strict(run(capsys, made, "--json"))["models"]
        assert {r.model for r in server.requests} == {"ada"}
    assert (done.code, "ada: reachable" in done.out) == (4, True)
    assert "bob: NO KEY: PAPER_NOT_SET_KEY is not set; export " in done.out
    assert [m["key_missing"] for m in found] == [False, True]


def test_where_all_fail_the_exit_code_is_1(tmp_path: Path, capsys: Capsys) -> None:
    with ModelServer(lambda _model, _asked: Misbehaviour(401, body=b"")) as server:
        done = run(capsys, two(tmp_path / "a", server.base_url))
    assert (done.code, "0 of 2 can be asked" in done.out) == (1, True)
    assert "it wants a key: name its variable in key_env" in done.out


def test_an_option_that_cannot_be_used_does_not_cost_the_others(
    tmp_path: Path, capsys: Capsys
) -> None:
    with ModelServer() as server:
        made = two(tmp_path / "a", server.base_url, options={"colour": "blue"})
        done = run(capsys, made)
    assert (done.code, "ada: reachable" in done.out) == (6, True)
    assert "bob: CANNOT BE ASKED: " in done.out


def test_without_any_model_it_says_where_to_read_on(tmp_path: Path, capsys: Capsys) -> None:
    made = project(tmp_path / "a")
    done = run(capsys, made)
    assert (done.code, "docs/contestants.md" in done.out) == (0, True)
    assert strict(run(capsys, made, "--json"))["models"] == []


def test_a_router_that_may_choose_the_host_is_named(tmp_path: Path) -> None:
    routed = {"provider": "openrouter", "key_env": "PAPER_ONE_KEY"}
    pinned = {**routed, "options": {"route": {"order": ["one-host"]}}}
    with ModelServer() as server:
        models = {
            name: model(server.base_url, **more)
            for name, more in (("free", routed), ("fixed", pinned))
        }
        made = project(tmp_path / "a", models=models)
        done = made.run("llm", "check", PAPER_ONE_KEY=KEY)
    free, _, fixed = done.out.partition("free: ")[2].partition("fixed: ")
    assert "NOT PINNED" in free
    assert "NOT PINNED" not in fixed


def test_a_server_cannot_write_to_the_terminal(tmp_path: Path, capsys: Capsys) -> None:
    hostile = Misbehaviour(content=OK, served=Served(model="x\x1b[2J\u202e\nerror: forged"))
    with ModelServer(lambda _model, _asked: hostile) as server:
        done = run(capsys, two(tmp_path / "a", server.base_url))
    assert "\x1b" not in done.out
    assert "\nerror" not in done.out


def test_a_budget_for_thinking_is_left_its_room(tmp_path: Path, capsys: Capsys) -> None:
    thinking = {"extra": {"thinking": {"type": "enabled", "budget_tokens": 2000}}}
    with ModelServer() as server:
        run(capsys, two(tmp_path / "a", server.base_url, options=thinking))
        asked = {request.model: request.body["max_tokens"] for request in server.requests}
    assert asked == {"ada": 512, "bob": 4096}
