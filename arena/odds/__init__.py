"""What a price or a stake says about a probability; pure."""
