"""Roofs of the roofline panels: data-sheet limits of devices, measured limits of this machine."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _core
from ..devices import device as find_device
from .points import HERE
from .table import Row

_STATISTIC = "90th percentile (interval: median to largest)"


def device_roof_rows(devices: Sequence[str], dtypes: Sequence[str]) -> list[Row]:
    """Memory bandwidth and product peaks from the devices' files.

    A device without a matrix unit for the dtype has its vector peak as the roof; one without the
    dtype has no row.
    """
    rows = []
    for id in devices:
        numbers = find_device(id).numbers
        found = [("bandwidth", "", "memory.bandwidth_bytes_per_s", "bytes/s")]
        for dtype in dtypes:
            for unit in ("matrix", "vector"):
                key = f"peak.{unit}.{dtype}_flops_per_s"
                if key in numbers:
                    found.append(("peak", dtype, key, "FLOP/s"))
                    break
        for roof, dtype, key, unit_name in found:
            number = numbers[key]
            spread = number.value * number.relative_error
            rows.append(
                Row(
                    "recorded",
                    id,
                    "",
                    f"{dtype} {roof}".strip(),
                    number.value,
                    unit_name,
                    number.value - spread if spread else None,
                    number.value + spread if spread else None,
                    f"{number.kind}: {number.source}",
                    {"quantity": f"{roof} roof", "dtype": dtype},
                )
            )
    return rows


def measured_roof_rows(
    dtypes: Sequence[str], pattern: str, seconds: float, bytes: int
) -> list[Row]:
    """This machine's limits: multiply-add peak per dtype, and bandwidth of one pattern."""
    rows = [_fma_row(dtype, seconds) for dtype in dtypes]
    rows.append(bandwidth_row(pattern, seconds, bytes))
    return rows


def bandwidth_row(pattern: str, seconds: float, bytes: int) -> Row:
    """Memory bandwidth of this machine with all threads, over a working set of `bytes`."""
    samples = _core.measure_bandwidth(pattern, 0, bytes, seconds)
    source = f"{pattern} over {bytes} bytes, {_STATISTIC} of {len(samples)} samples, all threads"
    return _sample_row(f"{pattern} bandwidth", samples, "bytes/s", source, "bandwidth", "")


def _fma_row(dtype: str, seconds: float) -> Row:
    try:
        samples = _core.measure_fma_peak(dtype, 0, seconds)
    except _core.Error as error:
        return Row(
            "measured",
            HERE,
            "",
            f"{dtype} multiply-add peak",
            None,
            "FLOP/s",
            None,
            None,
            str(error),
            {"quantity": "peak roof", "dtype": dtype},
        )
    source = f"multiply-adds in registers, {_STATISTIC} of {len(samples)} samples, all threads"
    return _sample_row(f"{dtype} multiply-add peak", samples, "FLOP/s", source, "peak", dtype)


def _sample_row(
    what: str, samples: list[float], unit: str, source: str, roof: str, dtype: str
) -> Row:
    # Whatever else the machine does lowers a sample, nothing raises one: a limit is near the top.
    point = {"quantity": f"{roof} roof", "dtype": dtype, "n": len(samples)}
    limit = _core.quantile(samples, 0.9)
    low, high = _core.median(samples), max(samples)
    return Row("measured", HERE, "", what, limit, unit, low, high, source, point)
