"""How SQLite goes about the statements that something runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena.store import Store


@contextmanager
def listening(store: Store) -> Iterator[list[str]]:
    """Collect the statements that run."""
    said: list[str] = []
    store.db.raw.set_trace_callback(said.append)
    try:
        yield said
    finally:
        store.db.raw.set_trace_callback(None)


def plans(store: Store, statements: list[str]) -> Iterator[tuple[str, str]]:
    for statement in dict.fromkeys(statements):
        if statement.lstrip().startswith(("SELECT", "WITH")):
            for row in store.db.raw.execute(f"EXPLAIN QUERY PLAN {statement}"):
                yield row["detail"], statement
