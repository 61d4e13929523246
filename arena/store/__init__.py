"""The tape, the journal and their caches, in SQLite."""
