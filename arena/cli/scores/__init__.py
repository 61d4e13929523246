"""Scores, comparisons and what stands behind a number."""
