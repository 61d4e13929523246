"""Keys that must never be published, found by their look or by their value."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SHORTEST = 8  # what is shorter is no secret, but a word

_LOOKS = {
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "a key of Amazon": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a key of Google": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "a key of GitHub": r"\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22,})",
    "a key of GitLab": r"\bglpat-[0-9A-Za-z_-]{20,}",
    "a key of Hugging Face": r"\bhf_[0-9A-Za-z]{30,}\b",
    "a key of Slack": r"\bxox[abprs]-[0-9A-Za-z-]{10,}",
    "a key of a model's server": r"\b(?:sk|gsk|xai|pplx|r8)[-_][0-9A-Za-z_-]{20,}",
    "a token": r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}",
    "a password in an address": r"\bhttps?://[^\s/:@\"'<>]+:[^\s/:@\"'<>]+@",
}
_ANY = re.compile("|".join(f"({look})" for look in _LOOKS.values()))
_NAMES = tuple(_LOOKS)
# What every match of the above contains: most texts have none of it, which is seen fast.
_SIGNS = re.compile(
    r"-----BEGIN|A[KS]IA|AIza|gh[pousr]_|github_pat_|glpat-|hf_|xox[abprs]-"
    r"|\b(?:sk|gsk|xai|pplx|r8)[-_]|eyJ|://[^\s/@]*@"
)


@dataclass(frozen=True, slots=True)
class Secrets:
    """What to look for: anything that looks like a key, and the `values` of our own."""

    values: tuple[str, ...] = ()

    def found_in(self, text: str) -> Iterator[str]:
        """Name what a text should not have, never with the secret itself.

        >>> list(Secrets(("correct-horse",)).found_in("a correct-horse, AKIA" + 16 * "A"))
        ['a key of Amazon', 'the value of a key of this arena']
        """
        if _SIGNS.search(text):
            kinds = {found.lastindex or 1 for found in _ANY.finditer(text)}
            yield from (_NAMES[kind - 1] for kind in sorted(kinds))
        if any(value in text for value in self.values):
            yield "the value of a key of this arena"


def of_values(values: Iterable[str]) -> Secrets:
    """Look for these values too; one that is too short to be a secret is left out."""
    return Secrets(tuple(sorted({value for value in values if len(value) >= SHORTEST})))
