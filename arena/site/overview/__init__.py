"""Every estimate that pages show, computed once from all forecasts and bets of a store."""
