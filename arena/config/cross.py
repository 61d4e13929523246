"""What is wrong between keys that are each right alone.

These checks read the document, not the form, so that another mistake cannot hide theirs;
a value that cannot be read is somebody else's to report.
"""

import os.path
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path, PurePath

from arena.config.document import Document, Place
from arena.config.forms import RULES, PathsForm
from arena.config.problem import Problem, WrongError, shown
from arena.config.values import exact, file_path


def config_problems(document: Document, file: Path) -> tuple[Problem, ...]:
    """Refuse a site folder that holds anything but the site: all in it is published."""
    named = {key: path_said(document, key) for key in PathsForm.model_fields}
    site = placed(file, named.pop("site"))
    inside = [
        path for path in (*named.values(), ".") if placed(file, path).is_relative_to(site)
    ]
    if not inside:
        return ()
    found = f"one that holds {shown(inside[0])}"
    return (document.problem(("paths", "site"), "a folder of its own", found),)


def cohort_problems(document: Document) -> tuple[Problem, ...]:
    """Refuse a contestant that is entered twice, and a smallest bet that nobody can pay."""
    return (*_twice(document), *_unpayable(document))


def placed(file: Path, path: str) -> PurePath:
    """Give the absolute path of what a configuration file names."""
    return PurePath(os.path.normpath(file.parent.resolve() / path))


def path_said(document: Document, key: str) -> str:
    """Give a path of a configuration file as it is written there, or its default."""
    default: str = PathsForm.model_fields[key].default
    try:
        return file_path(_at(document, ("paths", key), default))
    except WrongError:
        return default


def _twice(document: Document) -> tuple[Problem, ...]:
    names = _at(document, ("contestants",), [])
    if not isinstance(names, list):
        return ()
    return tuple(
        document.problem(("contestants", n), "each contestant once", f"{shown(name)} again")
        for n, name in enumerate(names)
        if name in names[:n] and ("contestants", n) not in document.faults
    )


def _unpayable(document: Document) -> tuple[Problem, ...]:
    capital = _dollars(document, "capital", RULES.capital)
    least = _dollars(document, "min_bet", RULES.min_bet)
    if capital is None or least is None or least <= capital:
        return ()
    found = f"{least:f} with a capital of {capital:f}"
    place = ("rules", "min_bet")
    blamed = place if place in document.lines else ("rules", "capital")
    return (document.problem(blamed, "a min_bet that the capital can pay", found),)


def _dollars(document: Document, rule: str, default: Decimal) -> Decimal | None:
    said = _at(document, ("rules", rule), None)
    try:
        return default if said is None else exact("dollars")(said)
    except WrongError:
        return None


def _at(document: Document, place: Place, default: object) -> object:
    here: object = document.tree
    for part in place:
        if not isinstance(here, Mapping) or part not in here:
            return default
        here = here[part]
    return here
