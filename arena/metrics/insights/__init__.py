"""What forecasts tell beside scores: information, copies, arms, drift, memory."""
