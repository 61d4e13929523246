import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given as every
from hypothesis import strategies as st

from arena import plugins
from arena.clock import HandClock
from arena.config import load_settings
from arena.contexts import feeds, folder, search, venue
from arena.contexts.fields import moment_of, words_in
from arena.errors import ArenaError
from arena.ports import ContextBackstage, ContextFactory, ContextSource
from arena.records.answer import DocumentBatch, DocumentFault
from arena.records.cohort import ContextTerms
from arena.records.market import Market, MarketId, Quote, VenueId
from arena.records.money import usd
from arena.records.settings import ContextSettings
from arena.steps.rounds.context import choose_documents
from tests.build import HAIL, MARKETS, RAIN, SNOW, T0, at, market, quote
from tests.docs.pages import ROOT, Page
from tests.http.asking import Drawer, Says, says, well
from tests.http.test_door import closed_port

SHOWN = [market(name) for name in MARKETS]


@dataclass(slots=True)
class TapedPrices:
    """Quotes by market, oldest first."""

    known: tuple[Quote, ...] = ()

    def quotes(self, ids: Iterable[MarketId], at: datetime) -> Mapping[MarketId, Quote]:
        wanted = set(ids)
        return {q.market: q for q in self.known if q.market in wanted and q.at <= at}


def backstage(root: Path = ROOT, prices: tuple[Quote, ...] = ()) -> ContextBackstage:
    return ContextBackstage(HandClock(T0), Drawer(), root, TapedPrices(prices), {})


def options(**given: object) -> ContextSettings:
    return ContextSettings("wire", "any", tuple(sorted(given.items())))


def given(source: ContextSource, markets: Sequence[Market] = SHOWN) -> DocumentBatch:
    return asyncio.run(source.documents(markets, T0))


# A folder


def test_a_folder_gives_the_documents_of_json_lines_and_markdown(tmp_path: Path) -> None:
    row = {"title": "A", "text": "a", "published_at": "2026-01-04T10:00Z", "markets": ["rain"]}
    (tmp_path / "a.JSON").write_text(json.dumps([row, 3]), encoding="utf-8-sig")
    (tmp_path / "b.jsonl").write_text(
        json.dumps({**row, "title": "B\u2028b", "markets": "rain, snow"}, ensure_ascii=False)
    )
    marked = '---\ntitle: "C: c"\npublished_at: 2026-01-04\n---\nText.\n'
    (tmp_path / "c.md").write_text(marked, encoding="utf-8-sig")
    (tmp_path / "d.md").write_text("No front matter")
    (tmp_path / "e.json").write_text("{")
    batch = given(folder.from_settings(options(path="."), backstage(tmp_path)))
    assert [(d.title, d.markets) for d in batch.documents] == [
        ("A", (RAIN,)),
        ("B b", (RAIN, SNOW)),
        ("C: c", ()),
        ("d", ()),
    ]
    assert batch.documents[2].published_at == at(-1 / 3600)
    assert batch.failures == ("e.json cannot be read: JSONDecodeError",)


def test_of_500_planted_documents_of_a_folder_none_is_shown(tmp_path: Path) -> None:
    dates = ["2026-01-05T00:00:01Z", "2026-01-05", "2027-01-01T00:00Z", "soon", None]
    row = {"title": "rain", "text": "planted", "markets": "rain"}
    rows = [{**row, "published_at": dates[n % 5]} for n in range(500)]
    good = {**row, "text": "good", "published_at": "2026-01-05T00:00Z"}
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, [*rows, good])))
    batch = given(folder.from_settings(options(path="."), backstage(tmp_path)))
    terms = ContextTerms(("wire",), tokens=100_000, per_market=1000)
    context = choose_documents({"wire": batch}, SHOWN, terms, T0)
    assert [document.text for document in context.documents] == ["good"]
    counts = {each.fault: each.count for each in context.refused}
    assert counts == {DocumentFault.LATER: 300, DocumentFault.UNDATED: 200}


