"""The watch over a running arena: what is wrong, who is told, what is logged."""
