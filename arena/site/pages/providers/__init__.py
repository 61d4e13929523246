"""Providers: pages, models, costs, prices."""
