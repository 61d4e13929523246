"""Language models, one module a wire format."""
