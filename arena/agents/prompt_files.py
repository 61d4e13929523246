"""Which prompts there are: each is two templates of one name."""

import re

from arena.errors import ArenaError
from arena.render import Environment

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_FILE = re.compile(r"prompts/([a-z0-9][a-z0-9_-]*)\.(?:system|user)\.md\.j2")


def templates_of(prompt: str) -> tuple[str, str]:
    """Name the templates of a prompt: the system's and the user's.

    Raises:
        ArenaError: That cannot be the name of a prompt.
    """
    if not _NAME.fullmatch(prompt):
        raise ArenaError(
            "prompt.name",
            f"{prompt!r} is not the name of a prompt",
            hint="a name has the letters a to z, digits, - and _",
            status=2,
        )
    return f"prompts/{prompt}.system.md.j2", f"prompts/{prompt}.user.md.j2"


def prompts_of(env: Environment) -> tuple[str, ...]:
    """Name the prompts that have at least one of their templates, in alphabetical order."""
    found = (_FILE.fullmatch(name) for name in env.list_templates())
    return tuple(sorted({match[1] for match in found if match}))
