"""The project's own pages: audit, changes, data, methods, cards, feeds."""
