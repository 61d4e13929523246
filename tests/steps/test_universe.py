from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.cohort import Quota, Ranking, Universe
from arena.records.market import EventId, Market, Quote, Unit
from arena.records.money import usd
from arena.steps.rounds.universe import (
    Alike,
    Words,
    are_alike,
    choose,
    folded,
    read_pattern,
    words_of,
)
from arena.store.codec import canonical, digest_of, from_plain, to_plain
from tests.build import (
    ADA,
    BEN,
    COHORT,
    DAY,
    HAIL,
    HOUR,
    RAIN,
    SNOW,
    T0,
    at,
    at_price,
    market,
    quote,
    spec,
)

VOLUMES = {RAIN: "100", SNOW: "300", HAIL: "200"}
QUOTES = {n: replace(at_price("0.5", n), volume=usd(v)) for n, v in VOLUMES.items()}
LISTED = tuple(market(name) for name in VOLUMES)
ANY = Universe()


def picked(universe: Universe = ANY, listed: Sequence[Market] = LISTED) -> list[str]:
    return [m.id for m in choose(universe, listed, QUOTES, T0).markets]


def why(universe: Universe, of: Market, quoted: Quote | None = None) -> str | None:
    """The words in which one market alone is left out; None where it is chosen."""
    chosen = choose(universe, [of], {of.id: quoted or QUOTES[of.id]}, T0)
    return None if chosen.markets else str(chosen.left_out[0][1])


def reasons(universe: Universe, listed: Sequence[Market]) -> dict[str, str]:
    left_out = choose(universe, listed, QUOTES, T0).left_out
    return {market.id: str(reason) for market, reason in left_out}


def test_the_largest_volume_comes_first() -> None:
    assert picked() == [SNOW, HAIL, RAIN]


def test_only_the_top_is_offered() -> None:
    assert picked(Universe(top=2)) == [SNOW, HAIL]


def test_what_is_below_the_top_is_told_its_volume() -> None:
    told = reasons(Universe(top=2), LISTED)
    assert told == {RAIN: "others come before it by volume: its own is 100"}


def test_the_largest_may_be_that_of_the_last_day() -> None:
    today = {RAIN: "9", SNOW: "7", HAIL: "8"}
    quotes = {name: replace(QUOTES[name], volume_24h=usd(v)) for name, v in today.items()}
    chosen = choose(Universe(by=Ranking.VOLUME_24H), LISTED, quotes, T0)
    assert [m.id for m in chosen.markets] == [RAIN, HAIL, SNOW]


def test_where_no_volume_of_the_last_day_is_known_that_to_date_decides() -> None:
    assert picked(Universe(by=Ranking.VOLUME_24H)) == [SNOW, HAIL, RAIN]


def test_equal_volumes_go_by_market() -> None:
    equal = {name: at_price("0.5", name) for name in VOLUMES}
    chosen = choose(ANY, LISTED, equal, T0)
    assert [m.id for m in chosen.markets] == [HAIL, RAIN, SNOW]


def test_an_unknown_volume_counts_as_none() -> None:
    unknown = {**QUOTES, SNOW: at_price("0.5", SNOW)}
    chosen = choose(ANY, LISTED, unknown, T0)
    assert [m.id for m in chosen.markets] == [HAIL, RAIN, SNOW]


def test_a_market_without_a_quote_is_not_offered() -> None:
    chosen = choose(ANY, LISTED, {RAIN: QUOTES[RAIN]}, T0)
    assert [m.id for m in chosen.markets] == [RAIN]
    assert {str(reason) for _, reason in chosen.left_out} == {"no price"}


def test_a_market_that_is_listed_twice_is_offered_once() -> None:
    assert picked(listed=[market(), market()]) == [RAIN]


def test_which_of_two_descriptions_counts_does_not_depend_on_their_order() -> None:
    two = [replace(market(), question=question) for question in ("a?", "b?")]
    assert choose(ANY, two, QUOTES, T0) == choose(ANY, two[::-1], QUOTES, T0)


def sized(amount: str | None) -> Quote:
    size = None if amount is None else usd(amount)
    return replace(at_price("0.5"), volume=size, volume_24h=size, liquidity=size)


