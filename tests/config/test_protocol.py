"""The file of a study's protocol: what it may say, and how it is refused."""

from pathlib import Path

import pytest

from arena.config.protocol import load_protocol, shipped_protocol
from arena.errors import ArenaError
from arena.metrics.study.protocol import (
    OddsBook,
    Prediction,
    PredictionKind,
    QuotedGap,
    StudyProtocol,
)

BEATS = "predictions: [{id: a, kind: beats, model: x}]"
SHARE = "predictions: [{{id: a, kind: share, option: {0}}}]"
TWICE = "predictions: [{id: a, kind: share, option: home}, {id: a, kind: share, option: home}]"


def read(folder: Path, text: str) -> StudyProtocol:
    file = folder / "study.yaml"
    file.write_text(text, encoding="utf-8")
    return load_protocol(file)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ArenaError) as refused:
        read(folder, text)
    assert (refused.value.code, refused.value.status) == ("study.protocol", 2)
    return refused.value.message.replace(folder.as_posix(), "")


def test_the_shipped_protocol_is_the_default_of_every_key(tmp_path: Path) -> None:
    assert read(tmp_path, shipped_protocol()) == StudyProtocol()


def test_an_empty_file_is_the_default(tmp_path: Path) -> None:
    assert read(tmp_path, "") == StudyProtocol()


def test_the_examples_in_the_shipped_comments_can_be_used(tmp_path: Path) -> None:
    lines = shipped_protocol().splitlines()
    used = [line.replace("  # - ", "  - ").replace("# matches", "matches") for line in lines]
    text = "\n".join(used).replace("predictions: []", "predictions:")
    assert len(read(tmp_path, text).predictions) == len(PredictionKind)


def test_books_predictions_and_quotes_become_records(tmp_path: Path) -> None:
    protocol = read(
        tmp_path,
        "books: [{name: acme}]\n"
        "predictions: [{id: a, kind: outcome, question: m1, option: home, confidence: 0.6}]\n"
        "quoted: [{id: r16, difference: -0.044859, errors: -1.47}]\n",
    )
    assert protocol.books == (OddsBook("acme"),)
    assert protocol.quoted == (QuotedGap("r16", -0.044859, -1.47),)
    assert protocol.predictions == (
        Prediction("a", PredictionKind.OUTCOME, question="m1", option="home", confidence=0.6),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("champoin: x", ":1: champoin: expected a known key, found 'champoin'; did you mean"),
        ("name: a\nlevels: {baseline: 1.5}", ":2: levels.baseline: expected a level above 0"),
        ("levels: {market: 0}", "levels.market: expected a level"),
        ("edge: {mainline: 3}", "edge.mainline: expected a share"),
        ("kill: {looks: many}", "kill.looks: expected a whole number"),
        ("kill: {errors: -2}", "kill.errors: expected a number above 0"),
        ("look: tomorrow", "look: expected a day such as"),
        ("gate: {news_within: soon}", "gate.news_within: expected a duration"),
        ("ordered: perhaps", "ordered: expected true or false"),
        ("primary: [{against: me}]", "primary[0].against: expected one of baseline, market"),
        ("primary: [{aganst: market}]", "found 'aganst'; did you mean against?"),
        ("books: [{name: a, venue: shop}]", "venue: expected one of bookmaker, exchange"),
        ("options: [home]\nreference: home", "options: expected two or more different"),
        ("options: [a, a]\nreference: a", "two or more different options, found 'a'"),
        ("reference: drow", "one of home, draw, away, found 'drow'; did you mean draw?"),
        ("champion: M0", "champion: expected another model than baseline and market"),
        ("closing: {shortest_block: 30}", "closing.shortest_block: expected no more than"),
        ("efficiency: {prices: noon}", "efficiency.prices: expected one of closing, opening"),
        ("predictions: [{id: a, kind: no}]", "predictions[0].kind: expected one of beats"),
        (BEATS, "predictions[0]: expected the key against, which the kind beats needs"),
        (SHARE.format("win"), "predictions[0].option: expected one of"),
        (SHARE.format("home, low: 0.9, high: 0.1"), "low: expected no more than high"),
        (TWICE, "predictions[1].id: expected each id once"),
        (
            "quoted: [{id: a, difference: -x, errors: 1}]",
            "quoted[0].difference: expected a num",
        ),
        ("champion: [", "expected YAML"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    assert message in refusal(tmp_path, text)


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    message = refusal(tmp_path, "champoin: x\nlook: never\nlevels: {others: 2}")
    assert message.count("expected") == 3


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="a file that can be read"):
        load_protocol(tmp_path / "none.yaml")
