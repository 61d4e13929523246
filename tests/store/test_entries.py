import re

import pytest

from arena.errors import ArenaError
from arena.records.market import Side
from arena.records.seal import Seal
from arena.records.trade import Entry, RoundOpened, Sealed
from arena.steps.play import opening
from arena.store import Store
from arena.store.codec import digest_of
from arena.store.journal.entries import SqliteSeals, seal_id
from tests.build import ADA, COHORT, GRADING, RAIN, T0, spec
from tests.plans import listening, plans
from tests.stage import buys, playing


def write(store: Store, name: str, version: int, before: str = "") -> str:
    """Write one version; its digest."""
    seal = Seal(name, version, "5bec", GRADING, before)
    store.journal.append([Entry(seal_id(name, version), T0, Sealed(seal, digest_of(seal)))])
    return digest_of(seal)


def test_without_a_seal_there_is_none(store: Store) -> None:
    seals = SqliteSeals(store.db)
    assert (seals.any(), seals.of("c")) == (False, ())


def test_a_seal_is_read_as_it_was_written(store: Store) -> None:
    digest = write(store, "c", 1)
    (kept,) = SqliteSeals(store.db).of("c")
    assert SqliteSeals(store.db).any()
    assert (kept.number, kept.digest, kept.seal) == (1, digest, Seal("c", 1, "5bec", GRADING))


def test_the_tenth_version_comes_after_the_ninth(store: Store) -> None:
    digest = ""
    for version in range(1, 12):
        digest = write(store, "c", version, digest)
    assert [k.seal.version for k in SqliteSeals(store.db).of("c")] == list(range(1, 12))


def test_a_file_whose_name_begins_alike_has_seals_of_its_own(store: Store) -> None:
    for name in ("c", "c-2", "cc"):
        write(store, name, 1)
    assert [k.seal.name for k in SqliteSeals(store.db).of("c")] == ["c"]


def test_a_version_must_name_the_one_before(store: Store) -> None:
    write(store, "c", 1)
    write(store, "c", 2, before="another")
    with pytest.raises(ArenaError, match="version 2 does not follow version 1") as caught:
        SqliteSeals(store.db).of("c")
    assert caught.value.code == "seal.damaged"


def test_a_seal_under_the_id_of_another_file_is_not_believed(store: Store) -> None:
    seal = Seal("d", 1, "5bec", GRADING)
    store.journal.append([Entry(seal_id("c", 1), T0, Sealed(seal, digest_of(seal)))])
    with pytest.raises(ArenaError, match="version 1 does not match"):
        SqliteSeals(store.db).of("c")


def test_a_seal_is_held_to_the_chain_of_the_journal(store: Store) -> None:
    store.journal.append(opening(spec(COHORT), T0))
    write(store, "c", 1)
    store.db.run("UPDATE journal_lines SET digest = 'gone' WHERE seq = 2")
    with pytest.raises(ArenaError, match="version 1 does not match"):
        SqliteSeals(store.db).of("c")


def test_the_first_round_is_the_first_that_was_laid_out(store: Store) -> None:
    store.journal.append(opening(spec(COHORT), T0))
    seals = SqliteSeals(store.db)
    assert seals.first_round(COHORT) is None
    for number in (2, 10, 3):  # the first was missed
        name = f"round:{COHORT}:{number}"
        store.journal.append([Entry(name, T0, RoundOpened(number, (), ""), COHORT)])
    assert seals.first_round(COHORT) == 3


def test_no_statement_about_seals_reads_the_journal_whole() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 500), rain=0.5)}}) as game:
        game.seal(game.specs[0])
        game.tick(0)
        with listening(game.store) as said:
            SqliteSeals(game.store.db).any()
            SqliteSeals(game.store.db).of(COHORT)
            SqliteSeals(game.store.db).first_round(COHORT)
            assert game.store.books.playing_on(RAIN) == {COHORT}
        found = [plan for plan, _ in plans(game.store, said)]
        assert len(said) >= 6
        assert [
            plan for plan in found if re.match(r"SCAN (?!\d|.* journal_notes$)", plan)
        ] == []
