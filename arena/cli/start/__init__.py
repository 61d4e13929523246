"""First steps: the demo, a new arena, its configuration."""
