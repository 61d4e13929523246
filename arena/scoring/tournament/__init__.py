"""Forecasting tournaments as Metaculus ran them in 2022, and as it runs them now."""
