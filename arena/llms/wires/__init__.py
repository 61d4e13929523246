"""Wire formats: what is sent to each provider, and what is read of its answer."""
