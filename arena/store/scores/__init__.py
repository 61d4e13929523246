"""What scores are made of: forecasts with outcomes, offered markets, trades, daily values."""
