import gc
import signal
from contextlib import suppress

import pytest

from arena.process import BETWEEN, interrupted_by_sigterm, rare_collection


def test_garbage_is_looked_for_less_often_inside_and_as_before_after_an_error() -> None:
    usual = gc.get_threshold()
    with suppress(ValueError), rare_collection():
        assert gc.get_threshold() == (BETWEEN, *usual[1:])
        raise ValueError
    assert gc.get_threshold() == usual


def test_a_long_command_takes_sigterm_for_an_interrupt() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), interrupted_by_sigterm():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == before
