"""The seal of a study: what it registers, in a document that can be signed and checked.

Signatures are checked by the programs that made them: ssh-keygen and minisign.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import arena
from arena.errors import ArenaError
from arena.metrics.registration import named
from arena.metrics.study.comparisons import OTHERS, PRIMARY
from arena.metrics.study.protocol import StudyProtocol
from arena.records.estimate import Sided
from arena.records.seal import (
    Family,
    Grading,
    Named,
    Registered,
    Registration,
    Seal,
    SealState,
    Weight,
)
from arena.steps.seal import (
    SHOWN,
    SOURCES,
    differences,
    digest_of_sources,
    libraries,
)
from arena.store.codec import UNREADABLE, canonical, digest_of, from_plain, to_plain

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


UNSIGNED: Final = "unsigned"
DIGEST_ONLY: Final = "digest only"
SIGNED: Final = "signed"


@dataclass(frozen=True, slots=True)
class StudySealing:
    """How a study's seal stands, and what its report may be taken for.

    `signature` is `signed`, `digest only` for a seal without a signature that was checked, and
    `unsigned` where there is no seal. `signers` are those whose signatures hold.
    """

    state: SealState
    standing: Weight
    words: str
    signature: str = UNSIGNED
    signers: tuple[str, ...] = ()
    document: str = ""
    digest: str = ""


def study_seal(protocol: StudyProtocol, version: int, before: str, reason: str) -> Seal:
    """What is registered: the protocol with its defaults, tests, code and libraries."""
    alpha = protocol.families.alpha
    tests = tuple(
        Registered(
            f"{test.against}-{test.score}",
            test.score.value,
            "champion and opponent have the same expected loss",
            Sided.TWO,
            "Diebold-Mariano of one step ahead: the paired t",
            PRIMARY,
        )
        for test in dict.fromkeys(protocol.primary)
    )
    looks = (
        (Named(str(protocol.look or "no date"), f"N = {protocol.matches or 'not given'}"),)
        if protocol.look or protocol.matches
        else ()
    )
    registration = Registration(
        named("protocol", protocol),
        (Family(PRIMARY, alpha, "Holm"), Family(OTHERS, alpha, "Holm")),
        tests,
    )
    code = digest_of_sources(files(arena), (*SOURCES, "sheets"))
    grading = Grading(registration, code, libraries(), looks)
    return Seal(protocol.name, version, digest_of(protocol), grading, before, reason)


def seal_study(file: Path, protocol: StudyProtocol, reason: str = "") -> Path:
    """Write the seal beside its protocol, unless that is what is sealed already.

    Returns:
        The document; a later version has the next number in its name.

    Raises:
        ArenaError: An earlier document is not what was written.
    """
    earlier = _documents(file)
    newest = _read(earlier[-1]) if earlier else None
    version = len(earlier) + 1
    seal = study_seal(protocol, version, digest_of(newest) if newest else "", reason)
    if newest and not _changes(newest, seal):
        return earlier[-1]
    document = file.with_name(f"{file.stem}-seal-{version}.json")
    content = {"schema_version": 1, "digest": digest_of(seal), "seal": to_plain(seal)}
    document.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return document


def sealing_of(
    file: Path | None,
    protocol: StudyProtocol,
    signatures: Sequence[Path] = (),
    signers: Path | None = None,
) -> StudySealing:
    """How a protocol's seal stands now; signatures are of its newest document.

    A report is confirmatory under the first version, while all that it holds is unchanged.
    That the seal came before the outcomes only a signature or a copy in other hands shows.

    Raises:
        ArenaError: A signature does not hold or cannot be checked, or a document is damaged.
    """
    documents = _documents(file) if file else []
    if not documents:
        if signatures:
            raise signature_error("there is no seal to sign", "--seal makes one")
        words = "no seal: everything here is exploratory"
        return StudySealing(SealState.NONE, Weight.EXPLORATORY, words)
    newest = documents[-1]
    seal = _read(newest)
    changed = _changes(seal, study_seal(protocol, seal.version, seal.before, seal.reason))
    held_by = tuple(signer(newest, each, signers) for each in signatures)
    signature = SIGNED if held_by else DIGEST_ONLY
    digest = digest_of(seal)
    who = f"signed by {', '.join(held_by)}" if held_by else f"{DIGEST_ONLY}, not signed"
    named_seal = f"sealed as version {seal.version} (digest {digest[:SHOWN]}, {who})"
    state, standing = SealState.KEPT, Weight.CONFIRMATORY
    words = f"{named_seal}: the registered tests are confirmatory"
    if changed:
        state, standing = SealState.BROKEN, Weight.EXPLORATORY
        words = f"{named_seal}, and changed since: everything here is exploratory ({changed})"
    elif len(documents) > 1:
        state, standing = SealState.AMENDED, Weight.EXPLORATORY
        words = f"{named_seal}, amended: everything here is exploratory"
    return StudySealing(state, standing, words, signature, held_by, newest.name, digest)


def _changes(sealed: Seal, now: Seal) -> str:
    changes = differences(sealed.grading, now.grading)
    return "; ".join(changes) or (
        "the protocol" if sealed.spec_digest != now.spec_digest else ""
    )


def _documents(file: Path) -> list[Path]:
    """The seals beside a protocol, oldest first."""
    pattern = re.compile(re.escape(file.stem) + r"-seal-([1-9][0-9]{0,3})\.json")
    numbered = ((pattern.fullmatch(each.name), each) for each in file.parent.iterdir())
    return [each for _, each in sorted((int(m[1]), each) for m, each in numbered if m)]


def _read(document: Path) -> Seal:
    try:
        content: Any = json.loads(document.read_text("utf-8"))
        seal: Seal = from_plain(Seal, content["seal"])
        digest = sha256(canonical(content["seal"]).encode()).hexdigest()
    except (OSError, *UNREADABLE) as error:
        raise _damaged(document) from error
    if digest != content.get("digest"):
        raise _damaged(document)
    return seal


def _damaged(document: Path) -> ArenaError:
    return ArenaError(
        "study.seal",
        f"{document} is not what was sealed",
        hint="put back the copy that was published",
        status=2,
    )
