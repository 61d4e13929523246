"""A registered protocol run over forecasts of several models, beside their market's prices."""
