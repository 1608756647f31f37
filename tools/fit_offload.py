"""Offload constants (offload.<vendor>.*) of a framework file, and a device's host.

    python tools/fit_offload.py [--device h200] [--record h200_offload]

Single transfers and updates of a packaged record, measured by tools/measure_torch_offload.py: of
each machine alone, then the median over machines, and how far the machines are from it. No training
step is read. The errors in the framework file are wider: two machines, for some constants one, say
little about others.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from statistics import median

import siliconprof as sp
from siliconprof.recorded_ops import dims_of

Times = dict[tuple[str, int], float]  # seconds by row and its bytes or elements
ADAMW_BYTES = 28  # compulsory, of an element in float32
STAGED_BYTES = 1 << 16  # from here on a pageable copy goes through the driver's buffers
FUSED = ("adamw.fused", "adamw.fused_each", "adamw.alone", "program.update")
FETCH = "program.update_and_fetch"
SMALL, LARGE = 1_000, 100_000


def machines(record: str) -> Iterator[Times]:
    """Seconds of each machine of the record."""
    found: dict[int, Times] = {}
    for row in sp.load(record).rows:
        if row.value is not None:
            name, *words = row.what.split()
            dims = dims_of(words)
            size = dims.get("bytes", dims.get("n", 0))
            found.setdefault(dims.get("machine", 2), {})[name, size] = row.value
    yield from found.values()


def of_size(times: Times, name: str) -> list[tuple[int, float]]:
    return sorted((size, seconds) for (row, size), seconds in times.items() if row == name)


def line(points: Iterable[tuple[int, float]]) -> tuple[float, float]:
    """(start, bytes/s) of seconds = start + bytes / rate, least squares of relative errors."""
    rows = [(1.0 / t, size / t) for size, t in points]
    aa, ab, bb = (sum(r[i] * r[j] for r in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    a1, b1 = sum(r[0] for r in rows), sum(r[1] for r in rows)
    scale = aa * bb - ab * ab
    start, slope = (a1 * bb - b1 * ab) / scale, (b1 * aa - a1 * ab) / scale
    return max(start, 1e-9), 1.0 / slope


def link(times: Times, peak: float) -> dict[str, float]:
    """Of a machine's link, whose rated bandwidth is `peak`."""
    found = {}
    both = [of_size(times, f"transfer.{way}.pinned") for way in ("to_host", "to_device")]
    rate = median(points[-1][0] / points[-1][1] for points in both)
    found["pinned_part"] = rate / peak
    mib = 1 << 20
    found["start_s"] = median(dict(points)[mib] - mib / rate for points in both)
    starts = []
    for way in ("to_host", "to_device"):
        points = [p for p in of_size(times, f"transfer.{way}.pageable") if p[0] >= STAGED_BYTES]
        start, found[f"pageable_{way}_bytes_per_s"] = line(points)
        starts.append(start)
    found["pageable_start_s"] = median(starts)
    issues = (times[f"transfer.{way}.issue", 4096] for way in ("to_host", "to_device"))
    found["copy_s"] = median(issues)
    return found


def host(times: Times) -> dict[str, float]:
    """Of a machine's memory and AdamW on its cores."""
    size, seconds = of_size(times, "memory.addcmul_in_place")[0]
    memory = size / seconds
    found = {"memory_bandwidth_bytes_per_s": memory}
    calls = [times[name, SMALL] for name in FUSED[:2]]
    found["update_s"] = median(calls) - SMALL * ADAMW_BYTES / memory
    rates = [
        n * ADAMW_BYTES / (seconds - found["update_s"])
        for name in FUSED
        for n, seconds in of_size(times, name)
        if n > LARGE
    ]
    found["update_part"] = median(rates) / memory
    return found


def program(times: Times) -> dict[str, float]:
    """Of a machine that has the rows for it: the programs that overlap."""
    if ("program.send", 32) not in times:
        return {}
    n = 1_000_000
    updates, fetches = dict(of_size(times, "program.update")), of_size(times, FETCH)
    issuing = times["adamw.thread_beside_issue", n] / times["adamw.thread", n]
    return {
        "send_s": times["program.send", 32],
        "fetch_s": median(seconds - updates[size] for size, seconds in fetches),
        "beside_part": issuing - 1.0,
        "arriving_part": 1.0 - times["adamw.alone", n] / times["adamw.beside_to_host", n],
    }


def fitted(record: str, peak: float) -> dict[str, list[float]]:
    """Each constant on each machine."""
    found: dict[str, list[float]] = {}
    for times in machines(record):
        for key, value in (link(times, peak) | host(times) | program(times)).items():
            found.setdefault(key, []).append(value)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="h200")
    parser.add_argument("--record", default="h200_offload")
    arguments = parser.parse_args()
    device = sp.device(arguments.device)
    found = fitted(arguments.record, device.numbers["link.bandwidth_bytes_per_s"].value)
    for key, values in found.items():
        value = median(values)
        spread = max(abs(v / value - 1.0) for v in values)
        scope = "host" if key.startswith("memory_") else f"offload.{device.vendor}"
        each = ", ".join(f"{v:.3g}" for v in values)
        print(f"{scope}.{key} = {value:.3g}  # {each}: within {spread:.0%}")


if __name__ == "__main__":
    main()
