"""The story, step by step. Start at `play`."""
