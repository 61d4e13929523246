import asyncio
from pathlib import PurePath

import pytest

from arena.agents.outside import submitted_from_settings, token_env
from arena.errors import ArenaError
from arena.ports import Archive, Backstage
from arena.records.answer import Answer, Trouble, Usage
from arena.records.cohort import CohortId, ContestantId
from arena.records.settings import ContestantSettings
from tests.agents.archives import FakeArchive
from tests.agents.briefings import offering

ME = ContestantSettings(ContestantId("ada"), "submitted")
TURN = (CohortId("c"), 3, ContestantId("ada"))


def answer(archive: Archive) -> Answer:
    agent = submitted_from_settings(ME, Backstage({}, {}, PurePath(), archive))
    return asyncio.run(agent.answer(offering("M1")))


def test_it_says_what_was_handed_in_word_for_word() -> None:
    said = answer(FakeArchive(handed_in={TURN: " {not even JSON"}))
    assert said.completion.text == " {not even JSON"
    assert said.completion.trouble is None


def test_what_it_cost_is_unknown() -> None:
    assert answer(FakeArchive(handed_in={TURN: "HOLD"})).completion.usage == Usage()


def test_while_nothing_is_handed_in_the_answer_is_to_come() -> None:
    said = answer(FakeArchive()).completion
    assert (said.text, said.trouble) == (None, Trouble.PENDING)


def test_another_turn_is_another_answer() -> None:
    other = (CohortId("c"), 2, ContestantId("ada"))
    assert answer(FakeArchive(handed_in={other: "HOLD"})).completion.text is None


def with_option(name: str, value: object) -> ContestantSettings:
    return ContestantSettings(ContestantId("ada"), "submitted", options=((name, value),))


def test_it_has_no_other_options() -> None:
    with pytest.raises(ArenaError, match="'by'"):
        submitted_from_settings(
            with_option("by", "mail"), Backstage({}, {}, PurePath(), FakeArchive())
        )


def test_the_variable_of_its_token_can_be_named() -> None:
    assert token_env(with_option("token_env", "ADA_TOKEN")) == "ADA_TOKEN"
    assert token_env(ME) is None


@pytest.mark.parametrize("value", ["9a-token-itself", "", "A B", 5, None, ["ADA_TOKEN"]])
def test_what_names_no_variable_is_refused_and_not_repeated(value: object) -> None:
    with pytest.raises(ArenaError) as refused:
        token_env(with_option("token_env", value))
    assert refused.value.code == "agent.option"
    assert "9a-token-itself" not in str(refused.value)


def test_without_a_place_to_hand_in_it_cannot_play() -> None:
    with pytest.raises(ArenaError, match="nothing can be handed in"):
        submitted_from_settings(ME, Backstage({}, {}, PurePath()))
