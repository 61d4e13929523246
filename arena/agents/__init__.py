"""Who decides: prompted language models, simulated ones, and baselines to beat.

`pyproject.toml` enters each kind as an entry point of the group `arena.agents`.
"""
