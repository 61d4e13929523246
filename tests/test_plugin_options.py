import math

import pytest

from arena.agents.samples import EXPONENT, Aggregate, Pooling, pooling_of
from arena.errors import ArenaError
from arena.plugins import PluginOptions
from arena.records.cohort import ContestantId
from arena.records.settings import ContestantSettings

KNOWN = ("aggregate", "extremise", "kelly", "samples")


def options(**given: object) -> PluginOptions:
    named = ContestantSettings(ContestantId("ada"), "prompted", options=tuple(given.items()))
    return PluginOptions(named, names=KNOWN)


def test_an_unknown_option_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        ArenaError, match="ada: the agent prompted has no option 'boldness'"
    ) as e:
        options(boldness=1)
    assert (e.value.code, e.value.status) == ("agent.option", 2)
    assert e.value.hint == "it knows aggregate, extremise, kelly, samples"


def test_what_is_not_given_has_its_default() -> None:
    assert options().whole("samples", 3, least=1, most=9) == 3
    assert options().number("kelly", 0.25, least=0, most=1) == 0.25
    assert pooling_of(options()) == Pooling(Aggregate.MEDIAN, EXPONENT)


def test_what_is_given_is_read() -> None:
    given = options(samples=5, kelly=1, aggregate="extremised", extremise=2)
    assert given.whole("samples", 3, least=1, most=9) == 5
    assert given.number("kelly", 0.25, least=0, most=1) == 1.0
    assert pooling_of(given) == Pooling(Aggregate.EXTREMISED, 2.0)


@pytest.mark.parametrize("value", [0, 10, 2.0, "3", True, None, [1]])
def test_a_whole_number_keeps_to_its_limits(value: object) -> None:
    with pytest.raises(ArenaError, match="ada: samples is a whole number from 1 to 9, not "):
        options(samples=value).whole("samples", 3, least=1, most=9)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, 10**400, "0.5", True, None])
def test_a_number_keeps_to_its_limits(value: object) -> None:
    with pytest.raises(ArenaError, match="ada: kelly is a number from 0 to 1, not "):
        options(kelly=value).number("kelly", 0.25, least=0, most=1)


@pytest.mark.parametrize("value", ["MEDIAN", "mode", 1, None, ["mean"]])
def test_a_word_is_one_of_those_there_are(value: object) -> None:
    with pytest.raises(ArenaError, match="aggregate is one of median, mean, trimmed_mean, "):
        pooling_of(options(aggregate=value))


def test_an_exponent_without_extremising_is_refused() -> None:
    with pytest.raises(ArenaError, match="extremise goes with aggregate: extremised, not mean"):
        pooling_of(options(aggregate="mean", extremise=2))


def test_an_exponent_below_one_would_not_extremise() -> None:
    with pytest.raises(ArenaError, match="extremise is a number from 1 to 10"):
        pooling_of(options(aggregate="extremised", extremise=0.5))