@pytest.mark.parametrize(
    ("written", "form", "hours"),
    [
        ("2026-01-04T23:00:00", "", -1),
        ("2026-01-05T01:00:00+01:00", "", 0),
        ("Mon, 05 Jan 2026 02:00:00 +0100", "", 1),
        (1767571200, "epoch", 0),
        (1767571200000, "epoch_ms", 0),
        ("05.01.2026 03", "%d.%m.%Y %H", 3),
        ("05.01.2026", "%d.%m.%Y", 24 - 1 / 3600),
        ("2026 005", "%Y %j", 24 - 1 / 3600),
        ("2026 W02 1", "%G W%V %u", 24 - 1 / 3600),
        ("January 2026", "%B %Y", 27 * 24 - 1 / 3600),
        ("2026", "%Y", 361 * 24 - 1 / 3600),
        ("2026 %d", "%Y %%d", 361 * 24 - 1 / 3600),
        ("2 days ago", "", None),
        (None, "epoch", None),
        ("9" * 400, "epoch", None),
    ],
)
def test_dates_are_read_as_they_are_written(
    written: object, form: str, hours: float | None
) -> None:
    assert moment_of(written, form) == (None if hours is None else at(hours))


# Feeds

ENTRY = """<item><title>Rain &amp; hail</title><link>https://news.example/{n}</link>
<description><![CDATA[<p>It <b>rains</b>.</p><script>x()</script>]]></description>
{date}</item>"""


def rss(*dates: str) -> bytes:
    items = "".join(
        ENTRY.format(n=n, date=date and f"<pubDate>{date}</pubDate>")
        for n, date in enumerate(dates)
    )
    return f'<rss version="2.0"><channel><title>F</title>{items}</channel></rss>'.encode()


def test_feeds_give_entries_without_markup_and_a_dead_one_costs_no_other() -> None:
    dead = f"http://127.0.0.1:{closed_port()}/rss"
    beyond = "9999-12-31T23:59:59-05:00"
    body = rss("Sun, 04 Jan 2026 10:00:00 GMT", beyond, "Tue, 06 Jan 2026 10:00:00 GMT")
    with (
        Says(replace(well(body), content_type="application/rss+xml")) as server,
        Says(replace(well(b"<html>no feed</html>"), content_type="text/html")) as page,
    ):
        urls = (dead, f"{server.home}/rss", f"{page.home}/rss")
        batch = given(feeds.from_settings(options(urls=urls, per_second=1000), backstage()))
    assert [(d.title, d.text, d.published_at) for d in batch.documents] == [
        ("Rain & hail", "It rains.", at(-14)),
        ("Rain & hail", "It rains.", None),
        ("Rain & hail", "It rains.", at(34)),
    ]
    assert [failure.split(":")[0] for failure in batch.failures] == ["context", "http"]


def test_a_redirect_is_followed_within_its_host_and_nowhere_else() -> None:
    near = says(301, b"", location="/moved")
    far = says(302, b"", location="http://169.254.169.254/latest")
    feed = replace(well(rss("Sun, 04 Jan 2026 10:00:00 GMT")), content_type="text/xml")
    with Says(near, feed) as server:
        source = feeds.from_settings(options(urls=(f"{server.home}/rss",)), backstage())
        assert len(given(source).documents) == 1
        assert [r.path for r in server.requests] == ["/rss", "/moved"]
    with Says(far) as server, pytest.raises(ArenaError, match=r"169\.254\.169\.254"):
        given(feeds.from_settings(options(urls=(f"{server.home}/rss",)), backstage()))


def test_a_feed_that_is_the_name_of_a_file_opens_none() -> None:
    body = replace(well(str(ROOT / "README.md").encode()), content_type="text/xml")
    with Says(body) as server, pytest.raises(ArenaError, match="is no feed"):
        given(feeds.from_settings(options(urls=(f"{server.home}/rss",)), backstage()))


# A search server

