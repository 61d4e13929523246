import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.ports import ContextSource
from arena.records.answer import DocumentBatch, DocumentFault, SourceDocument
from arena.records.cohort import CohortSpec, ContextTerms
from arena.records.market import MarketId, Side
from arena.records.money import usd
from arena.steps.rounds.context import choose_documents
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.backups import rewind
from tests.build import ADA, BEN, COHORT, MARKETS, RAIN, SNOW, T0, at, market, spec
from tests.present import present
from tests.stage import Game, ScriptedSource, buys, playing

TERMS = ContextTerms(("wire",))
NEWS = SourceDocument("", "Rain seen", "It rains.", "https://news.example/1", at(-5), (RAIN,))
GIVEN = DocumentBatch((NEWS,))


def agreed(terms: ContextTerms | None = TERMS, days: float = 1) -> CohortSpec:
    return replace(spec(COHORT, (ADA, BEN), days=days), context=terms)


def played(
    game: Game,
    hours: float,
    sources: Mapping[str, ContextSource | ArenaError],
    past: Store | None = None,
) -> tuple[str, ...]:
    """Tick with these sources, and give what failed."""
    game.contexts, game.context_tape = sources, past.tape if past else None
    return tuple(f"{f.where}: {f.what}" for f in game.tick(hours).failures)


def source(trouble: Exception | None = None) -> ScriptedSource:
    return ScriptedSource(GIVEN, trouble)


def chosen(*documents: SourceDocument, tokens: int = 3000, per_market: int = 5) -> list[str]:
    answers = {"wire": DocumentBatch(documents)}
    terms = ContextTerms(("wire",), tokens, per_market)
    context = choose_documents(answers, [market(name) for name in MARKETS], terms, T0)
    return [document.title for document in context.documents]


def about(name: MarketId, hours: float, title: str) -> SourceDocument:
    return replace(
        NEWS,
        title=title,
        url=f"https://x.example/{title}",
        markets=(name,),
        published_at=at(hours),
    )


def test_everybody_in_a_round_is_shown_the_same_documents() -> None:
    with playing({ADA: {}, BEN: {}}, agreed()) as game:
        assert played(game, 0, {"wire": source()}) == ()
        (ada,), (ben,) = game.agents[ADA].shown, game.agents[BEN].shown
        assert ada.documents == ben.documents == (replace(NEWS, source="wire"),)


def test_the_digest_of_the_documents_stands_in_the_entry_of_the_round() -> None:
    with playing({ADA: {}, BEN: {}}, agreed()) as game:
        played(game, 0, {"wire": source()})
        taped = present(game.store.tape.context(COHORT, 1))
        text = present(
            game.store.db.value("SELECT event FROM journal_entries WHERE kind = 'round'")
        )
        assert f'"context":"{taped.digest}"' in text
        assert audit(game.store.db).findings == ()


def test_a_round_whose_documents_are_not_those_of_its_entry_breaks_a_law() -> None:
    with playing({ADA: {}, BEN: {}}, agreed()) as game:
        played(game, 0, {"wire": source()})
        game.store.db.raw.execute("UPDATE tape_contexts SET digest = 'other'")
        laws = {finding.law for finding in audit(game.store.db).findings}
        assert "the documents of every round are those on the tape" in laws


def test_an_agreement_without_context_has_the_digest_that_it_always_had() -> None:
    heads = []
    for sources in ({}, {"wire": source()}):
        with playing({ADA: {}, BEN: {}}, agreed(None)) as game:
            played(game, 0, sources)
            heads.append(game.store.journal.head())
            assert game.store.db.value("SELECT count(*) FROM tape_contexts") == 0
    assert heads[0] == heads[1]


def test_a_source_that_fails_is_a_failure_of_the_tick_and_the_round_goes_on() -> None:
    sources = {
        "wire": source(),
        "down": source(ArenaError("venue.silent", "it does not answer")),
        "broken": source(KeyError("url")),
        "wrong": ScriptedSource(DocumentBatch(("a",))),  # type: ignore[arg-type]
        "cheap": ScriptedSource(DocumentBatch(cost=usd(-1))),
    }
    terms = ContextTerms((*sources, "gone"))
    with playing({ADA: {}, BEN: {}}, agreed(terms)) as game:
        assert played(game, 0, sources) == (
            "source down: it does not answer",
            "source broken: it cannot be read: KeyError: 'url'",
            "source wrong: what it gave cannot be kept: documents: 'a' is no SourceDocument",
            "source cheap: what it gave cannot be kept: requests or cost below 0",
            "source gone: it is not configured",
        )
        assert len(game.agents[ADA].shown[0].documents) == 1
        assert len(present(game.store.tape.context(COHORT, 1)).context.failures) == 5


def test_rounds_that_offer_the_same_ask_a_source_once() -> None:
    wire = source()
    twins = [replace(agreed(), name=name) for name in ("one", "two")]
    with playing({ADA: {}, BEN: {}}, *twins) as game:
        played(game, 0, {"wire": wire})
        assert len(wire.asked) == 1
        assert len(game.agents[ADA].shown) == 2


def test_a_tick_that_was_killed_before_its_round_does_not_ask_again() -> None:
    first, second = source(), source()
    with playing({ADA: {}, BEN: {}}, agreed()) as game:
        game.store.db.raw.execute(
            "CREATE TRIGGER killed BEFORE INSERT ON rounds "
            "BEGIN SELECT raise(ABORT, 'killed'); END"
        )
        with pytest.raises(sqlite3.IntegrityError, match="killed"):
            played(game, 0, {"wire": first})
        game.store.db.raw.execute("DROP TRIGGER killed")
        played(game, 1, {"wire": second})
        assert (len(first.asked), len(second.asked)) == (1, 0)
        assert game.agents[ADA].shown[0].documents[0].title == NEWS.title


