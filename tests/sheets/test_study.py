"""The file of a study: models, questions, quotes, bets and the gate's inputs."""

from pathlib import Path

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.metrics.study.protocol import OddsBook
from arena.sheets.study import StudySheet, read_study
from tests.metrics.study.studies import quick
from tests.present import present

HEAD = "model,question,event,at,p_1,p_2,p_3,outcome"
ONE = "star,m1,cup,2026-06-11T09:00Z,0.5,0.3,0.2,1"
TWO = "base,m1,cup,2026-06-11T09:00Z,0.4,0.3,0.3,1"


def read(folder: Path, *lines: str, options: int = 3, **protocol: object) -> StudySheet:
    file = folder / "study.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_study([file], quick(options, **protocol))


def test_models_and_questions_make_a_table_with_gaps(tmp_path: Path) -> None:
    found = read(
        tmp_path, HEAD, ONE, TWO, "star,m2,semi,2026-06-12T09:00Z,0.2,0.3,0.5,3"
    ).forecasts
    assert (found.models, found.questions) == (("star", "base"), ("m1", "m2"))
    assert found.outcome.tolist() == [0, 2]
    assert np.isnan(found.p[1, 1]).all()


def test_questions_stand_in_the_order_of_time(tmp_path: Path) -> None:
    late = ONE.replace("m1", "m0").replace("06-11", "06-13")
    found = read(tmp_path, HEAD, late, ONE).forecasts
    assert found.questions == ("m1", "m0")
    assert found.day == ("2026-06-11", "2026-06-13")


def test_the_last_of_several_forecasts_counts(tmp_path: Path) -> None:
    later = "star,m1,cup,2026-06-11T10:00Z,0.8,0.1,0.1,1"
    found = read(tmp_path, HEAD, later, ONE)
    assert found.forecasts.p[0, 0].tolist() == [0.8, 0.1, 0.1]
    assert found.replaced == 1


def test_p_of_two_options_is_of_the_second_and_market_p_its_quote(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "model,question,p,market_p,close_p,outcome",
        "star,m1,0.7,0.6,0.65,yes",
        options=2,
    ).forecasts
    assert found.p[0, 0].tolist() == pytest.approx([0.3, 0.7])
    assert found.opening[0].tolist() == pytest.approx([0.4, 0.6])
    assert found.closing[0].tolist() == pytest.approx([0.35, 0.65])


QUOTED = f"{HEAD},open_1,open_2,open_3"


def test_quotes_stand_in_one_row_of_a_question_or_in_all(tmp_path: Path) -> None:
    found = read(tmp_path, QUOTED, f"{ONE},,,", f"{TWO},0.5,0.3,0.2")
    assert found.forecasts.opening.tolist() == [[0.5, 0.3, 0.2]]
    assert found.faults == {}


@pytest.mark.parametrize(
    ("one", "two", "fault"),
    [
        ("0.5,0.3,0.2", "0.4,0.4,0.2", "open_contradicted"),
        ("0.5,0.3,0.3", "0.5,0.3,0.3", "open_sum_not_1"),
        ("1.5,-0.3,-0.2", ",,", "open_out_of_range"),
        ("half,0.3,0.2", ",,", "open_1_not_a_number"),
    ],
)
def test_a_faulty_quote_is_missing_and_counted(
    tmp_path: Path, one: str, two: str, fault: str
) -> None:
    found = read(tmp_path, QUOTED, f"{ONE},{one}", f"{TWO},{two}")
    assert np.isnan(found.forecasts.opening).all()
    assert set(found.faults) == {fault}


def test_decimal_odds_of_a_book_are_read_where_the_protocol_names_it(tmp_path: Path) -> None:
    head = f"{HEAD},odds_acme_open_1,odds_acme_open_2,odds_acme_open_3"
    rows = (head, f"{ONE},1.9,3.4,4.5")
    assert read(tmp_path, *rows).forecasts.odds == {}
    found = read(tmp_path, *rows, books=(OddsBook("acme"),))
    assert found.forecasts.odds["acme"].opening.tolist() == [[1.9, 3.4, 4.5]]
    assert np.isnan(found.forecasts.odds["acme"].closing).all()


