"""Roofs of the roofline panels: data-sheet limits of devices, measured limits of this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import _core
from ..devices import device as find_device
from .pairs import Target
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
            what = f"{dtype} {roof}".strip()
            point = {"quantity": f"{roof} roof", "dtype": dtype}
            rows.append(number_row(id, what, numbers[key], unit_name, point))
    return rows


def number_row(
    device: str, what: str, number: _core.Number, unit: str, point: Mapping[str, str]
) -> Row:
    """A number of a device file: recorded where others published it, predicted where not.

    What was fitted or assumed nobody recorded: it belongs to the model.
    """
    origin = "recorded" if number.kind in ("spec", "measured") else "predicted"
    spread = number.value * number.relative_error
    return Row(
        origin,
        device,
        "",
        what,
        number.value,
        unit,
        number.value - spread if spread else None,
        number.value + spread if spread else None,
        f"{number.kind}: {number.source}",
        dict(point),
    )


def roof_rows(
    targets: Sequence[Target],
    device_dtypes: Sequence[str],
    dtypes: Sequence[str],
    seconds: float,
    bytes: int,
) -> list[Row]:
    """The roofs of the targets' devices, and of this machine when it reads memory."""
    ids = list(dict.fromkeys(target.device for target in targets))
    return [
        *device_roof_rows(ids, device_dtypes),
        *measured_roof_rows(dtypes, "read", seconds, bytes),
    ]


def measured_roof_rows(
    dtypes: Sequence[str], pattern: str, seconds: float, bytes: int
) -> list[Row]:
    """This machine's limits: multiply-add peak per dtype, and bandwidth of one pattern."""
    rows = [_fma_row(dtype, seconds) for dtype in dtypes]
    rows.append(bandwidth_row(pattern, seconds, bytes))
    return rows


def bandwidth_row(pattern: str, seconds: float, bytes: int) -> Row:
    """Memory bandwidth of this machine with all threads, over three arrays of `bytes` each."""
    samples = _core.measure_bandwidth(pattern, 0, bytes, seconds)
    source = (
        f"{pattern}, working set three arrays of {bytes} bytes each, "
        f"{_STATISTIC} of {len(samples)} samples, all threads"
    )
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
