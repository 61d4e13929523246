"""Servers on this machine that stand in for models and venues in tests and benchmarks."""
