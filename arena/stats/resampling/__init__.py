"""Resampling: bootstraps, event draws, flipped signs, seeds."""
