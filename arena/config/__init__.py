"""Configuration: `config.yaml` and the files of `cohorts/`, read whole or not at all.

This package is the one door to YAML and to pydantic. Nothing is guessed: an unknown key, a
key given twice, a name that nothing bears and a secret written down are all refused, in
every file at once, each with its line.
"""

from arena.config.kinds import Plugins
from arena.config.listing import Listed, listed
from arena.config.load import check, load_cohort, load_settings
from arena.config.problem import Problem
from arena.config.validate import Kind, schema

__all__ = [
    "Kind",
    "Listed",
    "Plugins",
    "Problem",
    "check",
    "listed",
    "load_cohort",
    "load_settings",
    "schema",
]
