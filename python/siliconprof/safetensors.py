"""The safetensors format: eight bytes of length, a JSON header, the tensors' bytes.

bfloat16 crosses as numpy's uint16, as everywhere here.
Source: the format's own description, https://github.com/huggingface/safetensors.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy

from ._core import Error, RecordError
from .atomic import write_file

LARGEST_HEADER_BYTES = 100_000_000
_DTYPES: Mapping[str, str] = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U8": "u1",
    "BOOL": "?",
    "U32": "<u4",
    "U64": "<u8",
    "C64": "<c8",
}
_NAMES = {numpy.dtype(code): name for name, code in _DTYPES.items()}


def write(
    path: Path, tensors: Mapping[str, numpy.ndarray], metadata: Mapping[str, str] | None = None
) -> None:
    """Writes C-contiguous arrays by name, whole or not at all; nothing is copied on the way.

    Raises: Error for an array that the format has no dtype for, or a path that can't be written.
    """
    header: dict[str, object] = {"__metadata__": dict(metadata)} if metadata else {}
    offset = 0
    for name, array in tensors.items():
        if array.dtype not in _NAMES or not array.flags.c_contiguous:
            raise Error(f"[safetensors] {name} is {array.dtype}; needed: one of {[*_NAMES]}")
        place = [offset, offset + array.nbytes]
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": place,
        }
        offset = place[1]
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the tensors are aligned

    def write_to(file: BinaryIO) -> None:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for array in tensors.values():
            file.write(array.reshape(-1).view(numpy.uint8).data)

    write_file(path, write_to)


def read(path: Path) -> tuple[dict[str, numpy.ndarray], dict[str, str]]:
    """The arrays by name, over the file's own pages until they are written to, and the metadata.
    Of a format that numpy lacks, as F8_E4M3, or that would be taken for bfloat16, as U16, the bytes
    are there as numpy.void, whatever the shape.

    Raises: RecordError naming the file and what is wrong: truncated, or no such file at all.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > min(size - 8, LARGEST_HEADER_BYTES):
                raise _broken(path, f"{size} bytes for a header of {length}: truncated, or another")
            header = json.loads(file.read(length))
        data = numpy.memmap(path, numpy.uint8, "c", 8 + length) if size > 8 + length else None
    except OSError as error:
        raise RecordError(f"[safetensors] {path}: cannot be read: {error.strerror}") from error
    except RecordError:  # a ValueError too
        raise
    except (ValueError, RecursionError) as error:
        raise _broken(path, f"the header is no JSON ({error})") from error
    if not isinstance(header, dict):
        raise _broken(path, "the header is no JSON object")
    metadata = header.pop("__metadata__", None)
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, dict):
        raise _broken(path, "the header's __metadata__ is no JSON object")
    held = 0 if data is None else data.size
    return {name: _array(path, name, header[name], data, held) for name in header}, metadata


def _array(
    path: Path, name: str, entry: object, data: numpy.ndarray | None, held: int
) -> numpy.ndarray:
    try:
        dtype, shape, begin, end = _layout(entry)
        empty = numpy.empty(shape if begin == end else 0, dtype)
    except (KeyError, TypeError, ValueError) as error:
        raise _broken(path, f"the header's entry of {name!r} is not one of a tensor") from error
    if end > held:
        raise _broken(path, f"{name!r} ends at byte {end} of {held}: truncated")
    if data is None or begin == end:
        return empty
    part: numpy.ndarray = data[begin:end]
    if part.ctypes.data % max(dtype.itemsize, 1):
        part = part.copy()
    return part.view(dtype).reshape(shape)


def _layout(entry: object) -> tuple[numpy.dtype[Any], list[int], int, int]:
    """Number format, shape, first byte and the one behind the last.

    Raises: KeyError, TypeError or ValueError for what is no entry; no assertion, which Python
    leaves out where it is asked to optimise.
    """
    if not isinstance(entry, dict):
        raise TypeError(entry)
    shape, (begin, end) = list(entry["shape"]), entry["data_offsets"]
    if not all(type(number) is int and number >= 0 for number in (*shape, begin, end)):
        raise ValueError(entry)
    if not _is_dtype(entry["dtype"]) or begin > end:
        raise ValueError(entry)
    if entry["dtype"] not in _DTYPES:
        return numpy.dtype("V1"), [end - begin], begin, end
    dtype = numpy.dtype(_DTYPES[entry["dtype"]])
    if end - begin != math.prod(shape) * dtype.itemsize:
        raise ValueError(entry)
    return dtype, shape, begin, end


def _is_dtype(name: object) -> bool:
    """As the format has them, now or later: "U16", "F8_E4M3"."""
    return isinstance(name, str) and re.fullmatch(r"[A-Z][A-Z0-9_]*", name) is not None


def _broken(path: Path, why: str) -> RecordError:
    return RecordError(f"[safetensors] {path}: not a whole safetensors file: {why}")
