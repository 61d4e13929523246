"""The worked examples of four published sources, computed by the arena's own functions."""
