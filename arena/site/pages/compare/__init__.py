"""Comparisons of two contestants and of all pairs."""
