"""The tape: what venues said, prices, payloads, and what may be deleted."""
