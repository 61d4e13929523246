"""RFC 3161 time stamps of published heads: the one door to rfc3161-client."""

import asyncio
from collections.abc import Collection
from datetime import datetime
from pathlib import Path, PurePath
from typing import Final

from arena.errors import ArenaError
from arena.http.door import HttpDoor, HttpError, HttpRequest
from arena.site.bundle.published_site import stamp_file
from arena.site.engine.site_folder import ground, in_words
from arena.site.heads import PUBLISHED, newest_line

try:
    import cryptography.x509
    import rfc3161_client as rfc3161
except ModuleNotFoundError:
    rfc3161 = None

ASKED: Final = "stamped.txt"  # beside the site: the head that an authority was asked for last
SECONDS: Final = 30.0
LARGEST: Final = 100_000  # bytes of a token
SHA256: Final = "2.16.840.1.101.3.4.2.1"
_ASKS: Final = (("Content-Type", "application/timestamp-query"),)
_HINT: Final = (
    "site.stamps in config.yaml names the authority; the next published head is tried"
)


class UnfitStampError(ValueError):
    """A time stamp is not one of a published head by the authority; it says why."""


def stamp_newest(out: Path, url: str, database: PurePath | None = None) -> str:
    """Have an authority stamp the newest published head, one head a UTC day.

    What is stamped is the digest of its line, which covers every entry before it. A head is
    asked for once, whether an answer came or not. The token stands in the site at once, and
    in the bundle's manifest from the next published head on.

    Args:
        out: The site's folder.
        url: Where the authority is asked, over HTTP.
        database: The file of the arena, beside which the site's cache may be.

    Returns:
        What was done, empty for nothing.

    Raises:
        ArenaError: There is no stamp (`site.stamp`), or no file can be written.
    """
    _library()
    with ground(out, database=database) as own:
        content = (out / PUBLISHED).read_bytes() if (out / PUBLISHED).is_file() else b""
        line, covered = newest_line(content)
        if line is None or (out / stamp_file(line.head.made_at)).exists():
            return ""
        asked = own.beside / ASKED
        if asked.is_file() and asked.read_text(encoding="utf-8") == line.digest:
            return ""
        with in_words(asked):
            asked.write_text(line.digest, encoding="utf-8")
    token = asyncio.run(_token(url, covered))
    path = stamp_file(line.head.made_at)
    with ground(out, database=database) as own:
        own.write(path, token)
    return f"entry {line.head.entry} was stamped: {path}"


async def _token(url: str, covered: bytes) -> bytes:
    builder = rfc3161.TimestampRequestBuilder().data(covered)
    request = builder.hash_algorithm(rfc3161.HashAlgorithm.SHA256).build()
    async with HttpDoor() as door:
        try:
            asked = HttpRequest("POST", url, _ASKS, request.as_bytes())
            reply = await door.send(asked, seconds=SECONDS, most=LARGEST)
        except HttpError as error:
            raise ArenaError("site.stamp", error.message, hint=_HINT) from error
    if not reply.is_success:
        words = f"the authority answered with {reply.status}"
        raise ArenaError("site.stamp", words, hint=_HINT)
    words = "the authority answered with no stamp of this head"
    try:
        told = rfc3161.decode_timestamp_response(reply.body).tst_info
    except ValueError as error:
        raise ArenaError("site.stamp", f"{words}: {error}", hint=_HINT) from error
    if (told.message_imprint.message, told.nonce) != (
        request.message_imprint.message,
        request.nonce,
    ):
        raise ArenaError("site.stamp", words, hint=_HINT)
    return reply.body


class StampChecker:
    """Holds time stamps against the certificates of an authority, in PEM.

    Raises:
        ArenaError: These are none (`verify.certificate`), or the library is missing.
    """

    def __init__(self, certificates: bytes) -> None:
        _library()
        try:
            trusted = cryptography.x509.load_pem_x509_certificates(certificates)
        except ValueError as error:
            raise ArenaError(
                "verify.certificate",
                "the file has no certificate in PEM",
                hint="give the authority's root certificate, with -----BEGIN CERTIFICATE-----",
                status=2,
            ) from error
        self._verifier = rfc3161.VerifierBuilder(roots=trusted).build()

    def moment(self, token: bytes, digests: Collection[str]) -> tuple[str, datetime]:
        """Which of these digests a token stamps, and the authority's moment.

        Raises:
            UnfitStampError: None, or another authority did.
        """
        try:
            response = rfc3161.decode_timestamp_response(token)
            imprint = response.tst_info.message_imprint
            self._verifier.verify(response, imprint.message)
        except (ValueError, rfc3161.VerificationError) as error:
            raise UnfitStampError(f"the authority did not sign it: {error}") from error
        digest = imprint.message.hex()
        if imprint.hash_algorithm.dotted_string != SHA256 or digest not in digests:
            raise UnfitStampError(f"it stamps {digest}, which is no head of its day")
        return digest, response.tst_info.gen_time


def _library() -> None:
    if rfc3161 is None:
        raise ArenaError(
            "site.stamp",
            "time stamps need rfc3161-client",
            hint="pip install 'paper-arena[stamps]'",
            status=2,
        )
