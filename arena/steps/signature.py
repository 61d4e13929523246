"""Signatures of documents, checked by the programs that made them: ssh-keygen and minisign."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.errors import ArenaError

NAMESPACE: Final = "paper-arena-study"  # what ssh-keygen -Y sign -n must have said
TIMEOUT: Final = 60  # seconds that a program has
_SSH: Final = "-----BEGIN SSH SIGNATURE-----"
_MINISIGN: Final = "untrusted comment:"


def signer(document: Path, signature: Path, signers: Path | None) -> str:
    """Who signed a document, by the name that `signers` gives the key.

    Args:
        document: The file that was signed.
        signature: What `ssh-keygen -Y sign` or `minisign -S` wrote.
        signers: Allowed signers of ssh-keygen, or a public key of minisign.

    Raises:
        ArenaError: The signature does not hold, is of nobody named, or cannot be checked.
    """
    if signers is None:
        raise signature_error("nobody said whose signatures count", "name them with --signers")
    try:
        text = signature.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise signature_error(f"{signature} cannot be read", "it is a text file") from error
    if text.startswith(_SSH):
        return _ssh(document, signature, signers)
    if text.startswith(_MINISIGN):
        checked = ("-V", "-q", "-m", str(document), "-x", str(signature), "-p", str(signers))
        _run("minisign", checked, b"")
        return f"the key of {signers.name}"
    raise signature_error(
        f"{signature} is no signature of ssh-keygen or minisign",
        f"`ssh-keygen -Y sign -n {NAMESPACE} -f KEY {document.name}` makes one",
    )


def _ssh(document: Path, signature: Path, signers: Path) -> str:
    content = document.read_bytes()
    at = ("-s", str(signature), "-f", str(signers))
    names = _run("ssh-keygen", ("-Y", "find-principals", *at), b"").split()
    if not names:
        raise signature_error(f"{signature} is of none of the signers", "look into --signers")
    _run("ssh-keygen", ("-Y", "verify", *at, "-I", names[0], "-n", NAMESPACE), content)
    return names[0]


def _run(program: str, words: Sequence[str], content: bytes) -> str:
    path = shutil.which(program)
    if path is None:
        raise signature_error(
            f"{program} is not installed, and the signature is its own", "install it"
        )
    try:
        done = subprocess.run(  # noqa: S603  a fixed program, and files that its user names
            [path, *words], input=content, capture_output=True, check=False, timeout=TIMEOUT
        )
    except subprocess.TimeoutExpired as error:
        raise signature_error(f"{program} did not answer", "try it by hand") from error
    if done.returncode:
        complaint = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise signature_error(
            f"the signature does not hold: {complaint or program}",
            "sign the newest document again",
        )
    return done.stdout.decode("utf-8", "replace")


def signature_error(message: str, hint: str) -> ArenaError:
    """What is wrong with a signature, and what to do."""
    return ArenaError("study.signature", message, hint=hint, status=2)
