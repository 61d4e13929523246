"""Batches: questions that a provider answers later, for half the price."""
