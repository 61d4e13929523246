"""Decisions: what was asked, answered and traded."""
