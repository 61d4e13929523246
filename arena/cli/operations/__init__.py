"""Commands that keep an arena running."""
