"""Data for others: data sets, the public copy, the tape as Parquet."""