def test_odds_that_pay_nothing_are_missing_and_counted(tmp_path: Path) -> None:
    head = f"{HEAD},odds_acme_open_1,odds_acme_open_2,odds_acme_open_3"
    found = read(tmp_path, head, f"{ONE},1.0,3.4,4.5", books=(OddsBook("acme"),))
    assert found.faults == {"odds_acme_open_not_above_1": 1}


def test_bets_have_a_stake_and_an_option(tmp_path: Path) -> None:
    head = f"{HEAD},stake,backed,stage,fold,class,host"
    found = read(
        tmp_path, head, f"{ONE},0.02,3,group,1,1x2,1", f"{TWO},,,group,1,1x2,1"
    ).forecasts
    assert found.stake[0].tolist() == [0.02]
    assert found.backed.tolist() == [[2], [-1]]
    assert found.host.tolist() == [0]
    assert present(found.stage).names == ("group",)


def test_a_question_without_a_stage_has_an_empty_name(tmp_path: Path) -> None:
    two = ONE.replace("m1", "m2")
    found = read(tmp_path, f"{HEAD},stage", f"{ONE},group", f"{two},").forecasts
    stage = present(found.stage)
    assert [stage.names[code] for code in stage.codes] == ["group", ""]


def test_what_the_gate_asks_is_read_and_none_is_not_nothing(tmp_path: Path) -> None:
    head = f"{HEAD},volume,quoted_at,news_at"
    quoted = f"{ONE},60000,2026-06-11T08:00Z,none"
    found = read(tmp_path, head, quoted).forecasts.gate
    assert (found.volume.tolist(), found.news) == ([60000.0], ((),))
    assert str(found.quoted_at[0]) == "2026-06-11T08:00:00.000000"
    unknown = read(tmp_path, head, f"{ONE},,,").forecasts.gate
    assert unknown.news == (None,)


def test_a_quote_s_day_is_read_as_the_file_s_other_days(tmp_path: Path) -> None:
    one = ONE.replace("2026-06-11T09:00Z", "13/6/2026 9:00")
    found = read(tmp_path, f"{HEAD},quoted_at,news_at", f"{one},6/5/2026,6/5/2026 7/5/2026")
    gate, (news,) = found.forecasts.gate, found.forecasts.gate.news
    assert [str(at)[:10] for at in (*gate.quoted_at, *present(news))] == [
        "2026-05-06", "2026-05-06", "2026-05-07"
    ]  # fmt: skip


def test_a_quote_s_day_that_may_be_a_month_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="line 2, quoted_at: '6/5/2026' may be two days"):
        read(tmp_path, f"{HEAD},quoted_at", f"{ONE},6/5/2026")


def test_an_amount_of_thousands_or_decimals_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="line 2, volume: '120,000' may be thousands"):
        read(tmp_path, f"{HEAD},volume", f'{ONE},"120,000"')


def test_between_semicolons_a_comma_is_decimal_in_an_amount(tmp_path: Path) -> None:
    head, one = (row.replace(",", ";") for row in (f"{HEAD},volume", ONE))
    assert read(tmp_path, head, f"{one};12,500").forecasts.gate.volume.tolist() == [12.5]
    with pytest.raises(ArenaError, match=r"volume: '12\.000' may be thousands"):
        read(tmp_path, head, f"{one};12.000")


def test_a_word_for_nothing_is_no_amount(tmp_path: Path) -> None:
    found = read(tmp_path, f"{HEAD},volume", f"{ONE},NA")
    assert np.isnan(found.forecasts.gate.volume).all()
    assert found.faults == {}


def test_a_quote_from_after_the_forecast_is_not_looked_at(tmp_path: Path) -> None:
    found = read(tmp_path, f"{HEAD},quoted_at", f"{ONE},2026-06-11T12:00Z")
    assert found.faults == {"quoted_at_after_the_forecast": 1}
    assert np.isnat(found.forecasts.gate.quoted_at).all()


def test_another_number_of_options_than_the_protocols_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="over 3 options, the protocol has 2") as refused:
        read(tmp_path, HEAD, ONE, options=2)
    assert refused.value.code == "study.options"


def test_a_champion_that_is_misspelt_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArenaError) as refused:
        read(tmp_path, HEAD, ONE, champion="stra")
    assert "did you mean star?" in refused.value.hint


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="nothing in it"):
        read(tmp_path, "")
    with pytest.raises(ArenaError, match="no resolved forecast"):
        read(tmp_path, HEAD)
