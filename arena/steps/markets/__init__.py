"""Markets: poll the venues, keep what they said, resolve."""
