import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from arena.cli.play.tick import tick_once
from arena.cli.play.turns import (
    TypedAnswer,
    amount,
    asked,
    head_of,
    probability,
    words_of,
)
from arena.cli.say import plain
from arena.records.answer import Offer
from arena.records.market import YES_WINS
from tests.build import RAIN, SNOW, at_price, market
from tests.cli.handing_in import entered, handed_in, late, typed, waiting
from tests.cli.inside import Capsys, here
from tests.cli.project import Project
from tests.cli.shell import Done
from tests.outside import Outside, alias, bets, outside


@pytest.fixture
def made(unanswered: Project, tmp_path: Path) -> Project:
    return unanswered.copy(tmp_path / "arena")


@pytest.fixture
def opened(tmp_path: Path) -> Outside:
    """An arena whose first round waits for Ben."""
    found = outside(tmp_path)
    found.tick(0)
    return found


def forecast(capsys: Capsys, made: Project, *words: str) -> Done:
    config = made.folder / "config.yaml"
    return here(capsys, "--config", config, "forecast", "--agent", "me", *words)


def said_by(made: Project) -> dict[str, Any]:
    """The one answer that is kept."""
    (text,) = handed_in(made)
    found: dict[str, Any] = json.loads(text)
    return found


# What is shown


def test_a_round_is_shown_as_a_person_reads_it(unanswered: Project, capsys: Capsys) -> None:
    done = forecast(capsys, unanswered)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("round 1 of c for me: prices of ")
    assert lines[1].startswith("answer by ")
    assert lines[2] == (
        "cash $10,000.00; a bet is $50.00 to $2,500.00, and all bets together are at most "
        "$2,500.00"
    )
    assert [line.split()[0] for line in lines if line.startswith("M")] == ["M1", "M2", "M3"]
    assert lines[6].startswith("    YES sells at 0.")
    assert lines[-1].startswith("answer with: arena forecast --agent me --cohort c --p M1=")


def test_sides_that_have_names_stand_behind_the_question() -> None:
    match = replace(
        market(RAIN), question="Who wins?", labels=("Hollin", "An" + chr(10) + "sel")
    )
    assert (
        head_of(Offer("M1", match, at_price("0.4")))
        == "M1  Who wins? (YES: Hollin, NO: An sel)"
    )


def test_how_markets_resolve_is_shown_on_demand(unanswered: Project, capsys: Capsys) -> None:
    assert "    | " not in forecast(capsys, unanswered).out
    assert (
        forecast(capsys, unanswered, "--rules").out.count("    | This market is invented.") == 3
    )


def test_a_script_gets_what_models_get_and_the_schema(
    unanswered: Project, capsys: Capsys
) -> None:
    done = forecast(capsys, unanswered, "--json")
    assert (done.code, done.err) == (0, "")
    (turn,) = done.document["turns"]
    assert (turn["cohort"], turn["round"], turn["closed"]) == ("c", 1, [])
    assert [m["market_id"] for m in turn["briefing"]["markets"]] == ["M1", "M2", "M3"]
    assert turn["schema"]["required"] == ["reasoning", "forecasts", "action", "bets"]


def test_texts_of_strangers_command_no_terminal(tmp_path: Path, capsys: Capsys) -> None:
    made = waiting(tmp_path / "arena")
    made.damage(
        "UPDATE tape_markets SET facts = json_set(facts, '$.question', char(27) || '[2J' "
        "|| char(8238) || 'evil', '$.rules', 'a' || char(10) || char(27) || 'b')"
    )
    done = forecast(capsys, made, "--rules")
    assert "M1  [2Jevil" in done.out
    assert plain(done.out) == done.out


def test_without_an_open_round_the_next_one_is_named(made: Project, capsys: Capsys) -> None:
    file = made.folder / "cohorts" / "next.yaml"
    file.write_text((made.folder / "cohorts" / "c.yaml").read_text().replace("2026", "2096"))
    forecast(capsys, made, "--hold", "--yes")
    done = forecast(capsys, made)
    first, second, third = done.out.splitlines()
    assert done.code == 0
    assert first.startswith("no round waits for an answer of me at ")
    assert second == "round 1 of c is answered: the next tick judges it"
    assert third == "next round: next at 2096-01-05 00:00 UTC, once the arena is ticked"
    assert forecast(capsys, made, "--json").document["turns"] == []


def test_before_the_first_tick_there_is_nothing_to_answer(tmp_path: Path) -> None:
    done = entered(tmp_path / "arena").run("forecast", "--agent", "me")
    assert done.fails_clearly(2)
    assert "there is no database at" in done.err


