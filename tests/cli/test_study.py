"""`arena study`: the example, its renderings, and what it refuses."""

import json
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.inside import Capsys, here, strict
from tests.cli.shell import Done
from tests.docs.pages import page
from tests.present import some

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
FILE, PROTOCOL = EXAMPLES / "study.csv", EXAMPLES / "study.yaml"
PAGE = page("docs/study.md")
QUICK = (
    "champion: star\nbaseline: base\nmarket: market\nbootstrap: {draws: 50}\n"
    "efficiency: {replicates: 9}\nclosing: {draws: 50}\n"
)
HEAD = "model,question,p_1,p_2,p_3,outcome,close_1,close_2,close_3"
HOSTILE = "<script>x</script>\x1b[2J\u202e&\\input{x} %$"


def example(capsys: Capsys, *more: str | Path) -> Done:
    return here(capsys, "study", FILE, "--protocol", PROTOCOL, *more)


def small(folder: Path, capsys: Capsys, *more: str | Path, model: str = "base") -> Done:
    """Three questions of two models, whose second has any name."""
    rows = [HEAD]
    for n, came in enumerate((1, 2, 3)):
        for name, p in (("star", "0.5,0.3,0.2"), (model, "0.2,0.3,0.5")):
            rows.append(f'"{name}",m{n},{p},{came},0.4,0.3,0.3')
    (folder / "study.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    quick = QUICK.replace("base\n", f"{json.dumps(model)}\n")
    (folder / "study.yaml").write_text(quick, encoding="utf-8")
    files = (folder / "study.csv", "--protocol", folder / "study.yaml")
    return here(capsys, "study", *files, *more)


def test_the_command_of_the_page_prints_every_part(capsys: Capsys) -> None:
    command = f"arena study {FILE.relative_to(EXAMPLES.parents[1])}"
    assert any(command in block.text for block in PAGE.fenced("sh"))
    done = example(capsys)
    assert done.code == 0
    for title in (
        *("Ablation table", "Accuracy by stage", "Diebold-Mariano tests", "Gate"),
        *("The kill rule, read both ways", "Market efficiency and encompassing"),
        *("Three states", "Registered predictions", "The champion's most confident misses"),
    ):
        assert f"\n{title}\n" in done.out


def test_no_line_of_the_text_is_longer_than_eighty(capsys: Capsys) -> None:
    assert max(map(len, some(example(capsys).out.splitlines()))) <= 80


def test_the_document_is_the_same_byte_for_byte_and_its_keys_are_sorted(
    capsys: Capsys,
) -> None:
    first, again = example(capsys, "--json"), example(capsys, "--json")
    assert first.out == again.out
    document = strict(first)
    assert list(document) == sorted(document)
    assert list(document["report"]) == sorted(document["report"])
    assert document["files"] == {str(FILE): sha256(FILE.read_bytes()).hexdigest()}


def test_the_ablation_table_has_four_decimals_and_honest_nulls(
    capsys: Capsys,
) -> None:
    rows = strict(example(capsys, "--json"))["report"]["ablation"]
    numbers = some(v for row in rows for v in row.values() if isinstance(v, float))
    assert all(round(value, 4) == value for value in numbers)
    (market,) = (row for row in rows if row["model"] == "MARKET_DEVIGGED")
    assert (market["lr"], market["clv"], market["p_market"]) == (None, None, None)


def test_the_renderings_have_the_same_ablation_table(capsys: Capsys, tmp_path: Path) -> None:
    done = example(
        capsys, "--json", "--html", tmp_path / "s.html", "--latex", tmp_path / "s.tex"
    )
    rows = strict(done)["report"]["ablation"]
    html, tex = ((tmp_path / f"s.{kind}").read_text("utf-8") for kind in ("html", "tex"))
    for row in some(rows):
        assert f"{row['brier']:.4f}" in html
        assert f"${row['brier']:.4f}$" in tex


def test_a_part_without_its_columns_is_null_and_says_why(
    capsys: Capsys, tmp_path: Path
) -> None:
    document = strict(small(tmp_path, capsys, "--json"))
    report = document["report"]
    assert (report["bets"], report["stages"]) == (None, None)
    assert report["missing"]["bets"] == "there are no opening quotes (open_1)"
    assert "bets: there are no opening quotes" in small(tmp_path, capsys).out


def test_a_hostile_name_is_text_in_every_rendering(capsys: Capsys, tmp_path: Path) -> None:
    files = ("--html", tmp_path / "s.html", "--latex", tmp_path / "s.tex")
    assert small(tmp_path, capsys, *files, model=HOSTILE).code == 0
    text = small(tmp_path, capsys, model=HOSTILE).out
    html, tex = ((tmp_path / f"s.{kind}").read_text("utf-8") for kind in ("html", "tex"))
    assert "\x1b" not in text + html + tex
    assert "\u202e" not in text + html + tex
    assert "<script" not in html
    assert "\\input{x}" not in tex


def test_the_latex_compiles(capsys: Capsys, tmp_path: Path) -> None:
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("pdflatex is not installed: no LaTeX was compiled")
    assert small(tmp_path, capsys, "--latex", tmp_path / "s.tex", model=HOSTILE).code == 0
    words = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "s.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    assert (tmp_path / "s.pdf").read_bytes().startswith(b"%PDF")


def test_a_wrong_protocol_is_refused_with_its_line(capsys: Capsys, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("name: x\nchampoin: y\n", encoding="utf-8")
    done = here(capsys, "study", FILE, "--protocol", wrong)
    assert done.code == 2
    assert "wrong.yaml:2: champoin: expected a known key" in done.err


def test_the_protocol_is_printed_to_be_edited(capsys: Capsys, tmp_path: Path) -> None:
    printed = tmp_path / "mine.yaml"
    printed.write_text(here(capsys, "study", "--print-protocol").out, encoding="utf-8")
    done = here(capsys, "study", "--protocol", printed, "--seal")
    assert (done.code, (tmp_path / "mine-seal-1.json").exists()) == (0, True)


def test_a_sealed_study_is_confirmatory_until_its_protocol_changes(
    capsys: Capsys, tmp_path: Path
) -> None:
    assert strict(small(tmp_path, capsys, "--json"))["standing"] == "exploratory"
    assert strict(small(tmp_path, capsys, "--seal", "--json"))["standing"] == "confirmatory"
    file = tmp_path / "study.yaml"
    file.write_text(f"{QUICK}levels: {{market: 0.1}}\n", encoding="utf-8")
    words = (tmp_path / "study.csv", "--protocol", file, "--json")
    document = strict(here(capsys, "study", *words))
    assert document["standing"] == "exploratory"
    assert "constant protocol.levels.market sealed as 0.05, now 0.1" in document["words"]


def test_a_faulty_row_is_told_and_counted(capsys: Capsys, tmp_path: Path) -> None:
    small(tmp_path, capsys)
    file = tmp_path / "study.csv"
    text = file.read_text("utf-8").replace("0.4,0.3,0.3", "0.4,0.4,0.4", 1)
    file.write_text(text.replace("0.5,0.3,0.2", "0.5,0.3,0.9", 1), encoding="utf-8")
    done = here(capsys, "study", file, "--protocol", tmp_path / "study.yaml", "--json")
    assert done.code == 3
    assert strict(done)["left_out"] == {"p_sum_not_1": 1}
    assert "p sum not 1" in done.err


def test_what_has_not_come_out_is_told_and_is_no_fault(capsys: Capsys, tmp_path: Path) -> None:
    small(tmp_path, capsys)
    file = tmp_path / "study.csv"
    file.write_text(file.read_text("utf-8").replace(",3,0.4", ",,0.4"), encoding="utf-8")
    done = here(capsys, "study", file, "--protocol", tmp_path / "study.yaml")
    assert done.code == 0
    assert "left out or missing: 2 outcome missing" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name a FILE"),
        ((EXAMPLES / "forecasts.csv",), "over 2 options, the protocol has 3"),
        (("--seal",), "none is named"),
        ((FILE, "--signature", PROTOCOL), "none is named"),
        (("none.csv",), "there is no file"),
    ],
)
def test_what_cannot_be_done_is_said_with_exit_code_2(
    capsys: Capsys, words: tuple[str | Path, ...], said: str
) -> None:
    done = here(capsys, "study", *words)
    assert done.code == 2
    assert said in done.err or said in done.out
