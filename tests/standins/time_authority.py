"""An RFC 3161 authority on this machine: `openssl ts` behind an HTTP server."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

CONFIG = """
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[stamper]
basicConstraints = CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[tsa]
default_tsa = here
[here]
serial = serial
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""
SELF = "req -x509 -newkey rsa:2048 -nodes -days 30 -config c.cnf"
MAKE = (
    f"{SELF} -subj /CN=root -extensions root -keyout root.key -out root.pem",
    (
        f"{SELF} -subj /CN=tsa -extensions stamper -CA root.pem -CAkey root.key "
        "-keyout tsa.key -out tsa.pem"
    ),
)


def openssl(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    found = shutil.which("openssl")
    if found is None:
        pytest.skip("openssl is not there: no time stamp was made")
    return subprocess.run(  # noqa: S603  the program of the system
        [found, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False
    )


class TimeAuthority:
    """An authority with files in a folder; it counts requests and may send another answer."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked, self.says = folder, 0, b""
        (folder / "c.cnf").write_text(CONFIG)
        (folder / "serial").write_text("01\n")
        for words in MAKE:
            done = openssl(folder, *words.split())
            assert done.returncode == 0, done.stderr

    @property
    def root(self) -> Path:
        """Its root certificate."""
        return self.folder / "root.pem"

    def stamp(self, request: bytes) -> bytes:
        """Answer a request."""
        self.asked += 1
        (self.folder / "query").write_bytes(request)
        words = "ts -reply -config c.cnf -queryfile query -out reply"
        done = openssl(self.folder, *words.split())
        assert done.returncode == 0, done.stderr
        return self.says or (self.folder / "reply").read_bytes()

    def accepts(self, token: Path, digest: str) -> bool:
        """Whether `openssl ts -verify` accepts a stamp of a digest."""
        words = ("ts", "-verify", "-digest", digest, "-in", token, "-CAfile", "root.pem")
        return openssl(self.folder, *words).returncode == 0

    @contextmanager
    def served(self) -> Iterator[str]:
        """Answer over loopback, and give the address."""
        authority = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                reply = authority.stamp(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_: object) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Handler) as server:
            thread = Thread(target=server.serve_forever)
            thread.start()
            try:
                yield f"http://127.0.0.1:{server.server_address[1]}/"
            finally:
                server.shutdown()
                thread.join()
