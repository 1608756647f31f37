"""Recorded tables: what others measured, as long CSV with a TOML header of the same name."""

from __future__ import annotations

import csv
import io
import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from . import _core, arguments
from .atomic import beginning
from .frameworks import framework_versions, frameworks
from .names import nearest_valid
from .numbers import DTYPES, NAME, NAME_NEEDS
from .packaged import Shelf

COLUMNS = ("what", "device", "framework", "dtype", "value", "unit", "note")
HOST_PACE = "host_pace"  # a column more, where the pace of the rows' host was measured beside them
UNITS = ("s", "bytes", "J", "USD", "FLOP/s", "bytes/s", "W", "1")

_HEADER_CHARACTERS = 300  # within which a table says its columns
_STATISTICS = ("mean", "median")
_TEXT_FIELDS = ("title", "read", "uncertainty", "statistic")
_SOURCE_FIELDS = ("title", "url", "date")
_HEADER_FIELDS = (*_TEXT_FIELDS, "notes", "source", "units", "versions")
_SHELF = Shelf("table", "records", ".csv", "the path of a .csv file beside its .toml header")


@dataclass(frozen=True)
class Row:
    """One recorded number in SI units; a missing one is None and its note says why. `host_pace`
    is host.pace (docs/device-files.md) of its host; None where nobody measured it. `place` is its
    file and line."""

    what: str
    device: str
    framework: str | None
    dtype: str | None
    value: float | None
    unit: str
    note: str
    host_pace: float | None = None
    place: str = field(default="", compare=False)


@dataclass(frozen=True)
class Record:
    """One recorded table. `units` says what each unit of its rows counts; `read` and
    `uncertainty` say how the numbers came here and how far to trust them; `statistic` begins
    with "mean" or "median" where the source states which it gives; `versions` names, by framework,
    the packaged version nearest to the one that ran where it isn't the present one."""

    id: str
    title: str
    source: str
    url: str
    date: str
    read: str
    uncertainty: str
    statistic: str
    notes: tuple[str, ...]
    units: Mapping[str, str]
    rows: tuple[Row, ...]
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """Always "recorded", as a profile of any of its rows says."""
        return "recorded"

    def software(self, framework: str) -> str:
        """The framework as it was when this was recorded: "torch-mps@2.2", or just its id."""
        version = self.versions.get(framework)
        return f"{framework}@{version}" if version else framework

    def profiles(self) -> list[_core.Profile]:
        """One Profile for each row that is a time, in the rows' order; other rows have none."""
        timed = ((row, row.value) for row in self.rows if row.unit == "s")
        return [_profile(self, row, value) for row, value in timed if value is not None]


def names() -> list[str]:
    """Sorted names of the packaged tables."""
    return _SHELF.names()


def load(name_or_path: str | os.PathLike[str]) -> Record:
    """A packaged table by name ("table4" or "table4.csv"), or a CSV file beside its TOML header.

    Raises: UnknownNameError for a name that is neither; RecordError for a file that is not as
    it should be, with file, line, column and value.
    """
    path = arguments.path("load", "path", name_or_path)
    name = str(path).removesuffix(".csv")
    is_name = isinstance(name_or_path, str) and os.path.basename(name_or_path) == name_or_path
    if is_name and (name in names() or not os.path.isfile(path)):
        if path.suffix and name not in names() and not os.path.isdir(path):
            need = f"nor is it a packaged table; {nearest_valid(name, names())}"
            raise _core.UnknownNameError(f"[load] no file {str(path)!r} is there, {need}")
        return _read(_SHELF.file(name), _SHELF.place / f"{name}.toml")
    if os.path.isdir(path):
        raise _core.RecordError(f"[load] {path} is a folder; needed: a name or {_SHELF.otherwise}")
    return _read(path, path.parent / f"{path.stem}.toml")


def check_no_table(place: str, path: Path) -> None:
    """Refuses to replace a recorded table by something else; `place` asks. Raises:
    ArgumentError."""
    lines = csv.reader(io.StringIO(beginning(path, _HEADER_CHARACTERS), newline=""))
    if tuple(next(filter(None, lines), ()))[: len(COLUMNS)] == COLUMNS:
        needed = "needed: another file, as a table can't be read back from what would be written"
        raise _core.ArgumentError(f"[{place}] {path} is a recorded table; {needed}")


def _profile(record: Record, row: Row, time_s: float) -> _core.Profile:
    span = _core.Span("step", "step", "forward", -1, -1, time_s)
    notes = [*record.notes, f"uncertainty: {record.uncertainty}", f"statistic: {record.statistic}"]
    return _core.Profile(
        "recorded",
        row.what,
        row.device,
        row.framework or "",
        [span],
        statistic=next((s for s in _STATISTICS if record.statistic.startswith(s)), "unstated"),
        notes=[row.note, *notes] if row.note else notes,
        source=f"{record.source} ({record.date}), {record.url}",
    )


def _read(table: Traversable, header: Traversable) -> Record:
    text = _text(table)
    if not header.is_file():
        need = f"needed: a file {header.name} with title, source and units"
        raise _core.RecordError(f"[{table.name}] the header beside the table is missing; {need}")
    fields = _header(header)
    source = fields["source"]
    return Record(
        id=table.name.removesuffix(".csv"),
        title=fields["title"],
        source=source["title"],
        url=source["url"],
        date=source["date"],
        read=fields["read"],
        uncertainty=fields["uncertainty"],
        statistic=fields["statistic"],
        notes=tuple(fields["notes"]),
        units=dict(fields["units"]),
        rows=_rows(text, table.name, fields["units"]),
        versions=dict(fields.get("versions", {})),
    )