@pytest.mark.parametrize(
    ("universe", "name"),
    [
        (Universe(min_volume=usd(5000)), "volume"),
        (Universe(min_volume_24h=usd(5000)), "24 h volume"),
        (Universe(min_liquidity=usd(5000)), "liquidity"),
    ],
)
def test_what_is_too_small_or_of_unknown_size_is_left_out(
    universe: Universe, name: str
) -> None:
    assert why(universe, market(), sized("5000")) is None
    assert why(universe, market(), sized("1200.50")) == f"{name} 1,200.5 is below 5,000"
    assert why(universe, market(), sized(None)) == f"{name} is not known, and 5,000 is asked"


def test_a_volume_that_is_not_in_dollars_is_told_with_its_unit() -> None:
    played = replace(market(), unit=Unit.MANA)
    said = why(Universe(min_volume=usd(500)), played, sized("20"))
    assert said == "volume 20 mana is below 500"


@pytest.mark.parametrize("asked", ["Wet", "wet", " WET "])
def test_a_category_is_chosen_from_in_any_spelling(asked: str) -> None:
    wet = replace(market(RAIN), category="Wet")
    assert picked(Universe(categories=("dry", asked)), [wet, market(SNOW)]) == [RAIN]


def test_a_category_that_is_not_asked_for_is_named() -> None:
    universe = Universe(categories=("dry",))
    said = why(universe, replace(market(), category="wet"))
    assert said == "category wet is not asked for"
    assert why(universe, market()) == "it has no category"


@pytest.mark.parametrize(
    ("closes_in", "expected"),
    [
        (DAY, None),
        (2 * DAY, "closes in 2 d, later than 1 d"),
        (None, "when it closes is not known"),
        (timedelta(0), "its close of 2026-01-05 00:00 UTC has passed"),
        (-DAY, "its close of 2026-01-04 00:00 UTC has passed"),
    ],
    ids=["in-time", "too-late", "unknown", "now", "passed"],
)
def test_a_market_must_close_in_time(closes_in: timedelta | None, expected: str | None) -> None:
    closes_at = None if closes_in is None else T0 + closes_in
    soon = replace(market(), closes_at=closes_at)
    assert why(Universe(closes_within=DAY), soon) == expected


def test_a_market_must_not_close_too_soon() -> None:
    universe = Universe(closes_after=DAY)
    assert why(universe, replace(market(), closes_at=at(24))) is None
    assert why(universe, replace(market(), closes_at=None)) is None
    said = why(universe, replace(market(), closes_at=at(3)))
    assert said == "closes in 3 h, sooner than 1 d"
    assert why(universe, replace(market(), closes_at=at(-3))) is not None


def test_a_market_past_its_expected_close_is_offered_where_no_close_is_asked() -> None:
    assert why(ANY, replace(market(), closes_at=at(-24))) is None


@pytest.mark.parametrize(
    ("universe", "age", "expected"),
    [
        (Universe(min_age=DAY), DAY, None),
        (Universe(min_age=DAY), 3 * HOUR, "opened 3 h ago, less than 1 d"),
        (Universe(min_age=DAY), -HOUR, "opened 0 s ago, less than 1 d"),
        (Universe(min_age=DAY), None, "when it opened is not known"),
        (Universe(max_age=DAY), DAY, None),
        (Universe(max_age=DAY), 2 * DAY, "opened 2 d ago, more than 1 d"),
        (Universe(max_age=DAY), None, "when it opened is not known"),
        (ANY, None, None),
    ],
)
def test_a_market_must_be_old_and_young_enough(
    universe: Universe, age: timedelta | None, expected: str | None
) -> None:
    opens_at = None if age is None else T0 - age
    assert why(universe, replace(market(), opens_at=opens_at)) == expected


@pytest.mark.parametrize(
    ("bid", "ask", "expected"),
    [
        ("0.05", "0.05", None),
        ("0.90", "1", None),
        ("0.04", "0.05", "price 0.045, below 0.05"),
        ("0.95", "0.96", "price 0.955, above 0.95"),
        ("0.50", None, "nobody bids or nobody asks: there is no price between them"),
        (None, "0.50", "nobody bids or nobody asks: there is no price between them"),
    ],
)
def test_a_price_must_lie_in_its_band(
    bid: str | None, ask: str | None, expected: str | None
) -> None:
    band = Universe(price_from=Decimal("0.05"), price_to=Decimal("0.95"))
    assert why(band, market(), quote(bid, ask)) == expected


def test_without_a_band_one_side_of_the_book_is_enough() -> None:
    assert why(ANY, market(), quote("0.5", None)) is None


