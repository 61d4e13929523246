"""A page for every decision: what was seen, what was said, and what became of it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from arena.records.answer import (
    Answer,
    Attempt,
    Call,
    Caller,
    Completion,
    Question,
    Trouble,
    Usage,
)
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import NO_WINS, Side
from arena.records.money import usd
from arena.records.settings import Edition, ModelSettings, Pages, SiteSettings
from arena.site import Document, Page, places
from arena.site.overview.records import Overview
from arena.site.pages.decisions.decision import decision_href, kept, keys_of, pages
from arena.site.pages.decisions.view import DecisionPage, reasoning_in, speech
from arena.site.reading import Reading
from arena.store import Store
from arena.store.pages.cards import TurnId
from arena.store.pages.showcase import Showcase
from tests.build import ADA, BEN, COHORT, RAIN, SNOW, T0, spec
from tests.site.attack import PROMPT, SPEAKER
from tests.site.conftest import Site
from tests.site.folders import Element, page, rows, table
from tests.stage import Says, buys, playing

ADAS_FIRST = places.decision(COHORT, 1, ADA)
MODEL = ModelSettings("big", "openai", "https://example.org", "big-1", provider="acme")


def reading(store: Store, wanted: Pages = Pages.FULL) -> Reading:
    edition = Edition(site=SiteSettings(pages=wanted))
    at = store.boards.as_of() or T0
    return Reading(store, Showcase(store.db), edition, at, Overview())


def made(store: Store, *keys: str, wanted: Pages = Pages.FULL) -> list[Page | Document]:
    return list(pages(keys, reading(store, wanted)))


def view(store: Store, number: int, who: ContestantId) -> DecisionPage:
    """The page of one turn of the cohort, as it is handed to its template."""
    (found,) = [
        one.view
        for one in made(store, *keys_of([TurnId(COHORT, number, who)]))
        if isinstance(one, Page)
    ]
    assert isinstance(found, DecisionPage)
    return found


def stages(found: DecisionPage) -> dict[str, str]:
    return {step.name: step.state for step in found.steps}


def verdict(root: Element) -> str:
    return root.all("main")[0].all("strong")[0].text


@pytest.fixture
def asked() -> Iterator[Store]:
    """A turn of a model that was asked twice: the first reply could not be read."""
    agreed = spec(COHORT, (ADA,), days=2)
    said = '```json\n{"action": "HOLD", "forecasts": {}, "reasoning": "Too dear."}\n```'
    question = Question("Rules.", "Round.\nYours.", len("Round.\n"), '{"type":"object"}')
    whole = Answer(Completion(said, usage=Usage(2000, 40)))
    with playing({ADA: {1: whole}}, agreed) as game:
        for name, text, trouble in (
            ("decide", "Sorry!", Trouble.UNREADABLE),
            ("decide/again", said, None),
        ):
            done = Completion(
                text=text,
                model="big-1-0301",
                finish="stop",
                usage=Usage(1000, 20, usd("0.01"), 900, None, 5, "reported"),
                latency_ms=1500,
                attempts=(
                    Attempt(200, 429, Trouble.RATE_LIMITED, "slow down", billed=False),
                    Attempt(1300, 200, billed=True),
                ),
                trouble=trouble,
                adapted=("seed",),
            )
            caller = Caller(COHORT, 1, ADA, name)
            calls = game.store.tape.calls
            calls.record(caller, T0, MODEL, "ab" * 32, Call(name, question, done))
        game.tick(0)
        yield game.store


def test_every_turn_has_a_page(lively: Site) -> None:
    turns = lively.store.db.rows("SELECT cohort, round, contestant FROM turns")
    paths = {places.decision(CohortId(row[0]), row[1], ContestantId(row[2])) for row in turns}
    written = {
        f"decisions/{p.relative_to(lively.out / 'decisions').as_posix()}"
        for p in (lively.out / "decisions").rglob("*.html")
    }
    assert written == paths


def test_the_verdict_counts_what_traded(lively: Site) -> None:
    assert verdict(page(lively.out, ADAS_FIRST)) == "2 bets executed"
    assert verdict(page(lively.out, places.decision(COHORT, 2, ADA))) == "1 sale executed"


def test_a_refused_order_is_named_with_its_reason_and_its_stage(lively: Site) -> None:
    found = view(lively.store, 2, BEN)
    assert found.verdict == "1 refused by the rules"
    assert stages(found)["Validated"] == "failed"
    assert stages(found)["Fills"] == "idle"
    (row,) = rows(
        table(page(lively.out, places.decision(COHORT, 2, BEN)), "Orders that did not trade")
    )
    assert row[1:3] == ["buy NO", "$9,000.00"]
    assert row[3].startswith("the stake exceeds the largest bet")


def test_a_reply_that_cannot_be_read_fails_at_parsing(lively: Site) -> None:
    found = view(lively.store, 1, BEN)
    assert found.tone == "failed"
    assert stages(found)["Reply"] == "done"
    assert stages(found)["Parsed"] == "failed"
    assert stages(found)["Orders"] == "idle"
    assert found.reply.text == "not JSON"


def test_an_agent_that_crashes_fails_at_its_reply(lively: Site) -> None:
    found = view(lively.store, 3, ADA)
    assert found.verdict.startswith("Failed: agent crashed")
    assert stages(found)["Reply"] == "failed"
    assert stages(found)["Parsed"] == "idle"


def test_who_holds_failed_at_nothing() -> None:
    with playing({ADA: {}}, spec(COHORT, (ADA,))) as game:
        game.tick(0)
        found = view(game.store, 1, ADA)
    assert (found.verdict, found.tone) == ("Held", "idle")
    assert "failed" not in stages(found).values()


def test_an_order_shows_what_was_seen_what_was_paid_and_what_it_became(lively: Site) -> None:
    bought = rows(table(page(lively.out, ADAS_FIRST), "Orders that traded"))
    rain, snow = bought
    assert rain[1:8] == [
        "bought YES",
        "$500.00 1,000.00 shares",
        "0.5000",
        "0.5000 slippage $0.00, fee $0.00",
        "0.7000",
        rain[6],
        "+0.2000",
    ]
    assert rain[8] == "NO"
    assert snow[7:] == ["+0.3000", "void", "$0.00 cancelled"]


def test_the_result_of_an_order_is_that_of_its_position(lively: Site) -> None:
    sql = "SELECT sum(realised_micro) FROM positions WHERE cohort = ? AND market = ?"
    micro = lively.store.db.value(f"{sql} AND contestant = ?", COHORT, RAIN, ADA)
    (rain, _) = view(lively.store, 1, ADA).orders
    assert rain.result.value == usd(micro) / 10**6


def test_a_position_that_is_open_has_no_result_yet() -> None:
    with playing({ADA: {1: buys((RAIN, Side.YES, 500))}}, spec(COHORT, (ADA,))) as game:
        game.tick(0)
        (row,) = view(game.store, 1, ADA).orders
    assert (row.result.text, row.result.value, row.outcome) == ("open", None, "")


def test_a_forecast_stands_beside_its_price_and_its_score(lively: Site) -> None:
    stated = rows(table(page(lively.out, ADAS_FIRST), "Stated forecasts"))
    assert [row[1:] for row in stated] == [
        ["0.5000", "0.7000", "NO", "0.4900"],
        ["0.5000", "0.2000", "void", "n/a"],
    ]


def test_who_was_sent_no_prompt_says_so(lively: Site) -> None:
    assert "It plays without a prompt." in page(lively.out, ADAS_FIRST).text


def test_a_page_leads_to_the_turns_beside_it(lively: Site) -> None:
    found = view(lively.store, 2, ADA)
    assert found.older is not None
    assert found.newer is not None
    assert found.older.href.endswith(ADAS_FIRST)
    assert found.newer.href.endswith(places.decision(COHORT, 3, ADA))
    assert [link.text for link in found.others] == ["ada", "ben"]


def test_a_page_says_how_to_check_it(lively: Site) -> None:
    assert view(lively.store, 2, ADA).verify == "arena verify decision c 2 ada"


def test_each_part_of_a_prompt_is_a_file_under_its_digest(asked: Store) -> None:
    files = [one for one in made(asked, COHORT) if isinstance(one, Document)]
    texts = {one.path: one.text for one in files}
    parts = view(asked, 1, ADA).parts
    assert [(part.name, texts[places.blob(part.digest)]) for part in parts] == [
        ("Rules of the game", "Rules."),
        ("Shared by the round", "Round.\n"),
        ("Its own part", "Yours."),
        ("Form of the answer", '{"type":"object"}'),
    ]
    assert len(texts) == len(files)


def test_a_model_is_named_exactly_and_what_it_took_is_counted(asked: Store) -> None:
    found = view(asked, 1, ADA)
    assert found.model == "big-1-0301"
    assert {fact.name: fact.text for fact in found.taken} == {
        "tokens in": "2,000",
        "tokens out": "40",
        "cost": "$0.0200",
        "latency": "0.0 s",
        "calls": "2",
        "attempts": "4",
    }
    assert [row.finish for row in found.calls] == ["stop, unreadable reply", "stop"]
    assert [row.trouble for row in found.tries][:2] == ["rate limited, slow down", "none"]


def test_how_a_model_was_asked_is_told(asked: Store) -> None:
    told = {fact.name: fact.text for fact in view(asked, 1, ADA).asked}
    assert told["asked for"] == "big"
    assert told["left out of the request"] == "seed"
    assert told["route"] == "not said"


def test_the_reasoning_of_a_fenced_reply_is_found(asked: Store) -> None:
    assert view(asked, 1, ADA).reasoning.text == "Too dear."


def test_a_cost_that_nobody_stated_is_unknown() -> None:
    free = Answer(Completion("{}", usage=Usage(10, 5), model="m"))
    with playing({ADA: {1: free}}, spec(COHORT, (ADA,))) as game:
        game.tick(0)
        cost = next(fact for fact in view(game.store, 1, ADA).taken if fact.name == "cost")
    assert cost.text == "n/a"


def test_a_speech_of_an_attacker_stays_text_and_short(attacked: Site) -> None:
    path = places.decision(COHORT, 1, SPEAKER)
    root = page(attacked.out, path)
    said = next(e for e in root.all("div") if e.attributes.get("class") == "said")
    assert {e.tag for e in said.everything()} == {"div", "bdi"}
    assert "</sCript/--!>".lower() in said.text.lower()
    assert "[U+202E]gnp.exe [U+2066]" in said.text
    assert len((attacked.out / path).read_bytes()) < 150_000


def test_a_speech_that_is_cut_is_there_as_a_whole(attacked: Site) -> None:
    found = view(attacked.store, 1, SPEAKER)
    assert found.reply_file is not None
    assert "of 19" in found.reply.note
    whole = attacked.out / found.reply_file.href.removeprefix(found.head.root)
    assert whole.read_text().count("blockquote") == 9_400


def test_a_prompt_with_attacks_is_plain_text_with_nothing_hidden(attacked: Site) -> None:
    part = view(attacked.store, 1, SPEAKER).parts[-1]
    text = (attacked.out / places.blob(part.digest)).read_text()
    assert text.count("<script>") == PROMPT.count("<script>")
    assert "[U+202E]" in text
    assert "\u202e" not in text


def test_single_turns_are_made_as_in_the_whole_cohort(lively: Site) -> None:
    whole = {one.path: one for one in made(lively.store, COHORT)}
    several = [TurnId(COHORT, 1, BEN), TurnId(COHORT, 3, ADA)]
    single = made(lively.store, *keys_of(several))
    assert len(single) == 2
    assert all(whole[one.path] == one for one in single)


def test_a_key_survives_any_name() -> None:
    cohort, who = CohortId("a/1/b"), ContestantId("../x?%")
    with playing({who: {}}, spec(cohort, (who,))) as game:
        game.tick(0)
        (one,) = made(game.store, *keys_of([TurnId(cohort, 1, who)]))
        assert one.path == places.decision(cohort, 1, who)
        assert made(game.store, cohort) == [one]


def test_a_key_of_nothing_makes_nothing(lively: Site) -> None:
    assert made(lively.store, "nobody", "c/x/ada", "no/1/ada", "c/9/ada") == []


def test_without_pages_of_decisions_nothing_leads_to_one(lively: Site) -> None:
    assert made(lively.store, COHORT, wanted=Pages.INDEX) == []
    assert decision_href(reading(lively.store, Pages.INDEX), COHORT, 1, ADA, "../") == ""
    full = decision_href(reading(lively.store), COHORT, 1, ADA, "../")
    assert full == f"../{ADAS_FIRST}"


def test_recent_pages_are_of_what_runs_and_of_the_newest(lively: Site) -> None:
    told = reading(lively.store, Pages.RECENT)
    (card,) = [c for c in told.show.cohorts(1, 9) if c.id == COHORT]
    done = replace(card, complete_at=card.ends_at)
    assert kept(done, told)
    assert kept(replace(done, number=-40, complete_at=None), told)
    assert not kept(replace(done, number=-40), told)


@pytest.mark.parametrize(
    ("text", "reasoning"),
    [
        ('{"reasoning": "a\\nb"}', "a\nb"),
        ('{"reasoning": 7}', ""),
        ('first {"reasoning": "no"} then {"reasoning": "yes"}', "yes"),
        ('{"reasoning": "cut off', ""),
        ("[" * 100_000, ""),
        ("", ""),
        (None, ""),
    ],
)
def test_reasoning_is_what_stands_under_its_key(text: str | None, reasoning: str) -> None:
    assert reasoning_in(text) == reasoning


def test_a_speech_is_cut_by_what_it_takes_in_a_page() -> None:
    said = speech("<" * 1000, most=500)
    assert said.text == "<" * 100
    assert said.note == "The first 100 of 1,000 characters."


def test_a_speech_says_that_something_hid_in_it() -> None:
    assert speech("a\u202eb").text == "a[U+202E]b"
    assert speech("a\u202eb").note == "Characters that cannot be seen are named, or left out."
    assert speech("a\nb").note == ""


def test_a_market_that_is_ruled_on_late_scores_the_page_again() -> None:
    with playing({ADA: {1: Says(forecasts={SNOW: 0.2})}}, spec(COHORT, (ADA,))) as game:
        game.tick(0)
        before = view(game.store, 1, ADA).forecasts[0]
        game.hear(SNOW, NO_WINS, 24)
        after = view(game.store, 1, ADA).forecasts[0]
    assert (before.outcome, before.brier.text) == ("", "n/a")
    assert (after.outcome, after.brier.text) == ("NO", "0.0400")
