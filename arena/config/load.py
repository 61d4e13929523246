"""Reads `config.yaml` and its cohorts; one mistake refuses all of it."""

import os.path
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from itertools import chain
from pathlib import Path, PurePath
from types import MappingProxyType

from arena.bundle import templates
from arena.config.document import (
    MADE,
    ChangedKey,
    ConfigDocument,
    Place,
    Plain,
    Problem,
    WrongError,
    changed,
    dotted,
    read_document,
    shown,
)
from arena.config.forms import (
    NO_SERVER,
    RULES,
    BackupForm,
    CohortForm,
    ConfigForm,
    FileForm,
    PathsForm,
    SiteForm,
    copies,
    known_providers,
    preset_of,
)
from arena.config.kinds import (
    DeclaredNames,
    PluginNames,
    count,
    duration,
    duration_text,
    exact,
    file_path,
    identifier,
)
from arena.config.validate import fill_in, refusal
from arena.errors import did_you_mean, printable
from arena.records.claim import Season
from arena.records.cohort import CohortSpec, ContestantId
from arena.records.market import VenueId
from arena.records.settings import (
    BackupSettings,
    Budgets,
    ContestantSettings,
    ContextSettings,
    Schedule,
    Settings,
    SiteSettings,
    ToolSettings,
    VenueSettings,
)

# Checks of several keys together, each of which is valid alone.
#
# These checks read the document, not the form, so that another mistake cannot hide theirs;
# a value that cannot be read is somebody else's to report.


def config_problems(document: ConfigDocument, file: Path) -> tuple[Problem, ...]:
    """Refuse a site folder that holds anything else, and a model that cannot be found.

    All that is in the site's folder is published.
    """
    return (*_site(document, file), *_unreachable(document))


def _site(document: ConfigDocument, file: Path) -> tuple[Problem, ...]:
    named = {key: path_said(document, key) for key in PathsForm.model_fields}
    site = placed(file, named.pop("site"))
    others = (
        _at(document, place, "") for place in (("backup", "to"), ("watch", "log", "file"))
    )
    here = [
        other for other in others if isinstance(other, str) and other and "://" not in other
    ]
    inside = [
        path
        for path in (*named.values(), ".", *here)
        if placed(file, path).is_relative_to(site)
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
            did_you_mean(named, known_providers()) if named else "",
        )
        for name, settings in models.items()
        if isinstance(settings, Mapping)
        for named in (str(settings.get("provider") or ""),)
        for key in ("adapter", "base_url")
        if settings.get(key) is None and not preset_of(named)
        if key == "adapter" or settings.get("adapter") != NO_SERVER
    )


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


MOST_COPIES = 1000

Entrants = Mapping[str, tuple[str, ...]]


def entrants_of(document: ConfigDocument) -> Entrants:
    """Read who each declared name stands for, whether or not the rest of it is right."""
    tree = document.tree or {}
    declared = tree.get("contestants")
    if not isinstance(declared, Mapping):
        return {}
    return {str(name): copies(str(name), _replicates(form)) for name, form in declared.items()}


def entrants_among(contestants: Iterable[ContestantSettings]) -> Entrants:
    """Say who each name stands for among settings that were read already."""
    entrants: dict[str, tuple[str, ...]] = {}
    for contestant in contestants:
        entrants[contestant.id] = (contestant.id,)
        if name := contestant.copy_of:
            entrants[name] = (*entrants.get(name, ()), contestant.id)
    return entrants


def names_of(entrants: Entrants) -> tuple[str, ...]:
    """Every name that may be written: those declared, and those of single copies."""
    return tuple(dict.fromkeys([*entrants, *chain.from_iterable(entrants.values())]))


def expanded(names: Iterable[ContestantId], entrants: Entrants) -> tuple[ContestantId, ...]:
    """Put the copies in the place of the name that stands for them."""
    playing = chain.from_iterable(entrants.get(name, (name,)) for name in names)
    return tuple(dict.fromkeys(map(ContestantId, playing)))


def entrant_problems(document: ConfigDocument) -> tuple[Problem, ...]:
    """Refuse a copy that is called like another contestant, and a circle of derived ones."""
    entrants = entrants_of(document)
    declared = set(entrants)
    twins = [
        document.problem(("contestants", name), "copies with names of their own", shown(copy))
        for name, all_ in entrants.items()
        for copy in all_
        if copy != name and copy in declared
    ]
    return (*twins, *_circles(document, entrants))


