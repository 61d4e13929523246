"""Calibration: bins, recalibrated curves, decompositions, bands."""
