"""Packages of plugins, installed by hand in a folder."""

from pathlib import Path


def install(folder: Path, package: str, points: str, code: str = "") -> None:
    """Install a package with these entry points and one module of its name."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    (folder / f"{package}.py").write_text(code)
