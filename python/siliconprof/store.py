"""Profiles as files: written whole or not at all, read strictly, equal after a round trip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._core import Error, Profile, RecordError
from .atomic import write_text
from .profile_document import document, profile_from

if TYPE_CHECKING:
    from .records import Record


def to_json(profile: Profile) -> str:
    """The profile as one JSON document; every float in the shortest form that reads back equal.

    Raises: Error when a number is not finite, which JSON cannot hold.
    """
    try:
        return json.dumps(document(profile), allow_nan=False, indent=1)
    except ValueError as error:
        raise Error(
            f"[to_json] the profile {profile.label!r} holds a value that JSON cannot: {error}"
        ) from error


def save(profile: Profile, path: str | Path) -> None:
    """Writes the profile to `path` as JSON. Raises: Error; then the old file is unchanged."""
    write_text(Path(path), to_json(profile) + "\n")


def load(path: str | Path) -> Profile | Record:
    """A saved profile (.json), or a recorded table by its name or file ("table4.csv").

    Raises: RecordError naming the file, the key and the value found.
    """
    where = Path(path)
    if where.suffix == ".json":
        return profile_from(_read_json(where), str(where))
    from . import records

    return records.load(str(path))


def _read_json(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"[load] {path}: not a text file: {error}") from error
    except OSError as error:
        raise RecordError(f"[load] {path}: cannot be read: {error.strerror}") from error
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise RecordError(
            f"[load] {path}: not a whole JSON document ({error}); a truncated file reads like this"
        ) from error


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")
