"""Who a name of `contestants` stands for: itself, or each of its identical copies."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from arena.config.document import Document, Place, Plain
from arena.config.forms import copies
from arena.config.problem import Problem, WrongError, shown
from arena.config.values import count
from arena.records.cohort import CohortSpec, ContestantId
from arena.records.settings import ContestantSettings

MOST_COPIES = 1000

Entrants = Mapping[str, tuple[str, ...]]


def entrants_of(document: Document) -> Entrants:
    """Read who each declared name stands for, whether or not the rest of it is right."""
    tree = document.tree or {}
    declared = tree.get("contestants")
    if not isinstance(declared, Mapping):
        return {}
    return {str(name): copies(str(name), _replicates(said)) for name, said in declared.items()}


def entrants_among(contestants: Iterable[ContestantSettings]) -> Entrants:
    """Say who each name stands for among settings that were read already."""
    found: dict[str, tuple[str, ...]] = {}
    for one in contestants:
        found[one.id] = (one.id,)
        if one.copy_of:
            found[one.copy_of] = (*found.get(one.copy_of, ()), one.id)
    return found


def names_of(entrants: Entrants) -> tuple[str, ...]:
    """Every name that may be written: those declared, and those of single copies."""
    return tuple(
        dict.fromkeys([*entrants, *(one for all_ in entrants.values() for one in all_)])
    )


def expanded(names: Iterable[ContestantId], entrants: Entrants) -> tuple[ContestantId, ...]:
    """Put the copies in the place of the name that stands for them."""
    return tuple(
        dict.fromkeys(
            ContestantId(one) for name in names for one in entrants.get(name, (name,))
        )
    )


def spec_with_copies(spec: CohortSpec, entrants: Entrants) -> CohortSpec:
    """Give the cohort with every copy entered."""
    return replace(spec, contestants=expanded(spec.contestants, entrants))


def entrant_problems(document: Document) -> tuple[Problem, ...]:
    """Refuse a copy that is called like another contestant, and a circle of derived ones."""
    entrants = entrants_of(document)
    declared = set(entrants)
    twins = [
        document.problem(("contestants", name), "copies with names of their own", shown(one))
        for name, all_ in entrants.items()
        for one in all_
        if one != name and one in declared
    ]
    return (*twins, *_circles(document, entrants))


def missing_peers(
    document: Document, spec: CohortSpec, contestants: Iterable[ContestantSettings]
) -> tuple[Problem, ...]:
    """Refuse a derived contestant without those that it is made from."""
    playing = set(spec.contestants)
    return tuple(
        document.problem(
            ("contestants",),
            f"{other} too, which {one.id} is made from",
            "a cohort without it",
        )
        for one in contestants
        if one.id in playing
        for other in one.of
        if other not in playing
    )


def _circles(document: Document, entrants: Entrants) -> list[Problem]:
    made_from = _made_from(document, entrants)
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


def _made_from(document: Document, entrants: Entrants) -> dict[str, tuple[str, ...]]:
    """Say which declared names each is made from; a copy stands for the name it was under."""
    under = {one: name for name, all_ in entrants.items() for one in all_}
    declared = (document.tree or {}).get("contestants")
    if not isinstance(declared, Mapping):
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for name, said in declared.items():
        of = said.get("of") if isinstance(said, Mapping) else None
        if isinstance(of, list):
            found[str(name)] = tuple(under.get(one, one) for one in of if isinstance(one, str))
    return found


def _replicates(said: object) -> int:
    wanted = said.get("replicates") if isinstance(said, Mapping) else None
    if not isinstance(wanted, Plain):
        return 1
    try:
        return count(1, MOST_COPIES)(wanted)
    except WrongError:
        return 1
