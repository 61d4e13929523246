"""A study's seal: what it holds, what breaks it, and who signed it."""

import json
import shutil
import subprocess
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.metrics.study.protocol import StudyProtocol
from arena.records.seal import SealState, Weight
from arena.steps.study_seal import NAMESPACE, StudySealing, seal_study, sealing_of

PROTOCOL = StudyProtocol(matches=72, look=date(2026, 6, 28))
CHANGED = replace(PROTOCOL, ordered=False)


def sealed(folder: Path, protocol: StudyProtocol = PROTOCOL, reason: str = "") -> Path:
    return seal_study(folder / "study.yaml", protocol, reason)


def standing(folder: Path, protocol: StudyProtocol = PROTOCOL) -> StudySealing:
    return sealing_of(folder / "study.yaml", protocol)


def test_without_a_seal_everything_is_exploratory(tmp_path: Path) -> None:
    found = standing(tmp_path)
    assert found.state == SealState.NONE
    assert found.standing == Weight.EXPLORATORY
    assert found.signature == "unsigned"


def test_a_seal_that_is_kept_makes_the_registered_tests_confirmatory(tmp_path: Path) -> None:
    document = sealed(tmp_path)
    found = standing(tmp_path)
    assert (found.state, found.standing) == (SealState.KEPT, Weight.CONFIRMATORY)
    assert (found.signature, found.document) == ("digest only", document.name)


def test_a_seal_holds_every_constant_the_tests_the_look_and_the_code(tmp_path: Path) -> None:
    seal = json.loads(sealed(tmp_path).read_text("utf-8"))["seal"]
    grading = seal["grading"]
    constants = {each["name"]: each["value"] for each in grading["registration"]["constants"]}
    assert constants["protocol.levels.others"] == "0.005"
    assert constants["protocol.kelly.cap"] == "0.05"
    tests = [each["name"] for each in grading["registration"]["tests"]]
    assert tests == ["baseline-brier", "market-brier"]
    assert grading["looks"] == [{"name": "2026-06-28", "value": "N = 72"}]
    assert len(grading["code"]) == 64
    assert {"numpy", "scipy"} <= {each["name"] for each in grading["libraries"]}


def test_a_protocol_that_was_changed_since_is_exploratory_and_says_what(tmp_path: Path) -> None:
    sealed(tmp_path)
    found = standing(tmp_path, CHANGED)
    assert (found.state, found.standing) == (SealState.BROKEN, Weight.EXPLORATORY)
    assert "constant protocol.ordered sealed as True, now False" in found.words


def test_sealing_what_is_sealed_writes_nothing(tmp_path: Path) -> None:
    first = sealed(tmp_path)
    before = first.read_bytes()
    assert (sealed(tmp_path), first.read_bytes()) == (first, before)


def test_a_second_version_names_the_first_and_is_an_amendment(tmp_path: Path) -> None:
    first = json.loads(sealed(tmp_path).read_text("utf-8"))
    second = sealed(tmp_path, CHANGED, "no order")
    seal = json.loads(second.read_text("utf-8"))["seal"]
    assert second.name == "study-seal-2.json"
    assert (seal["version"], seal["before"], seal["reason"]) == (2, first["digest"], "no order")
    found = standing(tmp_path, CHANGED)
    assert (found.state, found.standing) == (SealState.AMENDED, Weight.EXPLORATORY)


@pytest.mark.parametrize(
    ("old", "new"), [('"0.005"', '"0.05"'), ("{", "["), ('"seal"', '"sale"')]
)
def test_a_document_that_was_changed_is_refused(tmp_path: Path, old: str, new: str) -> None:
    document = sealed(tmp_path)
    document.write_text(document.read_text("utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(ArenaError) as refused:
        standing(tmp_path)
    assert (refused.value.code, refused.value.status) == ("study.seal", 2)


def keygen(folder: Path, *words: str) -> None:
    """Run the program that signs, where it is installed."""
    program = shutil.which("ssh-keygen")
    if program is None:
        pytest.skip("ssh-keygen is not installed: no signature was checked")
    subprocess.run([program, *words], cwd=folder, check=True, capture_output=True)  # noqa: S603


def signed(folder: Path, document: Path, namespace: str = NAMESPACE) -> tuple[Path, Path]:
    """A signature of a document by a new key, and the file that allows it."""
    keygen(folder, "-q", "-t", "ed25519", "-N", "", "-f", "key")
    keygen(folder, "-Y", "sign", "-f", "key", "-n", namespace, document.name)
    allowed = folder / "allowed"
    allowed.write_text(f"ada@example.org {(folder / 'key.pub').read_text('utf-8')}", "utf-8")
    return document.with_name(f"{document.name}.sig"), allowed


def test_a_signature_names_who_signed(tmp_path: Path) -> None:
    signature, allowed = signed(tmp_path, sealed(tmp_path))
    found = sealing_of(tmp_path / "study.yaml", PROTOCOL, [signature], allowed)
    assert (found.signature, found.signers) == ("signed", ("ada@example.org",))
    assert "signed by ada@example.org" in found.words


def refusal(folder: Path, signature: Path, allowed: Path | None) -> str:
    with pytest.raises(ArenaError) as refused:
        sealing_of(folder / "study.yaml", PROTOCOL, [signature], allowed)
    assert (refused.value.code, refused.value.status) == ("study.signature", 2)
    return refused.value.message


def test_a_signature_of_another_document_does_not_hold(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}", encoding="utf-8")
    sealed(tmp_path)
    signature, allowed = signed(tmp_path, other)
    assert "does not hold" in refusal(tmp_path, signature, allowed)


def test_a_signature_for_another_purpose_does_not_hold(tmp_path: Path) -> None:
    signature, allowed = signed(tmp_path, sealed(tmp_path), "git")
    assert "does not hold" in refusal(tmp_path, signature, allowed)


def test_a_signature_of_nobody_named_does_not_hold(tmp_path: Path) -> None:
    signature, allowed = signed(tmp_path, sealed(tmp_path))
    allowed.write_text("", encoding="utf-8")
    assert refusal(tmp_path, signature, allowed)


def test_a_signature_without_signers_is_refused(tmp_path: Path) -> None:
    document = sealed(tmp_path)
    assert "nobody said whose" in refusal(tmp_path, document, None)


@pytest.mark.parametrize("text", ["", "-----BEGIN PGP SIGNATURE-----"])
def test_what_is_no_signature_is_refused(tmp_path: Path, text: str) -> None:
    sealed(tmp_path)
    file = tmp_path / "x.sig"
    file.write_text(text, encoding="utf-8")
    assert "is no signature of ssh-keygen or minisign" in refusal(tmp_path, file, file)


def test_a_signature_of_minisign_is_its_own_programs_to_check(tmp_path: Path) -> None:
    sealed(tmp_path)
    file = tmp_path / "x.minisig"
    file.write_text("untrusted comment: none\n", encoding="utf-8")
    assert refusal(tmp_path, file, file).startswith(
        "the signature does not hold"
        if shutil.which("minisign")
        else "minisign is not installed"
    )


def test_a_signature_without_a_seal_is_refused(tmp_path: Path) -> None:
    assert "there is no seal to sign" in refusal(tmp_path, tmp_path / "x.sig", None)
