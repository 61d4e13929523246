"""What each metric means: its words, unit, direction and source."""
