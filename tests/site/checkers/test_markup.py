"""Markup, style and script as checkers see them that others wrote."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from arena.site import places
from tests.site.checkers.conftest import MODULES, needs
from tests.site.conftest import Site

HERE = Path(__file__).parent
# A deep stack for long pages, and no time spent on what a short run does not repay.
JAVA = ("-Xss4m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def run(*command: str | Path, cwd: Path = HERE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603  # checkers that package.json names
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False
    )


def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not there: nothing checked")
    return found


def test_html_validate_finds_nothing(sample: list[Path]) -> None:
    script = needs("html-validate/bin/html-validate.mjs")
    config = HERE / "htmlvalidate.json"
    found = run(node(), script, "--config", config, "--formatter", "text", *sample)
    assert (found.returncode, found.stdout) == (0, ""), found.stdout + found.stderr


def test_the_nu_checker_finds_no_error(sample: list[Path]) -> None:
    jar = needs("vnu-jar/build/dist/vnu.jar")
    java = shutil.which("java")
    if java is None:
        pytest.skip("java is not there: nothing checked")
    found = run(java, *JAVA, "-jar", jar, "--errors-only", "--format", "gnu", *sample)
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("path", [places.SCRIPT, places.VERIFY])
def test_the_script_is_one_that_browsers_of_2020_read(path: str, simulated: Site) -> None:
    script = needs("es-check/lib/cli/index.js")
    found = run(node(), script, "es2020", simulated.out / path)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_style_sheet_has_no_mistakes(simulated: Site) -> None:
    script = needs("stylelint/bin/stylelint.mjs")
    config = HERE / "stylelint.json"
    found = run(node(), script, "--config", config, simulated.out / places.STYLE)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_policy_has_no_hole(simulated: Site) -> None:
    needs("csp_evaluator/package.json")
    page = (simulated.out / places.INDEX).read_text(encoding="utf-8")
    policy = page.split('Content-Security-Policy" content="')[1].split('"')[0]
    program = (
        "const {CspParser} = require('csp_evaluator/dist/parser.js');"
        "const {CspEvaluator} = require('csp_evaluator/dist/evaluator.js');"
        "const found = new CspEvaluator(new CspParser(process.argv[1]).csp).evaluate();"
        "console.log(JSON.stringify(found.map(f => [f.severity, f.directive, f.description])));"
    )
    found = run(node(), "-e", program, policy, cwd=MODULES.parent)
    assert found.returncode == 0, found.stderr
    severe = [finding for finding in json.loads(found.stdout) if finding[0] < INFORMATION]
    assert severe == []


INFORMATION = 50  # one note: 'self' may hold scripts of others, and here it holds ours alone