def missing_peers(
    document: ConfigDocument, spec: CohortSpec, contestants: Iterable[ContestantSettings]
) -> tuple[Problem, ...]:
    """Refuse a derived contestant without those that it is made from."""
    playing = set(spec.contestants)
    return tuple(
        document.problem(
            ("contestants",),
            f"{other} too, which {contestant.id} is made from",
            "a cohort without it",
        )
        for contestant in contestants
        if contestant.id in playing
        for other in contestant.of
        if other not in playing
    )


def _circles(document: ConfigDocument, entrants: Entrants) -> list[Problem]:
    made_from = _sources_of_contestants(document, entrants)
    problems = []
    for name in made_from:
        seen: set[str] = set()
        ahead = list(made_from[name])
        while ahead:
            other = ahead.pop()
            if other not in seen:
                seen.add(other)
                ahead += made_from.get(other, ())
        if name in seen:
            place: Place = ("contestants", name, "of")
            problems.append(document.problem(place, "others than itself", "a circle"))
    return problems


def _sources_of_contestants(
    document: ConfigDocument, entrants: Entrants
) -> dict[str, tuple[str, ...]]:
    """Say which declared names each is made from; a copy stands for the name it was under."""
    under = {copy: name for name, all_ in entrants.items() for copy in all_}
    declared = (document.tree or {}).get("contestants")
    if not isinstance(declared, Mapping):
        return {}
    sources: dict[str, tuple[str, ...]] = {}
    for name, form in declared.items():
        of = form.get("of") if isinstance(form, Mapping) else None
        if isinstance(of, list):
            sources[str(name)] = tuple(
                under.get(copy, copy) for copy in of if isinstance(copy, str)
            )
    return sources


def _replicates(form: object) -> int:
    wanted = form.get("replicates") if isinstance(form, Mapping) else None
    if not isinstance(wanted, Plain):
        return 1
    try:
        return count(1, MOST_COPIES)(wanted)
    except WrongError:
        return 1


_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}(-\d{4})?$")

ABSENT = "run this in the project's folder, or say where the file is with --config"
INVALID = "every key is explained in docs/configuration.md"


def load_settings(
    file: Path,
    plugins: PluginNames = MappingProxyType({}),
    *,
    changes: Mapping[Place, ChangedKey] = MappingProxyType({}),
) -> Settings:
    """Read a configuration file and every cohort file of its cohorts folder.

    Args:
        file: The configuration file; paths in it start from its folder.
        plugins: The names of all plugins; those of a group that is not there are unchecked.
        changes: Values that count instead of the file's.

    Returns:
        What was configured; cohorts that are for replay only are left out.

    Raises:
        ArenaError: Something is wrong anywhere; the message has one line for each problem.
    """
    reading = _read(file, plugins, changes)
    if reading.config is None or reading.problems:
        if reading.absent:
            raise refusal("config.missing", reading.problems, ABSENT)
        raise refusal("config.invalid", reading.problems, INVALID)
    return _settings(file, reading.config, reading.cohorts)


def check(file: Path, plugins: PluginNames = MappingProxyType({})) -> tuple[Problem, ...]:
    """List everything that is wrong with a configuration file and its cohort files."""
    return _read(file, plugins).problems


def load_cohort(
    file: Path,
    settings: Settings,
    *,
    venues: Iterable[VenueId] | None = None,
    changes: Mapping[Place, ChangedKey] = MappingProxyType({}),
) -> CohortSpec:
    """Read one cohort file, for replay or not.

    Args:
        file: The cohort file; its stem is the cohort's name.
        settings: Says which contestants there are.
        venues: The venues there are; None means those of `settings`.
        changes: Values that count instead of the file's.

    Raises:
        ArenaError: Something is wrong; the message has one line for each problem.
    """
    there = (v.id for v in settings.venues) if venues is None else venues
    entrants = entrants_among(settings.contestants)
    names = DeclaredNames(
        venues=tuple(there),
        contestants=names_of(entrants),
        contexts=tuple(source.name for source in settings.contexts),
    )
    document = changed(read_document(file), changes)
    reading = _read_cohort(document, names, settings.contestants, in_replay=names)
    if reading.spec is None or reading.problems:
        raise refusal("config.invalid", reading.problems, INVALID)
    return reading.spec


@dataclass(frozen=True, slots=True)
class _ConfigReading:
    config: ConfigForm | None
    cohorts: tuple[CohortSpec, ...]
    problems: tuple[Problem, ...]
    absent: bool = False


