"""Published sites with their bundles, and how a publisher may lie with one."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from arena.records.settings import Edition, SiteSettings
from arena.site.bundle.published_site import LISTS, MANIFEST, list_text, read_list
from arena.site.engine.build import publish
from arena.site.heads import PUBLISHED, SiteHead, read_heads, with_head
from arena.store import Store, open_store
from tests.once import made_once
from tests.site.conftest import CAST
from tests.site.folders import START, TEMPLATES, play_days

DAY = timedelta(days=1)
WEEKLY = Edition(CAST.cast, SiteSettings(estimate_every=timedelta(days=7)))


def publish_day(store: Store, out: Path, day: int, edition: Edition = WEEKLY) -> None:
    """Publish what is booked by the evening of a day."""
    publish(store, out, TEMPLATES, edition, at=START + day * DAY - timedelta(hours=12))


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of four days, and below `older` a copy from the third. Nobody changes it."""

    def make(folder: Path) -> None:
        with open_store(folder / "arena.db") as store:
            for day in (2, 3, 4):
                play_days(store, 0 if day == 2 else day - 1, day, contestants=1)
                publish_day(store, folder / "site", day)
                if day == 3:
                    shutil.copytree(folder / "site", folder / "older")

    return made_once(tmp_path_factory, "published", make)


@pytest.fixture
def copy(published: Path, tmp_path: Path) -> Path:
    """A copy of the site, to be changed."""
    return Path(shutil.copytree(published / "site", tmp_path / "site"))


def relist(out: Path) -> None:
    """Let the lists, the manifest and the last head say what the files are now."""
    with edited(out / MANIFEST) as manifest:
        for path in sorted(manifest["files"], key=lambda path: not path.startswith(LISTS)):
            if path.startswith(LISTS):
                listed = read_list((out / path).read_text())
                (out / path).write_text(
                    list_text({name: digest(out / name) for name in listed})
                )
            manifest["files"][path] = digest(out / path)
    add_head(out)


@contextmanager
def edited(file: Path) -> Iterator[dict[str, Any]]:
    """What a file of JSON says, to be changed."""
    said: dict[str, Any] = json.loads(file.read_text())
    yield said
    file.write_text(json.dumps(said))


def add_head(out: Path) -> None:
    """Let the last head say what the manifest is now."""
    lines, _ = read_heads((out / PUBLISHED).read_bytes())
    lie = SiteHead(**{**lines[-1].head._asdict(), "manifest": digest(out / MANIFEST)})
    (out / PUBLISHED).write_bytes(with_head(out / PUBLISHED, lie))


def digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


class _Quiet(SimpleHTTPRequestHandler):
    def __init__(self, *args: object, heard: Callable[[str], None], **kwargs: str) -> None:
        self._heard = heard
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # its own

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002  its own
        self._heard(self.path)


class _Server(ThreadingHTTPServer):
    """A server that a busy machine does not keep from taking many connections at once."""

    request_queue_size = 512


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder on this machine: its address, and the paths that were asked for."""
    heard: list[str] = []
    handler = partial(_Quiet, heard=heard.append, directory=str(folder))
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/", heard
        finally:
            server.shutdown()
            thread.join()