FOUND = {
    "data": {
        "articles": [
            {
                "head": {"title": "Rain"},
                "summary": "",
                "body": ["It <b>rains</b>.", "Much."],
                "link": "http://127.0.0.1:9/dead",
                "date": "2026-01-04T10:00:00Z",
            },
            {"head": {"title": "Later"}, "date": "2026-01-06T10:00:00Z"},
            "no article",
        ]
    }
}
MAPPING = {
    "results": "data.articles",
    "title": "head.title",
    "text": ("summary", "body"),
    "link": "link",
    "published_at": "date",
    "per_second": 1000,
}


def test_a_search_server_is_asked_and_read_by_its_mapping() -> None:
    with Says(well(json.dumps(FOUND).encode())) as server:
        settings = options(
            url=f"{server.home}/search",
            query=(("from", "{since_day}"), ("q", "{question}"), ("until", "{as_of}")),
            days=7,
            price=0.01,
            **MAPPING,
        )
        batch = given(search.from_settings(settings, backstage()), SHOWN[:1])
        (asked,) = server.requests
    assert parse_qs(urlsplit(asked.path).query) == {
        "q": ["Will there be rain?"],
        "from": ["2025-12-29"],
        "until": ["2026-01-05T00:00:00Z"],
    }
    first, second = batch.documents
    assert (first.title, first.text, first.markets) == ("Rain", "It rains.\nMuch.", (RAIN,))
    assert second.published_at == at(34)
    assert (batch.requests, batch.cost) == (1, usd("0.01"))


def test_a_body_is_filled_in_once_so_that_a_question_names_no_other_word() -> None:
    hostile = replace(market(RAIN), question='{as_of} "}] {day}')
    with Says(well(json.dumps(FOUND).encode())) as server:
        body = (("query", "{question}"), ("topics", ("a", "{day}")), ("x", (("n", 5),)))
        settings = options(url=server.home, body=body, **MAPPING)
        batch = given(search.from_settings(settings, backstage()), [hostile])
        assert server.requests[0].body == {
            "query": '{as_of} "}] {day}',
            "topics": ["a", "2026-01-05"],
            "x": {"n": 5},
        }
    assert batch.cost is None


def test_comments_are_asked_for_by_the_venues_own_ids() -> None:
    said = {"type": "paragraph", "content": [{"type": "text", "text": "It never rains."}]}
    comment = {"content": {"type": "doc", "content": [said]}, "createdTime": 1767571200000}
    one, other = (
        replace(market(name), id=MarketId(f"{there}:{name}"), venue=VenueId(there))
        for name, there in ((RAIN, "manifold"), (SNOW, "kalshi"))
    )
    with Says(well(json.dumps([comment]).encode())) as server:
        settings = options(
            url=f"{server.home}/v0/comments",
            query=(("contractId", "{market}"), ("of", "{event}")),
            venue="manifold",
            results="",
            text="content",
            published_at="createdTime",
            date="epoch_ms",
        )
        batch = given(search.from_settings(settings, backstage()), [other, one])
        (asked,) = server.requests
    own = {"contractId": [RAIN], "of": [one.event.rpartition(":")[2]]}
    assert parse_qs(urlsplit(asked.path).query) == own
    (document,) = batch.documents
    assert (document.text, document.published_at) == ("It never rains.", T0)
    assert document.markets == (one.id,)


def test_text_that_lies_deep_is_read_all_the_same() -> None:
    deep: object = "rain"
    for _ in range(5000):
        deep = [{"content": deep}]
    assert words_in(deep, 100) == "rain"


