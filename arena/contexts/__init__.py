"""Sources of dated documents: a folder, feeds, a search server, and the venue itself."""
