"""Venues and models: checks, prompts, replies, costs."""
