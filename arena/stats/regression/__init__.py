"""Regressions whose errors are clustered, and what is tested with them."""
