import json
from pathlib import Path

from arena.cli.play.tick import tick_once
from tests.build import at
from tests.cli.project import model, project
from tests.cli.rounds import COHORT, write_data
from tests.standins.model_server import ModelServer, small_bettor

SOURCES = """
contexts:
  news: {adapter: folder, options: {path: corpus}}
  wire: {adapter: feeds, options: {urls: ["http://127.0.0.1:9/rss"]}}
"""


def write_corpus(folder: Path) -> None:
    """A document of before every round, and one of after all of them."""
    folder.mkdir()
    row = {"title": "Number 3, number 30 and all that", "text": "Corpus words come true."}
    for name, day in (("old", "2025-12-30"), ("new", "2027-12-30")):
        text = json.dumps({**row, "text": f"{name} {row['text']}", "published_at": day})
        (folder / f"{name}.json").write_text(text)


def test_a_file_with_documents_is_played_again_and_nobody_is_asked(tmp_path: Path) -> None:
    with ModelServer(small_bettor) as server:
        made = project(tmp_path / "arena", models={"small": model(server.base_url)}, rounds=2)
        config, cohort = made.folder / "config.yaml", made.folder / "cohorts" / "c.yaml"
        config.write_text(config.read_text() + SOURCES)
        cohort.write_text(cohort.read_text() + "\ncontext: {sources: [news, wire]}\n")
        write_corpus(made.folder / "corpus")
        tick_once(config, at(0))
        (offered, *_) = json.loads(made.rows("SELECT offered FROM rounds")[0][0])
        named = f"---\ntitle: Rain\npublished_at: 2026-01-04\nmarkets: {offered}\n---\nText."
        (made.folder / "corpus" / "named.md").write_text(named)
        tick_once(config, at(24))
        asked = len(server.requests)
        for file in (made.folder / "corpus").iterdir():
            file.unlink()
        words = ("--cohort", "cohorts/c.yaml", "--out", "again", "--answers", "data/arena.db")
        done = made.run("replay", "data/arena.db", *words, "--json")
        assert (done.code, done.document["same"], len(server.requests)) == (0, True, asked)
    assert made.is_sound
    ((event,),) = made.rows("SELECT event FROM journal_entries WHERE id = 'round:c:2'")
    ((digest,),) = made.rows("SELECT digest FROM tape_contexts WHERE round = 2")
    assert json.loads(event)["context"] == digest
    costs = made.run("costs", "--json").document["documents"]
    assert (costs["requests"], costs["cost"], costs["unknown_cost"]) == (0, "0.000000", 0)
    shown = made.run("prompt", "show", "--cohort", "c", "--agent", "small", "--json").document
    assert "documents were published by as_of" in shown["system"]


def test_a_corpus_of_documents_is_shown_in_a_replay_and_a_server_is_not_asked(
    tmp_path: Path,
) -> None:
    made = project(tmp_path / "arena")
    config, cohort = made.folder / "config.yaml", made.folder / "cohorts" / "small.yaml"
    config.write_text(config.read_text() + SOURCES)
    write_data(made.folder / "data")
    write_corpus(made.folder / "corpus")
    words = ("replay", "data", "--cohort", "cohorts/small.yaml", "--out", "out", "--no-site")
    cohort.write_text(COHORT + "context: {sources: [news, wire]}\n")
    refused = made.run(*words)
    assert (refused.code, "error[context.live]" in refused.err) == (2, True)
    cohort.write_text(COHORT + "context: {sources: [news]}\n")
    done = made.run(*words, "--json")
    assert (done.code, done.err) == (0, "")
    assert made.run("audit", "--json", "--database", "out/arena.db").document["ok"]
