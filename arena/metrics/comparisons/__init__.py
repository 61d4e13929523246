"""Tests of two contestants, of all pairs, and of groups."""
