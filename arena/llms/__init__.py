"""Language models: how they are asked, retried and paid.

A wire format is a module in `wires`, which `pyproject.toml` enters in the group `arena.llms`.
"""