def test_a_question_must_hold_one_of_the_patterns_that_are_asked_for() -> None:
    universe = Universe(include=("sun*", "rain"))
    assert why(universe, market(RAIN)) is None
    assert why(universe, market(SNOW)) == "question holds none of: sun*, rain"


def test_a_question_that_holds_an_excluded_pattern_is_left_out_by_its_name() -> None:
    universe = Universe(include=("will*",), exclude=("sun", "there be rain"))
    assert why(universe, market(SNOW)) is None
    assert why(universe, market(RAIN)) == "question holds: there be rain"


def test_an_event_has_its_places_and_the_largest_take_them() -> None:
    storm = [replace(m, event=EventId("storm")) for m in LISTED]
    universe = Universe(per_event=2)
    assert picked(universe, storm) == [SNOW, HAIL]
    assert reasons(universe, storm) == {RAIN: "its event has 2 already"}


def test_a_category_has_its_quota_and_others_have_none() -> None:
    wet = [replace(m, category="Wet") for m in LISTED[:2]]
    universe = Universe(quotas=(Quota("wet", 1),))
    assert picked(universe, [*wet, LISTED[2]]) == [SNOW, HAIL]
    assert reasons(universe, wet) == {RAIN: "Wet has 1 already"}


def test_of_two_quotas_for_one_category_the_smaller_holds() -> None:
    wet = [replace(m, category="wet") for m in LISTED]
    assert picked(Universe(quotas=(Quota("wet", 2), Quota("WET", 1))), wet) == [SNOW]


def test_of_those_that_ask_nearly_the_same_the_largest_is_offered() -> None:
    asked = {RAIN: "Rain by June?", SNOW: "Rain by July 2026?", HAIL: "Hail by June?"}
    listed = [replace(market(name), question=question) for name, question in asked.items()]
    assert picked(Universe(distinct=True), listed) == [SNOW, HAIL]
    assert reasons(Universe(distinct=True), listed) == {RAIN: "like snow, which is larger"}
    assert picked(ANY, listed) == [SNOW, HAIL, RAIN]


def test_a_game_that_has_begun_is_left_out_unless_it_is_asked_for() -> None:
    starts = {RAIN: T0, SNOW: at(hours=1), HAIL: None}
    listed = [replace(market(name), starts_at=begins) for name, begins in starts.items()]
    assert picked(ANY, listed) == [SNOW, HAIL]
    assert reasons(ANY, listed) == {
        RAIN: "it began on 2026-01-05 00:00 UTC: the book knows the score"
    }
    assert picked(Universe(not_started=False), listed) == [SNOW, HAIL, RAIN]


def test_sides_of_one_question_are_not_near_duplicates_and_their_dates_are() -> None:
    labels = {RAIN: "Rain", SNOW: "Snow", HAIL: "Rain by July"}
    listed = [
        replace(
            market(name), question=f"Rain vs Snow? ({label})", labels=(label, f"not {label}")
        )
        for name, label in labels.items()
    ]
    assert picked(Universe(distinct=True), listed) == [SNOW, HAIL]


def test_what_one_market_was_refused_for_leaves_its_place_to_the_next() -> None:
    storm = [replace(m, event=EventId("storm")) for m in LISTED[:2]]
    assert picked(Universe(top=2, per_event=1), [*storm, LISTED[2]]) == [SNOW, HAIL]


def test_an_agreement_that_uses_no_newer_rule_keeps_its_digest() -> None:
    agreed = spec(COHORT, (ADA, BEN), days=3)
    digest = "293c588c30a6879847d819123b6077d4df7e044b7d66a6e28b04b26bb19b99ce"
    assert digest_of(agreed) == digest
    before = '{"categories":[],"closes_within":null,"min_volume":"0","top":20}'
    assert canonical(agreed.universe) == before


def test_a_universe_with_newer_rules_is_read_back_as_it_was_written() -> None:
    universe = Universe(
        by=Ranking.VOLUME_24H,
        min_age=HOUR,
        quotas=(Quota("wet", 2),),
        exclude=("rain",),
        per_event=1,
        distinct=True,
        price_from=Decimal("0.05"),
    )
    assert from_plain(Universe, to_plain(universe)) == universe


