"""What each page shows: the only names that its template may use."""
