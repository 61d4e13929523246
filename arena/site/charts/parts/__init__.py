"""What charts are drawn with: axes, frames, colours, shapes."""
