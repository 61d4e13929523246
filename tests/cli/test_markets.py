import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from arena.cli.play.markets import Survey, document, say_survey, survey
from arena.records.cohort import Ranking, Universe
from arena.records.market import (
    Catalogue,
    FeeKind,
    FeeModel,
    LeftOut,
    Market,
    MarketId,
    Quote,
    Source,
    Status,
)
from arena.records.money import price, usd
from arena.steps.rounds.universe import ExclusionReason
from tests.build import HAIL, MARKETS, RAIN, SNOW, T0, at_price, market, quote, spec
from tests.cli.inside import Capsys, here, strict
from tests.cli.project import Project, project
from tests.cli.shell import Done

STRANGE = LeftOut("combo-1", "a bet on several markets at once")
BROKEN = LeftOut("row 7", "no question", malformed=True)


@dataclass(slots=True)
class Listing:
    """A venue whose list has prices, and which knows better when it is asked again."""

    markets: Sequence[Market]
    told: Mapping[MarketId, Quote]
    fresh: Mapping[MarketId, Quote]
    gone: frozenset[MarketId] = frozenset()

    async def catalogue(self) -> Catalogue:
        return Catalogue(tuple(self.markets), tuple(self.told.values()), (STRANGE, BROKEN))

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        return [m for m in markets if m.id not in self.gone]

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        return {m: self.fresh[m] for m in markets if m in self.fresh}

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        assert not list(markets), "nobody needs to know what they have become"
        return {}


def sized(name: MarketId, volume: int) -> Quote:
    return replace(at_price("0.5", name), volume=usd(volume), source=Source.LIST)


VOLUMES = {RAIN: 100, SNOW: 300, HAIL: 200}
TOLD = {name: sized(name, volume) for name, volume in VOLUMES.items()}
FRESH = {name: quote("0.4", "0.5", name=name) for name in MARKETS}
LISTED = tuple(market(name) for name in MARKETS)
LISTING = Listing(LISTED, TOLD, FRESH)


def surveyed(venue: Listing, universe: Universe) -> Survey:
    return asyncio.run(survey(venue, universe, T0))


def reasons(found: Survey) -> dict[str, str]:
    return {market.id: str(why) for market, why in found.left_out}


def test_what_is_offered_has_its_fresh_price_and_the_list_s_volume() -> None:
    found = surveyed(LISTING, Universe(top=1))
    assert found.offered == ((market(SNOW), replace(FRESH[SNOW], volume=usd(300))),)


def test_every_other_market_is_left_out_once_with_its_reason() -> None:
    found = surveyed(LISTING, Universe(top=1, min_volume=usd(150)))
    assert reasons(found) == {
        HAIL: "others come before it by volume: its own is 200",
        RAIN: "volume 100 is below 150",
    }


def test_a_market_without_a_fresh_price_is_told_to_have_none() -> None:
    venue = replace(LISTING, fresh={SNOW: FRESH[SNOW], RAIN: FRESH[RAIN]})
    assert reasons(surveyed(venue, Universe())) == {HAIL: "no price"}


def test_a_market_whose_details_are_gone_is_told_to_be_gone() -> None:
    found = surveyed(replace(LISTING, gone=frozenset({HAIL})), Universe())
    assert reasons(found) == {HAIL: "it is not traded after all"}


def test_a_market_whose_fee_nobody_knows_is_counted_once() -> None:
    dear = market(HAIL, FeeModel(FeeKind.UNKNOWN))
    found = surveyed(replace(LISTING, markets=(dear, *LISTED[:2])), Universe())
    assert reasons(found) == {HAIL: "its fee is not known"}
    assert found.unfit == (STRANGE, BROKEN)


def test_of_a_venue_whose_list_has_no_prices_all_are_asked() -> None:
    found = surveyed(replace(LISTING, told={}), Universe(top=2))
    assert [m.id for m, _ in found.offered] == [HAIL, RAIN]
    assert list(reasons(found)) == [SNOW]


NASTY = "rain" + chr(10) + "error: forged " + chr(27) + "[2J" + "x" * 300
LEFT = Survey(
    at=T0,
    offered=((replace(market(SNOW), question=NASTY), replace(TOLD[SNOW], bid=None)),),
    left_out=(
        (market(RAIN), ExclusionReason("too small", "smaller than most")),
        (market(HAIL), ExclusionReason("too small", "smaller than all")),
    ),
    unfit=(STRANGE, BROKEN),
)


def said(capsys: Capsys, found: Survey, *, every: bool) -> list[str]:
    say_survey(spec(), found, every=every)
    return capsys.readouterr().out.splitlines()


def test_what_is_left_out_is_counted_by_its_reason(capsys: Capsys) -> None:
    first, *_, left, small, unfit, strange, broken = said(capsys, LEFT, every=False)
    assert first.endswith("a round would offer 1 of 3 markets")
    assert (left, small) == ("left out: 2", "      2  too small")
    assert unfit == "sent by the venue, and nothing to bet on: 2"
    assert strange == "      1  a bet on several markets at once"
    assert broken == "      1  cannot be read: no question"


