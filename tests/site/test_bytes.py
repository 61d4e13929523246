"""The bytes of a site follow from its store, its templates and its edition alone."""

import os
import subprocess
import sys
from pathlib import Path

from arena.store import open_store
from tests.site.folders import files, play_days

ROOT = Path(__file__).parents[2]
BUILD = """
import sys
from pathlib import Path
from arena.records.settings import Edition
from arena.site.engine.build import BuildOptions, PageSource, build
from arena.store import open_store
from tests.site.folders import LATER, TEMPLATES
with open_store(Path(sys.argv[1])) as store:
    source = PageSource(store, TEMPLATES, Edition(), LATER)
    build(source, Path(sys.argv[2]), BuildOptions(int(sys.argv[3])))
"""
# A time zone, a seed of hashes, a language, and a number of processes.
PLACES = (("Pacific/Auckland", "1", "C", "1"), ("America/Lima", "77", "C.UTF-8", "2"))


def test_a_site_is_the_same_bytes_wherever_and_by_however_many_it_is_built(
    tmp_path: Path,
) -> None:
    database = tmp_path / "arena.db"
    with open_store(database) as store:
        play_days(store, 0, 2, contestants=1)
    made = []
    for zone, seed, language, jobs in PLACES:
        here = tmp_path / seed / "somewhere"
        here.mkdir(parents=True)
        env = os.environ | {
            "TZ": zone,
            "LC_ALL": language,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": str(ROOT),
        }
        command = [sys.executable, "-c", BUILD, str(database), str(here / "site"), jobs]
        subprocess.run(command, env=env, cwd=here, check=True)  # noqa: S603  # our own
        made.append(files(here / "site"))
    assert made[0] == made[1]
    assert len(made[0]) > 200
