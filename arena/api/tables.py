"""An arena's tables as data frames of pandas, which Polars and PyArrow take as they are."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.cli.database import existing
from arena.sheets.frames import DataFrame, frame_of
from arena.store.exports.datasets import DATASETS, ColumnKind

_TYPES: Final = {
    ColumnKind.MOMENT: "datetime64[us, UTC]",
    ColumnKind.FLAG: "boolean",
    ColumnKind.COUNT: "Int64",
    ColumnKind.NUMBER: "float64",
    ColumnKind.PROBABILITY: "float64",
    ColumnKind.DOLLARS: "float64",
    ColumnKind.SHARES: "float64",
    ColumnKind.PRICE: "float64",
}


@dataclass(frozen=True, slots=True)
class Arena:
    """An arena on this machine; it is only read."""

    config: Path
    database: Path | None = None

    @classmethod
    def open(cls, path: str | Path = ".") -> "Arena":
        """Take an arena by its folder, its configuration (.yaml) or its database.

        Raises:
            ArenaError: There is no database yet.
        """
        place = Path(path)
        if place.is_dir():
            there = place / "config.yaml"
            place = there if there.is_file() else place / "arena.db"
        own = cls(place) if place.suffix in {".yaml", ".yml"} else cls(Path(), place)
        with existing(own.config, own.database):
            return own

    def standings(self) -> DataFrame:
        """A row a contestant, over all its cohorts, in dollars and scores."""
        return self.table("leaderboard")

    def forecasts(self) -> DataFrame:
        """A row a probability, in the columns that `arena.score` takes; open ones too."""
        return self.table("forecasts")

    def fills(self) -> DataFrame:
        """A row a bet that traded, in dollars and shares."""
        return self.table("fills")

    def marks(self) -> DataFrame:
        """A row a valuation of a contestant's books, in dollars."""
        return self.table("marks")

    def table(self, name: str, cohort: str | None = None) -> DataFrame:
        """A table of `arena export`, of one cohort where it is about cohorts.

        Amounts are floats here and exact in the files; moments are in UTC.

        Raises:
            KeyError: There is no such table.
        """
        dataset = {dataset.name: dataset for dataset in DATASETS}[name]
        kinds = {column.name: _TYPES.get(column.kind) for column in dataset.columns}
        with existing(self.config, self.database) as store:
            return frame_of(kinds, dataset.rows(store.db, cohort))
