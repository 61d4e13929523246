"""What is shown: static pages from the books."""