@dataclass(frozen=True, slots=True)
class _CohortReading:
    spec: CohortSpec | None
    problems: tuple[Problem, ...]
    replay_only: bool = False


def _read(
    file: Path,
    plugins: PluginNames,
    changes: Mapping[Place, ChangedKey] = MappingProxyType({}),
) -> _ConfigReading:
    document = read_document(file)
    undeclared = tuple(_undeclared(changes, document))
    if undeclared:
        return _ConfigReading(None, (), undeclared)
    document = changed(document, changes)
    names = _names(document, plugins)
    config, problems = fill_in(ConfigForm, document, names)
    if document.is_absent:
        return _ConfigReading(None, (), problems, absent=True)
    cohort_files, elsewhere = _cohort_files(file, document)
    anywhere = replace(names, venues=None)
    contestants = _contestants(config)
    read = [
        _read_cohort(read_document(each), names, contestants, in_replay=anywhere)
        for each in cohort_files
    ]
    own = (*config_problems(document, file), *entrant_problems(document))
    problems = (*problems, *own, *elsewhere)
    every = (*_in_order(problems), *(p for each in read for p in each.problems))
    starting = (each.spec for each in read if each.spec and not each.replay_only)
    return _ConfigReading(config, tuple(starting), every)


def _undeclared(
    changes: Mapping[Place, ChangedKey], document: ConfigDocument
) -> Iterator[Problem]:
    """Refuse changes of a contestant or a model that the file does not have."""
    for place, change in changes.items():
        there = _at(document, place[:1], {})
        if len(place) > 1 and place[0] in {"contestants", "models"}:
            names = [str(name) for name in there] if isinstance(there, Mapping) else []
            if place[1] not in names:
                name = str(place[1])
                what, tip = f"a name in {document.file}", did_you_mean(name, names)
                key = dotted(place)
                yield Problem(change.file, change.line, key, what, shown(name), tip)


def _names(document: ConfigDocument, plugins: PluginNames) -> DeclaredNames:
    """List the names a file declares, whether or not what they name is right."""
    tree = document.tree
    if tree is None:
        return DeclaredNames(plugins)

    def declared(key: str) -> tuple[str, ...] | None:
        named = tree.get(key, {})
        return tuple(named) if isinstance(named, Mapping) else None

    contestants = declared("contestants") and names_of(entrants_of(document))
    return DeclaredNames(
        plugins, declared("venues"), declared("models"), contestants, declared("contexts")
    )


def _cohort_files(file: Path, document: ConfigDocument) -> tuple[list[Path], list[Problem]]:
    """Find the cohort files; a folder that was named must be there."""
    folder = file.parent / path_said(document, "cohorts")
    try:
        inside = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    except FileNotFoundError as error:
        named = ("paths", "cohorts") in document.lines
        return [], [_no_folder(document, error)] if named else []
    except OSError as error:
        return [], [_no_folder(document, error)]
    expected = "cohort files whose names end in .yaml"
    stray = [
        Problem(each.as_posix(), None, "", expected, printable(each.name))
        for each in inside
        if each.suffix == ".yml"
    ]
    return [each for each in inside if each.suffix == ".yaml"], stray


def _no_folder(document: ConfigDocument, error: OSError) -> Problem:
    reason = printable(error.strerror or str(error))
    made = MADE if isinstance(error, FileNotFoundError) else ""
    return document.problem(("paths", "cohorts"), "a folder of cohort files", reason, made)


def _read_cohort(
    document: ConfigDocument,
    names: DeclaredNames,
    contestants: tuple[ContestantSettings, ...],
    *,
    in_replay: DeclaredNames,
) -> _CohortReading:
    file, flag = Path(document.file), (document.tree or {}).get("replay_only")
    replay_only = isinstance(flag, Plain) and flag.lower() == "true"
    form, problems = fill_in(CohortForm, document, in_replay if replay_only else names)
    problems = _in_order((*_misnamed(file), *problems, *cohort_problems(document)))
    if form is None or problems:
        return _CohortReading(None, problems, replay_only)
    spec = form.record(file.stem)
    entered = expanded(spec.contestants, entrants_among(contestants))
    spec = replace(spec, contestants=entered)
    lonely = missing_peers(document, spec, contestants)
    return _CohortReading(None if lonely else spec, lonely, replay_only)


