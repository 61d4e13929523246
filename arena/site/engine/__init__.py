"""The site's engine: what is built, kept, moved and deleted."""
