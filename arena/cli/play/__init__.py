"""Rounds: play, replay, answer, say what is due."""
