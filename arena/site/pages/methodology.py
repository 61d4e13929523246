"""The page of methods, made from the list of metrics."""

from collections.abc import Iterator

from arena.metrics.metric import Better, Metric, Unit
from arena.metrics.registry import CHAPTERS, SYMBOLS
from arena.site import places
from arena.site.mathml import mathml
from arena.site.page import Document, Page
from arena.site.reading import Reading
from arena.site.views.methodology import Method, MethodChapter, MethodologyPage
from arena.site.views.parts import Fact, Head


def pages(_: Reading) -> Iterator[Page | Document]:
    """The page of methods."""
    yield Page(places.METHODOLOGY, "methodology.html", methodology_page())


def methodology_page() -> MethodologyPage:
    """Every number of the site with its formula, its meaning and where it comes from."""
    return MethodologyPage(
        Head("Methods", "", "methodology"),
        tuple(
            MethodChapter(
                chapter.key, chapter.title, tuple(_method(m) for m in chapter.metrics)
            )
            for chapter in CHAPTERS
        ),
        tuple(Fact(symbol, words) for symbol, words in SYMBOLS),
    )


def _method(metric: Metric) -> Method:
    return Method(
        key=metric.key,
        name=metric.name,
        symbol=mathml(metric.symbol) if metric.symbol else "",
        formulas=tuple(mathml(formula) for formula in metric.formulas),
        words=metric.words,
        unit="" if metric.unit is Unit.NONE else metric.unit.value,
        better="" if metric.better is Better.NEITHER else metric.better.value,
        interval=metric.interval,
        reference=metric.reference,
        source=metric.source,
        caveat=metric.caveat,
    )
