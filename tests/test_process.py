import gc
from contextlib import suppress

from arena.process import BETWEEN, rare_collection


def test_garbage_is_looked_for_less_often_inside_and_as_before_after_an_error() -> None:
    usual = gc.get_threshold()
    with suppress(ValueError), rare_collection():
        assert gc.get_threshold() == (BETWEEN, *usual[1:])
        raise ValueError
    assert gc.get_threshold() == usual
