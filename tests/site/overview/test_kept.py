import json
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.records.cohort import ContestantId
from arena.records.market import YES_WINS, Side
from arena.records.settings import Edition, Entrant
from arena.site.overview.kept import FILE, Patience, cached_overview
from arena.site.overview.read import overview_key
from arena.site.overview.records import Overview
from arena.store import Store, open_store
from tests.build import ADA, RAIN, SNOW, at, at_price, spec
from tests.site.overview.conftest import CAST, Season
from tests.stage import Game, buys, playing


@pytest.fixture
def game() -> Iterator[Game]:
    """A day in which Ada bet on rain."""
    with playing({ADA: {1: buys((RAIN, Side.YES, 500), rain=0.7)}}) as game:
        game.tick(0)
        yield game


def rewritten(file: Path, overview: object) -> None:
    """Put something else under the same key, with the digest that it then has."""
    key, _, _ = file.read_text().splitlines()
    body = json.dumps(overview)
    file.write_text(f"{key}\n{sha256(body.encode()).hexdigest()}\n{body}\n")


def mark(file: Path) -> None:
    """Write something into what is kept that no store would say."""
    said = json.loads(file.read_text().splitlines()[2])
    rewritten(file, {**said, "forecasts": 12345})


def is_kept(store: Store, folder: Path, makers: str = "") -> bool:
    """Whether what is kept is taken."""
    cached_overview(store, Edition({}), folder)
    mark(folder / FILE)
    return cached_overview(store, Edition({}), folder, makers).forecasts == 12345


def orders(found: object) -> list[Sequence[str]]:
    """The names in every mapping of a record, in their order."""
    if is_dataclass(found):
        return [names for f in fields(found) for names in orders(getattr(found, f.name))]
    if isinstance(found, dict):
        return [list(found), *(names for value in found.values() for names in orders(value))]
    if isinstance(found, tuple):
        return [names for value in found for names in orders(value)]
    return []


def test_what_is_kept_comes_back_as_it_was(season: Season, tmp_path: Path) -> None:
    first = cached_overview(season.store, Edition(CAST), tmp_path)
    again = cached_overview(season.store, Edition(CAST), tmp_path)
    assert first == again == season.overview
    assert orders(first) == orders(again)
    assert [file.name for file in tmp_path.iterdir()] == [FILE]


def test_a_blank_overview_is_kept_too(tmp_path: Path) -> None:
    with open_store(None) as store:
        assert overview_key(store) == ""
        assert cached_overview(store, Edition({}), tmp_path) == Overview()
        assert cached_overview(store, Edition({}), tmp_path) == Overview()


def test_what_is_kept_is_taken_while_nothing_changes(game: Game, tmp_path: Path) -> None:
    assert is_kept(game.store, tmp_path)


def test_another_program_makes_it_anew(game: Game, tmp_path: Path) -> None:
    assert not is_kept(game.store, tmp_path, "another")


def test_another_cast_makes_it_anew(game: Game, tmp_path: Path) -> None:
    cached_overview(game.store, Edition({}), tmp_path)
    mark(tmp_path / FILE)
    one = Entrant(ContestantId("ada"), provider="north")
    assert cached_overview(game.store, Edition({ADA: one}), tmp_path).forecasts == 0
    mark(tmp_path / FILE)
    other = replace(one, provider="south")
    assert cached_overview(game.store, Edition({ADA: other}), tmp_path).forecasts == 0


@pytest.mark.parametrize("damaged", ["", "[]", "7", '{"key": 1}', "{", "cut", "changed"])
def test_a_damaged_file_is_made_anew(game: Game, tmp_path: Path, damaged: str) -> None:
    first = cached_overview(game.store, Edition({}), tmp_path)
    whole = (tmp_path / FILE).read_text()
    changed = whole.replace('"forecasts": 0', '"forecasts": 9')
    assert changed != whole
    text = {"cut": whole[:-30], "changed": changed}.get(damaged, damaged)
    (tmp_path / FILE).write_text(text)
    assert cached_overview(game.store, Edition({}), tmp_path) == first


@pytest.mark.parametrize("damaged", [None, 7, {"profiles": 3}, {"profiles": {"ada": {}}}])
def test_what_is_no_overview_is_made_anew(game: Game, tmp_path: Path, damaged: object) -> None:
    first = cached_overview(game.store, Edition({}), tmp_path)
    rewritten(tmp_path / FILE, damaged)
    assert cached_overview(game.store, Edition({}), tmp_path) == first


def test_a_file_that_cannot_be_written_is_said_in_words(game: Game, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArenaError, match="cannot write"):
        cached_overview(game.store, Edition({}), tmp_path / "file")


def test_a_mark_and_a_poll_leave_the_key_as_it_is(game: Game) -> None:
    before = overview_key(game.store)
    game.quote(at_price("0.75"))
    game.tick(24)
    last = game.store.db.value("SELECT kind FROM journal_entries ORDER BY seq DESC LIMIT 1")
    assert last == "marked"
    assert overview_key(game.store) == before


def test_a_resolution_changes_the_key(game: Game) -> None:
    before = overview_key(game.store)
    game.hear(RAIN, YES_WINS, 24)
    assert overview_key(game.store) != before


def test_a_turn_changes_the_key() -> None:
    with playing({ADA: {}}) as game:
        before = overview_key(game.store)
        game.tick(0)
        assert overview_key(game.store) != before


def resolved(game: Game) -> None:
    """Ada's market resolves a day later."""
    game.hear(RAIN, YES_WINS, 24)


@pytest.mark.parametrize(("hours", "is_kept"), [(47, True), (48, False)])
def test_estimates_of_a_day_are_shown_for_a_day(
    tmp_path: Path, *, hours: int, is_kept: bool
) -> None:
    bets = {n: buys((SNOW, Side.YES, 10), rain=0.7) for n in (2, 3)}
    with playing(
        {ADA: {1: buys((RAIN, Side.YES, 500), rain=0.7), **bets}}, spec(days=3)
    ) as game:
        game.tick(0)
        resolved(game)
        patience = Patience(at(hours), timedelta(days=1))
        first = cached_overview(game.store, Edition({}), tmp_path)
        assert first.made_at == at(24)
        mark(tmp_path / FILE)
        game.hear(SNOW, YES_WINS, 47)
        kept = cached_overview(game.store, Edition({}), tmp_path, "", patience)
        assert (kept.forecasts == 12345) is is_kept
        again = cached_overview(game.store, Edition({}), tmp_path)
        assert again.made_at == at(47)


def test_what_is_of_another_journal_is_not_shown(game: Game, tmp_path: Path) -> None:
    resolved(game)
    cached_overview(game.store, Edition({}), tmp_path)
    mark(tmp_path / FILE)
    file = tmp_path / FILE
    key, digest, body = file.read_text().splitlines()
    by, seq, _ = key.split(":")
    file.write_text(f"{by}:{seq}:another\n{digest}\n{body}\n")
    patience = Patience(at(25), timedelta(days=1))
    assert cached_overview(game.store, Edition({}), tmp_path, "", patience).forecasts == 1


def test_without_a_resolved_forecast_nothing_is_waited_for(game: Game, tmp_path: Path) -> None:
    assert cached_overview(game.store, Edition({}), tmp_path).headline == ""
    resolved(game)
    patience = Patience(at(24), timedelta(days=9))
    assert cached_overview(game.store, Edition({}), tmp_path, "", patience).forecasts == 1
