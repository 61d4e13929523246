"""What contestants are shown: the same markets for all, under names that do not move."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.records.answer import Answer, Briefing, Completion, Trouble
from arena.records.cohort import BatchRule, Cohort, ContestantId, Rules
from arena.records.market import NO_WINS, VOIDED, YES_WINS, MarketId, Outcome, Side, State
from arena.records.money import price, usd
from arena.records.trade import Turn
from arena.steps.rounds.brief import Scene, brief, named, set_scene
from arena.store.journal.books import Round
from tests.build import (
    ADA,
    BEN,
    COHORT,
    HAIL,
    HERE,
    HOUR,
    MARKETS,
    PEERS,
    RAIN,
    SNOW,
    T0,
    at,
    at_price,
    market,
    spec,
)
from tests.present import present
from tests.stage import Game, Says, Script, buys, playing, sells, started

YES, NO = Side.YES, Side.NO
LATER = Answer(Completion(None, trouble=Trouble.PENDING))
PATIENT = replace(PEERS, answer_within=12 * HOUR, batch=BatchRule.EACH)
AGREED = spec(COHORT, (ADA, BEN), PATIENT, days=3)
BAITING = replace(spec(COHORT, (ADA, BEN), days=3), honeypot=True)

ids = st.lists(st.text(max_size=8).map(MarketId), unique=True, max_size=12)
seeds = st.text(min_size=1, max_size=16)


def scene_of(game: Game, number: int = 1, hours: float | None = None) -> Scene:
    cohort = present(game.store.books.cohort(COHORT))
    played = present(game.store.books.round(COHORT, number))
    return set_scene(game.store, cohort, played, played.at if hours is None else at(hours))


def shown_to(
    game: Game, who: ContestantId = ADA, number: int = 1, hours: float = 0
) -> Briefing:
    scene = scene_of(game, number, hours)
    return brief(game.store, scene, who, at(hours)).briefing


def aliases(shown: Briefing) -> dict[str, MarketId]:
    return {offer.alias: offer.market.id for offer in shown.offers}


def turn(game: Game, number: int = 1, who: ContestantId = ADA) -> Turn:
    entry = present(game.store.journal.entry(f"turn:{COHORT}:{number}:{who}"))
    assert isinstance(entry.event, Turn)
    return entry.event


# Order and names.


@given(markets=ids, seed=seeds)
def test_every_market_is_named_once_and_names_are_numbers_in_order(
    markets: list[MarketId], seed: str
) -> None:
    found = named(markets, seed)
    assert [alias for alias, _ in found] == [f"M{n + 1}" for n in range(len(markets))]
    assert sorted(m for _, m in found) == sorted(markets)


@given(markets=ids, seed=seeds, shuffle=st.randoms(use_true_random=False))
def test_the_order_follows_the_seed_and_not_the_place_by_volume(
    markets: list[MarketId], seed: str, shuffle: st.DataObject
) -> None:
    other = list(markets)
    shuffle.shuffle(other)  # type: ignore[attr-defined]  # a Random
    assert named(other, seed) == named(markets, seed)


@given(markets=ids)
def test_without_a_seed_the_order_stays(markets: list[MarketId]) -> None:
    assert [m for _, m in named(markets, "")] == markets


def test_seeds_give_different_orders() -> None:
    orders = {tuple(m for _, m in named(MARKETS, f"{n}")) for n in range(200)}
    assert len(orders) == 6


def test_everybody_is_shown_the_same_markets_under_the_same_names() -> None:
    with started({ADA: {}, BEN: {1: buys((RAIN, YES, 100))}}, AGREED) as game:
        game.tick(24)
        ada, ben = ([b.offers for b in game.agents[who].shown] for who in (ADA, BEN))
        assert ada == ben
        assert len(ada) == 2


def test_the_order_is_that_of_the_round_s_seed_and_is_told() -> None:
    with started({ADA: {}}) as game:
        (shown,) = game.agents[ADA].shown
        played = present(game.store.books.round(COHORT, 1))
        assert shown.seed == played.seed != ""
        assert list(aliases(shown).items()) == named(played.offered, played.seed)


def test_each_round_has_an_order_of_its_own() -> None:
    with playing({ADA: {}}, spec(COHORT, days=20)) as game:
        for day in range(20):
            game.tick(24 * day)
        assert len({tuple(aliases(b).items()) for b in game.agents[ADA].shown}) > 3


# What is held and not offered.


HOLDS = Says()


@contextmanager
def holding(second: Says | Answer = HOLDS) -> Iterator[Game]:
    """Ada holds rain and snow, and the second round offers hail alone."""
    bought = buys((RAIN, YES, 500), (SNOW, NO, 500))
    with started({ADA: {1: bought, 2: second}, BEN: {}}, AGREED) as game:
        game.venue.listed = [market(HAIL)]
        game.tick(24)
        yield game


def held_names(shown: Briefing) -> dict[MarketId, str]:
    return {offer.market.id: offer.alias for offer in shown.sell_only}


def test_what_is_held_and_not_offered_has_a_name_that_no_offer_can_have() -> None:
    with holding() as game:
        names = held_names(game.agents[ADA].shown[1])
        assert set(names) == {RAIN, SNOW}
        assert len(set(names.values())) == 2
        assert all(name.startswith("H") and len(name) == 7 for name in names.values())


def test_names_of_what_is_held_stay_when_another_holding_goes() -> None:
    with holding(sells((RAIN, YES, 100))) as game:
        before = held_names(game.agents[ADA].shown[1])
        assert [p.market for p in game.held(ADA)] == [SNOW]
        assert held_names(shown_to(game, number=2, hours=25)) == {SNOW: before[SNOW]}


def test_names_of_what_is_held_are_others_in_the_next_round() -> None:
    with holding() as game:
        game.tick(48)
        second, third = (held_names(b) for b in game.agents[ADA].shown[1:])
        assert second.keys() == third.keys()
        assert not set(second.values()) & set(third.values())


def test_what_nobody_quotes_cannot_be_sold_and_has_no_name() -> None:
    with started({ADA: {1: buys((RAIN, YES, 500))}, BEN: {}}, AGREED) as game:
        game.venue.listed = [market(HAIL)]
        game.hear(RAIN, State.CLOSED_PENDING, 24)
        shown = game.agents[ADA].shown[1]
        assert shown.sell_only == ()
        (held,) = shown.holdings
        assert (held.alias, held.is_closed, held.worth) == (None, True, None)


def test_a_holding_is_shown_at_the_price_that_its_own_side_sells_at() -> None:
    with holding() as game:
        held = {h.market: h for h in game.agents[ADA].shown[1].holdings}
        assert {m: h.worth for m, h in held.items()} == {RAIN: price("0.5"), SNOW: price("0.5")}
        game.quote(at_price("0.7", SNOW))
        game.tick(48)
        held = {h.market: h for h in game.agents[ADA].shown[2].holdings}
        assert held[SNOW].worth == price("0.3")
        assert not held[SNOW].is_closed


# What closes while answers are still to come.


def waiting(game: Game, hours: float, script: Script) -> None:
    """Let Ada answer so many hours after the start."""
    game.agents[ADA].script = script
    game.tick(hours)


def test_a_market_that_has_closed_since_keeps_its_name_and_is_not_traded() -> None:
    with started({ADA: {1: LATER}, BEN: {}}, AGREED) as game:
        game.say(RAIN, State.CLOSED_PENDING)
        waiting(game, 2, {1: buys((RAIN, YES, 500), (SNOW, YES, 100))})
        assert [o.market.id for o in game.agents[ADA].shown[1].offers] == [
            o.market.id for o in game.agents[ADA].shown[0].offers
        ]
        assert [r.market for r in turn(game).refused] == [RAIN]
        assert turn(game).refused[0].reason == "the market is closed"


def test_what_is_said_of_a_market_that_has_closed_since_is_not_scored() -> None:
    with started({ADA: {1: LATER}, BEN: {1: Says(forecasts={RAIN: 0.4})}}, AGREED) as game:
        game.say(RAIN, YES_WINS)
        waiting(game, 2, {1: Says(forecasts={RAIN: 1.0, SNOW: 0.5})})
        assert {f.market for f in turn(game).forecasts} == {SNOW}
        assert {f.market for f in turn(game, who=BEN).forecasts} == {RAIN}
        assert game.standing(ADA).forecast.n == 0
        assert game.standing(BEN).forecast.n == 1


def test_a_late_answer_is_judged_by_what_its_venue_says_after_it() -> None:
    """Between two polls its outcome may have been known to whoever answered."""
    with started({ADA: {1: LATER}, BEN: {}}, AGREED) as game:
        game.say(RAIN, YES_WINS)
        waiting(game, 0.2, {1: buys((RAIN, YES, 500), rain=1.0)})
        assert game.store.tape.last_poll(HERE) == at(0)
        assert turn(game).forecasts == ()
        assert game.held(ADA) == []


def test_while_nobody_has_answered_no_venue_is_asked_about_a_round_that_waits() -> None:
    with started({ADA: {1: LATER}, BEN: {1: LATER}}, AGREED) as game:
        game.tick(0.2)
        assert game.venue.polls == 1
        waiting(game, 0.3, {})
        assert game.venue.polls == 2
        game.tick(0.4)
        assert game.venue.polls == 2


def test_a_late_answer_is_judged_once_its_venue_can_be_asked_what_has_become_of_it() -> None:
    with started({ADA: {1: LATER}, BEN: {}}, AGREED) as game:
        game.venue.trouble = ArenaError("venue.down", "it is down")
        game.agents[ADA].script = {1: buys((SNOW, YES, 100))}
        report = game.tick(0.2)
        assert [failure.what for failure in report.failures] == ["it is down"]
        assert (report.answers, report.turns) == (1, 0)
        game.venue.trouble = None
        assert game.tick(0.3).fills == 1


def test_an_answer_that_was_given_in_time_is_judged_at_what_was_known_then() -> None:
    """A round that was interrupted, in a cohort that does not wait, is as it was."""
    scripts: dict[ContestantId, Script] = {
        ADA: {1: buys((RAIN, YES, 500))},
        BEN: {1: KeyboardInterrupt()},
    }
    with playing(scripts, spec(COHORT, (ADA, BEN), days=3)) as game:
        with pytest.raises(KeyboardInterrupt):
            game.tick(0)
        game.say(RAIN, State.CLOSED_PENDING)
        game.agents[BEN].script = {}
        game.tick(0.5)
        assert [p.market for p in game.held(ADA)] == [RAIN]


def test_what_is_closed_follows_the_moment_that_is_asked_about() -> None:
    with started({ADA: {1: LATER}, BEN: {}}, AGREED) as game:
        game.hear(RAIN, State.CLOSED_PENDING, 1)
        assert scene_of(game, hours=1).closed == {RAIN}
        assert scene_of(game, hours=0).closed == frozenset()


def test_what_a_venue_no_longer_knows_counts_as_closed() -> None:
    with started({ADA: {1: LATER}, BEN: {}}, AGREED) as game:
        game.hear(RAIN, State.UNKNOWN, 1)
        assert scene_of(game, hours=1).closed == {RAIN}


def test_a_holding_is_shown_as_it_was_when_the_round_was_laid_out() -> None:
    with started({ADA: {1: buys((RAIN, YES, 500)), 2: LATER}, BEN: {}}, AGREED) as game:
        game.tick(24)
        game.hear(RAIN, State.CLOSED_PENDING, 25)
        game.tick(26)
        closed = [b.holdings[0].is_closed for b in game.agents[ADA].shown[1:]]
        assert closed == [False, False, False]


@pytest.mark.parametrize("word", [State.CLOSED_PENDING, YES_WINS, VOIDED])
def test_what_has_come_out_since_a_round_is_shown_to_nobody_in_it(
    word: State | Outcome,
) -> None:
    """Whoever is asked again is shown the same, to the last digit of its cash."""
    with started({ADA: {1: buys((RAIN, YES, 2500)), 2: LATER}, BEN: {}}, AGREED) as game:
        game.tick(24)
        game.say(RAIN, word)
        for hours in (25, 26, 30):
            game.tick(hours)
        first, *others = game.agents[ADA].shown[1:]
        assert (first.cash, first.cap) == (usd(7500), usd(1875))
        assert others == [first] * 3


def test_what_was_paid_out_since_a_round_buys_nothing_in_it() -> None:
    agreed = replace(AGREED, rules=replace(PATIENT, max_bet_fraction=Decimal(1)))
    with started({ADA: {1: buys((RAIN, YES, 9000)), 2: LATER}, BEN: {}}, agreed) as game:
        game.tick(24)
        game.hear(RAIN, YES_WINS, 25)
        assert game.standing(ADA).cash == usd(19000)
        waiting(game, 26, {2: buys((SNOW, YES, 1001), (HAIL, YES, 1000))})
        assert [p.market for p in game.held(ADA)] == [HAIL]


@pytest.mark.parametrize("word", [State.CLOSED_PENDING, NO_WINS])
def test_what_was_held_keeps_its_name_when_it_closes_or_is_settled(
    word: State | Outcome,
) -> None:
    """An answer that was asked for before is still read, and its other orders trade."""
    with holding(LATER) as game:
        names = held_names(game.agents[ADA].shown[1])
        game.hear(RAIN, word, 25)
        assert held_names(shown_to(game, number=2, hours=26)) == names
        waiting(game, 26, {2: sells((RAIN, YES, 100), (SNOW, NO, 100))})
        found = turn(game, 2)
        assert found.failure is None
        assert [r.market for r in found.refused] == [RAIN]
        assert SNOW not in {p.market for p in game.held(ADA)}


def test_an_answer_about_nothing_but_what_has_closed_since_is_no_failure() -> None:
    with holding(LATER) as game:
        game.hear(RAIN, YES_WINS, 25)
        waiting(game, 26, {2: sells((RAIN, YES, 100))})
        found = turn(game, 2)
        assert (found.failure, found.accepted) == (None, 0)
        assert [r.reason for r in found.refused] == ["there is no such position"]


# Until when.


def scene(rules: Rules) -> Scene:
    agreed = spec(COHORT, rules=rules)
    return Scene(Cohort(COHORT, agreed, T0), Round(COHORT, 1, T0, (), closed=False), ())


def test_a_patient_round_is_open_until_its_rules_say() -> None:
    found = scene(replace(PEERS, answer_within=12 * HOUR))
    assert found.deadline == at(12)
    assert found.is_open(at(12))
    assert not found.is_open(at(12) + timedelta(microseconds=1))


def test_any_other_round_is_open_while_its_prices_are_fresh() -> None:
    assert scene(replace(PEERS, max_quote_age=3 * HOUR)).deadline == at(3)


# The honeypot.


def test_a_honeypot_is_among_the_offers_for_everybody_alike() -> None:
    with started({ADA: {}, BEN: {}}, BAITING) as game:
        ada, ben = (game.agents[who].shown[0].offers for who in (ADA, BEN))
        assert ada == ben
        assert sorted(o.alias for o in ada) == ["M1", "M2", "M3", "M4"]
        (made_up,) = {o.market.id for o in ada} - set(MARKETS)
        found = present(scene_of(game).honeypot)
        assert made_up == found.market.id == f"honeypot:{COHORT}:1"


def test_a_honeypot_s_place_follows_the_seed() -> None:
    with playing(
        {ADA: {}}, replace(BAITING, contestants=(ADA,), decide_for=20 * 24 * HOUR)
    ) as (game):
        for day in range(20):
            game.tick(24 * day)
        places = {
            [o.market.venue for o in shown.offers].index(scene_of(game).honeypot.market.venue)  # type: ignore[union-attr]
            for shown in game.agents[ADA].shown
        }
        assert places == {0, 1, 2, 3}


def test_without_one_agreed_there_is_no_honeypot() -> None:
    with started({ADA: {}}) as game:
        assert scene_of(game).honeypot is None


def test_a_honeypot_has_a_category_that_another_market_has() -> None:
    with playing({ADA: {}, BEN: {}}, BAITING) as game:
        game.venue.listed = [replace(market(m), category=f"of {m}") for m in MARKETS]
        game.tick(0)
        found = present(scene_of(game).honeypot)
        assert found.market.category in {f"of {m}" for m in MARKETS}


def test_a_honeypot_is_in_no_book_on_no_tape_and_in_no_score() -> None:
    def obey(shown: Briefing) -> str:
        (bait,) = [o for o in shown.offers if o.market.venue == "honeypot"]
        return (
            f'{{"forecasts":{{"{bait.alias}":{told(bait.market.rules)}}},"action":"BET",'
            f'"bets":[{{"market_id":"{bait.alias}","side":"YES","amount":2500}}],'
            '"reasoning":""}'
        )

    with started({ADA: {1: obey}, BEN: {}}, BAITING) as game:
        found = turn(game)
        assert found.conduct.bait is None  # no model answers for it
        assert (found.forecasts, found.refused, found.accepted) == ((), (), 0)
        assert game.held(ADA) == []
        assert game.standing(ADA).cash == usd(10000)
        for table in ("tape_markets", "tape_quotes", "watched", "journal_forecasts"):
            rows = game.store.db.rows(f"SELECT DISTINCT market FROM {table}")  # noqa: S608
            assert not [row for row in rows if "honeypot" in row["market"]]


def told(rules: str) -> str:
    return rules.partition("exactly ")[2].partition(" ")[0]


def test_a_honeypot_leaves_the_names_of_a_round_s_prices_alone() -> None:
    """Its round has the digest and the seed of its real markets."""
    rounds = []
    for honeypot in (False, True):
        with started({ADA: {}, BEN: {}}, replace(BAITING, honeypot=honeypot)) as game:
            rounds.append(game.store.books.round(COHORT, 1))
    assert rounds[0] == rounds[1]
