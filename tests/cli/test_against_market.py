"""`arena score` against the market's price: one line, and a part of the document."""

from pathlib import Path

import pytest

from arena.metrics.claims.board_claims import board_claims
from tests.cli.inside import as_csv, here, strict, written
from tests.cli.project import days, project
from tests.metrics.season import season

Capsys = pytest.CaptureFixture[str]

FOUND = season(events=60)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return as_csv(FOUND, tmp_path_factory.mktemp("score") / "f.csv")


def test_who_is_better_or_worse_than_the_price_is_said_after_the_pairs(
    file: Path, capsys: Capsys
) -> None:
    lines = here(capsys, "score", file).out.splitlines()
    place = next(n for n, line in enumerate(lines) if "pairs are significantly" in line)
    assert lines[place + 1] == (
        "1 of 3 contestants are shown to be better or worse than the market's price at the "
        "decision (95 %): cy worse"
    )
    market = strict(here(capsys, "score", file, "--json"))["market"]
    expected = board_claims(FOUND, "brier").against
    assert expected is not None
    assert (market["standing"], market["words"][:11]) == ("exploratory", "exploratory")
    assert (market["level"], market["copies"]) == (0.95, [])
    for told, one in zip(market["tests"], expected.tests, strict=True):
        assert (told["contestant"], told["verdict"]) == (one.contestant, one.verdict)
        assert told["p_adjusted"] == pytest.approx(one.p_adjusted)
        assert told["p_anytime"] == pytest.approx(one.p_anytime)
        assert told["test"]["p"] == pytest.approx(one.test.p)


def test_of_many_who_differ_from_the_price_some_are_named(
    tmp_path: Path, capsys: Capsys
) -> None:
    rows = [f"c{c:02},x{n},{0.02 + 0.01 * (n % 3)},0.{4 + n % 2},{int(n % 30 == 3)}"
            for c in range(12) for n in range(60)]  # fmt: skip
    made = written(tmp_path, *rows, head="contestant,market,p,market_p,outcome")
    (line,) = [x for x in here(capsys, "score", made).out.splitlines() if "price at" in x]
    assert line.startswith("12 of 12 contestants are shown to be better or worse than")
    assert line.endswith(", c08 better, c09 better and 2 more")


@pytest.mark.parametrize("events", [2, 9])
def test_of_few_events_nobody_is_shown_to_differ_from_the_price(
    events: int, tmp_path: Path, capsys: Capsys
) -> None:
    rows = [
        f"{who},x{n},{p},0.5,0" for who, p in (("a", 0.01), ("b", 0.99)) for n in range(events)
    ]
    done = here(
        capsys, "score", written(tmp_path, *rows, head="contestant,market,p,market_p,outcome")
    )
    assert "0 of 2 contestants are shown to be better or worse" in done.out
    assert f"Too little evidence to rank anyone: {events} of 10 events." in done.out


def test_without_a_price_nothing_is_said_of_the_market(tmp_path: Path, capsys: Capsys) -> None:
    rows = [f"a,x{n},0.{n},{n % 2}" for n in range(1, 9)]
    made = written(tmp_path, *rows, head="contestant,market,p,outcome")
    assert "market's price" not in here(capsys, "score", made).out
    assert strict(here(capsys, "score", made, "--json"))["market"] is None


def test_the_test_of_a_sealed_arena_is_confirmatory_at_its_registered_level_only(
    tmp_path: Path,
) -> None:
    made = project(tmp_path / "arena")
    made.run("seal", "c")
    made.tick()
    made.tick(hours=days(60))
    standings = [
        made.run("score", "--json", *more).document["market"]
        for more in ((), ("--level", "0.9"), ("--probability", "kelly"))
    ]
    assert [market and market["standing"] for market in standings] == [
        "confirmatory",
        "exploratory",
        "exploratory",
    ]
    lines = made.run("score", "--rank-by", "log").out.splitlines()
    (line,) = [one for one in lines if "market's price at the decision" in one]
    assert line.endswith("; every cohort is sealed: the registered tests are confirmatory")
    assert lines[-1].startswith("exploratory: not the test that was registered")
