"""The file that a sweep streams to: comma-separated values, or Parquet where pyarrow is there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from . import arguments
from ._core import SweepChunk
from .atomic import open_whole
from .records import check_no_table

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
    "lo_bytes",
    "hi_bytes",
    "energy_joules",
    "lo_joules",
    "hi_joules",
    "fits",
    "frontier",
    "price_usd",
    "time_per_item_s",
    "joules_per_item",
)
_LABELS = 4  # of the columns: those of the entry
# What a row may lack: NaN in a chunk's arrays, nothing in a file.
MAY_LACK = (
    *("lo_bytes", "hi_bytes", "energy_joules", "lo_joules", "hi_joules"),
    *("price_usd", "joules_per_item"),
)

Labels = Sequence[tuple[str, str, str, str]]


class TableWriter(Protocol):
    """Takes chunks one after the other."""

    def write(self, chunk: SweepChunk, labels: Labels, columns: Mapping[str, Any]) -> None:
        """The chunk's rows; `labels` names its entries, `columns` are its own."""


@contextmanager
def open_table(path: Path) -> Iterator[TableWriter]:
    """A writer by the file's ending; `path` is there once all is written, or as it was.

    Rows that were written until an interrupt are beside it, of grid.csv in grid.partial.csv; of
    Parquet none are, which can't be read before its end is written.
    Raises: ArgumentError for another ending, for a recorded table, or .parquet without pyarrow;
    Error for the disk's.
    """
    writers = {".csv": _CsvWriter, ".parquet": _ParquetWriter}
    if path.suffix not in writers:
        raise arguments.refused("sweep", "out", str(path), "a .csv or .parquet file is needed")
    check_no_table("sweep", path)
    writer: Any = None

    def begun() -> Path | None:
        if writer is None or not writer.keeps_begun():
            return None
        whole = Path(os.path.realpath(path))
        return whole.with_name(f"{whole.stem}.partial{whole.suffix}")

    with open_whole("sweep", path, begun) as file:
        writer = writers[path.suffix](file, path)
        try:
            yield writer
        finally:
            writer.close()


class _CsvWriter:
    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._file.write((",".join(COLUMNS) + "\n").encode())
        self._whole = 0  # bytes of whole chunks, behind the first

    def write(self, chunk: SweepChunk, labels: Labels, columns: Mapping[str, Any]) -> None:
        self._file.write(chunk.text().encode())
        if self._file.seekable():  # a pipe is not
            self._whole = self._file.tell()

    def keeps_begun(self) -> bool:
        """Whether there are rows; what an interrupt cut off behind the last is dropped."""
        self._file.seek(self._whole)
        self._file.truncate()
        return self._whole > 0

    def close(self) -> None:
        """Nothing is left to write."""


class _ParquetWriter:
    def __init__(self, file: BinaryIO, path: Path) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            need = "pyarrow, which is not installed, is needed for .parquet; .csv needs nothing"
            raise arguments.refused("sweep", "out", str(path), need) from None
        self._arrow, self._file = pyarrow, file
        self._writer: Any = None

    def write(self, chunk: SweepChunk, labels: Labels, columns: Mapping[str, Any]) -> None:
        columns = dict(columns)
        entry = self._arrow.array(columns.pop("entry"), type=self._arrow.int32())
        named: dict[str, Any] = {}
        for place, name in enumerate(COLUMNS[:_LABELS]):
            words = self._arrow.array([label[place] for label in labels])
            named[name] = words.take(entry)
        for name in MAY_LACK:
            columns[name] = self._arrow.array(columns[name], from_pandas=True)
        table = self._arrow.table({**named, **columns})
        if self._writer is None:
            self._writer = self._arrow.parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def keeps_begun(self) -> bool:
        return False

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
