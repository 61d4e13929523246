"""What pages show: calls, costs, seats, market views, replies."""
