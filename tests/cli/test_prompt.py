"""`arena prompt`: what would be sent, word for word, before anybody pays for it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.inside import Capsys, here, strict
from tests.cli.project import TEMPLATES, Project, edit, model, project
from tests.cli.shell import Done
from tests.standins.model_server import ModelServer

PRICED = {"price_in": 3, "price_out": 15, "price_cached": 0.3, "max_tokens": 2000}


def configured(base_url: str) -> dict[str, dict[str, object]]:
    return {"ada": model(base_url, **PRICED), "bob": model(base_url)}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A project whose first round two models have answered."""
    with ModelServer() as server:
        made = project(
            tmp_path_factory.mktemp("prompts") / "arena", models=configured(server.base_url)
        )
        assert made.tick().code == 0
        yield Project(made.folder)


class Asking:
    """Runs the command in this process, on a project."""

    def __init__(self, made: Project, capsys: Capsys) -> None:
        self._made = made
        self._capsys = capsys

    def run(self, *words: str) -> Done:
        return here(self._capsys, "--config", self._made.folder / "config.yaml", *words)

    def show(self, agent: str, *more: str, cohort: str = "c") -> Done:
        return self.run("prompt", "show", "--cohort", cohort, "--agent", agent, *more)

    def document(self, agent: str, *more: str, cohort: str = "c") -> dict[str, Any]:
        return strict(self.show(agent, *more, "--json", cohort=cohort))


@pytest.fixture
def asked(played: Project, capsys: Capsys) -> Asking:
    return Asking(played, capsys)


def data(user: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(user.partition(">\n")[2].partition("\n</data-")[0])
    return found


def test_the_words_are_those_that_were_sent(played: Project, asked: Asking) -> None:
    """Up to the portfolio, which has changed since the contestant answered."""
    ((system, user),) = played.rows(
        "SELECT text_of(system.body), text_of(shared.body) || text_of(own.body) "
        "FROM tape_calls "
        "JOIN tape_blobs AS system ON system.digest = system_digest "
        "JOIN tape_blobs AS shared ON shared.digest = shared_digest "
        "JOIN tape_blobs AS own ON own.digest = own_digest WHERE contestant = 'ada'"
    )
    shown = asked.document("ada")
    assert shown["system"] == system.decode()
    assert user.startswith(shown["user"][: shown["shared"]])
    assert any("has answered this round" in note for note in shown["notes"])


def test_the_text_has_every_part_and_the_digest(asked: Asking) -> None:
    shown, printed = asked.document("ada"), asked.show("ada").out
    assert shown["system"] in printed
    assert shown["user"][: shown["shared"]] in printed
    assert shown["schema"] in printed
    assert f"prompt decide  sha256 {shown['digest']}" in printed
    assert "round 1 of c, laid out 2026-01-05 00:00 UTC" in printed


def test_tokens_are_guessed_and_priced_for_every_model(asked: Asking) -> None:
    shown = asked.document("ada")
    tokens, (ada, bob) = shown["tokens"], shown["costs"]
    size = len(shown["system"]) + len(shown["user"]) + len(shown["schema"])
    assert sum(tokens.values()) == pytest.approx(size / 3, abs=30)
    cold = sum(tokens.values()) * 3 + 1000 * 15
    warm = cold - (tokens["system"] + tokens["shared"]) * 2.7
    assert float(ada["cold"]) == pytest.approx(cold / 1e6, abs=1e-6)
    assert float(ada["warm"]) == pytest.approx(warm / 1e6, abs=1e-6)
    assert float(ada["worst"]) == pytest.approx((cold + 1000 * 15) / 1e6, abs=1e-6)
    assert float(ada["batch"]) == pytest.approx(cold / 2e6, abs=1e-6)
    assert ada["source"] == "configured"
    assert (bob["model"], bob["cold"]) == ("bob", None)


def test_an_unknown_price_is_said_to_be_unknown(asked: Asking) -> None:
    line = next(x for x in asked.show("bob").out.splitlines() if x.startswith("bob  "))
    assert line.split() == ["bob", *["n/a"] * 5, "unknown"]


def test_one_s_own_model_comes_first_and_others_can_be_named(asked: Asking) -> None:
    assert [cost["model"] for cost in asked.document("bob")["costs"]] == ["bob", "ada"]
    named = asked.document("bob", "--model", "ada")
    assert [cost["model"] for cost in named["costs"]] == ["ada"]


def test_a_longer_answer_costs_more(asked: Asking) -> None:
    short, long = (
        float(asked.document("ada", "--answer", size)["costs"][0]["cold"])
        for size in ("0", "2000")
    )
    assert long - short == pytest.approx(0.03)


def test_each_call_of_a_locked_turn_can_be_shown(asked: Asking) -> None:
    first, second = (asked.document("ada", "--call", call) for call in ("forecast", "stake"))
    assert first["shared"] == len(first["user"])
    assert "portfolio" not in data(first["user"])
    stated = data(second["user"])["stated"]
    assert stated
    assert stated.keys() <= {m["market_id"] for m in data(second["user"])["markets"]}


def test_nothing_is_asked_and_nothing_is_written(played: Project, asked: Asking) -> None:
    before = played.rows("SELECT count(*) FROM tape_answers"), played.journal
    asked.show("ada")
    assert (played.rows("SELECT count(*) FROM tape_answers"), played.journal) == before


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("c nobody", "agent.unknown", "there are: ada, bob"),
        ("c market", "prompt.none", "is sent no prompt"),
        ("c ada --model eve", "model.unknown", "there are: ada, bob"),
        ("x ada", "cohort.unknown", "there are: c"),
    ],
)
def test_a_wrong_name_is_told_what_there_is(
    asked: Asking, words: str, code: str, said: str
) -> None:
    cohort, agent, *more = words.split()
    done = asked.show(agent, *more, cohort=cohort)
    assert done.fails_clearly(2)
    assert f"error[{code}]" in done.err
    assert said in done.err


