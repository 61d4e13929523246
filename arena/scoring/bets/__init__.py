"""Scores of bets: books, closing line value, luck, attribution."""
