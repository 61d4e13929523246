from dataclasses import replace

import pytest

from arena.records.seal import Evidence, Named, Weight
from tests.build import GRADING

SEALED = GRADING.registration


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="registered twice among alpha, alpha"):
        replace(SEALED, constants=(Named("alpha", "1"), Named("alpha", "2")))


def test_a_test_is_of_a_family_that_is_registered() -> None:
    with pytest.raises(ValueError, match="of no registered family: pairs"):
        replace(SEALED, families=())


def test_only_what_was_announced_is_confirmatory() -> None:
    found = Evidence(Weight.CONFIRMATORY, "sealed", ("pairs",))
    assert [found.of(name) for name in ("pairs", "slope")] == [
        Weight.CONFIRMATORY,
        Weight.EXPLORATORY,
    ]
