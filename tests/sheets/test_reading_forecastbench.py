import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.scoring.published import bench_rows
from arena.sheets.reading import Sheet, read_forecasts
from tests.present import present
from tests.sheets.written import said, write

DUE, LATER = "2026-01-04", "2026-01-18"


def question(
    name: str | list[str], frozen: object, source: str = "manifold"
) -> dict[str, object]:
    return {"id": name, "source": source, "freeze_datetime_value": frozen}


def ruling(
    name: str | list[str],
    to: float,
    *,
    on: str = "2026-02-01",
    source: str = "manifold",
    done: bool = True,
) -> dict[str, object]:
    return {
        "id": name,
        "source": source,
        "resolution_date": on,
        "resolved_to": to,
        "resolved": done,
    }


def forecast(
    name: str | list[str], p: object, on: str | None = None, source: str = "manifold"
) -> dict[str, object]:
    return {
        "id": name,
        "source": source,
        "forecast": p,
        "resolution_date": on,
        "reasoning": "so",
    }


class Folder:
    """Forecast, resolution and question sets, small."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(
        self, kind: str, rows: Sequence[dict[str, object]], due: str = DUE, **head: str
    ) -> Path:
        known = {"forecast_due_date": due, "question_set": f"{due}-llm.json"}
        name = f"{due}.{head.get('model', '')}.{kind}.json"
        return write(self.folder, json.dumps(known | head | {kind: rows}), name)

    def forecasts(self, *rows: dict[str, object], due: str = DUE, model: str = "m") -> Path:
        return self.write("forecasts", rows, due, organization="org", model=model)

    def resolutions(self, *rows: dict[str, object], due: str = DUE) -> Path:
        return self.write("resolutions", rows, due)

    def questions(self, *rows: dict[str, object], due: str = DUE) -> Path:
        return self.write("questions", rows, due)


@pytest.fixture
def sets(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def read(file: Path, *resolutions: Path, questions: Sequence[Path] = ()) -> Sheet:
    return read_forecasts([file], resolutions=resolutions, questions=questions)


def test_a_forecast_set_meets_its_resolutions_and_prices(sets: Folder) -> None:
    found = read(
        sets.forecasts(forecast("a", 0.9), forecast("b", 0.2)),
        sets.resolutions(ruling("a", 1.0), ruling("b", 0.0)),
        questions=[sets.questions(question("a", "0.75"), question("b", "N/A"))],
    ).forecasts
    assert said(found) == [
        ("org / m", "manifold/a", "manifold/a", 0.9, 1),
        ("org / m", "manifold/b", "manifold/b", 0.2, 0),
    ]
    assert np.array_equal(found.market_p, [0.75, np.nan], equal_nan=True)
    assert found.at.astype(str).tolist() == ["2026-01-04T00:00:00.000000"] * 2
    assert found.left_out == {}


def test_a_question_of_several_dates_is_one_event_with_a_market_a_date(sets: Folder) -> None:
    found = read(
        sets.forecasts(
            forecast("x", 0.1, "2026-02-01", "fred"), forecast("x", 0.2, "2026-03-01", "fred")
        ),
        sets.resolutions(
            ruling("x", 0, source="fred"), ruling("x", 1, on="2026-03-01", source="fred")
        ),
    ).forecasts
    assert said(found) == [
        ("org / m", "fred/x@2026-02-01", "fred/x", 0.1, 0),
        ("org / m", "fred/x@2026-03-01", "fred/x", 0.2, 1),
    ]


def test_questions_of_one_family_are_one_event_where_question_sets_are_given(
    sets: Folder,
) -> None:
    cup = {"market_info_close_datetime": "2026-07-20T00:00:00+00:00"}
    asked = [
        question(name, "0.5") | cup | {"question": f"Will {name} win the World Cup?"}
        for name in ("Peru", "Chile")
    ]
    files = (
        sets.forecasts(forecast("Peru", 0.1), forecast("Chile", 0.2)),
        sets.resolutions(ruling("Peru", 0), ruling("Chile", 1)),
    )
    found = read(*files, questions=[sets.questions(*asked)]).forecasts
    assert [row[2] for row in said(found)] == ["manifold/Peru"] * 2
    alone = [row[2] for row in said(read(*files).forecasts)]
    assert alone == ["manifold/Peru", "manifold/Chile"]


def test_without_a_date_a_question_of_several_has_no_outcome(sets: Folder) -> None:
    found = read(
        sets.forecasts(forecast("x", 0.1, None, "fred")),
        sets.resolutions(
            ruling("x", 0, source="fred"), ruling("x", 1, on="2026-03-01", source="fred")
        ),
    )
    assert (found.forecasts.left_out, found.faulty) == ({"outcome_missing": 1}, 0)


def test_what_is_open_unknown_or_fractional_is_left_out(sets: Folder) -> None:
    names = ("open", "unknown", "half", "void")
    found = read(
        sets.forecasts(*(forecast(name, 0.5) for name in names)),
        sets.resolutions(
            ruling("open", 0.4, done=False), ruling("half", 0.5), ruling("void", float("nan"))
        ),
    )
    assert found.forecasts.left_out == {"outcome_fractional": 1, "outcome_missing": 3}
    assert found.faulty == 0


def test_combinations_are_no_markets(sets: Folder) -> None:
    found = read(
        sets.forecasts(forecast(["a", "b"], 0.5), forecast("a", 0.5)),
        sets.resolutions(ruling(["a", "b"], 1), ruling("a", 1)),
        questions=[sets.questions(question(["a", "b"], "N/A"), question("a", "0.5"))],
    )
    assert [row[1] for row in said(found.forecasts)] == ["manifold/a"]


def test_the_value_of_a_series_is_no_price(sets: Folder) -> None:
    found = read(
        sets.forecasts(forecast("rate", 0.5, "2026-02-01", "fred"), forecast("a", 0.5)),
        sets.resolutions(ruling("rate", 1, source="fred"), ruling("a", 1)),
        questions=[sets.questions(question("rate", "0.045", "fred"), question("a", "0.25"))],
    ).forecasts
    assert np.array_equal(found.market_p, [np.nan, 0.25], equal_nan=True)


def test_each_round_has_its_own_prices_and_outcomes(sets: Folder) -> None:
    first, second = (
        sets.forecasts(forecast("a", 0.1)),
        sets.forecasts(forecast("a", 0.2), due=LATER),
    )
    found = read_forecasts(
        [first, second],
        resolutions=[
            sets.resolutions(ruling("a", 0.3, done=False)),
            sets.resolutions(ruling("a", 1.0), due=LATER),
        ],
        questions=[
            sets.questions(question("a", "0.4")),
            sets.questions(question("a", "0.9"), due=LATER),
        ],
    ).forecasts
    assert (found.p.tolist(), found.market_p.tolist()) == ([0.2], [0.9])
    assert found.left_out == {"outcome_missing": 1}


def test_faulty_forecasts_are_counted(sets: Folder) -> None:
    found = read(
        sets.forecasts(forecast("a", 1.5), forecast("a", None), forecast("a", 0.5)),
        sets.resolutions(ruling("a", 1)),
    )
    assert found.forecasts.left_out == {"p_missing": 1, "p_out_of_range": 1}
    assert found.faulty == 2


@pytest.mark.parametrize("due", [None, LATER])
def test_a_forecast_set_needs_the_resolutions_of_its_round(
    due: str | None, sets: Folder
) -> None:
    others = [sets.resolutions(ruling("a", 1), due=due)] if due else []
    with pytest.raises(ArenaError, match=f"questions of {DUE} resolved") as refused:
        read(sets.forecasts(forecast("a", 0.5)), *others)
    assert (refused.value.code, refused.value.status) == ("score.resolutions", 2)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"resolutions": []}',
             '{"forecast_due_date": "d", "resolutions": [1]}',
             '{"forecast_due_date": "d", "resolutions": [{"id": "a"}]}']
)  # fmt: skip
def test_what_is_no_resolution_set_is_named(text: str, sets: Folder) -> None:
    wrong = write(sets.folder, text, "wrong.json")
    with pytest.raises(ArenaError, match=r"wrong\.json is not a set of resolutions") as refused:
        read(sets.forecasts(forecast("a", 0.5)), wrong)
    assert refused.value.status == 2


def test_a_resolution_set_that_is_not_there_is_named(sets: Folder) -> None:
    with pytest.raises(ArenaError, match=r"there is no file .*gone\.json"):
        read(sets.forecasts(forecast("a", 0.5)), sets.folder / "gone.json")


def test_a_market_under_many_dates_that_agree_is_one(sets: Folder) -> None:
    dates = ("2024-07-28", "2024-08-20", "2024-10-19", "2025-01-17")
    rulings = [ruling("a", 1, on=date) for date in dates]
    once = read(sets.forecasts(forecast("a", 0.7)), sets.resolutions(*rulings))
    each = read(
        sets.forecasts(*(forecast("a", 0.7, date) for date in dates)),
        sets.resolutions(*rulings),
    )
    for found in (once, each):
        assert said(found.forecasts) == [("org / m", "manifold/a", "manifold/a", 0.7, 1)]
        assert found.forecasts.left_out == {}


def test_two_forecasts_of_one_market_contradict_each_other(sets: Folder) -> None:
    found = read(
        sets.forecasts(forecast("a", 0.7, "2024-07-28"), forecast("a", 0.6, "2024-08-20")),
        sets.resolutions(ruling("a", 1, on="2024-07-28"), ruling("a", 1, on="2024-08-20")),
    )
    assert found.forecasts.left_out == {"p_contradicted": 2}


def test_a_file_of_several_users_has_a_contestant_each(sets: Folder) -> None:
    found = read(
        sets.forecasts(
            forecast("a", 0.7) | {"user_id": 1}, forecast("a", 0.2) | {"user_id": 2}
        ),
        sets.resolutions(ruling("a", 1)),
    ).forecasts
    assert [row[0] for row in said(found)] == ["org / m / 1", "org / m / 2"]


def test_a_set_without_a_due_date_has_that_of_its_question_set(sets: Folder) -> None:
    head = {"question_set": f"{DUE}-llm.json", "organization": "org"}
    file = write(sets.folder, json.dumps(head | {"forecasts": [forecast("a", 0.5)]}), "x.json")
    assert len(read(file, sets.resolutions(ruling("a", 1))).forecasts) == 1


def test_the_prices_of_all_published_rounds_score_what_is_known(tmp_path: Path) -> None:
    real = Path(__file__).parents[3] / "shared" / "data" / "forecastbench"
    if not real.is_dir():
        pytest.skip(f"there is no ForecastBench data in {real}")
    questions = sorted((real / "question_sets").iterdir())
    files = []
    for asked in questions:
        held = json.loads(asked.read_text(encoding="utf-8"))
        rows = [
            forecast(row["id"], float(row["freeze_datetime_value"]), source=row["source"])
            for row in held["questions"]
            if isinstance(row["id"], str) and row["freeze_datetime_value"] != "N/A"
        ]
        head = {"organization": "org", "model": "price", "question_set": asked.name}
        files.append(write(tmp_path, json.dumps(head | {"forecasts": rows}), asked.name))
    rulings = sorted((real / "resolution_sets").iterdir())
    found = read_forecasts(files, resolutions=rulings, questions=questions).forecasts
    (row,) = bench_rows(found, found.labels["source"])
    assert (row.n_market, round(present(row.market), 7)) == (920, 0.0575543)


def test_our_own_columns_under_such_a_head_are_ours(sets: Folder) -> None:
    row = {"contestant": "ada", "market": "x", "p": 0.5, "outcome": 1}
    found = read(sets.forecasts(row)).forecasts
    assert said(found) == [("ada", "x", "x", 0.5, 1)]
