"""Size limits of a site: what a reader must load, and what a host accepts."""

import gzip
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arena.site import places
from arena.site.engine.manifest import ManifestEntry

KB, MB, GB = 1000, 1_000_000, 1_000_000_000

PAGE_BYTES = 150 * KB
# A contestant's page after a year of days has 3,700 elements, as most of any: its figures have
# their numbers in tables. A page of 100,000 took 4.9 s to show on a slow telephone.
NODES = 4500
FRONT_NODES = 1500  # 1,300 with nineteen contestants
FRONT_GZ, STYLE_GZ, SCRIPT_GZ, VIEW_GZ = 30 * KB, 6 * KB, 8 * KB, 45 * KB
FRONT_STYLE_GZ = 2 * KB
# Of hosts: GitHub Pages takes 1 GB, Cloudflare Pages 20,000 files of 25 MB each.
GITHUB_BYTES, CLOUDFLARE_FILES, CLOUDFLARE_FILE = 1 * GB, 20_000, 25 * MB
FOLDER_FILES = 1000  # more in one folder are not listed by many tools


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """A measure against its limit; over it is a finding, or only a `warning`.

    `where` is the file or folder that is the largest; empty where it is of the whole site.
    """

    name: str
    measured: int
    limit: int
    unit: str
    where: str = ""
    warning: bool = False

    @property
    def over(self) -> bool:
        """Whether the measure exceeds its limit."""
        return self.measured > self.limit


@dataclass(slots=True)
class PageSizes:
    """What is measured of a site: bytes by file, and the elements of each page."""

    files: dict[str, int] = field(default_factory=dict)
    nodes: dict[str, int] = field(default_factory=dict)


def sizes_of(entries: Iterable[ManifestEntry]) -> PageSizes:
    """Measure a site by the list of its pages."""
    sizes = PageSizes()
    for entry in entries:
        for path, file in zip(entry.paths, entry.files, strict=True):
            sizes.files[path] = file.size
        if entry.nodes:
            sizes.nodes[entry.path] = entry.nodes
    return sizes


def budget(out: Path, sizes: PageSizes) -> tuple[BudgetLine, ...]:
    """Compare a site with its size limits.

    Those of hosts are warnings: whether they matter depends on where it is published.
    """
    pages = {path: size for path, size in sizes.files.items() if path.endswith(".html")}
    inner = {path: n for path, n in sizes.nodes.items() if path != places.INDEX}
    folders = Counter(path.rpartition("/")[0] for path in sizes.files)
    loaded = (places.INDEX, places.STYLE, places.FRONT_STYLE, places.SCRIPT)
    zipped = {path: _zipped(out / path) for path in loaded}
    total_bytes = sum(sizes.files.values())
    return (
        _most("largest page", pages, PAGE_BYTES, "bytes"),
        _most("most elements on a page", inner, NODES, "elements"),
        _of(sizes.nodes, places.INDEX, FRONT_NODES, "elements"),
        _of(zipped, places.INDEX, FRONT_GZ, "bytes gzipped"),
        _of(zipped, places.STYLE, STYLE_GZ, "bytes gzipped"),
        _of(zipped, places.FRONT_STYLE, FRONT_STYLE_GZ, "bytes gzipped"),
        _of(zipped, places.SCRIPT, SCRIPT_GZ, "bytes gzipped"),
        BudgetLine("first view", sum(zipped.values()), VIEW_GZ, "bytes gzipped"),
        _most("most files in a folder", folders, FOLDER_FILES, "files", warning=True),
        BudgetLine(
            "files (Cloudflare Pages)",
            len(sizes.files),
            CLOUDFLARE_FILES,
            "files",
            warning=True,
        ),
        _most(
            "largest file (Cloudflare Pages)",
            sizes.files,
            CLOUDFLARE_FILE,
            "bytes",
            warning=True,
        ),
        BudgetLine(
            "all files (GitHub Pages)", total_bytes, GITHUB_BYTES, "bytes", warning=True
        ),
    )


def _of(sizes: Mapping[str, int], path: str, limit: int, unit: str) -> BudgetLine:
    return BudgetLine(path, sizes.get(path, 0), limit, unit, path)


def _most(
    name: str, sizes: Mapping[str, int], limit: int, unit: str, *, warning: bool = False
) -> BudgetLine:
    where = max(sizes, key=lambda path: (sizes[path], path), default="")
    return BudgetLine(name, sizes.get(where, 0), limit, unit, where, warning)


def _zipped(file: Path) -> int:
    try:
        return len(gzip.compress(file.read_bytes(), 9, mtime=0))
    except FileNotFoundError:
        return 0
