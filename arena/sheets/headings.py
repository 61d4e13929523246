"""Which column of a file is which of ours: by our name, an alias, or `renames`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

# Our columns, each with what others call it; of several that are there the first is taken.
ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "contestant": (
        *("model", "forecaster", "llm", "agent", "participant", "user", "username", "player"),
        *("modell", "modele", "modèle", "teilnehmer"),
    ),
    "market": (
        *("market_id", "question_id", "question", "market_name", "ticker", "contract", "title"),
        *("frage", "markt", "marché"),
    ),
    "event": ("event_id", "event_name", "ereignis", "évènement", "événement"),
    "at": (
        *("timestamp", "forecast_at", "forecast_time", "forecast_date", "datetime", "date"),
        *("time", "when", "datum", "zeitpunkt"),
    ),
    "p": (
        *("probability", "prob", "p_yes", "yes_probability", "forecast", "prediction"),
        *(
            "predicted_probability",
            "wahrscheinlichkeit",
            "prognose",
            "probabilité",
            "prévision",
        ),
    ),
    "market_p": ("market_probability", "market_prob", "market_price", "marktpreis"),
    "close_p": ("close_price", "closing_price", "close_probability", "final_price"),
    "outcome": (
        *("resolution", "resolved_to", "result", "answer", "actual", "truth"),
        *("ergebnis", "ausgang", "résultat"),
    ),
}
NUMBERS: Final = ("p", "market_p", "close_p")
_OPTION: Final = re.compile(r"p_[0-9]+", re.ASCII)
_PERCENT: Final = re.compile(r"%|percent|pct|prozent|pour ?cent", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Headings:
    """The place of each of our columns among a file's, and of the labels that are wanted."""

    names: tuple[str, ...]
    places: Mapping[str, int]

    @property
    def taken(self) -> Mapping[str, str]:
        """What the file calls each of our columns."""
        return {ours: self.names[place] for ours, place in self.places.items()}

    @property
    def percent(self) -> tuple[str, ...]:
        """Our columns whose heading says that their numbers are in percent."""
        return tuple(
            ours
            for ours, theirs in self.taken.items()
            if (ours in NUMBERS or is_option(ours)) and _PERCENT.search(theirs)
        )


def is_option(name: str) -> bool:
    """Whether a column is the probability of an option: p_1, p_2 and so on."""
    return _OPTION.fullmatch(name) is not None


def plain(name: str) -> str:
    """A heading without case, spaces, signs and unit.

    >>> plain(" Market-ID "), plain("Probability (%)")
    ('market_id', 'probability')
    """
    words = re.sub(r"[^\w]+|_+", "_", _PERCENT.sub(" ", name.casefold()))
    return words.strip("_")


def read_headings(
    names: Sequence[str], labels: Sequence[str] = (), renames: Mapping[str, str] | None = None
) -> Headings:
    """Find our columns among a file's; one that is not there is left out.

    Args:
        names: The file's headings, in order.
        labels: Further columns that are wanted, by their own names.
        renames: Our column by a heading of the file; headings that are not there are ignored.

    Raises:
        ValueError: Several columns have the name that is wanted.
    """
    there: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        there.setdefault(plain(name), []).append(place)
    places = {
        ours: _only(there[plain(theirs)], names, theirs)
        for theirs, ours in (renames or {}).items()
        if plain(theirs) in there
    }
    options = [name for name in there if is_option(name)]
    for ours in (*ALIASES, *options):
        usual = () if ours == "p" and options else ALIASES.get(ours, ())
        for name in (ours, *usual):
            if ours not in places and name in there:
                free = [n for n in there[name] if n not in places.values()]
                places |= {ours: _only(free, names, name)} if free else {}
    for label in labels:
        if label not in places and plain(label) in there:
            places[label] = _only(there[plain(label)], names, label)
    return Headings(tuple(names), places)


def _only(places: Sequence[int], names: Sequence[str], wanted: str) -> int:
    """The only place of a name; an exact match goes before one that differs in case."""
    exact = [place for place in places if names[place] == wanted]
    candidates = exact or places
    if len(candidates) > 1:
        raise ValueError(f"there are several columns {wanted}")
    return candidates[0]
