"""Ratings: Bradley-Terry, Elo, shrunken means."""
