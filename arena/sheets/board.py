"""The board of an arena that published tables: by which rule it makes claims of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from arena.errors import ArenaError
from arena.records.claim import Scope, Season

BOARD: Final = "paper-arena.json"
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class PublishedBoard:
    """By which rule an arena makes claims, and what they may be taken for.

    `journal` is the digest of its journal when this was written.
    """

    scope: Scope
    standing: str
    words: str
    tests: tuple[str, ...]
    journal: str

    def text(self) -> str:
        """The board as a file has it."""
        season = self.scope.season
        document = {
            "today": self.scope.today.isoformat(),
            "season": season
            and {
                "start": season.start.isoformat(),
                "days": season.length // _DAY,
                "look_every_days": season.look_every // _DAY,
            },
            "references": sorted(self.scope.references),
            "standing": self.standing,
            "words": self.words,
            "tests": list(self.tests),
            "journal": self.journal,
        }
        return json.dumps(document, indent=2) + "\n"


def board_of(files: Sequence[Path]) -> PublishedBoard | None:
    """The board that some files have in common, beside them or in the folder above.

    Raises:
        ArenaError: A file of that name is not what an arena wrote.
    """
    places = set(map(_place, files))
    place = places.pop() if len(places) == 1 else None
    if place is None:
        return None
    try:
        return _board(json.loads(place.read_text("utf-8")))
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise ArenaError(
            "score.board",
            f"{place} is not what an arena wrote",
            hint="take it from where the tables are from, or score them in a folder without it",
            status=2,
        ) from error


def _place(file: Path) -> Path | None:
    folder = file.absolute().parent
    beside = (folder / BOARD, folder.parent / BOARD)
    return next((place for place in beside if place.is_file()), None)


def _board(said: dict[str, Any]) -> PublishedBoard:
    season, texts = said["season"], (said["standing"], said["words"], said["journal"])
    names = (*said["references"], *said["tests"], *texts)
    if not all(isinstance(name, str) for name in names):
        raise TypeError("a name is no text")
    return PublishedBoard(
        Scope(
            date.fromisoformat(said["today"]),
            season
            and Season(
                date.fromisoformat(season["start"]),
                season["days"] * _DAY,
                season["look_every_days"] * _DAY,
            ),
            frozenset(said["references"]),
        ),
        said["standing"],
        said["words"],
        tuple(said["tests"]),
        said["journal"],
    )
