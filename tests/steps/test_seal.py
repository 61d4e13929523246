"""A seal is laid down before the first forecast, and what it no longer fits is not graded."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from sqlite3 import IntegrityError

import pytest

from arena.errors import ArenaError
from arena.records.cohort import Cadence, CohortId, CohortSpec, Rules
from arena.records.estimate import Sided
from arena.records.market import NO_WINS, YES_WINS, Side
from arena.records.seal import Grading, Named, Registration, SealState, Weight
from arena.records.trade import PositionState, Sealed
from arena.steps.seal import evidence_of, make_seal, outlook, state_of
from arena.store import open_store
from arena.store.audit import audit
from arena.store.journal.packed import rebuild
from tests.build import ADA, BEN, COHORT, GRADING, PENNIES, RAIN, SNOW, T0, spec
from tests.stage import Game, Says, Script, buys, playing, started

AGREED = spec(COHORT, (ADA,))
OTHER = spec("other", (BEN,))
DAILY = spec("daily", (ADA,), cadence=Cadence.DAILY)
BETS: Script = {1: buys((RAIN, Side.YES, 500), rain=0.7)}
ELSEWHERE: Script = {1: buys((SNOW, Side.YES, 500), snow=0.7)}
LATER = replace(GRADING, code="beef")


SEALED = GRADING.registration
(PAIRS,) = SEALED.tests
(FAMILY,) = SEALED.families


def by(registration: Registration) -> Grading:
    return replace(GRADING, registration=registration)


def constants(**values: str) -> Grading:
    listed = tuple(Named(name, value) for name, value in values.items())
    return by(replace(SEALED, constants=listed))


@contextmanager
def sealed(
    script: Script = BETS, *specs: CohortSpec, ben: Script | None = None
) -> Iterator[Game]:
    """A cohort that was sealed, and has begun; Ben plays in another one, if he does."""
    scripts = {ADA: script} if ben is None else {ADA: script, BEN: ben}
    with playing(scripts, *(specs or ((AGREED,) if ben is None else (AGREED, OTHER)))) as game:
        game.seal(game.specs[0])
        game.tick(0)
        yield game


def state(game: Game, cohort: str = COHORT) -> SealState:
    return state_of(game.store, CohortId(cohort), lambda: game.grading).state


def words(game: Game, cohort: str = COHORT) -> str:
    return state_of(game.store, CohortId(cohort), lambda: game.grading).words


def test_the_first_seal_is_version_1_and_follows_nothing() -> None:
    with playing({ADA: BETS}) as game:
        made = game.seal(AGREED)
        seal = made.kept.seal
        assert (made.is_new, seal.version, seal.before, seal.grading) == (True, 1, "", GRADING)
        assert made.begun == ()


def test_a_seal_stands_in_the_journal_before_the_first_round() -> None:
    with playing({ADA: BETS}) as game:
        made = game.seal(AGREED)
        game.tick(0)
        first, *others = game.entries
        assert first.event == Sealed(made.kept.seal, made.kept.digest)
        assert (first.id, first.cohort) == ("seal:c:1", None)
        assert not any(isinstance(entry.event, Sealed) for entry in others)


def test_what_is_sealed_already_is_not_sealed_again() -> None:
    with playing({ADA: BETS}) as game:
        made = game.seal(AGREED)
        again = game.seal(AGREED)
        game.tick(0)
        after = game.seal(AGREED)
        assert [m.is_new for m in (made, again, after)] == [True, False, False]
        assert made.kept == again.kept == after.kept


def test_a_later_change_is_a_new_version_that_names_the_one_before() -> None:
    with playing({ADA: BETS}) as game:
        made = game.seal(AGREED)
        game.grading = LATER
        again = game.seal(AGREED)
        assert (again.kept.seal.version, again.kept.seal.before) == (2, made.kept.digest)
        assert again.kept.digest != made.kept.digest


@pytest.mark.parametrize("cohort", [COHORT, None], ids=["one cohort", "all together"])
def test_without_a_seal_everything_is_exploratory(cohort: CohortId | None) -> None:
    with started({ADA: BETS}) as game:
        found = evidence_of(game.store, cohort)
        assert (state(game), found.standing) == (SealState.NONE, Weight.EXPLORATORY)
        assert found.words == "no seal: everything here is exploratory"


def test_a_seal_that_was_kept_makes_its_tests_confirmatory_and_nothing_else() -> None:
    with playing({ADA: BETS}) as game:
        digest = game.seal(AGREED).kept.digest
        game.tick(0)
        assert game.hear(RAIN, YES_WINS, 30).completed == (COHORT,)
        found = evidence_of(game.store, COHORT, lambda: game.grading)
        assert (state(game), found.standing) == (SealState.KEPT, Weight.CONFIRMATORY)
        assert found.words == (
            f"sealed as version 1 (digest {digest[:16]}): the registered tests are confirmatory"
        )
        assert found.of("pairs") is Weight.CONFIRMATORY
        assert found.of("slope") is Weight.EXPLORATORY


@pytest.mark.parametrize(
    ("now", "said"),
    [
        pytest.param(
            constants(epsilon="1e-05", resamples="9999"),
            "constant epsilon sealed as 1e-06, now 1e-05",
            id="constant",
        ),
        pytest.param(
            constants(epsilon="1e-06"),
            "constant resamples sealed as 9999, now gone",
            id="constant-gone",
        ),
        pytest.param(
            constants(epsilon="1e-06", resamples="9999", seed="42"),
            "constant seed not sealed, now 42",
            id="constant-new",
        ),
        pytest.param(
            by(replace(SEALED, tests=(replace(PAIRS, direction=Sided.LESS),))),
            "direction of test pairs sealed as two-sided, now less",
            id="direction",
        ),
        pytest.param(
            by(replace(SEALED, tests=(replace(PAIRS, error="HC1"),))),
            "standard error of test pairs sealed as 'CR1', now 'HC1'",
            id="standard-error",
        ),
        pytest.param(
            by(replace(SEALED, families=(replace(FAMILY, alpha=0.1),))),
            "alpha of family pairs sealed as 0.05, now 0.1",
            id="alpha",
        ),
        pytest.param(LATER, "code sealed as c0de, now beef", id="code"),
        pytest.param(
            replace(GRADING, libraries=(Named("numpy", "2.1.0"),)),
            "library numpy sealed as 2.0.0, now 2.1.0",
            id="library",
        ),
    ],
)
def test_what_differs_breaks_the_seal_and_is_named(now: Grading, said: str) -> None:
    with sealed() as game:
        game.grading = now
        assert state(game) is SealState.BROKEN
        assert words(game).endswith(f": {said}")


def test_everything_that_differs_is_named() -> None:
    with sealed() as game:
        game.grading = replace(constants(epsilon="1e-05", resamples="1"), code="beef")
        assert words(game).partition(": ")[2] == (
            "constant epsilon sealed as 1e-06, now 1e-05; constant resamples sealed as 9999, "
            "now 1; code sealed as c0de, now beef"
        )


def test_a_broken_seal_stops_the_grading_with_a_clear_word() -> None:
    with sealed() as game:
        game.grading = LATER
        report = game.hear(RAIN, YES_WINS, 1)
        (failure,) = report.failures
        assert (report.resolved, report.settled, failure.where) == ((), 0, "grading")
        assert failure.what.startswith("cohort c is not graded: the seal is broken (sealed as ")
        assert failure.what.endswith("): code sealed as c0de, now beef")
        assert "`arena seal c --check`" in failure.hint


def test_everything_else_of_such_a_tick_goes_on() -> None:
    with sealed(BETS, spec(COHORT, days=3)) as game:
        game.grading = LATER
        report = game.hear(RAIN, YES_WINS, 24)
        assert (report.rounds, report.turns, report.marked) == (((COHORT, 2),), 1, 1)


def graded(*, stopped: bool) -> tuple[object, ...]:
    """The books of a play, with or without a time in which its grading was stopped."""
    with sealed() as game:
        game.grading = LATER if stopped else GRADING
        game.hear(RAIN, YES_WINS, 1)
        game.tick(2)
        game.grading = GRADING
        game.tick(3)
        return game.seat(ADA), game.states(ADA), game.standing(ADA), state(game)


def test_nothing_is_lost_once_the_seal_is_mended() -> None:
    assert graded(stopped=True) == graded(stopped=False)


def test_a_new_version_heals_a_broken_seal_but_what_began_is_exploratory() -> None:
    with sealed() as game:
        game.grading = LATER
        assert game.hear(RAIN, YES_WINS, 1).settled == 0
        made = game.seal(AGREED, late=True)
        assert (game.tick(2).settled, game.states(ADA)) == (1, [PositionState.WON])
        found = evidence_of(game.store, COHORT, lambda: game.grading)
        assert (made.begun, state(game)) == ((COHORT,), SealState.AMENDED)
        assert (found.standing, found.tests) == (Weight.EXPLORATORY, ())
        assert "amended after the first forecast" in found.words
        assert "(code sealed as c0de, then beef)" in found.words


def test_going_back_to_the_first_version_does_not_undo_an_amendment() -> None:
    with sealed() as game:
        game.grading = LATER
        game.seal(AGREED, late=True)
        game.grading = GRADING
        assert state(game) is SealState.BROKEN
        game.seal(AGREED, late=True)
        assert state(game) is SealState.AMENDED


def test_a_version_made_before_the_first_forecast_governs() -> None:
    with playing({ADA: BETS}) as game:
        game.seal(AGREED)
        game.grading = LATER
        game.seal(AGREED)
        game.tick(0)
        found = evidence_of(game.store, COHORT, lambda: game.grading)
        assert found.seal is not None
        assert (found.standing, found.seal.version) == (Weight.CONFIRMATORY, 2)


def test_a_cohort_that_plays_once_is_not_sealed_after_it_began() -> None:
    with started({ADA: BETS}) as game:
        with pytest.raises(ArenaError, match="cohort c has begun") as caught:
            game.seal(AGREED)
        assert (caught.value.code, caught.value.status) == ("seal.late", 2)
        assert state(game) is SealState.NONE


def test_a_round_that_was_laid_out_is_a_beginning_though_nobody_has_answered() -> None:
    with playing({ADA: BETS}) as game:
        game.store.db.run(
            "CREATE TRIGGER stop BEFORE INSERT ON tape_answers "
            "BEGIN SELECT RAISE(ABORT, 'killed'); END"
        )
        with pytest.raises(IntegrityError, match="killed"):
            game.tick(0)
        with pytest.raises(ArenaError, match="cohort c has begun"):
            game.seal(AGREED)


def test_a_late_seal_is_exploratory_for_what_has_begun() -> None:
    with started({ADA: BETS}) as game:
        game.seal(AGREED, late=True)
        assert state(game) is SealState.AMENDED
        assert "sealed only after its first forecast" in words(game)


def test_of_cohorts_that_follow_each_other_each_has_the_version_from_before_it() -> None:
    with playing({ADA: BETS}, DAILY) as game:
        game.seal(DAILY)
        game.tick(0)
        game.grading = LATER
        made = game.seal(DAILY)
        game.tick(24)
        assert made.begun == ("daily-2026-01-05",)
        states = [state(game, f"daily-2026-01-0{day}") for day in (5, 6)]
        assert states == [SealState.AMENDED, SealState.KEPT]


def test_another_agreement_than_the_sealed_one_breaks_the_seal() -> None:
    with playing({ADA: BETS}) as game:
        game.seal(AGREED)
        game.specs = (replace(AGREED, rules=Rules()),)
        game.tick(0)
        assert state(game) is SealState.BROKEN
        assert words(game).endswith("the cohort's agreement is not the sealed one")


def test_sealing_a_new_agreement_leaves_the_cohorts_of_the_old_one_confirmatory() -> None:
    with playing({ADA: BETS}, DAILY) as game:
        game.seal(DAILY)
        game.tick(0)
        changed = replace(DAILY, rules=PENNIES)
        game.seal(changed)
        game.specs = (changed,)
        game.tick(24)
        states = {state(game, f"daily-2026-01-0{day}") for day in (5, 6)}
        assert states == {SealState.KEPT}


def test_an_agreement_that_was_sealed_late_is_exploratory() -> None:
    with playing({ADA: BETS}, DAILY) as game:
        game.seal(DAILY)
        changed = replace(DAILY, rules=PENNIES)
        game.specs = (changed,)
        game.tick(0)
        game.seal(changed)
        assert state(game, "daily-2026-01-05") is SealState.AMENDED


def test_the_next_cohort_is_told_when_its_file_is_not_what_was_sealed() -> None:
    with playing({ADA: BETS}, DAILY) as game:
        game.seal(DAILY)
        changed = replace(DAILY, rules=PENNIES)
        states = [outlook(game.store, s, lambda: GRADING).state for s in (DAILY, changed)]
        assert states == [SealState.KEPT, SealState.BROKEN]
        assert outlook(game.store, OTHER, lambda: GRADING).state is SealState.NONE


def test_a_market_of_other_cohorts_is_settled_although_a_seal_is_broken() -> None:
    with sealed(ben=ELSEWHERE) as game:
        game.grading = LATER
        report = game.hear(SNOW, NO_WINS, 1)
        assert (report.resolved, report.failures) == ((SNOW,), ())


def test_with_a_market_of_the_sealed_cohort_nothing_at_all_is_settled() -> None:
    with sealed(ben=ELSEWHERE) as game:
        game.grading = LATER
        game.say(SNOW, NO_WINS)
        assert game.hear(RAIN, NO_WINS, 1).resolved == ()


def test_a_market_that_was_only_forecast_counts() -> None:
    with sealed({1: buys((SNOW, Side.YES, 500), rain=0.7)}) as game:
        game.grading = LATER
        assert (
            len(game.hear(RAIN, YES_WINS, 1).failures),
            game.seat(ADA).forecasts_resolved,
        ) == (1, 0)


def test_a_complete_cohort_stops_nothing() -> None:
    with sealed({1: buys((RAIN, Side.YES, 500), rain=0.7, snow=0.2)}) as game:
        assert game.hear(RAIN, YES_WINS, 30).completed == (COHORT,)
        game.grading = LATER
        report = game.hear(SNOW, NO_WINS, 31)
        assert (report.resolved, report.failures) == ((SNOW,), ())
        assert evidence_of(game.store, COHORT, lambda: LATER).standing is Weight.EXPLORATORY


def test_a_cohort_whose_seal_is_broken_is_not_completed() -> None:
    with sealed({}) as game:
        game.grading = LATER
        report = game.tick(30)
        assert (report.completed, [f.where for f in report.failures]) == ((), ["grading"])
        game.grading = GRADING
        assert game.tick(31).completed == (COHORT,)


def test_a_broken_seal_is_told_once_though_it_stops_two_things() -> None:
    with sealed({1: Says(forecasts={RAIN: 0.7})}) as game:
        game.grading = LATER
        assert len(game.hear(RAIN, YES_WINS, 30).failures) == 1


TAMPERING = {
    "its words": "UPDATE journal_lines SET event = replace(event, 'c0de', 'beef') "
    "WHERE head LIKE '%seal:c:%'",
    "its version": """UPDATE journal_lines SET event = replace(event, '"version":1', """
    """'"version":7') WHERE head LIKE '%seal:c:%'""",
    "its digest": "UPDATE journal_lines SET digest = 'gone' WHERE head LIKE '%seal:c:%'",
    "its moment": "UPDATE journal_lines SET head = replace(head, '+00:00', '+01:00') "
    "WHERE head LIKE '%seal:c:%'",
    "all of it": "UPDATE journal_lines SET event = '[]' WHERE head LIKE '%seal:c:%'",
}


@pytest.mark.parametrize("what", list(TAMPERING))
def test_a_stored_seal_that_was_changed_is_broken_and_stops_the_grading(what: str) -> None:
    with sealed() as game:
        game.store.db.run(TAMPERING[what])
        report = game.hear(RAIN, YES_WINS, 1)
        assert (report.settled, state(game)) == (0, SealState.BROKEN)
        (failure,) = report.failures
        assert "the stored seal of c is not what was written" in failure.what
        assert "restore a backup" in failure.hint


def test_a_seal_that_was_changed_cannot_be_followed_by_a_new_version() -> None:
    with playing({ADA: BETS}) as game:
        game.seal(AGREED)
        game.store.db.run(TAMPERING["its words"])
        with pytest.raises(ArenaError) as caught:
            game.seal(AGREED)
        assert caught.value.code == "seal.damaged"


def test_a_version_that_was_taken_out_is_missed() -> None:
    with sealed() as game:
        game.grading = LATER
        game.seal(AGREED, late=True)
        game.store.db.run("DELETE FROM journal_lines WHERE head LIKE '%seal:c:1%'")
        assert "version 2 does not follow version 0" in words(game)


def test_a_seal_is_written_whole_or_not_at_all() -> None:
    with playing({ADA: BETS}) as game:
        game.store.db.run(
            "CREATE TRIGGER stop BEFORE INSERT ON journal_lines "
            "BEGIN SELECT RAISE(ABORT, 'killed'); END"
        )
        with pytest.raises(IntegrityError, match="killed"):
            game.seal(AGREED)
        game.store.db.run("DROP TRIGGER stop")
        made = game.seal(AGREED)
        assert (made.is_new, made.kept.seal.version) == (True, 1)


def test_a_seal_is_kept_over_a_restart(tmp_path: Path) -> None:
    with open_store(tmp_path / "arena.db") as store:
        first = make_seal(store, AGREED, T0, reason="so it was agreed", now=lambda: GRADING)
    with open_store(tmp_path / "arena.db") as store:
        again = make_seal(store, AGREED, T0, now=lambda: GRADING)
        assert (again.is_new, again.kept) == (False, first.kept)
        assert again.kept.seal.reason == "so it was agreed"


def test_books_with_seals_are_audited_and_rebuilt() -> None:
    with sealed() as game:
        game.grading = LATER
        game.seal(AGREED, late=True)
        game.hear(RAIN, YES_WINS, 1)
        found, head = audit(game.store.db), game.store.journal.head()
        assert (found.findings, rebuild(game.store.db).changed) == ((), ())
        assert (game.store.journal.head(), state(game)) == (head, SealState.AMENDED)


def test_all_cohorts_together_are_confirmatory_only_if_each_one_is() -> None:
    with sealed(ben=ELSEWHERE) as game:
        found = evidence_of(game.store, None, lambda: GRADING)
        assert found.standing is Weight.EXPLORATORY
        assert found.words.startswith("1 of 2 cohorts are under a seal that was kept: ")
        broken = evidence_of(game.store, None, lambda: LATER)
        assert "0 of 2 cohorts are under a seal that was kept, 1 under one" in broken.words


def test_where_every_cohort_is_sealed_what_all_of_them_register_is_confirmatory() -> None:
    with playing({ADA: BETS, BEN: ELSEWHERE}, AGREED, OTHER) as game:
        game.seal(AGREED)
        game.seal(OTHER)
        game.tick(0)
        found = evidence_of(game.store, None, lambda: GRADING)
        assert (found.standing, found.tests) == (Weight.CONFIRMATORY, ("pairs",))


def test_a_cohort_that_is_not_there_has_no_state() -> None:
    with playing({ADA: BETS}) as game, pytest.raises(KeyError, match="no cohort c"):
        state_of(game.store, COHORT)


def test_a_registration_without_anything_can_be_sealed() -> None:
    with playing({ADA: BETS}) as game:
        game.grading = replace(GRADING, registration=Registration((), (), ()))
        game.seal(AGREED)
        game.tick(0)
        assert evidence_of(game.store, COHORT, lambda: game.grading).tests == ()