def test_with_all_each_market_has_a_line_below_its_reason(
    capsys: Capsys,
) -> None:
    lines = said(capsys, LEFT, every=True)
    start = lines.index("      2  too small")
    assert lines[start + 1 : start + 3] == [
        "         rain  Will there be rain? (smaller than most)",
        "         hail  Will there be hail? (smaller than all)",
    ]


def test_a_question_cannot_forge_a_line_or_drive_a_terminal(
    capsys: Capsys,
) -> None:
    _, head, row, *_ = said(capsys, LEFT, every=False)
    assert " ".join(head.split()) == "rank question mid spread volume (USD) closes market"
    assert row.startswith("1     rain error: forged [2Jxxx")
    assert row.split()[-5:] == ["n/a", "n/a", "300", "n/a", "snow"]
    assert len(row) < 120


def test_many_different_reasons_are_summed_up(capsys: Capsys) -> None:
    many = tuple(LeftOut(str(n), f"reason {n:03}") for n in range(50))
    lines = said(capsys, replace(LEFT, unfit=many), every=False)
    assert lines[-1] == "     30  for 30 other reasons (see --all)"
    assert len(said(capsys, replace(LEFT, unfit=many), every=True)) > 100


def test_a_universe_that_leaves_nothing_is_told_without_a_table(
    capsys: Capsys,
) -> None:
    lines = said(capsys, replace(LEFT, offered=()), every=False)
    assert lines[0].endswith("a round would offer 0 of 2 markets")
    assert lines[1] == "left out: 2"


def test_the_volume_that_is_shown_is_the_one_that_ranks(
    capsys: Capsys,
) -> None:
    by_day = replace(spec(), universe=Universe(by=Ranking.VOLUME_24H))
    say_survey(by_day, LEFT, every=False)
    assert "24 h volume (USD)" in capsys.readouterr().out


def test_a_price_of_many_decimals_is_shown_with_four(
    capsys: Capsys,
) -> None:
    rain = Quote(RAIN, price("0.470015"), price("0.47999"), T0)
    _, _, row, *_ = said(capsys, replace(LEFT, offered=((market(RAIN), rain),)), every=False)
    assert row.split()[-5:-3] == ["0.475", "0.01"]


def test_a_machine_is_told_each_one_only_where_it_asks() -> None:
    brief, whole = (document(LEFT, every=every) for every in (False, True))
    assert brief["left_out"] == [{"why": "too small", "count": 2}]
    assert set(whole) - set(brief) == {"each_left_out", "each_unfit"}


@pytest.fixture
def made(tmp_path: Path) -> Project:
    """A project of one cohort, which nobody has ticked."""
    return project(tmp_path / "arena", universe="{top: 3, per_event: 1}")


def asked(made: Project, capsys: Capsys, *words: str) -> Done:
    return here(capsys, "--config", made.folder / "config.yaml", "markets", *words)


def test_the_only_cohort_is_meant_where_none_is_named(made: Project, capsys: Capsys) -> None:
    found: dict[str, Any] = strict(asked(made, capsys, "--json"))
    assert (found["cohort"], found["venue"]) == ("c", "sim")
    assert [row["rank"] for row in found["offered"]] == [1, 2, 3]
    assert len({row["event"] for row in found["offered"]}) == 3


def test_nothing_is_written(made: Project, capsys: Capsys) -> None:
    before = sorted(made.folder.rglob("*"))
    done = asked(made, capsys, "--cohort", "c", "--all")
    assert (done.code, done.err) == (0, "")
    assert "a round would offer 3 of " in done.out
    assert sorted(made.folder.rglob("*")) == before


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(
    made: Project, capsys: Capsys
) -> None:
    (made.folder / "cohorts" / "c.yaml").rename(made.folder / "cohorts" / "weekly.yaml")
    done = asked(made, capsys, "--cohort", "weekley")
    assert done.fails_clearly(2)
    assert "there is no cohort file weekley.yaml" in done.err
    assert "did you mean weekly?" in done.err


def test_of_several_cohorts_one_has_to_be_named(made: Project, capsys: Capsys) -> None:
    text = (made.folder / "cohorts" / "c.yaml").read_text()
    (made.folder / "cohorts" / "d.yaml").write_text(text)
    done = asked(made, capsys)
    assert done.fails_clearly(2)
    assert "there are several cohort files: c, d" in done.err


def test_without_a_cohort_file_it_is_said_what_to_write(made: Project, capsys: Capsys) -> None:
    (made.folder / "cohorts" / "c.yaml").unlink()
    done = asked(made, capsys)
    assert done.fails_clearly(2)
    assert "there is no cohort file" in done.err
