"""Checks of a built site: links, budgets, secrets, differences."""
