"""Who decides: prompted language models, simulated ones, and baselines to beat."""
