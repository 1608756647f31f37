"""`siliconprof devices`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from .. import _core
from ..quantity import scaled
from .output import print_json, print_table
from .workload_options import JSON, OptionalText

DEVICE = typer.Argument(None, help="Only this device, with every number.")
_COLUMNS = (
    ("memory.capacity_bytes", "memory", "bytes"),
    ("memory.bandwidth_bytes_per_s", "bandwidth", "bytes/s"),
    ("peak.matrix.float32_flops_per_s", "fp32", "FLOP/s"),
    ("peak.matrix.float16_flops_per_s", "fp16", "FLOP/s"),
)


def devices(
    device: OptionalText = DEVICE,
    json: bool = JSON,
) -> None:
    """The devices that can be predicted, and where each of their numbers comes from.

    Example: siliconprof devices m2-ultra
    """
    from ..devices import device as find_device
    from ..devices import devices as device_ids

    chosen = [find_device(id) for id in ([device] if device else device_ids())]
    if json:
        print_json({"devices": [_document(entry) for entry in chosen]})
    elif device:
        print_table(
            chosen[0].name,
            ("number", "value", "kind", "source"),
            number_rows(chosen[0].numbers),
        )
    else:
        print_table(
            "Devices",
            ("id", *(title for _, title, _ in _COLUMNS), "name"),
            [_row(entry) for entry in chosen],
        )


def _row(device: _core.Device) -> list[str]:
    numbers = device.numbers
    cells = [
        scaled(numbers[key].value if key in numbers else None, unit) for key, _, unit in _COLUMNS
    ]
    return [device.id, *cells, device.name]


def _document(device: _core.Device) -> dict[str, Any]:
    return {
        "id": device.id,
        "name": device.name,
        "vendor": device.vendor,
        "family": device.family,
        "numbers": numbers_document(device.numbers),
    }


def number_rows(numbers: Mapping[str, _core.Number]) -> list[list[str]]:
    """Each number's key, value, kind and source."""
    return [
        [key, f"{number.value:.6g}", number.kind, number.source]
        for key, number in sorted(numbers.items())
    ]


def numbers_document(numbers: Mapping[str, _core.Number]) -> dict[str, dict[str, Any]]:
    """The same for JSON, with each number's error."""
    return {
        key: {
            "value": number.value,
            "kind": number.kind,
            "source": number.source,
            "relative_error": number.relative_error,
        }
        for key, number in sorted(numbers.items())
    }
