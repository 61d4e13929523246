"""Recorded payloads, where they are, and golden files of what the arena reads in them."""

import json
import os
from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import pytest

from tests.conftest import UPDATE

RECORDED = Path(__file__).parents[3] / "shared" / "fixtures"
GOLDEN = Path(__file__).parent / "golden"
LONG = 300


def recorded(venue: str, name: str) -> object:
    """Read a recorded payload as the HTTP door would; skip where recordings are not."""
    if not RECORDED.is_dir():
        pytest.skip("the recorded answers of the venues are not on this machine")
    return json.loads(
        (RECORDED / venue / name).read_text(encoding="utf-8"), parse_float=Decimal
    )


def plain(value: object) -> object:
    """Put records into JSON, field by field; a long text is told by its digest."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, Decimal | datetime):
        return str(value)
    if isinstance(value, str) and len(value) > LONG:
        return f"{len(value)} characters, sha256 {sha256(value.encode()).hexdigest()[:16]}"
    return value


def hold_to_golden(name: str, read: object) -> None:
    """Compare with a golden file; with ARENA_UPDATE_GOLDEN=1 write it instead."""
    path = GOLDEN / f"{name}.json"
    found = json.dumps(plain(read), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get(UPDATE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8"), f"set {UPDATE}=1 to accept what is new"
