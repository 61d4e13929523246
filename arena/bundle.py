"""Where the files that come with the arena are: in a checkout, or inside the wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def bundled(name: str) -> Path:
    """Find a file or folder that comes with the arena, such as `templates`."""
    packed = _PACKAGE / "bundled" / name
    return packed if packed.exists() else _PACKAGE.parent / name


def templates() -> Path:
    """The prompts and the pages that come with the arena."""
    return bundled("templates")


def here_or_bundled(file: Path) -> Path:
    """A file that is there, or one of the same name and place that comes with the arena."""
    shipped = bundled(file.as_posix())
    return file if file.exists() or file.is_absolute() or not shipped.is_file() else shipped
