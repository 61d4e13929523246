"""The bundle: files of the site from which a stranger can work its numbers out again."""
