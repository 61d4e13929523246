"""Markets: pages, the index, who played."""
