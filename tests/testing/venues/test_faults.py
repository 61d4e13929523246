import pytest

from tests.standins.venues.faults import Fault, Faults


def picks(faults: Faults, many: int = 4000, times: int = 0) -> list[Fault | None]:
    return [faults.pick("kalshi", "/kalshi/markets", times, 1, n) for n in range(many)]


def test_no_faults_are_picked_where_there_are_none() -> None:
    assert set(picks(Faults(), 100)) == {None}


def test_a_pick_follows_from_the_seed_and_the_request() -> None:
    faults = Faults.usual(5)
    assert picks(faults) == picks(faults)


def test_a_fault_is_as_frequent_as_its_rate() -> None:
    found = picks(Faults(((Fault.BROKEN, 0.25), (Fault.SLOW, 0.5))))
    assert found.count(Fault.BROKEN) == pytest.approx(1000, abs=120)
    assert found.count(Fault.SLOW) == pytest.approx(2000, abs=140)


def test_every_fault_is_among_the_usual_ones() -> None:
    assert {fault for fault, _ in Faults.usual().rates} == set(Fault)
    assert set(picks(Faults.usual(8), 20_000)) == {*Fault, None}


def test_the_same_request_meets_a_fault_no_more_often_than_it_may() -> None:
    faults = Faults.only(Fault.BROKEN, most=2)
    assert [faults.pick("x", "/", times) for times in range(4)] == [
        Fault.BROKEN,
        Fault.BROKEN,
        None,
        None,
    ]


def test_several_faults_share_the_requests() -> None:
    assert set(picks(Faults.only(Fault.BROKEN, Fault.CUT), 200)) == {Fault.BROKEN, Fault.CUT}


def test_a_venue_or_a_path_may_be_spared() -> None:
    rates = ((Fault.BROKEN, 1.0),)
    of_one = Faults(rates, venues=frozenset({"kalshi"}))
    assert of_one.pick("kalshi", "/", 0) is Fault.BROKEN
    assert of_one.pick("manifold", "/", 0) is None
    books = Faults(rates, path="/book")
    assert books.pick("kalshi", "/clob/books", 0) is Fault.BROKEN
    assert books.pick("kalshi", "/gamma/markets", 0) is None


def test_a_command_line_names_faults_and_rates() -> None:
    assert Faults.read("none") == Faults()
    assert Faults.read("usual") == Faults.usual()
    assert Faults.read("usual=2") == Faults.usual(2)
    assert Faults.read("slow, cut=0").rates == ((Fault.SLOW, 1.0), (Fault.CUT, 0.0))


@pytest.mark.parametrize(
    "said", ["", "nonsense", "slow=x", "slow=2", "slow=1,cut=1", "usual=99"]
)
def test_what_is_no_fault_or_rate_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match=r"fault|convert|Fault"):
        Faults.read(said)
