"""Contestants: pages, charts, calibration, holdings, trades."""