# What is handed in


def test_an_answer_of_options_is_handed_in_and_judged(made: Project, capsys: Capsys) -> None:
    words = ("--p", "M1=0.62", "--p", "m2=1", "--bet", "M1:yes:120", "--because", "So.")
    done = forecast(capsys, made, *words, "--yes")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "status: ok",
        "action: BET",
        "  M1 YES 120 dollars",
        "forecasts:",
        "  M1 0.62",
        "  M2 1",
        "handed in: the next tick judges it",
    ]
    assert said_by(made) == {
        "forecasts": {"M1": 0.62, "M2": 1.0},
        "action": "BET",
        "bets": [{"market_id": "M1", "side": "YES", "amount": 120}],
        "reasoning": "So.",
    }
    tick_once(made.folder / "config.yaml", None)
    assert made.answers() == {"market": 1, "me": 1}
    assert made.is_sound


def test_what_became_of_an_answer_is_told_to_a_script(made: Project, capsys: Capsys) -> None:
    done = forecast(capsys, made, "--bet", "M1:NO:9000", "--yes", "--json")
    assert (done.code, done.document["handed_in"], done.document["status"]) == (0, True, "ok")
    (why,) = done.document["would_refuse"]
    assert why.startswith("M1 NO $9000.00: the stake exceeds the largest bet")


def test_probabilities_alone_hold(made: Project, capsys: Capsys) -> None:
    forecast(capsys, made, "--p", "M3=0.05", "--yes")
    assert (said_by(made)["action"], said_by(made)["forecasts"]) == ("HOLD", {"M3": 0.05})


def test_without_a_terminal_nothing_is_handed_in_unless_it_is_meant(
    made: Project, capsys: Capsys
) -> None:
    done = forecast(capsys, made, "--hold")
    assert (done.code, "usage.confirm" in done.err, "--yes" in done.err) == (2, True, True)
    assert handed_in(made) == []


def test_an_answer_cannot_be_changed(made: Project, capsys: Capsys) -> None:
    forecast(capsys, made, "--hold", "--yes")
    done = forecast(capsys, made, "--p", "M1=1", "--yes")
    assert done.fails_clearly(1)
    assert done.err.startswith("error[submission.again]: me has answered round 1 of c already")
    assert said_by(made)["forecasts"] == {}


def test_after_the_deadline_nothing_is_taken(tmp_path: Path, capsys: Capsys) -> None:
    made = late(tmp_path / "arena")
    done = forecast(capsys, made, "--hold", "--yes")
    assert done.fails_clearly(1)
    assert done.err.startswith("error[submission.late]: round 1 of c took answers until ")
    assert forecast(capsys, made).out.startswith("no round waits")


def test_of_several_cohorts_one_must_be_named(tmp_path: Path, capsys: Capsys) -> None:
    made = waiting(tmp_path / "arena", cohorts=("c", "d"))
    done = forecast(capsys, made, "--hold", "--yes")
    assert (done.code, "--cohort: c, d" in done.err) == (2, True)
    assert forecast(capsys, made, "--hold", "--yes", "--cohort", "d").code == 0
    assert made.rows("SELECT cohort FROM tape_submissions") == [("d",)]
    assert forecast(capsys, made).out.startswith("round 1 of c ")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--agent", "eve"), "agent.unknown"),
        (("--agent", "market"), "agent.answers"),
        (("--cohort", "zzz"), "cohort.unknown"),
        (("--p", "M1=2", "--yes"), "usage.value"),
        (("--p", "M9=0.5", "--yes"), "usage.value"),
        (("--bet", "M1:YES", "--yes"), "usage.value"),
        (("--bet", "M1:YES:50", "--hold", "--yes"), "usage.invalid"),
        (("--bet", "M1:YES:50", "--sell", "M1:YES:50", "--yes"), "usage.invalid"),
        (("--p", "M1=0.5", "--p", "m1=0.6", "--yes"), "usage.invalid"),
        (("--because", "so", "--yes"), "usage.invalid"),
    ],
    ids=str,
)
def test_a_mistake_is_told_and_hands_in_nothing(
    words: Sequence[str], code: str, unanswered: Project, capsys: Capsys
) -> None:
    done = forecast(capsys, unanswered, *words)
    assert (done.code, f"error[{code}]" in done.err, done.crashed) == (2, True, False)
    assert handed_in(unanswered) == []


# On a terminal


