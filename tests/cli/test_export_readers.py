"""What an export writes is read by the programs that it is written for."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Final

import pytest
import yaml
from _pytest.mark.structures import ParameterSet

from arena.site.datafiles import INDEX
from arena.store.exports.datasets import DATASETS
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, here, strict
from tests.cli.project import ROOT
from tests.cli.shell import arena
from tests.present import some

TITLE: Final = "Arena {of} tests"
CONFIG: Final = """
paths: {{database: {database}}}
site: {{title: "{title}", base_url: "https://arena.example/", licence: CC BY 4.0}}
"""
PUBLIC: Final = [one.name for one in DATASETS if not one.long]
COUNT: Final = """
import mlcroissant
held = mlcroissant.Dataset("croissant.json")
assert not held.metadata.ctx.issues.warnings, held.metadata.ctx.issues.report()
sets = [one.uuid for one in held.metadata.record_sets]
import json
print(json.dumps({one: sum(1 for _ in held.records(one)) for one in sets}))
"""
HUB: Final = """
import json
from huggingface_hub import DatasetCard
print(json.dumps(DatasetCard.load("README.md").data.to_dict()))
"""
ASKED: Final = """
import asyncio, json, sys
from datasette.app import Datasette

async def ask():
    app = Datasette(["tables.sqlite"], metadata=json.load(open("metadata.json")))
    async def rows(path, **words):
        address = f"/tables/{path}.json"
        found = await app.client.get(address, params={"_shape": "array", **words})
        found.raise_for_status()
        return found.json()
    market = (await rows("forecasts", _size="1"))[0]["market"]
    counts = {name: len(await rows(name, market=market)) for name in sys.argv[1:]}
    metadata = (await app.client.get("/-/metadata.json")).json()
    return counts, metadata, (await app.client.get("/tables/fills")).text

print(json.dumps(asyncio.run(ask())))
"""
LOGS: Final = """
import json, sys
from inspect_ai.log import read_eval_log
for file in sys.argv[1:]:
    log = read_eval_log(file)
    for sample in log.samples:
        said = [log.eval.model, [m.role for m in sample.messages], sample.output.completion]
        print(json.dumps([*said, sample.output.usage.output_tokens]))