@pytest.fixture
def later(played: Project, tmp_path: Path) -> Project:
    """The same project with a second cohort, which starts in the far future."""
    made = played.copy(tmp_path / "copy")
    text = (made.folder / "cohorts" / "c.yaml").read_text()
    text = text.replace("first: 2026-01-05", "first: 2099-01-05")
    text = re.sub("contestants: .*", "contestants: [ada]", text)
    (made.folder / "cohorts" / "d.yaml").write_text(text)
    return made


def test_a_cohort_that_has_not_started_is_shown_with_the_last_prices(
    later: Project, capsys: Capsys
) -> None:
    shown = Asking(later, capsys).document("ada", cohort="d")
    at = "2026-01-05 00:00 UTC"
    assert f"no round yet: markets and prices are those on the tape at {at}" in shown["notes"]
    told = data(shown["user"])
    assert len(told["markets"]) == 5
    assert told["portfolio"] == {
        "cash": 10000,
        "smallest_stake": 50,
        "largest_stake": 2500,
        "holdings": [],
    }
    assert later.is_sound


def test_a_contestant_that_plays_elsewhere_is_refused(later: Project, capsys: Capsys) -> None:
    done = Asking(later, capsys).show("bob", cohort="d")
    assert done.fails_clearly(2)
    assert "bob does not play in d" in done.err


@pytest.fixture
def unplayed(tmp_path: Path) -> Project:
    """A project that nobody has ticked; its models are nowhere."""
    return project(tmp_path / "arena", models=configured("http://127.0.0.1:9/v1"))


def test_before_any_tick_it_says_what_to_do(unplayed: Project, capsys: Capsys) -> None:
    asking = Asking(unplayed, capsys)
    without = asking.show("ada")
    assert without.fails_clearly(2)
    assert "`arena tick` makes it" in without.err
    unplayed.database.parent.mkdir()
    unplayed.database.touch()
    empty = asking.show("ada")
    assert empty.fails_clearly(2)
    assert "c has no round yet, and nothing is known of the venue sim" in empty.err


def test_prompts_are_listed_with_who_is_asked_with_them(
    unplayed: Project, tmp_path: Path, capsys: Capsys
) -> None:
    folder = tmp_path / "templates" / "prompts"
    folder.mkdir(parents=True)
    for part in ("system", "user"):
        name = f"decide.{part}.md.j2"
        (folder / name).write_text((TEMPLATES / "prompts" / name).read_text())
    (folder / "half.user.md.j2").write_text("{{ data }}")
    edit(unplayed, "paths:", f"paths: {json.dumps({'templates': str(folder.parent)})}")
    asking = Asking(unplayed, capsys)
    decide, half, _ = strict(asking.run("prompt", "list", "--json"))["prompts"]
    assert decide["contestants"] == ["ada", "bob"]
    assert (len(decide["digest"]), decide["trouble"]) == (64, None)
    assert half == {
        "prompt": "half",
        "digest": None,
        "trouble": "there is no template prompts/half.system.md.j2",
        "contestants": [],
    }
    table = asking.run("prompt", "list").out.splitlines()
    assert [line.split()[0] for line in table] == ["prompt", "decide", "half", "structured"]
    assert decide["digest"][:12] in table[1]