def _text(file: Traversable) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")  # spreadsheets begin with a mark
    except OSError as error:
        why = error.strerror or error
        raise _core.RecordError(f"[{file.name}] {file} cannot be read: {why}") from error
    except UnicodeDecodeError as error:
        raise _core.RecordError(f"[{file.name}] cannot be read as UTF-8 text: {error}") from error


def _header(file: Traversable) -> dict[str, Any]:
    text = _text(file)
    try:
        fields = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _core.RecordError(f"[{file.name}] is not valid TOML: {error}") from error
    _check_keys(file.name, "", fields, _HEADER_FIELDS)
    _check_texts(file.name, "", fields, _TEXT_FIELDS)
    notes, source, units = (fields.get(key) for key in ("notes", "source", "units"))
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise _fault(file.name, "notes", notes, "needs a list of texts")
    if not isinstance(source, dict):
        raise _fault(file.name, "source", source, "needs a table with title, url, date")
    _check_keys(file.name, "source.", source, _SOURCE_FIELDS)
    _check_texts(file.name, "source.", source, _SOURCE_FIELDS)
    if not isinstance(units, dict) or not units:
        raise _fault(file.name, "units", units, "needs a table: unit = what it counts")
    _check_keys(file.name, "units.", units, UNITS)
    _check_texts(file.name, "units.", units, list(units))
    versions = fields.get("versions", {})
    if not isinstance(versions, dict):
        raise _fault(file.name, "versions", versions, "needs a table: framework = its version")
    _check_versions(file.name, versions)
    return fields


def _check_versions(file: str, versions: Mapping[str, Any]) -> None:
    """Packaged ones of packaged frameworks: predictions look for no others."""
    _check_keys(file, "versions.", versions, frameworks())
    _check_texts(file, "versions.", versions, list(versions))
    for framework, version in versions.items():
        stem = f"{framework}@"
        valid = [name.removeprefix(stem) for name in framework_versions() if name.startswith(stem)]
        if version not in valid:
            needed = nearest_valid(version, valid) if valid else "only the present one is packaged"
            raise _fault(file, f"versions.{framework}", version, needed)


def _check_keys(file: str, stem: str, found: Mapping[str, Any], valid: Sequence[str]) -> None:
    for key, value in found.items():
        if key not in valid:
            needed = f"unknown key; {nearest_valid(key, valid)}"
            raise _fault(file, f"{stem}{key}", value, needed)


def _check_texts(file: str, stem: str, found: Mapping[str, Any], keys: Sequence[str]) -> None:
    for key in keys:
        if not isinstance(found.get(key), str) or not found[key].strip():
            raise _fault(file, f"{stem}{key}", found.get(key), "a non-empty text is required")


def _rows(text: str, file: str, units: Mapping[str, str]) -> tuple[Row, ...]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        lines = [(reader.line_num, cells) for cells in reader if cells]  # of an empty line none
    except csv.Error as error:
        raise _core.RecordError(f"[{file}] line {reader.line_num}: not CSV: {error}") from error
    columns = tuple(lines[0][1]) if lines else ()
    if columns not in (COLUMNS, (*COLUMNS, HOST_PACE)):
        found = lines[0][1] if lines else None
        raise _fault(
            file, "columns", found, f"needs {', '.join(COLUMNS)}, and may have {HOST_PACE}"
        )
    rows = ((cells, f"{file} line {line}") for line, cells in lines[1:])
    return tuple(_row(cells, len(columns), where, units) for cells, where in rows)


def _row(cells: Sequence[str], columns: int, where: str, units: Mapping[str, str]) -> Row:
    if len(cells) != columns:
        raise _fault(where, "columns", cells, f"needs {columns} cells, found {len(cells)}")
    what, device, framework, dtype, value, unit, note = cells[: len(COLUMNS)]
    if not what.strip():
        raise _fault(where, "what", what, "a non-empty text is required")
    for key, id in (("device", device), ("framework", framework)):
        if id and not NAME.fullmatch(id):
            raise _fault(where, key, id, NAME_NEEDS)
    if dtype and dtype not in DTYPES:
        raise _fault(where, "dtype", dtype, nearest_valid(dtype, DTYPES))
    if unit not in UNITS:
        raise _fault(where, "unit", unit, f"an SI unit out of {', '.join(UNITS)}")
    if unit not in units:
        raise _fault(where, "unit", unit, "the header's [units] does not say what it counts")
    if not value and not note.strip():
        raise _fault(where, "note", note, "a missing value needs a note that says why")
    number = _number(value, "value", where) if value else None
    pace = cells[-1] if columns > len(COLUMNS) else ""
    host_pace = _number(pace, HOST_PACE, where) if pace else None
    fields = (framework or None, dtype or None, number, unit, note, host_pace)
    return Row(what, device, *fields, place=where)


def _number(text: str, key: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise _fault(where, key, text, "needs a number, or nothing and a note") from None
    if not math.isfinite(number) or number <= 0.0:
        raise _fault(where, key, text, "needs a finite number above zero")
    return number


def _fault(where: str, key: str, found: object, needed: str) -> _core.RecordError:
    return _core.RecordError(f"[{where}] {key} = {found!r}: {needed}")
