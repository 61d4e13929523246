"""Forecasts that others wrote down: CSV, JSON, Parquet and ForecastBench files, as columns."""
