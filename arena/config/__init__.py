"""Configuration: `config.yaml` and the files of `cohorts/`, read whole or not at all.

This package is the one door to YAML and to pydantic. Nothing is guessed: an unknown key, a
key given twice, a name that nothing bears and a secret written down are all refused, in
every file at once, each with its line.
"""

from arena.config.document import ChangedKey, Problem
from arena.config.load import ListedSetting, check, listed, load_cohort, load_settings
from arena.config.validate import FileKind, schema

__all__ = [
    "ChangedKey",
    "FileKind",
    "ListedSetting",
    "Problem",
    "check",
    "listed",
    "load_cohort",
    "load_settings",
    "schema",
]
