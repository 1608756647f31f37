"""The file that a sweep streams to: comma-separated values, or Parquet where pyarrow is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from . import arguments
from ._core import SweepChunk
from .atomic import open_whole

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
    with open_whole("sweep", path) as file:
        writer: Any = writers[path.suffix](file)
        try:
            yield writer
        finally:
            writer.close()


class _CsvWriter:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._file.write((",".join(COLUMNS) + "\n").encode())

    def write(self, chunk: SweepChunk, labels: Labels) -> None:
        self._file.write(chunk.text().encode())

    def close(self) -> None:
        """Nothing is left to write."""


class _ParquetWriter:
    def __init__(self, file: BinaryIO) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            need = "pyarrow, which is not installed, is needed for .parquet; .csv needs nothing"
            raise arguments.refused("sweep", "out", ".parquet", need) from None
        self._arrow, self._file = pyarrow, file
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
            self._writer = self._arrow.parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
