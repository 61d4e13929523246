"""Inference from series: long-run variance, Diebold-Mariano, Sharpe, drawdown."""
