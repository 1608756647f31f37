"""The file that a sweep streams to: comma-separated values, or Parquet where pyarrow is there."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from . import arguments
from ._core import Error, SweepChunk

COLUMNS = (
    "workload",
    "precision",
    "device",
    "framework",
    "batch",
    "length",
    "time_s",
    "lo_s",
    "hi_s",
    "peak_memory_bytes",
    "fits",
    "frontier",
)
_LABELS = 4  # of the columns: those of the entry

Labels = Sequence[tuple[str, str, str, str]]


class TableWriter(Protocol):
    """Takes chunks one after the other."""

    def write(self, chunk: SweepChunk, labels: Labels) -> None:
        """The chunk's rows; `labels` names its entries."""


@contextmanager
def open_table(path: Path) -> Iterator[TableWriter]:
    """A writer by the file's ending; `path` is there once all is written, or as it was.

    Raises: ArgumentError for another ending, or .parquet without pyarrow; Error for the disk's.
    """
    writers = {".csv": _CsvWriter, ".parquet": _ParquetWriter}
    if path.suffix not in writers:
        raise arguments.refused("sweep", "out", str(path), "a .csv or .parquet file is needed")
    staged = path.with_name(f".{secrets.token_hex(8)}")
    try:
        writer: Any = writers[path.suffix](staged)
        try:
            yield writer
            writer.close()
            os.replace(staged, path)
        except BaseException:
            writer.abandon()
            staged.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Error(f"[sweep] cannot write {path}: {error.strerror or error}") from error


class _CsvWriter:
    def __init__(self, path: Path) -> None:
        self._file = open(path, "x", encoding="utf-8", newline="")  # noqa: SIM115
        self._file.write(",".join(COLUMNS) + "\n")

    def write(self, chunk: SweepChunk, labels: Labels) -> None:
        self._file.write(chunk.text())

    def close(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def abandon(self) -> None:
        self._file.close()


class _ParquetWriter:
    def __init__(self, path: Path) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            need = "pyarrow, which is not installed, is needed for .parquet; .csv needs nothing"
            raise arguments.refused("sweep", "out", str(path.suffix), need) from None
        self._arrow, self._path = pyarrow, path
        self._writer: Any = None

    def write(self, chunk: SweepChunk, labels: Labels) -> None:
        columns = chunk.columns()
        entry = self._arrow.array(columns.pop("entry"), type=self._arrow.int32())
        named: dict[str, Any] = {}
        for place, name in enumerate(COLUMNS[:_LABELS]):
            words = self._arrow.array([label[place] for label in labels])
            named[name] = words.take(entry)
        table = self._arrow.table({**named, **columns})
        if self._writer is None:
            self._writer = self._arrow.parquet.ParquetWriter(self._path, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def abandon(self) -> None:
        self.close()
