"""Checks of several keys together, each of which is valid alone.

These checks read the document, not the form, so that another mistake cannot hide theirs;
a value that cannot be read is somebody else's to report.
"""

import os.path
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from pathlib import Path, PurePath

from arena.config.document import ConfigDocument, Place
from arena.config.forms import RULES, PathsForm
from arena.config.presets import NO_SERVER, known_providers, preset_of
from arena.config.problem import Problem, WrongError, shown
from arena.config.values import duration, duration_text, exact, file_path
from arena.errors import did_you_mean


def config_problems(document: ConfigDocument, file: Path) -> tuple[Problem, ...]:
    """Refuse a site folder that holds anything else, and a model that cannot be found.

    All that is in the site's folder is published.
    """
    return (*_site(document, file), *_unreachable(document))


def _site(document: ConfigDocument, file: Path) -> tuple[Problem, ...]:
    named = {key: path_said(document, key) for key in PathsForm.model_fields}
    site = placed(file, named.pop("site"))
    inside = [
        path for path in (*named.values(), ".") if placed(file, path).is_relative_to(site)
    ]
    if not inside:
        return ()
    actual = f"one that holds {shown(inside[0])}"
    return (document.problem(("paths", "site"), "a folder of its own", actual),)


def _unreachable(document: ConfigDocument) -> tuple[Problem, ...]:
    """A model of an unknown provider needs an adapter, and a base_url if it has a server."""
    models = _at(document, ("models",), {})
    if not isinstance(models, Mapping):
        return ()
    return tuple(
        document.problem(
            ("models", name),
            f"{key}, or a provider that is known",
            "neither",
            _providers(settings),
        )
        for name, settings in models.items()
        if isinstance(settings, Mapping)
        for key in (
            ("adapter",) if settings.get("adapter") == NO_SERVER else ("adapter", "base_url")
        )
        if settings.get(key) is None and not preset_of(str(settings.get("provider") or ""))
    )


def _providers(settings: Mapping[str, object]) -> str:
    named = str(settings.get("provider") or "")
    return did_you_mean(named, known_providers()) if named else ""


def cohort_problems(document: ConfigDocument) -> tuple[Problem, ...]:
    """Refuse who is entered twice, a bet that nobody can pay, and rounds that overlap.

    Refuse also what no market can be: older and younger, dearer and cheaper.
    """
    return (
        *_twice(document),
        *_unpayable(document),
        *_too_patient(document),
        *_impossible(document),
        *_quotas_of_nothing(document),
    )


def placed(file: Path, path: str) -> PurePath:
    """Give the absolute path of what a configuration file names."""
    return PurePath(os.path.normpath(file.parent.resolve() / path))


def path_said(document: ConfigDocument, key: str) -> str:
    """Give a path of a configuration file as it is written there, or its default."""
    default: str = PathsForm.model_fields[key].default
    try:
        return file_path(_at(document, ("paths", key), default))
    except WrongError:
        return default


def _twice(document: ConfigDocument) -> tuple[Problem, ...]:
    names = _at(document, ("contestants",), [])
    if not isinstance(names, list):
        return ()
    return tuple(
        document.problem(("contestants", n), "each contestant once", f"{shown(name)} again")
        for n, name in enumerate(names)
        if name in names[:n] and ("contestants", n) not in document.faults
    )


def _unpayable(document: ConfigDocument) -> tuple[Problem, ...]:
    capital = _dollars(document, "capital", RULES.capital)
    least = _dollars(document, "min_bet", RULES.min_bet)
    if capital is None or least is None or least <= capital:
        return ()
    actual = f"{least:f} with a capital of {capital:f}"
    place = ("rules", "min_bet")
    blamed = place if place in document.lines else ("rules", "capital")
    return (document.problem(blamed, "a min_bet that the capital can pay", actual),)


def _too_patient(document: ConfigDocument) -> tuple[Problem, ...]:
    place = ("rules", "answer_within")
    try:
        within = duration(_at(document, place, None))
        every = duration(_at(document, ("decide", "every"), None))
    except WrongError:
        return ()
    if within <= every:
        return ()
    return (document.problem(place, "no longer than decide.every", duration_text(within)),)


def _impossible(document: ConfigDocument) -> tuple[Problem, ...]:
    """Refuse a range of the universe that begins after its end."""
    problems = []
    for low, high, read in (
        ("closes_after", "closes_within", _seconds),
        ("min_age", "max_age", _seconds),
        ("price_from", "price_to", exact("a fraction")),
    ):
        least, most = (_at(document, ("universe", key), None) for key in (low, high))
        with suppress(WrongError):
            if read(least) > read(most):
                expected = f"no more than universe.{high}"
                problems.append(document.problem(("universe", low), expected, shown(least)))
    return tuple(problems)


def _seconds(span: object) -> Decimal:
    return Decimal(duration(span) // timedelta(seconds=1))


def _quotas_of_nothing(document: ConfigDocument) -> tuple[Problem, ...]:
    """Refuse a quota of a category that the universe leaves out."""
    categories = _at(document, ("universe", "categories"), [])
    quotas = _at(document, ("universe", "quotas"), {})
    if not isinstance(categories, list) or not isinstance(quotas, Mapping) or not categories:
        return ()
    names = [name for name in categories if isinstance(name, str)]
    chosen = {name.casefold() for name in names}
    return tuple(
        document.problem(
            ("universe", "quotas", category),
            "one of universe.categories",
            shown(category),
            did_you_mean(category, names),
        )
        for category in quotas
        if category.casefold() not in chosen
    )


def _dollars(document: ConfigDocument, rule: str, default: Decimal) -> Decimal | None:
    written = _at(document, ("rules", rule), None)
    try:
        return default if written is None else exact("dollars")(written)
    except WrongError:
        return None


def _at(document: ConfigDocument, place: Place, default: object) -> object:
    here: object = document.tree
    for part in place:
        if not isinstance(here, Mapping) or part not in here:
            return default
        here = here[part]
    return here
