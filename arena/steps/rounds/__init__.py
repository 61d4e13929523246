"""Rounds: which markets, what is asked, what was answered, what is traded."""