WORDS = st.frozensets(st.sampled_from("abcdefghij"), max_size=8)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fed rate cut by June 2026 meeting?", "Fed rate cut by October meeting?"),
        ("Will Bitcoin reach $140,000 by December 31?", "Will Bitcoin reach $1.5m in Q3?"),
        ("Will 4 Fed rate cuts happen in 2025?", "Will no Fed rate cuts happen in 2026?"),
        ("US strike on Cuba by March 31?", "U.S. strike on Cuba by the end of 2026?"),
        ("Will the Eagles win the Super Bowl LX?", "Will the Eagles win Super Bowl 2026?"),
        ("Will Tesla\N{RIGHT SINGLE QUOTATION MARK}s CEO leave?", "Will Tesla's CEO leave?"),
    ],
)
def test_questions_that_differ_in_a_date_or_a_number_are_alike(one: str, other: str) -> None:
    assert are_alike(words_of(one), words_of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Will France win the World Cup?", "Will Spain win the World Cup?"),
        (
            "Will OpenAI file an initial registration with the SEC to launch an IPO?",
            "Will Anthropic file an initial registration with the SEC to launch an IPO?",
        ),
        ("Will Obama be arrested?", "Will Barack Obama be arrested?"),
        ("Will Bitcoin reach $140,000?", "Will Bitcoin dip to $90,000?"),
        ("Is 0=1?", "Is 1=2?"),
    ],
)
def test_questions_that_differ_in_a_name_or_in_much_are_not(one: str, other: str) -> None:
    assert not are_alike(words_of(one), words_of(other))


@given(one=WORDS, other=WORDS)
def test_being_alike_is_a_jaccard_index_of_four_fifths_where_one_holds_the_other(
    one: Words, other: Words
) -> None:
    expected = bool(one and other) and (one <= other or other <= one)
    expected = expected and len(one & other) / len(one | other) >= 0.8
    assert are_alike(one, other) == expected


@given(questions=st.lists(WORDS, max_size=20))
def test_the_first_that_is_alike_is_found_as_if_all_were_compared(
    questions: list[Words],
) -> None:
    finder = Alike()
    for n, words in enumerate(questions):
        before = (m for m in range(n) if are_alike(questions[m], words))
        assert finder.first_like(words) == next(before, None)
        finder.add(words)


@given(text=st.text(max_size=100))
def test_any_text_has_words_that_stay_the_same_when_read_again(text: str) -> None:
    words = words_of(text)
    assert words_of(" ".join(sorted(words))) <= words


def test_of_an_endless_question_only_the_beginning_is_compared() -> None:
    assert words_of("rain " * 1000 + "snow") == {"rain"}


QUESTION = "Will the Fed cut rates\n by 25 bps?"


def holds(question: str, pattern: str) -> bool:
    return read_pattern(pattern).is_in(folded(question))


FOUND = (
    "fed; FED CUT; the  fed; rates by; fe*; *ed; will*bps; *; **; bps?; 25; w*t*25; "
    "fed * rates; ?; fed*cut*rates"
)
NOT_FOUND = (
    "fe; ed; federal; fed rates; cut*fed; f.d; [fed]; rate; 2; will*bp; fe * cut; the*the; w?ll"
)


@pytest.mark.parametrize("pattern", FOUND.split("; "))
def test_a_pattern_is_found(pattern: str) -> None:
    assert holds(QUESTION, pattern)


@pytest.mark.parametrize("pattern", NOT_FOUND.split("; "))
def test_a_pattern_is_not_found(pattern: str) -> None:
    assert not holds(QUESTION, pattern)


def test_the_edge_of_a_pattern_that_is_no_letter_may_be_anywhere() -> None:
    assert holds("US$100k", "$100k")


def test_letters_of_any_language_make_words() -> None:
    assert holds("Gewinnt ÖSTERREICH?", "österreich")
    assert not holds("Gewinnt Österreichs Team?", "österreich")


@given(text=st.text(min_size=1))
def test_a_question_holds_itself(text: str) -> None:
    assert holds(text, text)


@given(before=st.text(), inside=st.text(min_size=1), after=st.text())
def test_between_stars_any_part_of_a_question_is_found(
    before: str, inside: str, after: str
) -> None:
    inside = inside.replace("*", "")
    assert holds(f"{before} {inside} {after}", f"*{inside}*")


def test_many_stars_before_a_hostile_question_take_no_time() -> None:
    assert not holds("a" * 200_000, "*a" * 100 + "*b")
