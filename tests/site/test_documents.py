"""Documents of a round stand on pages as text, with links that nobody vouches for."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from arena.records.answer import Answer, Completion, DocumentBatch, Question, SourceDocument
from arena.records.cohort import ContextTerms
from arena.records.settings import Edition, Entrant
from arena.site import places
from arena.site.engine.build import publish
from arena.store import Store
from tests.build import ADA, BEN, COHORT, RAIN, at, spec
from tests.site.folders import LATER as LATEST
from tests.site.folders import TEMPLATES
from tests.stage import ScriptedSource, playing

NEWS = SourceDocument("", "Rain", "It <b>rains</b>.", "https://news.example/1", at(-1), (RAIN,))
LATER = replace(NEWS, published_at=at(1), url="")
ASKED = Answer(Completion('{"action": "HOLD", "bets": []}'), Question("rules", "data"))
CAST = Edition({BEN: Entrant(BEN, agent="prompted", options="context False, samples 1")})


@contextmanager
def informed() -> Iterator[Store]:
    agreed = replace(spec(COHORT, (ADA, BEN)), context=ContextTerms(("wire",)))
    with playing({ADA: {1: ASKED}, BEN: {1: ASKED}}, agreed) as game:
        game.contexts = {"wire": ScriptedSource(DocumentBatch((NEWS, LATER)))}
        game.tick(0)
        yield game.store


def test_pages_show_documents_as_text_with_their_links_and_count_the_refused(
    tmp_path: Path,
) -> None:
    with informed() as store:
        publish(store, tmp_path, TEMPLATES, CAST, at=LATEST)
    paths = [places.cohort(COHORT), *(places.decision(COHORT, 1, who) for who in (ADA, BEN))]
    cohort, ada, ben = ((tmp_path / path).read_text("utf-8") for path in paths)
    link = '<a href="https://news.example/1" rel="noopener noreferrer nofollow ugc">'
    for text in (cohort, ada):
        assert text.count(link) == 1
        assert "It &lt;b&gt;rains&lt;/b&gt;." in text
        assert "wire: 1 dated after the round" in text
        assert "2026-01-04 23:00" in text
    assert "news.example" not in ben
    assert "context.per_market" in cohort
