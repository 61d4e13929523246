"""Proof: audits and caches made anew."""
