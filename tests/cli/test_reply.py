import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli.models.reply import reply

LEG = '{"market_id":"m1","side":"YES","amount":120}'
BET = f'{{"reasoning":"r","action":"BET","bets":[{LEG}]}}'
SHOWN = ("--markets", "m1,m2", "--cash", "1000")


def check(said: str | bytes, *words: str) -> Result:
    """Run the command on words that come on standard input."""
    return CliRunner().invoke(reply, ["check", "-", *words], input=said)


def document(said: str | bytes, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(check(said, *words, "--json").output)
    return found


def test_a_reply_in_order_is_told_in_a_few_lines() -> None:
    done = check(BET.replace('"action"', '"forecasts":{"m2":0.25},"action"'), *SHOWN)
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "status: ok",
        "action: BET",
        "  m1 YES 120 dollars",
        "forecasts:",
        "  m2 0.25",
    ]


def test_what_was_dropped_and_mended_is_told() -> None:
    legs = f"{LEG},{LEG.replace('m1', 'm9')}"
    done = check(f"Sure! {BET.replace(LEG, legs)}", *SHOWN)
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "status: repaired",
        "action: BET",
        "  m1 YES 120 dollars",
        "dropped:",
        "  unknown_market: bet 2: 'm9' is not on offer",
        "mended:",
        "  answer with the JSON object alone: there were words, fences or tags beside it",
    ]


def test_a_rejected_reply_is_a_finding() -> None:
    done = check(BET[:-1], *SHOWN)
    first, second, third = done.output.splitlines()
    assert (done.exit_code, first, second) == (3, "status: reject", "rejected, because:")
    assert third.startswith("  the reply breaks off")


def test_the_reason_of_a_dropped_order_is_told_once() -> None:
    done = check(BET.replace("m1", "m9"), *SHOWN)
    assert done.exit_code == 3
    assert done.output.splitlines() == [
        "status: reject",
        "dropped:",
        "  unknown_market: bet 1: 'm9' is not on offer",
    ]


def test_a_sale_is_told_in_percent() -> None:
    done = check(BET.replace("BET", "SELL").replace("120", "33.5"), *SHOWN)
    assert "  m1 YES 33.5 percent of the position\n" in done.output


def test_the_document_has_everything() -> None:
    legs = f"{LEG},{LEG.replace('m1', 'm9')}"
    said = BET.replace(LEG, legs).replace('"action"', '"forecasts":{"m2":"0.25"},"action"')
    assert document(said, *SHOWN) == {
        "schema_version": 1,
        "status": "repaired",
        "action": "BET",
        "bets": [{"market_id": "m1", "side": "YES", "amount": 120}],
        "forecasts": [{"market_id": "m2", "p_yes": 0.25}],
        "dropped": [
            {"index": 1, "reason": "unknown_market", "detail": "bet 2: 'm9' is not on offer"}
        ],
        "reasons": ["a number is bare: without quotation marks"],
    }


def test_the_document_of_a_rejected_reply_has_no_action() -> None:
    done = check("no", *SHOWN, "--json")
    found = json.loads(done.output)
    assert (done.exit_code, found["action"], found["bets"]) == (3, None, [])
    assert found["reasons"] == ["the reply holds no JSON object"]


def test_without_a_cap_the_cash_alone_judges() -> None:
    said = BET.replace("120", "1000")
    assert document(said, *SHOWN)["status"] == "ok"
    capped = document(said, *SHOWN, "--cap", "250")
    assert [d["reason"] for d in capped["dropped"]] == ["over_cap"]
    over = document(said.replace("1000", "1000.01"), *SHOWN)
    assert [d["reason"] for d in over["dropped"]] == ["over_budget"]


@pytest.mark.parametrize("word", ["length", "MAX_TOKENS", "incomplete"])
def test_a_reply_that_was_cut_off_is_rejected(word: str) -> None:
    assert document(BET, *SHOWN, "--finish-reason", word)["status"] == "reject"
    assert document(BET, *SHOWN, "--finish-reason", "stop")["status"] == "ok"


def test_words_that_would_command_a_terminal_are_shown_harmless() -> None:
    evil = "\x1b[2J\u202e"
    said = BET.replace("m1", evil).replace('"r"', f'"{evil}","{evil}":1')
    named = check(BET.replace("m1", evil), "--markets", f"m1,{evil}", "--cash", "1000")
    for done in (check(said, *SHOWN), named, check(evil, *SHOWN, "--finish-reason", evil)):
        assert all(line.isprintable() for line in done.output.splitlines())


def test_bytes_that_are_no_text_are_read_all_the_same() -> None:
    said = BET.encode().replace(b'"r"', b'"\xff\xfe"')
    assert document(said, *SHOWN)["status"] == "ok"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--markets", "m1"), "Missing option '--cash'"),
        (("--cash", "1"), "Missing option '--markets'"),
        (("--markets", " , ", "--cash", "1"), "no market is named"),
        (("--markets", "m1", "--cash", "much"), "'much' is not an amount of dollars"),
        (("--markets", "m1", "--cash", "nan"), "'nan' dollars cannot be judged by"),
        (("--markets", "m1", "--cash", "1", "--cap", "-1"), "'-1' dollars cannot be judged by"),
        (("--markets", "m1", "--cash", "1e13"), "'1e13' dollars cannot be judged by"),
    ],
)
def test_what_cannot_be_judged_by_is_wrong_usage(words: tuple[str, ...], why: str) -> None:
    done = check(BET, *words)
    assert (done.exit_code, why in done.output) == (2, True)


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    done = CliRunner().invoke(reply, ["check", str(tmp_path / "none"), *SHOWN])
    assert (done.exit_code, "does not exist" in done.output) == (2, True)