def test_a_terminal_is_asked_market_by_market(made: Project) -> None:
    lines = ("0.62", "yes 120", "", "", "lots", "0.1", "", "A hunch.", "y")
    done = typed(made, "forecast", "--agent", "me", lines=lines)
    assert (done.code, done.crashed) == (0, False)
    assert "'lots' is not a probability from 0 to 1" in done.out
    assert done.out.rstrip().endswith("handed in: the next tick judges it")
    assert said_by(made) == {
        "forecasts": {"M1": 0.62, "M3": 0.1},
        "action": "BET",
        "bets": [{"market_id": "M1", "side": "YES", "amount": 120}],
        "reasoning": "A hunch.",
    }


@pytest.mark.parametrize(
    "words", [(), ("--bet", "M1:YES:120"), ("--p", "M1=0.5")], ids=["asked", "bet", "p"]
)
def test_who_does_not_agree_hands_in_nothing(words: Sequence[str], made: Project) -> None:
    lines = ("n",) if words else ("", "", "", "", "", "", "", "n")
    done = typed(made, "forecast", "--agent", "me", *words, lines=lines)
    assert (done.code, "nothing was handed in" in done.out) == (0, True)
    assert handed_in(made) == []


def test_who_leaves_in_the_middle_hands_in_nothing(made: Project) -> None:
    done = typed(made, "forecast", "--agent", "me", lines=("0.62", "\x04"))
    assert (done.code, done.crashed) == (130, False)
    assert handed_in(made) == []


# What is typed


def asking(made: Outside, hours: float, *lines: str) -> tuple[dict[str, Any], list[str]]:
    """Give these answers one after another; the words, and everything that was said."""
    left, told = list(lines), []

    def ask(text: str) -> str:
        told.append(text)
        return left.pop(0)

    words: dict[str, Any] = json.loads(asked(made.due(hours), ask, told.append))
    assert left == []
    return words, told


def test_what_is_held_can_be_sold_where_nothing_is_bet(opened: Outside) -> None:
    opened.hand_in(bets(opened.due(1).briefing, "500", RAIN, SNOW), 1)
    opened.tick(24)
    name = alias(opened.due(24).briefing, RAIN)
    words, told = asking(opened, 24, *[""] * 6, "40", "", "why not")
    assert words["action"] == "SELL"
    assert words["bets"] == [{"market_id": name, "side": "YES", "amount": 40}]
    assert f"    sell of {name} YES, in percent of the position" in told


def test_of_what_is_held_nothing_is_asked_where_something_is_bet(opened: Outside) -> None:
    opened.hand_in(bets(opened.due(1).briefing, "500", RAIN, SNOW), 1)
    opened.tick(24)
    words, _ = asking(opened, 24, "", "no 60.5", *[""] * 4, "")
    assert [(leg["side"], leg["amount"]) for leg in words["bets"]] == [("NO", 60.5)]


def test_what_has_closed_is_not_asked_about(opened: Outside) -> None:
    opened.says(RAIN, YES_WINS)
    opened.tick(1)
    words, told = asking(opened, 1, *["0.5", ""] * 2, "")
    assert len(words["forecasts"]) == 2
    assert not any("rain" in line for line in told)


@pytest.mark.parametrize(
    ("text", "p"), [("0", 0), ("1", 1), (".5", 0.5), ("1.0", 1), (" 0.62 ", 0.62), ("0.", 0)]
)
def test_a_probability_is_read(text: str, p: float) -> None:
    assert probability(text) == p


@pytest.mark.parametrize(
    "text", ["", ".", "1.01", "-0", "62%", "62", "1e-3", "nan", "0_1", "0,5", "\u0661", "0x1"]
)
def test_what_is_no_probability_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        probability(text)


@pytest.mark.parametrize(
    "text", ["", "0", "0.001", "-5", "1e3", "$50", "1,000", "1_0", "nan", "9" * 13, "1.2345678"]
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        amount(text, "--bet")


def test_a_sale_may_be_of_what_the_round_does_not_offer(opened: Outside) -> None:
    opened.hand_in(bets(opened.due(1).briefing, "500", RAIN), 1)
    opened.tick(2)
    opened.venue.listed = [m for m in opened.venue.listed if m.id != RAIN]
    opened.tick(24)
    briefing = opened.due(24).briefing
    name = briefing.sell_only[0].alias
    assert name in words_of(TypedAnswer(sells=[f"{name}:YES:50"]), briefing)
    with pytest.raises(click.BadParameter, match="no market of this turn"):
        words_of(TypedAnswer(bets=[f"{name}:YES:50"]), briefing)


def test_nothing_typed_is_no_answer() -> None:
    assert not TypedAnswer()
    assert TypedAnswer(hold=True)
