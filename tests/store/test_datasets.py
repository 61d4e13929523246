from decimal import Decimal

import pytest

from arena.store.exports.datasets import DATASETS, ColumnKind, Dataset
from tests.build import COHORT, RAIN, SNOW
from tests.stage import Game

BY_NAME = {one.name: one for one in DATASETS}
OF_COHORT = [one for one in DATASETS if "cohort" in one.names]
KINDS: dict[ColumnKind, type | tuple[type, ...]] = {
    **dict.fromkeys((ColumnKind.TEXT, ColumnKind.MOMENT), str),
    **dict.fromkeys((ColumnKind.FLAG, ColumnKind.COUNT), int),
    **dict.fromkeys((ColumnKind.DOLLARS, ColumnKind.SHARES, ColumnKind.PRICE), Decimal),
    ColumnKind.NUMBER: (float, int),
    ColumnKind.PROBABILITY: float,
}


def told(game: Game, name: str) -> list[dict[str, object]]:
    dataset = BY_NAME[name]
    return [dict(zip(dataset.names, row, strict=True)) for row in dataset.rows(game.store.db)]


EVERY = pytest.mark.parametrize("dataset", DATASETS, ids=lambda one: one.name)


@EVERY
def test_cells_are_what_their_columns_say(dataset: Dataset, game: Game) -> None:
    rows = list(dataset.rows(game.store.db))
    assert rows or dataset.name == "costs"  # nobody in this game has a model
    for row in rows:
        assert len(row) == len(dataset.columns)
        for cell, column in zip(row, dataset.columns, strict=True):
            assert cell is None or isinstance(cell, KINDS[column.kind]), column


@EVERY
def test_a_row_is_named_by_its_key(dataset: Dataset, game: Game) -> None:
    keys = [tuple(row[name] for name in dataset.key) for row in told(game, dataset.name)]
    assert len(set(keys)) == len(keys)
    assert all(cell is not None for key in keys for cell in key)


@EVERY
def test_columns_have_names_of_their_own_and_words(dataset: Dataset) -> None:
    assert len(set(dataset.names)) == len(dataset.names)
    assert all(column.words.endswith(".") for column in dataset.columns)


@pytest.mark.parametrize(
    "dataset", [one for one in OF_COHORT if one.sql], ids=lambda one: one.name
)
def test_a_cohort_s_rows_are_those_of_all_that_name_it(dataset: Dataset, game: Game) -> None:
    place, db = dataset.names.index("cohort"), game.store.db
    mine = [row for row in dataset.rows(db) if row[place] == COHORT]
    assert sorted(map(str, dataset.rows(db, COHORT))) == sorted(map(str, mine))
    assert mine or dataset.name == "costs"


def test_a_market_s_word_is_told_with_what_a_share_was_paid(game: Game) -> None:
    ruled = {row["market"]: row for row in told(game, "resolutions")}
    rain, snow = ruled[RAIN], ruled[SNOW]
    assert (rain["outcome"], rain["yes_pays"], rain["revision"]) == ("NO", Decimal(0), 3)
    assert (snow["outcome"], snow["yes_pays"]) == ("VOID", None)


def test_a_fill_has_the_middle_of_the_yes_prices_that_it_traded_at(game: Game) -> None:
    found = {(row["round"], row["side"]): row for row in told(game, "fills")}
    assert found[1, "NO"]["market_mid"] == found[1, "YES"]["market_mid"] == Decimal("0.5")
    assert found[3, "NO"]["market_mid"] == Decimal("0.6")
    assert found[3, "NO"]["price"] == Decimal("0.4")


def test_a_forecast_stands_beside_the_price_of_its_round(game: Game) -> None:
    (rain,) = (row for row in told(game, "forecasts") if row["market"] == RAIN)
    assert (rain["p"], rain["market_p"], rain["outcome"]) == (0.7, 0.5, "0")


def test_a_turn_that_came_to_nothing_says_why(game: Game) -> None:
    turns = {(row["round"], row["contestant"]): row for row in told(game, "decisions")}
    failed = turns[1, "ben"]
    assert (failed["action"], failed["failure"] is not None) == (None, True)


def test_published_numbers_have_12_significant_digits(game: Game) -> None:
    seen = [
        cell
        for dataset in DATASETS
        for row in dataset.rows(game.store.db)
        for cell in row
        if isinstance(cell, float)
    ]
    assert len(seen) > 10
    assert seen == [float(f"{cell:.12g}") for cell in seen]
    (kept,) = game.store.db.raw.execute("SELECT max(kelly) FROM fills").fetchone()
    said = [cell for row in told(game, "fills") if isinstance(cell := row["kelly"], float)]
    assert max(said) == float(f"{kept:.12g}")
