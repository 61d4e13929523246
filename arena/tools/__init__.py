"""Tools that contestants may call while they think about a round."""
