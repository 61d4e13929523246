"""The page on shadow books names the rules and the reasons that the code has."""

import re

from arena.cli.scores.shadow import EXCLUDED, PASSED, POLICIES
from arena.stats import Edge
from tests.docs.pages import bare, page, tables

PAGE = page("docs/shadow.md")


def test_every_rule_is_explained() -> None:
    (table,) = tables(PAGE.section("Rules"))
    told = [name for row in table[1:] for name in re.findall(r"`(\w+)`", row[0])]
    assert tuple(told) == POLICIES


def test_every_reason_is_explained_as_the_command_does() -> None:
    told = [
        {bare(why): words for why, words in table[1:]}
        for table in tables(PAGE.section("What is left out"))
    ]
    assert told == [PASSED, EXCLUDED]


def test_every_label_is_explained() -> None:
    told = set(re.findall(r"`([A-Z_]+)`", PAGE.section("Labels")))
    assert told == {str(label) for label in Edge}
