"""From the store to what each page shows."""
