from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from arena.records.cohort import Quota, Ranking, Universe
from arena.records.money import usd
from tests.config.build import COHORT, cohort, cohort_problems

DAY = timedelta(days=1)

WHOLE = """\
universe:
  top: 30
  by: volume_24h
  min_volume: 5000
  min_volume_24h: 100
  min_liquidity: 0.5
  closes_after: 1d
  closes_within: 30d
  min_age: 1d
  max_age: 90d
  categories: [Politics, Sports]
  quotas: {Sports: 5, Politics: 3}
  include: ["fed*"]
  exclude: ["up or down"]
  per_event: 2
  distinct: true
  price_from: 0.05
  price_to: 0.95
"""


def test_a_universe_is_read_whole_and_exactly(tmp_path: Path) -> None:
    assert cohort(tmp_path, WHOLE).universe == Universe(
        top=30,
        by=Ranking.VOLUME_24H,
        min_volume=usd(5000),
        min_volume_24h=usd(100),
        min_liquidity=usd("0.5"),
        closes_after=DAY,
        closes_within=30 * DAY,
        min_age=DAY,
        max_age=90 * DAY,
        categories=("Politics", "Sports"),
        quotas=(Quota("Politics", 3), Quota("Sports", 5)),
        include=("fed*",),
        exclude=("up or down",),
        per_event=2,
        distinct=True,
        price_from=Decimal("0.05"),
        price_to=Decimal("0.95"),
    )


def test_the_order_of_quotas_in_a_file_is_no_part_of_the_agreement(tmp_path: Path) -> None:
    one = cohort(tmp_path, "universe: {quotas: {a: 1, b: 2}}\n")
    assert one == cohort(tmp_path, "universe: {quotas: {b: 2, a: 1}}\n")


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("by: size", "by"),
        ("quotas: [Sports]", "quotas"),
        ("quotas: {Sports: 0}", "quotas.Sports"),
        ("quotas: {Sports: many}", "quotas.Sports"),
        ("include: fed", "include"),
        ("exclude: ['  ']", "exclude[0]"),
        ("per_event: 0", "per_event"),
        ("distinct: yes", "distinct"),
        ("price_to: 95", "price_to"),
        ("min_age: 1", "min_age"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, said: str, key: str) -> None:
    (found,) = cohort_problems(tmp_path, f"{COHORT}universe: {{{said}}}\n")
    assert (found.line, found.key) == (6, f"universe.{key}")


@pytest.mark.parametrize(
    ("said", "key", "most"),
    [
        ("closes_after: 31d, closes_within: 30d", "closes_after", "closes_within"),
        ("min_age: 25h, max_age: 1d", "min_age", "max_age"),
        ("price_from: 0.6, price_to: 0.5", "price_from", "price_to"),
    ],
)
def test_a_window_that_ends_before_it_begins_is_refused(
    tmp_path: Path, said: str, key: str, most: str
) -> None:
    (found,) = cohort_problems(tmp_path, f"{COHORT}universe: {{{said}}}\n")
    assert (found.key, found.expected) == (f"universe.{key}", f"no more than universe.{most}")


@pytest.mark.parametrize("said", ["min_age: 1d, max_age: 24h", "price_from: 1, price_to: 1"])
def test_a_window_may_be_as_narrow_as_one_moment_or_price(tmp_path: Path, said: str) -> None:
    assert cohort_problems(tmp_path, f"{COHORT}universe: {{{said}}}\n") == ()


def test_a_window_with_an_end_that_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    (found,) = cohort_problems(tmp_path, COHORT + "universe: {min_age: 100000, max_age: 1d}\n")
    assert found.key == "universe.min_age"


def test_a_quota_of_a_category_that_is_not_chosen_from_offers_the_nearest(
    tmp_path: Path,
) -> None:
    said = "universe: {categories: [Politics, Sports], quotas: {Sprots: 5, politics: 1}}\n"
    (found,) = cohort_problems(tmp_path, COHORT + said)
    assert (found.key, found.suggestion) == ("universe.quotas.Sprots", "did you mean Sports?")


def test_without_categories_any_may_have_a_quota(tmp_path: Path) -> None:
    assert cohort_problems(tmp_path, COHORT + "universe: {quotas: {Sports: 5}}\n") == ()