@pytest.mark.parametrize(
    ("hostile", "words"),
    [
        ("<a " * 20_000, ("<a " * 20_000)[:20_000]),
        ('<a b="' * 10_000, ('<a b="' * 10_000)[:20_000]),
        ("rain<!--" * 15_000, "rain"),
        ("rain<script>" * 5_000, "rain"),
        ("<" * 60_000, "<" * 20_000),
        ("&#" + "9" * 5_000, "&#" + "9" * 5_000),
    ],
    ids=["tags", "quotes", "comments", "scripts", "brackets", "number"],
)
def test_hostile_markup_is_read_to_its_end(hostile: str, words: str) -> None:
    assert words_in(hostile, 20_000) == words


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("a<!-- > <b> -->b<!-->c<!--->d<!-- e", "abcd"),
        ("a<STYLE>x</styles>x</Style >b<template>x", "ab"),
        ("a<script src='x'/>b<?php x ?>c<!DOCTYPE html>d</>e", "abcde"),
        ("a<br/>b<P class='x'>c</p>d", "a\nb\nc\nd"),
        ("&lt;b&gt; 1 < 2 <3 &am<i>p;</i>", "<b> 1 < 2 <3 &amp;"),
        ("a <b>c</b> <d &amp; e", "a c <d & e"),
    ],
)
def test_markup_is_left_out(html: str, words: str) -> None:
    assert words_in(html, 100) == words


@every(
    st.lists(st.sampled_from(["<", "</", "<!--", "-->", ">", "p", "script", " ", "&#", "9"]))
    .map("".join)
    .flatmap(lambda markup: st.text().map(lambda text: markup + text)),
    st.integers(0, 50),
)
def test_any_text_gives_no_more_words_than_are_asked_for(text: str, most: int) -> None:
    assert len(words_in(text, most)) <= most


def test_a_search_that_fails_for_some_markets_gives_the_others() -> None:
    answers = (says(404), well(json.dumps(FOUND).encode()), well(b"[]"))
    with Says(*answers) as server:
        settings = options(url=server.home, query=(("q", "{question}"),), **MAPPING)
        batch = given(search.from_settings(settings, backstage()))
    assert (len(batch.documents), len(batch.failures)) == (2, 2)


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (search.from_settings, {"url": "https://x.example"}),
        (search.from_settings, {"url": "https://x.example", "query": "q={question}"}),
        (
            search.from_settings,
            {"url": "https://x.example", "query": (("q", "x"),), "key_env": "X"},
        ),
        (feeds.from_settings, {}),
        (feeds.from_settings, {"urls": ("file:///etc/passwd",)}),
        (folder.from_settings, {"path": 3}),
        (venue.from_settings, {"any": 1}),
    ],
)
def test_wrong_options_are_refused(make: ContextFactory, wrong: Mapping[str, object]) -> None:
    with pytest.raises(ArenaError) as caught:
        make(options(**wrong), backstage())
    assert caught.value.code == "context.option"


# The venue


def test_the_venue_tells_past_prices_of_the_tape_and_none_of_later() -> None:
    prices = tuple(
        replace(quote(p, p, name=RAIN), at=at(hours))
        for p, hours in (("0.2", -200), ("0.3", -169), ("0.4", -25), ("0.5", -1), ("0.9", 5))
    )
    batch = given(venue.from_settings(options(), backstage(prices=prices)))
    (document,) = batch.documents
    assert document.text == (
        "The price of YES was 0.3 on 2025-12-28, the first on record; 0.4 a day before; "
        "0.5 at 2026-01-04 23:00 UTC, the newest."
    )
    assert document.has_prices is True
    assert document.markets == (RAIN,)
    assert document.published_at == at(-1)


def test_rules_that_a_prompt_would_cut_are_a_document() -> None:
    long = replace(market(HAIL), rules="If it hails. " * 200)
    batch = given(venue.from_settings(options(), backstage()), [long])
    assert [(d.title, d.has_prices) for d in batch.documents] == [("The rules in full", False)]


# What the documentation shows


def test_every_source_of_the_documentation_can_be_built(tmp_path: Path) -> None:
    first, cohort, *_, last = (
        fence.text for fence in Page(ROOT / "docs/evidence.md").fenced("yaml")
    )
    (tmp_path / "cohorts").mkdir()
    for n, text in enumerate((first, last)):
        (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
        settings = load_settings(tmp_path / "config.yaml")
        for source in settings.contexts:
            make = plugins.load(plugins.CONTEXTS, source.adapter)
            assert make(source, backstage())
        assert len(settings.contexts) == (2, 7)[n]
    assert "sources: [news, rules]" in cohort
