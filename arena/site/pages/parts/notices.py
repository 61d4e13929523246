"""What pages without numbers show."""

from dataclasses import dataclass

from arena.site.pages.parts.parts import Head


@dataclass(frozen=True, slots=True)
class NotFoundPage:
    """templates/site/404.html."""

    head: Head
