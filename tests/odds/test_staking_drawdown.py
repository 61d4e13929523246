import pytest

from arena.odds.staking import MULTIPLIER, Drawdown, Mode, after, opened


@pytest.mark.parametrize(
    ("mode", "episodes", "bankroll", "expected"),
    [
        (Mode.NORMAL, 0, 800, Mode.NORMAL),
        (Mode.NORMAL, 0, 799.99, Mode.HALVED),
        (Mode.HALVED, 1, 799, Mode.HALVED),
        (Mode.HALVED, 1, 899, Mode.HALVED),
        (Mode.HALVED, 1, 900, Mode.NORMAL),
        (Mode.HALVED, 2, 799, Mode.STOPPED),
        (Mode.HALVED, 2, 800, Mode.HALVED),
        (Mode.STOPPED, 2, 899, Mode.STOPPED),
        (Mode.STOPPED, 2, 900, Mode.NORMAL),
    ],
)
def test_the_mode_follows_the_bankroll(
    mode: Mode, episodes: int, bankroll: float, expected: Mode
) -> None:
    assert after(Drawdown(1, 1000, mode, episodes), bankroll).mode is expected


def test_only_a_second_episode_stops() -> None:
    state, seen = opened(1000), []
    for bankroll in (790, 700, 900, 790, 780, 950):
        state = after(state, bankroll)
        seen.append(state.mode.value)
    assert seen == ["HALVED", "HALVED", "NORMAL", "HALVED", "STOPPED", "NORMAL"]
    assert state.episodes == 2


def test_the_peak_rises_and_never_falls() -> None:
    state = after(after(opened(1000), 1200), 950)
    assert (state.peak, state.mode) == (1200, Mode.HALVED)


def test_modes_take_all_half_or_none() -> None:
    assert [MULTIPLIER[mode] for mode in Mode] == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(("bankroll", "peak"), [(2, 1), (0, 0), (float("nan"), 1)])
def test_an_impossible_state_is_refused(bankroll: float, peak: float) -> None:
    with pytest.raises(ValueError, match="peak"):
        Drawdown(bankroll, peak)
