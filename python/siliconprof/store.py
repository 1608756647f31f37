"""Profiles as files: written whole or not at all, read strictly, equal after a round trip."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import arguments
from ._core import ArgumentError, Error, Profile, RecordError
from .atomic import beginning, check_writable, write_text
from .profile_document import document, profile_from
from .profile_schema import FORMAT, check_document
from .records import check_no_table

if TYPE_CHECKING:
    from .records import Record

# A saved profile says what it is within so many characters.
_MARKED = 200
# What files of these names hold is never a profile: weights, states, tables, programs, pictures.
_OTHERS = (
    *(".safetensors", ".npz", ".npy", ".pt", ".pth", ".bin", ".parquet", ".toml", ".yaml"),
    *(".py", ".ipynb", ".html", ".md", ".svg", ".png", ".pdf", ".wav", ".zip", ".gz"),
)


def to_json(profile: Profile) -> str:
    """The profile as one JSON document; every float in the shortest form that reads back equal.

    Raises: Error naming the key and the value of what `load` would refuse.
    """
    content = document(profile)
    try:
        check_document(content, f"the profile {arguments.shown(profile.label)}")
    except RecordError as error:
        raise Error(f"[to_json] {str(error).removeprefix('[load] ')}") from error
    return json.dumps(content, allow_nan=False, indent=1)


def save(profile: Profile, path: str | Path) -> None:
    """Writes the profile to `path` as JSON.

    Raises: ArgumentError for a name that `load` would take for a table's (no suffix, or .csv) and
    for one whose suffix says that another kind of file is there (.safetensors, .toml, .py...);
    Error as to_json, and where the file cannot be written; then the old one is unchanged.
    """
    write_text(profile_path(path), to_json(profile) + "\n")


def profile_path(path: str | Path) -> Path:
    """The path, when `load` would read a profile from it. Raises: ArgumentError."""
    where = arguments.path("save", "path", path)
    if _names_table(where):
        needed = "needed: a suffix such as .json; without one, or with .csv, load reads a table"
        raise ArgumentError(f"[save] path = {str(where)!r}: {needed}")
    if where.suffix.lower() in _OTHERS:
        needed = f"needed: a suffix such as .json; a {where.suffix} file holds something else"
        raise ArgumentError(f"[save] path = {str(where)!r}: {needed}")
    return where


def check_path(path: str | Path | None) -> None:
    """What save would refuse, told before long work; nothing of None. Raises: as save."""
    if path is not None:
        check_writable("save", profile_path(path))


def check_form(place: str, path: Path) -> None:
    """Refuses to replace a saved profile, a table, or a file of another kind by a form that holds
    less of a profile; `place` asks.

    Raises: ArgumentError.
    """
    check_no_table(place, path)
    if path.suffix.lower() in _OTHERS:
        needed = f"needed: another suffix; a {path.suffix} file holds something else"
        raise ArgumentError(f"[{place}] path = {str(path)!r}: {needed}")
    if f'"format":"{FORMAT}"' in "".join(beginning(path, _MARKED).split()):
        needed = "needed: another file, as a profile can't be read back from what would be written"
        raise ArgumentError(f"[{place}] {path} is a saved profile; {needed}")


def load(path: str | Path) -> Profile | Record:
    """A saved profile, or a recorded table by its name or file ("table4", "table4.csv").

    A name without suffix and one that ends in .csv are a table's, all others a profile's.
    Raises: ArgumentError; UnknownNameError; RecordError naming the file, the key and the value.
    """
    where = arguments.path("load", "path", path)
    if not _names_table(where):
        return profile_from(_read_json(where), str(where))
    from . import records

    return records.load(path)


def _names_table(path: Path) -> bool:
    return path.suffix in ("", ".csv")


def _read_json(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"[load] {path}: not a text file: {error}") from error
    except OSError as error:
        raise RecordError(f"[load] {path}: cannot be read: {error.strerror}") from error

    def refuse_constant(name: str) -> float:
        raise RecordError(f"[load] {path}: {name} is no JSON number")

    def single_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise RecordError(f"[load] {path}: key {arguments.shown(twice)} stands twice")
        return content

    try:
        return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=single_keys)
    except RecordError:
        raise
    except RecursionError as error:
        raise RecordError(f"[load] {path}: nested deeper than any profile") from error
    except ValueError as error:
        raise RecordError(
            f"[load] {path}: not a whole JSON document ({error}); a truncated file reads like this"
        ) from error