def _misnamed(file: Path) -> tuple[Problem, ...]:
    try:
        identifier(file.stem)
    except WrongError as wrong:
        return (Problem(file.as_posix(), None, "", wrong.expected, wrong.found),)
    if not _DATED.search(file.stem):
        return ()
    expected = "a name that does not end in a date: cohorts get theirs from their start"
    return (Problem(file.as_posix(), None, "", expected, shown(file.stem)),)


def _contestants(config: ConfigForm | None) -> tuple[ContestantSettings, ...]:
    """Every contestant and copy, with those that each is made from."""
    if config is None:
        return ()
    forms = config.contestants.items()
    contestants = [each for name, form in forms for each in form.records(name)]
    entrants = entrants_among(contestants)
    return tuple(replace(each, of=expanded(each.of, entrants)) for each in contestants)


def _settings(file: Path, config: ConfigForm, cohorts: tuple[CohortSpec, ...]) -> Settings:
    log = config.watch.log.file if config.watch.log else None
    return Settings(
        root=placed(file, "."),
        database=placed(file, config.paths.database),
        site=placed(file, config.paths.site),
        templates=_templates(file, config),
        venues=tuple(
            form.as_record(VenueSettings, id=VenueId(name))
            for name, form in config.venues.items()
        ),
        models=tuple(form.record(name) for name, form in config.models.items()),
        contestants=_contestants(config),
        schedule=config.schedule.as_record(Schedule),
        cohorts=cohorts,
        budgets=config.budgets.as_record(Budgets),
        publishing=_publishing(file, config.site),
        season=None if config.season is None else config.season.as_record(Season),
        backups=_backups(file, config.backup),
        watch=config.watch.record(str(placed(file, log)) if log else ""),
        tools=tuple(
            form.as_record(ToolSettings, name=name) for name, form in config.tools.items()
        ),
        contexts=tuple(
            form.as_record(ContextSettings, name=name) for name, form in config.contexts.items()
        ),
    )


def _publishing(file: Path, form: SiteForm) -> SiteSettings:
    """How pages are published; the path of the answers is one from the folder of the file."""
    settings = form.record()
    probes = str(placed(file, settings.probes)) if settings.probes else ""
    return replace(settings, probes=probes)


def _backups(file: Path, form: BackupForm | None) -> BackupSettings:
    """Where backups go; a path is one from the folder of the file."""
    if form is None:
        return BackupSettings()
    return form.record(form.to if "://" in form.to else str(placed(file, form.to)))


def _templates(file: Path, config: ConfigForm) -> PurePath:
    """The folder that was named; where none was and none is there, what the arena brings."""
    named = placed(file, config.paths.templates)
    is_named = "templates" in config.paths.model_fields_set
    return named if is_named or Path(named).is_dir() else templates()


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: problem.line or 0))


@dataclass(frozen=True, slots=True)
class ListedSetting:
    """A key and its value as a file would have it; `line` is None for a default."""

    key: str
    value: object
    line: int | None


def listed(file: Path) -> tuple[ListedSetting, ...]:
    """List every key of a configuration file that holds a value, defaults among them.

    Keys of services are not in it, for no file holds one: only the names of their variables.

    Returns:
        The keys in the order of the documentation; nothing where the file is not right.
    """
    document = read_document(file)
    config, problems = fill_in(ConfigForm, document, DeclaredNames())
    if config is None or problems:
        return ()
    return tuple(_leaves(config, (), document))


def _leaves(form: FileForm, place: Place, document: ConfigDocument) -> Iterator[ListedSetting]:
    for name in type(form).model_fields:
        value, here = getattr(form, name), (*place, name)
        if isinstance(value, FileForm):
            yield from _leaves(value, here, document)
        elif isinstance(value, dict):
            for key, inner in value.items():
                yield from _leaves(inner, (*here, key), document)
        else:
            yield ListedSetting(dotted(here), _written(value), document.lines.get(here))


def _written(value: object) -> object:
    """A value as a file would have it."""
    if isinstance(value, timedelta):
        return duration_text(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _written(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return _pairs(value)
    return value


def _pairs(value: tuple[object, ...] | list[object]) -> object:
    """A list, or the options of a plugin, which are pairs of a name and a value."""
    pairs = [part for part in value if isinstance(part, tuple) and len(part) == 2]  # noqa: PLR2004
    if value and len(pairs) == len(value):
        return {str(name): _written(inner) for name, inner in pairs}
    return [_written(inner) for inner in value]
