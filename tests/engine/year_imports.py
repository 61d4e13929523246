"""What a process has ready that forks ticks: all that one imports, and its templates."""

from tests.cli.fork_server import import_commands

import_commands()
