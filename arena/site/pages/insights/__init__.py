"""The page of insights: what forecasts know, how they err together, and whether they agree."""
