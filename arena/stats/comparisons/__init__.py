"""Comparisons: pairs, many tests at once, sequential looks, power."""
