"""The tags of a page, read fast: a page of ours has every other `<` escaped."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import unescape
from typing import NamedTuple

_TAG = re.compile(
    r"""<(?:!--.*?-->|([a-zA-Z][^\s/>]*)([^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*)>)""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""", re.DOTALL
)


class Tag(NamedTuple):
    """The start of an element; of an attribute that stands twice the first one counts."""

    name: str
    attributes: Mapping[str, str]


def tags(text: str) -> Iterator[Tag]:
    """Read the start tags of a page in their order; names are in lower case.

    >>> [(tag.name, tag.attributes) for tag in tags('<p ID=a hidden>x<a href="b&amp;c">')]
    [('p', {'id': 'a', 'hidden': ''}), ('a', {'href': 'b&c'})]
    """
    for name, attributes in _TAG.findall(text):
        if name:
            yield Tag(name.lower(), _attributes(attributes))


@lru_cache(maxsize=100_000)
def _attributes(text: str) -> Mapping[str, str]:
    attributes: dict[str, str] = {}
    if not text or text.isspace():
        return attributes
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        value = double or single or bare
        attributes.setdefault(name.lower(), unescape(value) if "&" in value else value)
    return attributes
