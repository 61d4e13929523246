"""The documents that a round's contestants were shown, as text on pages."""

from arena.metrics import figures
from arena.records.cohort import CohortId
from arena.records.context import SourceDocument
from arena.records.report import Failure
from arena.site.pages.parts import DocumentRow, DocumentsView, Link
from arena.site.reading import LABEL, QUESTION, Reading, shown_moment
from arena.site.sanitize import address, host_of, one_line, visible

REASON = 300


def documents_of(cohort: CohortId, number: int, reading: Reading) -> DocumentsView | None:
    """Give the documents of a round, and what was refused; None where none were asked for."""
    taped = reading.store.tape.context(cohort, number)
    if taped is None:
        return None
    context = taped.context
    refused = [
        f"{one_line(each.source, LABEL)}: {figures.count(each.count)} {each.fault.value}"
        for each in context.refused
    ]
    failed = [_failed(failure) for failure in context.failures]
    return DocumentsView(
        number, tuple(map(_row, context.documents)), tuple(refused), tuple(failed), taped.digest
    )


def _row(document: SourceDocument) -> DocumentRow:
    link = address(document.url)
    return DocumentRow(
        one_line(document.source, LABEL),
        one_line(document.title, QUESTION) if document.title else "Without a title",
        visible(document.text, lines=True),
        shown_moment(document.published_at) if document.published_at else None,
        Link(host_of(link), link) if link else None,
    )


def _failed(failure: Failure) -> str:
    return one_line(f"{failure.where}: {failure.what}", REASON)
