"""The table of an experiment: rows that say where their number comes from."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._core import ArgumentError, RecordError
from ..atomic import write_text

ORIGINS = ("measured", "predicted", "recorded")
FORMAT = "siliconprof-table"
VERSION = 1


@dataclass(frozen=True)
class Row:
    """One number.

    value:  in the SI unit `unit`; None where there is none, and then `source` is the reason.
    lo, hi: the interval of a measured or predicted value.
    point:  coordinates for drawing (dtype, shape, flops, bytes, n, ...); no results in it.
    """

    origin: str
    device: str
    framework: str
    what: str
    value: float | None
    unit: str
    lo: float | None
    hi: float | None
    source: str
    point: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises: ArgumentError for what is no finite number: no file and no axis holds it."""
        for name in ("value", "lo", "hi"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                needed = "a finite number, or None where there is none"
                raise ArgumentError(f"[row] {name} of {self.what} is {number}; needed: {needed}")

    def result(self) -> dict[str, Any]:
        """The row as results.json holds it."""
        fields = dataclasses.asdict(self)
        del fields["point"]
        return fields


@dataclass(frozen=True)
class Table:
    """The rows of one run of an experiment, with what is needed to draw them again.

    host:       facts of the machine that measured.
    parameters: the experiment's parameters as text.
    """

    id: str
    rows: tuple[Row, ...]
    host: Mapping[str, str]
    parameters: Mapping[str, str]
    date: str

    def where(self, **wanted: Any) -> list[Row]:
        """Rows whose fields, or coordinates in `point`, have the wanted values."""

        def fits(row: Row) -> bool:
            return all(
                (getattr(row, key) if hasattr(row, key) else row.point.get(key)) == value
                for key, value in wanted.items()
            )

        return [row for row in self.rows if fits(row)]

    def save(self, path: str | Path) -> None:
        """Writes the table as JSON, whole or not at all. Raises: Error."""
        content = {"format": FORMAT, "version": VERSION, **dataclasses.asdict(self)}
        write_text(Path(path), json.dumps(content, indent=1, allow_nan=False) + "\n")


def load(path: str | Path) -> Table:
    """A saved table, equal to the one that was saved. Raises: RecordError naming the file."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if (content["format"], content["version"]) != (FORMAT, VERSION):
            found = f"{content['format']} version {content['version']}"
            raise RecordError(f"[load] {path}: {found}; needed: {FORMAT} version {VERSION}")
        rows = tuple(Row(**row) for row in content["rows"])
        return Table(content["id"], rows, content["host"], content["parameters"], content["date"])
    except OSError as error:
        raise RecordError(f"[load] {path}: cannot be read: {error.strerror}") from error
    except RecordError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise RecordError(f"[load] {path}: not a table ({error!r})") from error


Say = Callable[[str], None]


def silent(text: str) -> None:
    """Says nothing: the default where an experiment reports what it is doing."""
