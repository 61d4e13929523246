"""Cohorts: pages, rules, settlements, entries."""