def test_books_that_are_put_back_lack_the_documents_of_later_rounds() -> None:
    with playing({ADA: {}, BEN: {}}, agreed(days=2)) as game:
        played(game, 0, {"wire": source()})
        entries = len(game.entries)
        played(game, 30, {"wire": source()})
        rewind(game.store.db, entries)
        taped = [game.store.tape.context(COHORT, number) is not None for number in (1, 2)]
        assert taped == [True, False]


def test_a_replay_takes_documents_from_the_tape_and_has_the_same_head() -> None:
    said = {1: buys((RAIN, Side.YES, 500), rain=0.7)}
    with playing({ADA: said, BEN: {}}, agreed()) as first:
        failing = source(ArenaError("venue.silent", "no answer"))
        terms = {"wire": source(), "down": failing}
        played(first, 0, terms)
        silent = source()
        with playing({ADA: said, BEN: {}}, agreed()) as again:
            played(again, 0, {"wire": silent}, past=first.store)
            assert silent.asked == []
            assert again.store.journal.head() == first.store.journal.head()


def test_what_sources_cost_is_unknown_as_soon_as_one_does_not_say() -> None:
    paid = ScriptedSource(DocumentBatch((NEWS,), 3, usd("0.03")))
    for other, cost in ((usd("0.01"), 40_000), (None, None)):
        terms = ContextTerms(("paid", "other"))
        with playing({ADA: {}, BEN: {}}, agreed(terms)) as game:
            played(
                game, 0, {"paid": paid, "other": ScriptedSource(DocumentBatch((), 1, other))}
            )
            row = present(game.store.db.row("SELECT * FROM tape_contexts"))
            assert (row["requests"], row["cost_micro"]) == (4, cost)


PLANTED = st.lists(
    st.tuples(
        st.sampled_from(["good", "later", "undated", "naive"]),
        st.integers(1, 10**6),
        st.sampled_from(MARKETS),
    ),
    min_size=1,
    max_size=60,
)


@given(PLANTED)
def test_no_planted_document_is_shown_and_each_is_counted(
    planted: list[tuple[str, int, MarketId]],
) -> None:
    documents = [
        replace(
            NEWS,
            title=f"{kind} {n}",
            url=f"https://x.example/{n}",
            markets=(name,),
            published_at={
                "good": T0 - timedelta(seconds=seconds),
                "later": T0 + timedelta(seconds=seconds),
                "undated": None,
                "naive": T0.replace(tzinfo=None),
            }[kind],
        )
        for n, (kind, seconds, name) in enumerate(planted)
    ]
    answers = {"wire": DocumentBatch(tuple(documents))}
    markets = [market(name) for name in MARKETS]
    context = choose_documents(answers, markets, TERMS, T0)
    counts = {each.fault: each.count for each in context.refused}
    kinds = [kind for kind, _, _ in planted]
    assert all(document.title.startswith("good") for document in context.documents)
    assert counts.get(DocumentFault.LATER, 0) == kinds.count("later")
    assert counts.get(DocumentFault.UNDATED, 0) == kinds.count("undated") + kinds.count("naive")
    assert sum(counts.values()) + len(context.documents) == len(documents)
    again = {"wire": DocumentBatch(tuple(reversed(documents)))}
    assert choose_documents(again, markets, TERMS, T0) == context


def test_the_newest_of_every_market_come_before_the_second_of_any() -> None:
    documents = [about(RAIN, -n, f"rain{n}") for n in (1, 2, 3)] + [about(SNOW, -9, "snow")]
    assert chosen(*documents, per_market=2) == ["rain1", "snow", "rain2"]


def test_documents_keep_within_the_budget_and_long_ones_are_cut_to_their_share() -> None:
    long = [replace(about(RAIN, -n, f"r{n}"), text="word " * 4000) for n in range(1, 6)]
    assert len(chosen(*long, tokens=1000)) == 5
    assert len(chosen(*long, tokens=300)) == 2
    assert chosen(*long, tokens=1) == []


def test_a_document_without_markets_is_shown_with_the_questions_whose_words_it_has() -> None:
    loose = replace(NEWS, title="There will be snow", text="", markets=())
    assert chosen(loose, replace(loose, title="Nothing of the kind", url="https://b")) == [
        "There will be snow"
    ]


def test_one_address_from_two_sources_is_shown_once_with_the_markets_of_both() -> None:
    answers = {
        "wire": DocumentBatch((NEWS,)),
        "search": DocumentBatch((replace(NEWS, markets=(SNOW,)),)),
    }
    markets = [market(name) for name in MARKETS]
    context = choose_documents(answers, markets, TERMS, T0)
    assert [document.markets for document in context.documents] == [(RAIN, SNOW)]
    assert [each.fault for each in context.refused] == [DocumentFault.REPEATED]


def test_a_database_of_before_gets_the_table_of_documents(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with open_store(file) as store, store.write():
        store.db.raw.execute("DROP TABLE tape_contexts")
        store.db.raw.execute(
            "DELETE FROM _sqlite_migrations WHERE name = 'm011_documents_of_rounds'"
        )
    with open_store(file) as store:
        assert store.tape.context(COHORT, 1) is None
