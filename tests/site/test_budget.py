import gzip
from pathlib import Path

from arena.site.engine.manifest import File, ManifestEntry
from arena.site.site_checks import NODES, PAGE_BYTES, BudgetLine, PageSizes, budget, sizes_of


def lines(out: Path, sizes: PageSizes) -> dict[str, BudgetLine]:
    return {line.name: line for line in budget(out, sizes)}


def test_a_page_over_its_size_is_named(tmp_path: Path) -> None:
    sizes = PageSizes({"a.html": PAGE_BYTES + 1, "b.html": 5, "c.json": 10 * PAGE_BYTES})
    found = lines(tmp_path, sizes)["largest page"]
    assert (found.over, found.where, found.measured) == (True, "a.html", PAGE_BYTES + 1)


def test_a_page_of_too_many_elements_is_named(tmp_path: Path) -> None:
    found = lines(tmp_path, PageSizes(nodes={"a.html": NODES + 1}))["most elements on a page"]
    assert (found.over, found.warning) == (True, False)


def test_what_a_host_does_not_take_is_a_warning(tmp_path: Path) -> None:
    many = PageSizes({f"{n}/{n}.txt": 1 for n in range(20_001)})
    found = lines(tmp_path, many)["files (Cloudflare Pages)"]
    assert (found.over, found.warning) == (True, True)


def test_the_front_page_counts_as_it_is_sent(tmp_path: Path) -> None:
    text = b"<p>words</p>" * 4000
    (tmp_path / "index.html").write_bytes(text)
    found = lines(tmp_path, PageSizes({"index.html": len(text)}))["index.html"]
    assert (found.measured, found.over) == (len(gzip.compress(text, 9)), False)


def test_an_empty_site_is_within_every_limit(tmp_path: Path) -> None:
    assert not any(line.over for line in budget(tmp_path, PageSizes()))


def test_sizes_are_those_of_every_file_of_a_page() -> None:
    files = (File("a.json", 3, ""), File("a.html", 9, ""))
    found = sizes_of(
        [ManifestEntry("x/a.html", "k", 12, files), ManifestEntry("f.txt", "k", 0, files[:1])]
    )
    assert found.files == {"x/a.json": 3, "x/a.html": 9, "a.json": 3}
    assert found.nodes == {"x/a.html": 12}
