"""What a process has ready that forks ticks: all that one imports, and its templates."""

from arena.render import closure_digest, environment, names_below
from tests.cli.fork_server import import_commands
from tests.cli.project import TEMPLATES

for template in names_below(environment(TEMPLATES), "site", "html", "svg", "j2"):
    closure_digest(environment(TEMPLATES), template)
import_commands()
