"""What may be claimed: rules, variances, the board of claims, its words."""
