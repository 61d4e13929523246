import pytest

from tests.standins.venues.faults import Fault, Faults


def picks(faults: Faults, many: int = 4000, times: int = 0) -> list[Fault | None]:
    return [faults.pick("kalshi", "/kalshi/markets", times, 1, n) for n in range(many)]


def test_a_fault_is_as_frequent_as_its_rate() -> None:
    found = picks(Faults(((Fault.BROKEN, 0.25), (Fault.SLOW, 0.5))))
    assert found.count(Fault.BROKEN) == pytest.approx(1000, abs=120)
    assert found.count(Fault.SLOW) == pytest.approx(2000, abs=140)


def test_every_fault_is_among_the_usual_ones() -> None:
    assert {fault for fault, _ in Faults.usual().rates} == set(Fault)
    assert set(picks(Faults.usual(8), 20_000)) == {*Fault, None}


@pytest.mark.parametrize(
    "said", ["", "nonsense", "slow=x", "slow=2", "slow=1,cut=1", "usual=99"]
)
def test_what_is_no_fault_or_rate_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match=r"fault|convert|Fault"):
        Faults.read(said)
