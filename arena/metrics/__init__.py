"""What every number is: its name, its formula, its unit, its source. One list for all."""
