"""What bets earned: offered lines, closing value, returns, replayed sizing rules."""
