"""The journal: entries, what they change in the books, packed history."""
