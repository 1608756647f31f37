"""`siliconprof calibrate`."""

from __future__ import annotations

from pathlib import Path

import typer

from ..numbers import unit_of
from ..quantity import scaled
from .output import print_json, print_table, print_text
from .workload_options import JSON, OptionalNumber

BACKEND = typer.Option("cpu", help="What to measure.")
BUDGET = typer.Option(None, help="Seconds to take, about; by default 60 for each precision.")
PRECISION = typer.Option(
    ["fp32"],
    help="Of steps to predict, besides fp32: fp64, amp-bf16, amp-fp16. May be given several times.",
)
OUT = typer.Option(..., help="The device file to write, NAME.toml.")
SHOWN = ("memory.bandwidth_bytes_per_s", "memory.cache_bytes", "peak.matrix.float32_flops_per_s")


def calibrate(
    backend: str = BACKEND,
    budget: OptionalNumber = BUDGET,
    precision: list[str] = PRECISION,
    out: str = OUT,
    json: bool = JSON,
) -> None:
    """Measure this machine and write it as a device file, for predict --device NAME.toml. Ended
    early, by Ctrl-C or SIGTERM, it keeps what was measured.

    Example: siliconprof calibrate --backend cpu --budget 60 --out here.toml
    """
    from ..calibrate import calibration
    from ..device_document import checked_path, save

    place: Path = checked_path(out)  # wrong names are told before the work, not after
    found = calibration(backend, budget, precision)
    save(found.device, place)
    if json:
        print_json(
            {
                "device": found.device.id,
                "seconds_used": found.seconds_used,
                "kernels_measured": found.kernels_measured,
                "file": str(place),
                "notes": found.notes,
            }
        )
        return
    rows = []
    for key in SHOWN:
        number = found.device.numbers[key]
        shown = scaled(number.value, unit_of(key))
        rows.append([key, shown, number.kind, f"±{number.relative_error:.0%}"])
    title = f"{found.device.name} ({found.device.id})"
    print_table(title, ("number", "value", "kind", "error"), rows)
    print_text(f"{found.kernels_measured} kernels in {found.seconds_used:.0f} s -> {place}")
    for note in found.notes:
        print_text(note, style="yellow")
