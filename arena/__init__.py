"""A paper-trading arena for language models on prediction markets."""

__version__ = "0.1.0"