"""

Exported = Callable[[str], Path]


def long(form: str) -> ParameterSet:
    return pytest.param(form, marks=pytest.mark.soak)


def need(library: str) -> None:
    """Skip where a library is not there: another process imports it, and this one does not."""
    if not find_spec(library):
        pytest.skip(f"{library} is not installed")


@pytest.fixture(scope="module")
def config(demo: Played, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("told") / "config.yaml"
    file.write_text(CONFIG.format(database=demo.database, title=TITLE), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def exported(config: Path) -> Exported:
    """The folder of an export in some format, made once."""

    def make(form: str) -> Path:
        folder = config.parent / form
        if not folder.exists():
            words = ("--config", "config.yaml", "export", form, "-o", form)
            done = arena(*words, cwd=config.parent)
            assert done.code == 0, done.err
        return folder

    return make


@pytest.fixture
def address(exported: Exported) -> Iterator[str]:
    """A server that gives parts of the files of Parquet, as hosts of static files do."""
    flask = pytest.importorskip("flask")
    serving = pytest.importorskip("werkzeug.serving")
    app, folder = flask.Flask("files"), exported("parquet")
    app.get("/<name>")(lambda name: flask.send_from_directory(folder, name, conditional=True))
    server = serving.make_server("127.0.0.1", 0, app, threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()


def python(code: str, cwd: Path, *words: str, by: str = sys.executable) -> str:
    """Run a script of a reader; a process of its own, because readers warn."""
    done = subprocess.run(  # noqa: S603  our own words
        [by, "-c", code, *words], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def run(module: str, cwd: Path, *words: str) -> str:
    code = f"import runpy; runpy.run_module({module!r}, run_name='__main__')"
    return python(code, cwd, *words)


@pytest.fixture
def apart() -> str:
    """The Python of the readers that need other versions of what the arena is tested with."""
    found = ROOT / ".venv" / "apart" / "bin" / "python"
    if not found.exists():
        pytest.skip("`make test` makes the environment of these readers")
    return str(found)


@pytest.mark.parametrize("form", ["csv", *map(long, ("json", "sqlite", "tournament"))])
def test_frictionless_takes_every_row_as_it_is_described(form: str, exported: Exported) -> None:
    need("frictionless")
    report = json.loads(run("frictionless", exported(form), "validate", "--json", INDEX))
    assert (report["valid"], report["stats"]["errors"]) == (True, 0)
    if form in {"csv", "json"}:
        assert [task["name"] for task in report["tasks"]] == PUBLIC


@pytest.mark.parametrize("form", ["csv", *map(long, ("json", "parquet"))])
def test_croissant_is_valid_and_leads_to_every_row(form: str, exported: Exported) -> None:
    need("mlcroissant")
    folder = exported(form)
    package = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    rows = {one["name"]: one["rows"] for one in package["resources"] if "schema" in one}
    assert json.loads(python(COUNT, folder)) == rows
    held = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert len([term for term in held if term.startswith("rai:")]) > 5


def test_the_hub_s_card_names_every_file_and_the_licence(exported: Exported) -> None:
    need("huggingface_hub")
    folder = exported("csv")
    head = json.loads(python(HUB, folder))
    assert (head["license"], head["pretty_name"]) == ("cc-by-4.0", TITLE)
    assert [one["config_name"] for one in head["configs"]] == PUBLIC
    assert all((folder / one["data_files"]).is_file() for one in head["configs"])


def test_the_citation_file_is_valid(exported: Exported, apart: str) -> None:
    code = "from cffconvert.cli.cli import cli; cli()"
    said = python(code, exported("csv"), "--validate", by=apart)
    assert "valid according to schema version 1.2.0" in said
    held = yaml.safe_load((exported("csv") / "CITATION.cff").read_text(encoding="utf-8"))
    assert (held["license"], held["url"]) == ("CC-BY-4.0", "https://arena.example/")


def test_bibtex_is_read_with_a_title_that_has_braces(exported: Exported) -> None:
    bibtex = pytest.importorskip("bibtexparser")
    library = bibtex.parse_file(exported("csv") / "citation.bib")
    assert library.failed_blocks == []
    (entry,) = library.entries
    assert (entry["title"], entry["year"]) == (TITLE, "2026")


def test_zenodo_has_what_a_deposit_needs(exported: Exported) -> None:
    held = json.loads((exported("csv") / ".zenodo.json").read_text(encoding="utf-8"))
    needed = {"upload_type", "publication_date", "title", "creators", "description"}
    assert needed | {"access_right", "license"} <= held.keys()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", held["publication_date"])


def test_datasette_shows_units_and_links_and_answers_every_canned_query(
    exported: Exported,
) -> None:
    need("datasette")
    folder = exported("sqlite")
    held = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
    queries = some(held["databases"]["tables"]["queries"])
    counts, metadata, page = json.loads(python(ASKED, folder, *queries))
    assert [name for name in queries if not counts[name]] == []
    assert metadata["title"] == TITLE
    assert "Dollars a share. In US dollars a share." in page
    assert 'href="/tables/markets/' in page


def test_the_same_parquet_is_read_from_a_folder_and_from_an_address(
    exported: Exported, address: str
) -> None:
    duckdb = pytest.importorskip("duckdb")
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    store = pytest.importorskip("obstore.fsspec")
    for place in (str(exported("parquet")), address):
        file = f"{place}/fills.parquet"
        with duckdb.connect() as db:
            db.register_filesystem(
                store.FsspecStore("http", client_options={"allow_http": True})
            )
            (by_duckdb,) = db.execute(
                "SELECT sum(cost) FROM read_parquet(?)", [file]
            ).fetchone()
        by_polars = polars.scan_parquet(file).select(polars.col("cost").sum()).collect().item()
        by_pandas = pandas.read_parquet(file)["cost"].sum()
        assert by_duckdb == by_polars == by_pandas > 0


def test_inspect_reads_every_call_with_its_messages(exported: Exported, apart: str) -> None:
    folder = exported("inspect")
    package = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    files = [one["path"] for one in some(package["resources"])]
    calls = [json.loads(line) for line in python(LOGS, folder, *files, by=apart).splitlines()]
    with (exported("csv") / "costs.csv").open(encoding="utf-8") as text:
        assert len(calls) == sum(1 for _ in text) - 1
    for model, roles, reply, tokens in calls:
        assert roles == ["system", "user", "assistant"]
        assert model
        assert "forecasts" in reply
        assert tokens > 0


def test_a_tournament_s_file_is_scored_as_its_cohorts_are(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    at = ("--database", demo.database)
    assert here(capsys, "export", "tournament", "-o", tmp_path, *at).code == 0
    by_file, by_cohorts = (
        strict(here(capsys, "tournament", *words, "--json"))
        for words in ((tmp_path / "tournament.json",), ("--all", *at))
    )
    assert by_file == by_cohorts


def test_a_cohort_that_is_not_there_is_refused(
    config: Path, tmp_path: Path, capsys: Capsys
) -> None:
    words = ("export", "inspect", "--cohort", "no such", "-o", tmp_path)
    done = here(capsys, "--config", config, *words)
    assert (done.code, "error[cohort.unknown]" in done.err) == (2, True)
