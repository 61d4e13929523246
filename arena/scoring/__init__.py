"""Pure scores of forecasts and returns, and the order of the leaderboard."""
