"""A profile as a command line names it: a saved file, or one time of a recorded table."""

from __future__ import annotations

import os

from .._core import ArgumentError, Profile
from ..records import Record, names
from ..store import load

_MOST_LISTED = 12


def profile_of(text: str) -> Profile:
    """The profile of "run.json", "table4:3" or "own.csv:3"; rows are the table's times, from 1.

    Raises: ArgumentError for a table without a row or with one that it lacks, and for a row of a
    saved profile; what `load` does.
    """
    place, row = _split(text)
    names_row = place != text
    loaded = load(place)
    if isinstance(loaded, Profile):
        if names_row:
            need = f"needed: {place!r}, as a saved profile has no rows"
            raise ArgumentError(f"[load] {text!r}: {need}")
        return loaded
    profiles = loaded.profiles()
    # No more digits than any table's rows have: int() refuses thousands of them.
    index = int(row) if row.isdecimal() and len(row) < 9 else 0
    if not 1 <= index <= len(profiles):
        raise _no_such_row(text, loaded, profiles)
    return profiles[index - 1]


def file_of(text: str) -> str:
    """The file, or the table, that a profile is taken from."""
    return _split(text)[0]


def _split(text: str) -> tuple[str, str]:
    """The file or table, and the row where one is named."""
    table, colon, row = text.rpartition(":")
    if not colon or os.path.isfile(text):
        return text, ""
    is_there = row.isdecimal() or table in names() or os.path.isfile(table)
    return (table, row) if is_there else (text, "")


def _no_such_row(text: str, record: Record, profiles: list[Profile]) -> ArgumentError:
    if not profiles:
        return ArgumentError(f"[load] {text!r}: no row of table {record.id!r} is a time")
    listed = [
        f"{index}: {' · '.join(filter(None, (entry.label, entry.device, entry.framework)))}"
        for index, entry in enumerate(profiles[:_MOST_LISTED], 1)
    ]
    more = ["…"] if len(profiles) > _MOST_LISTED else []
    return ArgumentError(
        f"[load] {text!r}: a table's time is TABLE:ROW, ROW from 1 to {len(profiles)} "
        f"({'; '.join([*listed, *more])})"
    )
